INSERT INTO entry (account, booked_on, amount, cents, currency, purpose)
VALUES (:account, :booked_on, printf('%.2f %s', :cents / 100.0, :currency), :cents, :currency, :purpose)
