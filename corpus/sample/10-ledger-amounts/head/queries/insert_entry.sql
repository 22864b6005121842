INSERT INTO entry (account, booked_on, cents, currency, purpose)
VALUES (:account, :booked_on, :cents, :currency, :purpose)
