import unittest
from datetime import date

from circulation.fees import fee_cents
from circulation.loans import Item, Loan
from circulation.notices import return_notice

ATLAS = Item("B-100", "Atlas of Rivers", 3000)


def loan(due, returned):
    return Loan("m-1", ATLAS, "harbour", due, returned)


class FeeTest(unittest.TestCase):
    def test_a_timely_return_is_free(self):
        self.assertEqual(fee_cents(loan(date(2024, 3, 4), date(2024, 3, 4))), 0)

    def test_each_late_day_is_charged(self):
        self.assertEqual(fee_cents(loan(date(2024, 3, 4), date(2024, 3, 9))), 100)

    def test_the_notice_names_the_amount(self):
        notice = return_notice(loan(date(2024, 3, 4), date(2024, 3, 9)))
        self.assertEqual(notice, "Atlas of Rivers: returned late, please pay 1.00 EUR.")
