import sqlite3
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EARLIER_INSERT = "INSERT INTO entry (account, booked_on, amount, purpose) VALUES (1, '2024-05-02', '3.75 EUR', 'tea')"


class OracleTest(unittest.TestCase):
    def setUp(self):
        self.connection = sqlite3.connect(":memory:")
        self.addCleanup(self.connection.close)
        for number, path in enumerate(sorted((ROOT / "migrations").glob("*.sql"))):
            if number == 2:
                self.connection.execute("INSERT INTO account VALUES (1, 'rowing', 'cash')")
                self.connection.executemany(
                    "INSERT INTO entry (account, booked_on, amount) VALUES (1, '2024-04-01', ?)",
                    [("12.50 EUR",), ("-7 CHF",), ("0.80 EUR",), ("-0.35 EUR",)],
                )
            self.connection.executescript(path.read_text())

    def test_no_cent_is_lost(self):
        found = self.connection.execute("SELECT currency, sum(cents), count(*) FROM entry GROUP BY currency")
        self.assertEqual(sorted(found), [("CHF", -700, 1), ("EUR", 1295, 3)])

    def test_the_previous_release_can_still_book(self):
        self.connection.execute(EARLIER_INSERT)
        found = self.connection.execute("SELECT cents, currency FROM entry WHERE purpose = 'tea'").fetchone()
        self.assertEqual(found, (375, "EUR"))
