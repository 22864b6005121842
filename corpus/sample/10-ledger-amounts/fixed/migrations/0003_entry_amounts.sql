-- Splits entry.amount into whole cents and a currency code, so that sums need no parsing in the application.
BEGIN;

DROP VIEW IF EXISTS club_entry;

CREATE TABLE currency (
    code TEXT PRIMARY KEY CHECK (length(code) = 3),
    name TEXT NOT NULL
);
INSERT INTO currency (code, name) VALUES ('CHF', 'Swiss franc'), ('EUR', 'Euro'), ('SEK', 'Swedish krona');
INSERT OR IGNORE INTO currency (code, name)
SELECT DISTINCT upper(substr(amount, -3)), upper(substr(amount, -3))
FROM entry;

CREATE TABLE entry_split (
    id INTEGER PRIMARY KEY,
    account INTEGER NOT NULL REFERENCES account (id),
    booked_on TEXT NOT NULL,
    amount TEXT NOT NULL DEFAULT '',
    cents INTEGER,
    currency TEXT REFERENCES currency (code),
    purpose TEXT NOT NULL DEFAULT ''
);

INSERT INTO entry_split (id, account, booked_on, amount, cents, currency, purpose)
SELECT
    id,
    account,
    booked_on,
    amount,
    CAST(round(CAST(substr(amount, 1, length(amount) - 4) AS REAL) * 100) AS INTEGER),
    upper(substr(amount, -3)),
    purpose
FROM entry;

DROP TABLE entry;
ALTER TABLE entry_split RENAME TO entry;

-- While the previous release still writes `amount`, its rows are split as they arrive.
CREATE TRIGGER entry_split_amount AFTER INSERT ON entry WHEN new.cents IS NULL
BEGIN
    INSERT OR IGNORE INTO currency (code, name)
    VALUES (upper(substr(new.amount, -3)), upper(substr(new.amount, -3)));
    UPDATE entry
    SET cents = CAST(round(CAST(substr(amount, 1, length(amount) - 4) AS REAL) * 100) AS INTEGER),
        currency = upper(substr(amount, -3))
    WHERE id = new.id;
END;

CREATE INDEX entry_account ON entry (account, booked_on);
CREATE INDEX entry_currency ON entry (currency, booked_on);

COMMIT;
