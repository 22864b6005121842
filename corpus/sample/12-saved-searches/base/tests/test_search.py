import unittest

from finder.database import connect
from finder.pages import results


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
        return [row["title"] for row in results(self.connection, query, staff)]

    def test_text_is_found_in_title_and_maker(self):
        self.assertEqual(self.titles(q="holm"), ["Dyke plan"])
        self.assertEqual(self.titles(q="TIDE"), ["Tide table"])

    def test_records_under_embargo_are_for_staff(self):
        self.assertEqual(self.titles(q="holm", staff=True), ["Dyke plan", "Sluice letters"])

    def test_years_restrict(self):
        self.assertEqual(self.titles(**{"from": "1800", "to": "1810"}), ["Dyke plan"])
