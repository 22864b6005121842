import unittest
from datetime import date

from circulation.fees import fee_cents
from circulation.hours import OpeningDays
from circulation.loans import Item, Loan
from circulation.statements import monthly_statements

WEEK = OpeningDays(frozenset({0, 1, 2, 3, 4}))
BOOK = Item("B-1", "Book", 3000)


class OracleTest(unittest.TestCase):
    def test_the_third_opening_day_is_still_free(self):
        loan = Loan("m", BOOK, "harbour", date(2024, 3, 4), date(2024, 3, 7))
        self.assertEqual(fee_cents(loan, WEEK), 0)

    def test_december_has_statements(self):
        loan = Loan("m", BOOK, "harbour", date(2024, 12, 2), date(2024, 12, 16))
        statements = monthly_statements([loan], {"harbour": WEEK}, date(2024, 12, 31))
        self.assertEqual([s.total_cents for s in statements], [200])
