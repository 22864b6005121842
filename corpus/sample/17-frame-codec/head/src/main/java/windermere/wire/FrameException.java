package windermere.wire;

/** Bytes that are no frame. */
public class FrameException extends Exception {
    private static final long serialVersionUID = 1L;

    public FrameException(String message) {
        super(message);
    }
}
