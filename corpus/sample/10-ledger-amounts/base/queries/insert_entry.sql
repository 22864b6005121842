INSERT INTO entry (account, booked_on, amount, purpose)
VALUES (:account, :booked_on, :amount, :purpose)
