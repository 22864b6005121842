package fieldstone.reporting;

import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Writes a report as text. */
public class ReportWriter {
    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("dd.MM.yyyy", Locale.ROOT);

    public String write(BranchReport report) {
        StringBuilder text = new StringBuilder();
        text.append("Branch ").append(report.branch()).append(", ").append(DAY.format(report.from()));
        text.append(" to ").append(DAY.format(report.until().minusDays(1))).append('\n');
        for (BranchReport.Line line : report.lines()) {
            text.append(
                    String.format(
                            Locale.ROOT, "%-12s %,14.2f %,14.2f%n",
                            line.account(), line.paidIn() / 100.0, line.paidOut() / 100.0));
        }
        return text.toString();
    }
}
