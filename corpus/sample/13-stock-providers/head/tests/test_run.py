import tempfile
import unittest
from datetime import UTC, datetime
from pathlib import Path

from stocksync.config import Config, ProviderConfig
from stocksync.database import connect
from stocksync.model import ProviderError, Snapshot, StockRecord
from stocksync.report import table
from stocksync.run import Run
from stocksync.state import State

HOLM = ProviderConfig("holm", "csv", "HO-", 50, {})
ASKE = ProviderConfig("aske", "api", "AS-", 50, {})


class Fixed:
    """A provider with prepared answers, one for each fetch."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    def fetch(self, since):
        self.asked.append(since)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


class RunTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.connection = connect()
        self.addCleanup(self.connection.close)
        self.connection.executemany("INSERT INTO item (sku, quantity) VALUES (?, ?)", [("AS-1", 5), ("HO-1", 3)])
        self.now = datetime(2024, 5, 2, 10, tzinfo=UTC)
        self.providers = {}
        self.run_all = Run(
            self.connection, State(self.folder), lambda: self.now, lambda config: self.providers[config.name]
        )

    def stock(self):
        return dict(self.connection.execute("SELECT sku, quantity FROM item"))

    def start(self, *configs, dry_run=False):
        return self.run_all.all(Config("", self.folder, configs), dry_run)

    def test_a_refused_provider_does_not_hold_up_the_others(self):
        self.providers["holm"] = Fixed(ProviderError("holm.csv, line 3: no SKU"))
        self.providers["aske"] = Fixed(Snapshot((StockRecord("as-1", 8),), complete=False))
        outcomes = self.start(HOLM, ASKE)
        self.assertEqual(self.stock(), {"AS-1": 8, "HO-1": 3})
        self.assertEqual(
            table(outcomes),
            "holm: refused, holm.csv, line 3: no SKU\naske: 1 read, 1 changed, 0 set to 0, 0 unknown (0.0 %)\n",
        )

    def test_a_dry_run_writes_nothing(self):
        self.providers["holm"] = Fixed(Snapshot((StockRecord("ho-1", 8),), complete=True))
        outcomes = self.start(HOLM, dry_run=True)
        self.assertEqual(self.stock(), {"AS-1": 5, "HO-1": 3})
        self.assertIn("dry run", table(outcomes))

    def test_an_empty_complete_list_is_stopped_by_the_brake(self):
        self.providers["holm"] = Fixed(Snapshot((), complete=True))
        self.assertIn("1 of 1", self.start(HOLM)[0].refusal)
        self.assertEqual(self.stock()["HO-1"], 3)

    def test_unknown_articles_are_written_to_a_list(self):
        records = (StockRecord("ho-1", 3), StockRecord("ho-9", 1))
        self.providers["holm"] = Fixed(Snapshot(records, complete=True))
        outcomes = self.start(HOLM)
        self.assertIn("1 unknown (50.0 %)", table(outcomes))
        self.assertEqual((self.folder / "unknown-holm.txt").read_text(), "HO-9\n")

    def test_the_next_fetch_asks_for_later_changes(self):
        records = (StockRecord("as-1", 8),)
        self.providers["aske"] = Fixed(Snapshot(records, complete=True), Snapshot(records, complete=False))
        self.start(ASKE)
        self.start(ASKE)
        self.assertEqual(self.providers["aske"].asked, [None, self.now])

    def test_a_refused_fetch_is_asked_for_again(self):
        self.providers["aske"] = Fixed(ProviderError("down"), Snapshot((), complete=True))
        self.start(ASKE)
        self.start(ASKE)
        self.assertEqual(self.providers["aske"].asked, [None, None])
