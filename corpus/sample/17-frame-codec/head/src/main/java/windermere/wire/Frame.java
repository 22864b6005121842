package windermere.wire;

import java.nio.ByteBuffer;

/** One frame. Its first byte on the wire is {@link #kind()}. */
public sealed interface Frame permits Reading, Alarm, Acknowledgement {
    /** The first byte. */
    int kind();

    /** Number of bytes that {@link #write} puts. */
    int length();

    /** Puts everything after kind and length. */
    void write(ByteBuffer rest);

    /** One line for the log. */
    String line();
}
