INSERT INTO monthly_balance (account, month, currency, cents, entries)
SELECT account, :month, currency, sum(cents), count(*)
FROM entry
WHERE account = :account AND substr(booked_on, 1, 7) = :month
GROUP BY account, currency
ON CONFLICT (account, month, currency) DO UPDATE SET cents = excluded.cents, entries = excluded.entries
