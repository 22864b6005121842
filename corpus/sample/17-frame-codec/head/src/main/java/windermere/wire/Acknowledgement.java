package windermere.wire;

import java.nio.ByteBuffer;

/** Says that the frame of that number arrived. */
public record Acknowledgement(int number) implements Frame {
    static final int KIND = 3;

    static Acknowledgement read(ByteBuffer rest) {
        return new Acknowledgement(rest.getInt());
    }

    @Override
    public int kind() {
        return KIND;
    }

    @Override
    public int length() {
        return Integer.BYTES;
    }

    @Override
    public void write(ByteBuffer rest) {
        rest.putInt(number);
    }

    @Override
    public String line() {
        return "acknowledgement of " + number;
    }
}
