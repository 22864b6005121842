package windermere.wire;

/** One frame; which fields count depends on the kind. */
public class Frame {
    public static final int READING = 1;
    public static final int ALARM = 2;
    public static final int ACKNOWLEDGEMENT = 3;

    public int kind;
    public long meter;
    public long seconds;
    public int value;
    public int code;
    public String text;
    public int number;
}
