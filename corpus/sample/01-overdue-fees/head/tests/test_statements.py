import unittest
from datetime import date

from circulation.hours import OpeningDays
from circulation.loans import Item, Loan
from circulation.notices import statement_letter
from circulation.statements import monthly_statements

WEEK = OpeningDays(frozenset({0, 1, 2, 3, 4}))
BRANCHES = {"harbour": WEEK}
ATLAS = Item("B-100", "Atlas of Rivers", 3000)
BIRDS = Item("B-200", "Birds of the Marsh", 2500)


class StatementTest(unittest.TestCase):
    def setUp(self):
        self.loans = [
            Loan("m-2", ATLAS, "harbour", date(2024, 3, 4), date(2024, 3, 13)),
            Loan("m-1", BIRDS, "harbour", date(2024, 2, 19), date(2024, 2, 29)),
            Loan("m-1", ATLAS, "harbour", date(2024, 2, 19), date(2024, 3, 1)),
            Loan("m-1", BIRDS, "harbour", date(2024, 3, 20), None),
        ]

    def test_a_fee_belongs_to_the_month_of_the_return(self):
        march = monthly_statements(self.loans, BRANCHES, date(2024, 3, 15))
        self.assertEqual([(s.member, s.total_cents) for s in march], [("m-1", 180), ("m-2", 140)])
        february = monthly_statements(self.loans, BRANCHES, date(2024, 2, 1))
        self.assertEqual([(s.member, s.total_cents) for s in february], [("m-1", 160)])

    def test_a_month_without_fees_has_no_statements(self):
        self.assertEqual(monthly_statements(self.loans, BRANCHES, date(2024, 5, 1)), [])

    def test_the_letter_lists_each_fee_and_the_sum(self):
        letter = statement_letter(monthly_statements(self.loans, BRANCHES, date(2024, 2, 1))[0])
        self.assertIn("Fees in February 2024 for member m-1", letter)
        self.assertIn("29.02.  Birds of the Marsh", letter)
        self.assertTrue(letter.rstrip().endswith("1.60 EUR"))
