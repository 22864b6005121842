import json
import unittest
import urllib.error
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

from stocksync.model import ProviderError
from stocksync.providers.api import ApiProvider, parse


def record(sku, on_hand, minute=0):
    return {"sku": sku, "on_hand": on_hand, "changed": f"2024-05-02T10:{minute:02}:00+00:00"}


class Pages:
    """Answers pages of a list and keeps the queries."""

    def __init__(self, entries):
        self.entries = entries
        self.queries = []

    def __call__(self, address):
        query = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        self.queries.append(query)
        size, number = int(query["limit"]), int(query["page"])
        return json.dumps(self.entries[(number - 1) * size : number * size]).encode()


class ApiTest(unittest.TestCase):
    def provider(self, fetcher, size=2):
        self.pauses = []
        return ApiProvider("https://aske.example/stock", size, fetcher=fetcher, sleep=self.pauses.append)

    def test_all_pages_are_read(self):
        pages = Pages([record("a-1", 1), record("a-2", 2), record("a-3", 3)])
        snapshot = self.provider(pages).fetch(None)
        self.assertEqual([r.on_hand for r in snapshot.records], [1, 2, 3])
        self.assertTrue(snapshot.complete)
        self.assertEqual([query["page"] for query in pages.queries], ["1", "2"])

    def test_a_last_page_that_is_full_is_followed_by_an_empty_one(self):
        pages = Pages([record("a-1", 1), record("a-2", 2)])
        self.assertEqual(len(self.provider(pages).fetch(None).records), 2)
        self.assertEqual(len(pages.queries), 2)

    def test_the_time_is_asked_for(self):
        pages = Pages([])
        snapshot = self.provider(pages).fetch(datetime(2024, 5, 2, 9, tzinfo=UTC))
        self.assertEqual(pages.queries[0]["since"], "2024-05-02T09:00:00Z")
        self.assertFalse(snapshot.complete)

    def test_a_later_change_replaces_an_earlier_one(self):
        pages = Pages([record("a-1", 1), record("A-1", 9, minute=5)])
        self.assertEqual([r.on_hand for r in self.provider(pages).fetch(None).records], [9])

    def test_passing_failures_are_tried_again(self):
        answers = [OSError("reset"), OSError("reset"), b"[]"]

        def fetcher(address):
            answer = answers.pop(0)
            if isinstance(answer, OSError):
                raise answer
            return answer

        self.assertEqual(self.provider(fetcher).fetch(None).records, ())
        self.assertEqual(self.pauses, [1.0, 2.0])

    def test_lasting_refusals_are_not(self):
        def fetcher(address):
            error = urllib.error.HTTPError(address, 403, "no", None, None)
            self.addCleanup(error.close)
            raise error

        with self.assertRaisesRegex(ProviderError, "403"):
            self.provider(fetcher).fetch(None)
        self.assertEqual(self.pauses, [])

    def test_records_are_checked(self):
        for entry in ([], {}, {**record("a", 1), "on_hand": "1"}, {**record("a", 1), "pack": True}, record(" ", 1)):
            with self.assertRaisesRegex(ProviderError, "record 7"):
                parse(entry, 7)
