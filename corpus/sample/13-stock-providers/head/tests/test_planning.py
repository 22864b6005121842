import unittest

from stocksync.database import connect
from stocksync.model import Change, Plan
from stocksync.planning import Brake, check_brake, make_plan, write_plan


class PlanningTest(unittest.TestCase):
    def setUp(self):
        self.connection = connect()
        self.addCleanup(self.connection.close)
        self.connection.executemany(
            "INSERT INTO item (sku, quantity) VALUES (?, ?)", [("AS-1", 5), ("as-2", 7), ("HO-1", 3), ("HO-2", 0)]
        )

    def stock(self):
        return dict(self.connection.execute("SELECT sku, quantity FROM item"))

    def test_only_differences_are_changed(self):
        plan = make_plan(self.connection, {"AS-1": 5, "AS-2": 9}, "AS-", complete=False)
        self.assertEqual(plan.changes, (Change("as-2", 7, 9),))
        self.assertEqual(plan.covered, 2)

    def test_a_complete_list_empties_what_it_does_not_name(self):
        plan = make_plan(self.connection, {"AS-1": 5}, "AS-", complete=True)
        self.assertEqual((plan.changes, plan.zeroed), ((Change("as-2", 7, 0),), 1))

    def test_items_of_others_are_left_alone(self):
        plan = make_plan(self.connection, {}, "HO-", complete=True)
        self.assertEqual([change.sku for change in plan.changes], ["HO-1"])

    def test_unknown_articles_are_listed(self):
        self.assertEqual(make_plan(self.connection, {"ZZ-9": 1}, "", complete=False).unknown, ("ZZ-9",))

    def test_a_plan_is_written(self):
        write_plan(self.connection, make_plan(self.connection, {"AS-1": 1, "HO-2": 4}, "", complete=False))
        self.assertEqual(self.stock(), {"AS-1": 1, "as-2": 7, "HO-1": 3, "HO-2": 4})

    def test_the_brake_holds_above_the_limit(self):
        check_brake(Plan((), (), covered=10, zeroed=2), 20)
        with self.assertRaisesRegex(Brake, "3 of 10"):
            check_brake(Plan((), (), covered=10, zeroed=3), 20)
