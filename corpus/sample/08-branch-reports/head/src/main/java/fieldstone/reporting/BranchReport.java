package fieldstone.reporting;

import java.time.LocalDate;
import java.util.List;

/** What a branch turned over in a period. */
public record BranchReport(String branch, LocalDate from, LocalDate until, List<Line> lines) {
    /** Opening balance and sums of one account; `lowest` is the lowest balance at the end of a booking. */
    public record Line(String account, long opening, long paidIn, long paidOut, long lowest) {
        public long closing() {
            return opening + paidIn - paidOut;
        }

        public boolean wasOverdrawn() {
            return lowest < 0;
        }
    }

    public long paidIn() {
        return lines.stream().mapToLong(Line::paidIn).sum();
    }

    public long paidOut() {
        return lines.stream().mapToLong(Line::paidOut).sum();
    }
}
