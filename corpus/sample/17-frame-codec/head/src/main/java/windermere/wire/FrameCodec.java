package windermere.wire;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.Function;

/** Encodes and decodes frames. */
public final class FrameCodec {
    private static final int HEAD = Byte.BYTES + Short.BYTES;
    private static final int LONGEST_REST = 65535;

    private static final Map<Integer, Function<ByteBuffer, Frame>> READERS =
            Map.of(
                    Reading.KIND, Reading::read,
                    Alarm.KIND, Alarm::read,
                    Acknowledgement.KIND, Acknowledgement::read);

    private FrameCodec() {}

    public static byte[] encode(Frame frame) throws FrameException {
        int length = frame.length();
        if (length > LONGEST_REST) {
            throw new FrameException("frame of " + length + " bytes");
        }
        ByteBuffer bytes = ByteBuffer.allocate(HEAD + length);
        bytes.put((byte) frame.kind()).putShort((short) length);
        frame.write(bytes);
        return bytes.array();
    }

    public static Frame decode(byte[] bytes) throws FrameException {
        if (bytes.length < HEAD) {
            throw new FrameException("only " + bytes.length + " bytes");
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        int kind = Byte.toUnsignedInt(buffer.get());
        int length = Short.toUnsignedInt(buffer.getShort());
        if (length != buffer.remaining()) {
            throw new FrameException("length " + length + ", but " + buffer.remaining() + " bytes follow");
        }
        Function<ByteBuffer, Frame> reader = READERS.get(kind);
        if (reader == null) {
            throw new FrameException("kind " + kind);
        }
        Frame frame = read(reader, buffer, kind);
        if (buffer.hasRemaining()) {
            throw new FrameException("kind " + kind + " is too long");
        }
        return frame;
    }

    private static Frame read(Function<ByteBuffer, Frame> reader, ByteBuffer buffer, int kind)
            throws FrameException {
        try {
            return reader.apply(buffer);
        } catch (BufferUnderflowException e) {
            throw new FrameException("kind " + kind + " is too short");
        }
    }
}
