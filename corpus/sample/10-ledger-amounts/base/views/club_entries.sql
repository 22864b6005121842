CREATE VIEW club_entry AS
SELECT a.club, a.name AS account_name, e.id, e.booked_on, e.amount, e.purpose
FROM entry AS e
JOIN account AS a ON a.id = e.account;
