package fieldstone.reporting;

import java.time.LocalDate;

/** One booking on an account; negative amounts are withdrawals. */
public record Booking(String account, LocalDate day, long cents) {}
