package fieldstone.reporting;

import java.sql.SQLException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Builds reports. */
public class ReportService {
    private final Ledger ledger;

    public ReportService(Ledger ledger) {
        this.ledger = ledger;
    }

    public BranchReport build(String branch, LocalDate from, LocalDate until) throws SQLException {
        Map<String, List<Booking>> byAccount =
                ledger.bookings(branch, from, until).stream().collect(Collectors.groupingBy(Booking::account));
        List<BranchReport.Line> lines = new ArrayList<>();
        for (Account account : ledger.accounts(branch)) {
            long in = 0;
            long out = 0;
            for (Booking booking : byAccount.getOrDefault(account.number(), List.of())) {
                if (booking.cents() >= 0) {
                    in += booking.cents();
                } else {
                    out -= booking.cents();
                }
            }
            lines.add(new BranchReport.Line(account.number(), in, out));
        }
        return new BranchReport(branch, from, until, List.copyOf(lines));
    }
}
