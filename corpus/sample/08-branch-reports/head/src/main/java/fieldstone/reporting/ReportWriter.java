package fieldstone.reporting;

import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Writes a report as text, with amounts as the branch's language writes them. */
public class ReportWriter {
    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("dd.MM.yyyy", Locale.ROOT);

    private final DecimalFormat amounts;

    public ReportWriter(Locale language) {
        amounts = new DecimalFormat("#,##0.00", DecimalFormatSymbols.getInstance(language));
    }

    public String write(BranchReport report) {
        StringBuilder text = new StringBuilder();
        text.append("Branch ").append(report.branch()).append(", ").append(DAY.format(report.from()));
        text.append(" to ").append(DAY.format(report.until().minusDays(1))).append('\n');
        for (BranchReport.Line line : report.lines()) {
            text.append(line.wasOverdrawn() ? "! " : "  ").append(String.format("%-12s", line.account()));
            for (long cents : new long[] {line.opening(), line.paidIn(), line.paidOut(), line.closing()}) {
                text.append(column(cents));
            }
            text.append('\n');
        }
        text.append(String.format("%-14s", "Sum")).append(column(0).replaceAll(".", " "));
        return text.append(column(report.paidIn())).append(column(report.paidOut())).append('\n').toString();
    }

    private String column(long cents) {
        return String.format("%16s", amounts.format(cents / 100.0));
    }
}
