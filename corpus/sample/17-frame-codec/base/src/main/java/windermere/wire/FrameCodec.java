package windermere.wire;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Encodes and decodes frames. */
public final class FrameCodec {
    private FrameCodec() {}

    public static byte[] encode(Frame frame) throws FrameException {
        ByteBuffer rest;
        switch (frame.kind) {
            case Frame.READING:
                rest = ByteBuffer.allocate(20);
                rest.putLong(frame.meter).putLong(frame.seconds).putInt(frame.value);
                break;
            case Frame.ALARM:
                byte[] text = frame.text.getBytes(StandardCharsets.UTF_8);
                if (text.length > 65535 - 9) {
                    throw new FrameException("text of " + text.length + " bytes");
                }
                rest = ByteBuffer.allocate(9 + text.length);
                rest.putLong(frame.meter).put((byte) frame.code).put(text);
                break;
            case Frame.ACKNOWLEDGEMENT:
                rest = ByteBuffer.allocate(4);
                rest.putInt(frame.number);
                break;
            default:
                throw new FrameException("kind " + frame.kind);
        }
        ByteBuffer bytes = ByteBuffer.allocate(3 + rest.capacity());
        bytes.put((byte) frame.kind).putShort((short) rest.capacity()).put(rest.array());
        return bytes.array();
    }

    public static Frame decode(byte[] bytes) throws FrameException {
        if (bytes.length < 3) {
            throw new FrameException("only " + bytes.length + " bytes");
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        Frame frame = new Frame();
        frame.kind = Byte.toUnsignedInt(buffer.get());
        int length = Short.toUnsignedInt(buffer.getShort());
        if (length != buffer.remaining()) {
            throw new FrameException("length " + length + ", but " + buffer.remaining() + " bytes follow");
        }
        try {
            switch (frame.kind) {
                case Frame.READING:
                    frame.meter = buffer.getLong();
                    frame.seconds = buffer.getLong();
                    frame.value = buffer.getInt();
                    break;
                case Frame.ALARM:
                    frame.meter = buffer.getLong();
                    frame.code = Byte.toUnsignedInt(buffer.get());
                    byte[] text = new byte[buffer.remaining()];
                    buffer.get(text);
                    frame.text = new String(text, StandardCharsets.UTF_8);
                    break;
                case Frame.ACKNOWLEDGEMENT:
                    frame.number = buffer.getInt();
                    break;
                default:
                    throw new FrameException("kind " + frame.kind);
            }
        } catch (BufferUnderflowException e) {
            throw new FrameException("kind " + frame.kind + " is too short");
        }
        if (buffer.hasRemaining()) {
            throw new FrameException("kind " + frame.kind + " is too long");
        }
        return frame;
    }
}
