-- One row for each account, month and currency; the application refreshes it after a booking.
CREATE TABLE monthly_balance (
    account INTEGER NOT NULL REFERENCES account (id),
    month TEXT NOT NULL CHECK (month GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]'),
    currency TEXT NOT NULL REFERENCES currency (code),
    cents INTEGER NOT NULL,
    entries INTEGER NOT NULL CHECK (entries > 0),
    PRIMARY KEY (account, month, currency)
) WITHOUT ROWID;

INSERT INTO monthly_balance (account, month, currency, cents, entries)
SELECT account, substr(booked_on, 1, 7), currency, sum(cents), count(*)
FROM entry
GROUP BY account, substr(booked_on, 1, 7), currency;
