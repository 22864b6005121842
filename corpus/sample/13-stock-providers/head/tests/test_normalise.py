import unittest

from stocksync.model import ProviderError, StockRecord
from stocksync.normalise import pieces, quantities


class NormaliseTest(unittest.TestCase):
    def test_packs_are_counted_in_pieces(self):
        self.assertEqual(pieces(StockRecord("a", 10, 2, 6)), 48)

    def test_nothing_is_below_zero(self):
        self.assertEqual(pieces(StockRecord("a", 1, 5)), 0)
        self.assertEqual(pieces(StockRecord("a", -3)), 0)

    def test_a_negative_reservation_adds_nothing(self):
        self.assertEqual(pieces(StockRecord("a", 4, -2)), 4)

    def test_absurd_figures_are_refused(self):
        for record in (StockRecord("a", 1, 0, 0), StockRecord("a", 10**9)):
            with self.assertRaises(ProviderError):
                pieces(record)

    def test_spellings_of_a_sku_are_summed(self):
        records = [StockRecord("a 1", 1), StockRecord("A-1", 2), StockRecord("b-2", 0)]
        self.assertEqual(quantities(records), {"A-1": 3, "B-2": 0})
