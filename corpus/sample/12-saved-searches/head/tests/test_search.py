import unittest
from datetime import date

from finder.database import connect
from finder.links import BadLink
from finder.pages import keep, open_link, results


class SearchTest(unittest.TestCase):
    def setUp(self):
        self.connection = connect()
        self.addCleanup(self.connection.close)
        self.connection.executemany(
            "INSERT INTO record (title, maker, year, kind, embargo) VALUES (?, ?, ?, ?, ?)",
            [
                ("Dyke plan", "Holm", 1801, "map", 0),
                ("Tide table", "Aske", 1799, "book", 0),
                ("Sluice letters", "Holm", 1850, "letter", 1),
            ],
        )

    def titles(self, staff=False, **query):
        return [row["title"] for row in results(self.connection, query, staff)["rows"]]

    def test_text_is_found_in_title_and_maker(self):
        self.assertEqual(self.titles(q="holm"), ["Dyke plan"])
        self.assertEqual(self.titles(q="TIDE"), ["Tide table"])

    def test_records_under_embargo_are_for_staff(self):
        self.assertEqual(self.titles(q="holm", staff=True), ["Dyke plan", "Sluice letters"])

    def test_years_restrict(self):
        self.assertEqual(self.titles(**{"from": "1800", "to": "1810"}), ["Dyke plan"])

    def test_results_are_sorted_by_the_column_that_was_clicked(self):
        self.assertEqual(self.titles(sort="year"), ["Tide table", "Dyke plan"])
        self.assertEqual(self.titles(sort="-year"), ["Dyke plan", "Tide table"])

    def test_a_kept_search_finds_the_same(self):
        code = keep({"q": "tide", "sort": "-year", "name": "Tides"}, date(2024, 5, 2))
        opened = open_link(self.connection, code, {})
        self.assertEqual(opened["title"], "Tides")
        self.assertEqual([row["title"] for row in opened["rows"]], ["Tide table"])

    def test_a_link_shows_records_under_embargo_to_staff_alone(self):
        code = keep({"kind": "letter"}, date(2024, 5, 2))
        self.assertEqual(open_link(self.connection, code, {})["total"], 0)
        self.assertEqual(open_link(self.connection, code, {}, staff=True)["total"], 1)

    def test_a_damaged_code_is_refused(self):
        code = keep({"q": "tide"}, date(2024, 5, 2))
        for damaged in ("", code[:-8], "@" + code[1:], "x" * 5000):
            with self.assertRaises(BadLink):
                open_link(self.connection, damaged, {})

    def test_pages_hold_fifty_records(self):
        self.connection.executemany(
            "INSERT INTO record (title, kind) VALUES (?, 'photo')", [(f"Photo {n:03}",) for n in range(101)]
        )
        last = results(self.connection, {"kind": "photo", "page": "3"})
        self.assertEqual((last["pages"], last["total"], len(last["rows"])), (3, 101, 1))
