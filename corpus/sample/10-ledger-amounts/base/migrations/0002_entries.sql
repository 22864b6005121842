-- amount is a decimal number with a currency code, as "12.50 EUR"; "-7 CHF" is an outgoing amount without cents.
CREATE TABLE entry (
    id INTEGER PRIMARY KEY,
    account INTEGER NOT NULL REFERENCES account (id),
    booked_on TEXT NOT NULL,
    amount TEXT NOT NULL,
    purpose TEXT NOT NULL DEFAULT ''
);
CREATE INDEX entry_account ON entry (account, booked_on);
