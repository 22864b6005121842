package windermere.wire;

import java.nio.ByteBuffer;

/** A value that a meter measured. */
public record Reading(long meter, long seconds, int value) implements Frame {
    static final int KIND = 1;

    static Reading read(ByteBuffer rest) {
        return new Reading(rest.getLong(), rest.getLong(), rest.getInt());
    }

    @Override
    public int kind() {
        return KIND;
    }

    @Override
    public int length() {
        return Long.BYTES + Long.BYTES + Integer.BYTES;
    }

    @Override
    public void write(ByteBuffer rest) {
        rest.putLong(meter).putLong(seconds).putInt(value);
    }

    @Override
    public String line() {
        return String.format("reading %016x at %d: %d", meter, seconds, value);
    }
}
