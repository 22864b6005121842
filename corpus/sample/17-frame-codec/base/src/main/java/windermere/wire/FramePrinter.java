package windermere.wire;

/** One line for the log. */
public final class FramePrinter {
    private FramePrinter() {}

    public static String line(Frame frame) {
        switch (frame.kind) {
            case Frame.READING:
                return String.format("reading %016x at %d: %d", frame.meter, frame.seconds, frame.value);
            case Frame.ALARM:
                return String.format("alarm %016x code %d: %s", frame.meter, frame.code, frame.text);
            default:
                return "acknowledgement of " + frame.number;
        }
    }
}
