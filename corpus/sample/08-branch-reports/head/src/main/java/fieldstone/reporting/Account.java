package fieldstone.reporting;

import java.time.LocalDate;
import java.util.Optional;

/** One account of a branch; `closed` is the first day without it. */
public record Account(String number, String branch, String owner, Optional<LocalDate> closed) {
    /** Whether the account was there on at least one day of [from, until). */
    public boolean wasOpenIn(LocalDate from, LocalDate until) {
        return closed.map(day -> day.isAfter(from)).orElse(true);
    }
}
