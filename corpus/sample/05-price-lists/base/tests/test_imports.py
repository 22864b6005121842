import tempfile
import unittest
from pathlib import Path

from catalogue.database import connect
from catalogue.files import BadLine
from catalogue.imports import import_file


class ImportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "prices.csv"
        self.connection = connect()
        self.addCleanup(self.connection.close)

    def run_import(self, text):
        self.path.write_text(text, encoding="utf-8")
        return import_file(self.connection, "oak", self.path)

    def prices(self):
        return dict(self.connection.execute("SELECT article, cents FROM price WHERE supplier = 'oak'"))

    def test_prices_are_taken_over(self):
        self.assertEqual(self.run_import("A1;9,99\nA2;5\n"), 2)
        self.assertEqual(self.prices(), {"A1": 999, "A2": 500})

    def test_a_bad_line_changes_nothing(self):
        self.run_import("A1;9,99\n")
        with self.assertRaisesRegex(BadLine, "line 2"):
            self.run_import("A1;8\nA2;five\n")
        self.assertEqual(self.prices(), {"A1": 999})
