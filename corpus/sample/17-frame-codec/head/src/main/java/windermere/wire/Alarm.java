package windermere.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Something that a meter reports; the code is 0 to 255. */
public record Alarm(long meter, int code, String text) implements Frame {
    static final int KIND = 2;

    static Alarm read(ByteBuffer rest) {
        long meter = rest.getLong();
        int code = Byte.toUnsignedInt(rest.get());
        byte[] text = new byte[rest.remaining()];
        rest.get(text);
        return new Alarm(meter, code, new String(text, StandardCharsets.UTF_8));
    }

    @Override
    public int kind() {
        return KIND;
    }

    @Override
    public int length() {
        return Long.BYTES + Byte.BYTES + encodedText().length;
    }

    @Override
    public void write(ByteBuffer rest) {
        rest.putLong(meter).put((byte) code).put(encodedText());
    }

    @Override
    public String line() {
        return String.format("alarm %016x code %d: %s", meter, code, text);
    }

    private byte[] encodedText() {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
