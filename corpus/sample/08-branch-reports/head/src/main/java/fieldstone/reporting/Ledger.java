package fieldstone.reporting;

import java.sql.Connection;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** Reads accounts and bookings. */
public class Ledger {
    private final DataSource source;

    public Ledger(DataSource source) {
        this.source = source;
    }

    /** All accounts of the branch, by number. */
    public List<Account> accounts(String branch) throws SQLException {
        String sql = "SELECT number, branch, owner, closed FROM account WHERE branch = ? ORDER BY number";
        try (Connection connection = source.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, branch);
            try (ResultSet rows = statement.executeQuery()) {
                List<Account> accounts = new ArrayList<>();
                while (rows.next()) {
                    Optional<LocalDate> closed = Optional.ofNullable(rows.getDate(4)).map(Date::toLocalDate);
                    accounts.add(new Account(rows.getString(1), rows.getString(2), rows.getString(3), closed));
                }
                return accounts;
            }
        }
    }

    /** All bookings on the account in [from, until), by day. */
    public List<Booking> bookings(String account, LocalDate from, LocalDate until) throws SQLException {
        String sql =
                "SELECT account, day, cents FROM booking WHERE account = ? AND day >= ? AND day < ? ORDER BY day";
        try (Connection connection = source.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, account);
            statement.setDate(2, Date.valueOf(from));
            statement.setDate(3, Date.valueOf(until));
            return read(statement);
        }
    }

    /** The balance of the account at the start of the day. */
    public long balance(String account, LocalDate day) throws SQLException {
        String sql = "SELECT COALESCE(SUM(cents), 0) FROM booking WHERE account = ? AND day < ?";
        try (Connection connection = source.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, account);
            statement.setDate(2, Date.valueOf(day));
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getLong(1);
            }
        }
    }

    private static List<Booking> read(PreparedStatement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            List<Booking> bookings = new ArrayList<>();
            while (rows.next()) {
                bookings.add(new Booking(rows.getString(1), rows.getDate(2).toLocalDate(), rows.getLong(3)));
            }
            return bookings;
        }
    }
}
