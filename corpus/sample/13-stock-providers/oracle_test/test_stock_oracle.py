import gc
import json
import tempfile
import unittest
import warnings
from datetime import UTC, datetime, timedelta
from pathlib import Path

from stocksync.config import Config, ProviderConfig
from stocksync.database import connect
from stocksync.model import ProviderError, Snapshot, StockRecord
from stocksync.planning import make_plan
from stocksync.providers.api import ApiProvider
from stocksync.report import table
from stocksync.run import Run
from stocksync.state import State

ASKE = ProviderConfig("aske", "api", "AS-", 50, {})
TEN = datetime(2024, 5, 2, 10, tzinfo=UTC)


def steps(items):
    """Database steps that a plan over so many items takes, in units of 100."""
    connection = connect()
    skus = [f"AS-{number:05}" for number in range(items)]
    connection.executemany("INSERT INTO item (sku) VALUES (?)", [(sku,) for sku in skus])
    count = 0

    def tick():
        nonlocal count
        count += 1

    connection.set_progress_handler(tick, 100)
    make_plan(connection, dict.fromkeys(skus, 1), "", complete=False)
    connection.close()
    return count


class OracleTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_with(self, provider, clock):
        connection = connect()
        self.addCleanup(connection.close)
        connection.execute("INSERT INTO item (sku, quantity) VALUES ('AS-1', 5)")
        run = Run(connection, State(self.folder), clock, lambda config: provider)
        return connection, lambda: run.all(Config("", self.folder, (ASKE,)))

    def test_the_work_grows_with_the_list_and_not_with_its_square(self):
        self.assertLess(steps(2000), 20 * max(1, steps(200)))

    def test_no_spool_file_stays_after_a_bad_record(self):
        body = json.dumps([{"sku": "a", "on_hand": "many", "changed": "2024-05-02"}]).encode()
        provider = ApiProvider("https://x.example", spool=self.folder, fetcher=lambda address: body)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            with self.assertRaises(ProviderError):
                provider.fetch(None)
            gc.collect()
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_change_during_the_run_is_fetched_by_the_next(self):
        now = TEN
        changes = [(TEN - timedelta(minutes=1), StockRecord("AS-1", 8))]

        class Provider:
            def fetch(self, since):
                nonlocal now
                found = tuple(record for at, record in changes if since is None or at > since)
                now += timedelta(minutes=2)
                if len(changes) == 1:
                    changes.append((TEN + timedelta(minutes=1), StockRecord("AS-1", 1)))
                return Snapshot(found, complete=since is None)

        connection, start = self.run_with(Provider(), lambda: now)
        start()
        now = TEN + timedelta(hours=1)
        start()
        self.assertEqual(connection.execute("SELECT quantity FROM item").fetchone(), (1,))

    def test_a_quiet_hour_has_a_report(self):
        State(self.folder).remember("aske", TEN)

        class Quiet:
            def fetch(self, since):
                return Snapshot((), complete=False)

        start = self.run_with(Quiet(), lambda: TEN)[1]
        self.assertTrue(table(start()).startswith("aske: "))
