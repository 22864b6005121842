package fieldstone.reporting;

import java.sql.Connection;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Reads accounts and bookings. */
public class Ledger {
    private final DataSource source;

    public Ledger(DataSource source) {
        this.source = source;
    }

    /** All accounts of the branch, by number. */
    public List<Account> accounts(String branch) throws SQLException {
        String sql = "SELECT number, branch, owner FROM account WHERE branch = ? ORDER BY number";
        try (Connection connection = source.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, branch);
            try (ResultSet rows = statement.executeQuery()) {
                List<Account> accounts = new ArrayList<>();
                while (rows.next()) {
                    accounts.add(new Account(rows.getString(1), rows.getString(2), rows.getString(3)));
                }
                return accounts;
            }
        }
    }

    /** All bookings on accounts of the branch in [from, until), by account and day. */
    public List<Booking> bookings(String branch, LocalDate from, LocalDate until) throws SQLException {
        String sql =
                "SELECT b.account, b.day, b.cents FROM booking b JOIN account a ON a.number = b.account"
                        + " WHERE a.branch = ? AND b.day >= ? AND b.day < ? ORDER BY b.account, b.day";
        try (Connection connection = source.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, branch);
            statement.setDate(2, Date.valueOf(from));
            statement.setDate(3, Date.valueOf(until));
            return read(statement);
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
