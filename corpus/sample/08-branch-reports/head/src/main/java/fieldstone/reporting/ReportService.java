package fieldstone.reporting;

import java.sql.SQLException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;

/** Builds reports. */
public class ReportService {
    private final Ledger ledger;

    public ReportService(Ledger ledger) {
        this.ledger = ledger;
    }

    /** One line for each account that was open in the period, by number. */
    public BranchReport build(String branch, LocalDate from, LocalDate until) throws SQLException {
        List<BranchReport.Line> lines = new ArrayList<>();
        for (Account account : ledger.accounts(branch)) {
            if (account.wasOpenIn(from, until)) {
                lines.add(line(account, from, until));
            }
        }
        return new BranchReport(branch, from, until, List.copyOf(lines));
    }

    private BranchReport.Line line(Account account, LocalDate from, LocalDate until) throws SQLException {
        long opening = ledger.balance(account.number(), from);
        long balance = opening;
        long lowest = opening;
        long in = 0;
        long out = 0;
        for (Booking booking : ledger.bookings(account.number(), from, until)) {
            balance += booking.cents();
            lowest = Math.min(lowest, balance);
            if (booking.cents() >= 0) {
                in += booking.cents();
            } else {
                out -= booking.cents();
            }
        }
        return new BranchReport.Line(account.number(), opening, in, out, lowest);
    }
}
