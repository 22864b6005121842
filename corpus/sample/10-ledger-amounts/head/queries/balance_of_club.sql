SELECT b.currency, b.month, sum(b.cents) AS cents, sum(b.entries) AS entries
FROM monthly_balance AS b
JOIN account AS a ON a.id = b.account
WHERE a.club = :club AND b.month BETWEEN :first_month AND :last_month
GROUP BY b.currency, b.month
ORDER BY b.month, b.currency
