import contextlib
import io
import tempfile
import unittest
from datetime import date
from pathlib import Path

from catalogue.__main__ import main
from catalogue.database import connect
from catalogue.files import BadLine
from catalogue.imports import import_file

TODAY = date(2024, 5, 2)


class OracleTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def test_a_list_that_cannot_be_read_leaves_the_prices_as_they_were(self):
        connection = connect()
        self.addCleanup(connection.close)
        path = self.root / "p.csv"
        path.write_text("A1;9,99\nA2;5\n")
        import_file(connection, "oak", path, TODAY)
        path.write_text("A1;8\nA2;five\n")
        with self.assertRaises(BadLine):
            import_file(connection, "oak", path, TODAY)
        found = dict(connection.execute("SELECT article, cents FROM price"))
        self.assertEqual(found, {"A1": 999, "A2": 500})

    def test_a_refused_file_is_reported_and_stays(self):
        (self.root / "oak").mkdir()
        path = self.root / "oak" / "p.csv"
        path.write_text("A2;five\n")
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            status = main(self.root, str(self.root / "shop.db"), TODAY)
        self.assertEqual(status, 1)
        self.assertTrue(path.exists())
