import tempfile
import unittest
from pathlib import Path

from stocksync.config import ConfigError
from stocksync.model import ProviderError, StockRecord
from stocksync.providers.csv_file import CsvProvider, parse_columns


class CsvTest(unittest.TestCase):
    def fetch(self, text, **columns):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "feed.csv"
            path.write_text(text, encoding="utf-8")
            provider = CsvProvider(path, columns, ";") if columns else CsvProvider(path)
            return provider.fetch(None)

    def test_quantities_are_read(self):
        snapshot = self.fetch("sku,quantity\na-1,3\n")
        self.assertEqual(snapshot.records, (StockRecord("a-1", 3),))
        self.assertTrue(snapshot.complete)

    def test_columns_can_have_other_heads(self):
        text = "Artikel;Bestand;Reserviert;VE\na-1;10;2;6\n"
        snapshot = self.fetch(text, sku="Artikel", on_hand="Bestand", reserved="Reserviert", pack="VE")
        self.assertEqual(snapshot.records, (StockRecord("a-1", 10, 2, 6),))

    def test_a_bad_line_is_named(self):
        with self.assertRaisesRegex(ProviderError, "line 3"):
            self.fetch("sku,quantity\na-1,3\na-2,many\n")

    def test_a_missing_column_is_named(self):
        with self.assertRaisesRegex(ProviderError, "quantity"):
            self.fetch("sku,amount\na-1,3\n")

    def test_a_missing_file_is_refused(self):
        with self.assertRaises(ProviderError):
            CsvProvider(Path("nowhere.csv")).fetch(None)

    def test_columns_are_checked(self):
        self.assertEqual(parse_columns("sku=A, on_hand=B"), {"sku": "A", "on_hand": "B"})
        for text in ("sku=A", "sku=A, on_hand", "sku=A, on_hand=B, colour=C"):
            with self.assertRaises(ConfigError):
                parse_columns(text)
