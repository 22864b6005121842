import tempfile
import unittest
from pathlib import Path

from stocksync.feed import read_feed


class FeedTest(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "feed.csv"
            path.write_text(text, encoding="utf-8")
            return read_feed(path)

    def test_quantities_are_read_by_sku(self):
        self.assertEqual(self.read("sku,quantity\na-1,3\nB-2,0\n"), {"A-1": 3, "B-2": 0})

    def test_a_sku_on_two_lines_counts_with_its_sum(self):
        self.assertEqual(self.read("sku,quantity\nA-1,3\na-1,4\n"), {"A-1": 7})
