import tempfile
import unittest
from datetime import date
from pathlib import Path

from catalogue.database import connect
from catalogue.files import BadLine
from catalogue.imports import import_file, start_planned

TODAY = date(2024, 5, 2)


class ImportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "prices.csv"
        self.connection = connect()
        self.addCleanup(self.connection.close)

    def run_import(self, text):
        self.path.write_text(text, encoding="utf-8")
        return import_file(self.connection, "oak", self.path, TODAY)

    def prices(self):
        return dict(self.connection.execute("SELECT article, cents FROM price WHERE supplier = 'oak'"))

    def test_prices_are_taken_over(self):
        self.assertEqual(self.run_import("A1;9,99\nA2;5\n").current, 2)
        self.assertEqual(self.prices(), {"A1": 999, "A2": 500})

    def test_an_article_that_is_no_longer_listed_goes(self):
        self.run_import("A1;9,99\nA2;5\n")
        self.assertEqual(self.run_import("A2;6\n").removed, 1)
        self.assertEqual(self.prices(), {"A2": 600})

    def test_a_price_for_several_pieces_is_stored_for_one(self):
        self.run_import("A1;10,00;3\n")
        self.assertEqual(self.prices(), {"A1": 333})

    def test_a_future_price_waits_for_its_day(self):
        result = self.run_import("A1;9,99\nA1;12;;2024-06-01\n")
        self.assertEqual((result.current, result.planned), (1, 1))
        self.assertEqual(start_planned(self.connection, date(2024, 5, 31)), 0)
        self.assertEqual(start_planned(self.connection, date(2024, 6, 1)), 1)
        self.assertEqual(self.prices(), {"A1": 1200})

    def test_a_bad_line_is_named(self):
        with self.assertRaisesRegex(BadLine, "line 2"):
            self.run_import("A1;8\nA2;five\n")

    def test_other_suppliers_are_left_alone(self):
        self.connection.execute("INSERT INTO price VALUES ('elm', 'A1', 100)")
        self.run_import("A1;9,99\n")
        found = self.connection.execute("SELECT cents FROM price WHERE supplier = 'elm'").fetchone()
        self.assertEqual(found, (100,))
