import unittest
from datetime import date

from circulation.fees import FeeSchedule, fee_cents
from circulation.hours import OpeningDays
from circulation.loans import Item, Loan
from circulation.notices import return_notice

ATLAS = Item("B-100", "Atlas of Rivers", 3000)
PAMPHLET = Item("B-101", "Fish of the Estuary", 150)
WEEK = OpeningDays(frozenset({0, 1, 2, 3, 4}))


def loan(due, returned, item=ATLAS):
    return Loan("m-1", item, "harbour", due, returned)


class FeeTest(unittest.TestCase):
    def test_a_timely_return_is_free(self):
        self.assertEqual(fee_cents(loan(date(2024, 3, 4), date(2024, 3, 4)), WEEK), 0)

    def test_the_first_late_day_is_free(self):
        self.assertEqual(fee_cents(loan(date(2024, 3, 4), date(2024, 3, 5)), WEEK), 0)

    def test_after_the_grace_period_every_opening_day_counts(self):
        # Monday to Wednesday of the following week: seven opening days.
        self.assertEqual(fee_cents(loan(date(2024, 3, 4), date(2024, 3, 13)), WEEK), 140)

    def test_closed_days_do_not_count(self):
        shut = OpeningDays(WEEK.weekdays, frozenset({date(2024, 3, 6), date(2024, 3, 7)}))
        self.assertEqual(fee_cents(loan(date(2024, 3, 4), date(2024, 3, 13)), shut), 100)

    def test_the_price_of_a_replacement_is_the_limit(self):
        self.assertEqual(fee_cents(loan(date(2024, 3, 4), date(2024, 4, 30), PAMPHLET), WEEK), 150)

    def test_films_cost_more(self):
        film = Item("F-7", "Tidal", 2000, kind="film")
        self.assertEqual(fee_cents(loan(date(2024, 3, 4), date(2024, 3, 13), film), WEEK), 350)

    def test_an_unknown_kind_is_refused(self):
        chart = Item("C-1", "Sea Chart", 900, kind="chart")
        with self.assertRaisesRegex(ValueError, "chart"):
            fee_cents(loan(date(2024, 3, 4), date(2024, 3, 13), chart), WEEK)

    def test_a_branch_may_choose_other_terms(self):
        strict = FeeSchedule(grace_days=0)
        self.assertEqual(fee_cents(loan(date(2024, 3, 4), date(2024, 3, 5)), WEEK, strict), 20)

    def test_the_notice_names_the_amount(self):
        notice = return_notice(loan(date(2024, 3, 4), date(2024, 3, 13)), WEEK)
        self.assertEqual(notice, "Atlas of Rivers: returned late, please pay 1.40 EUR.")
