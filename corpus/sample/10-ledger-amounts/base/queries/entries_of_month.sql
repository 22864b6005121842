SELECT id, booked_on, amount, purpose
FROM entry
WHERE account = :account AND booked_on >= :first_day AND booked_on < :next_month
ORDER BY booked_on, id
