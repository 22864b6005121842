package fieldstone.reporting;

import java.time.LocalDate;
import java.util.List;

/** What a branch turned over in a period. */
public record BranchReport(String branch, LocalDate from, LocalDate until, List<Line> lines) {
    /** Sums of one account. */
    public record Line(String account, long paidIn, long paidOut) {}
}
