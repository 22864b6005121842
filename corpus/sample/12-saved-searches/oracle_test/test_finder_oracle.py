import base64
import pickle
import unittest
import zlib

from finder.database import connect
from finder.links import BadLink
from finder.pages import open_link, results

def note_call(*_):
    Call.count += 1
    return Call()


class Call:
    count = 0

    def __reduce__(self):
        return note_call, ()


class OracleTest(unittest.TestCase):
    def setUp(self):
        self.connection = connect()
        self.addCleanup(self.connection.close)
        self.connection.executemany(
            "INSERT INTO record (title, year, kind, embargo, notes) VALUES (?, ?, 'map', ?, ?)",
            [("A", 1, 0, ""), ("B", 2, 0, ""), ("C", 3, 1, "donor: secret")],
        )

    def test_opening_a_link_runs_nothing(self):
        payload = pickle.dumps(Call())
        code = base64.urlsafe_b64encode(zlib.compress(payload)).decode().rstrip("=")
        with self.assertRaises(BadLink):
            open_link(self.connection, code, {})
        self.assertEqual(Call.count, 0)

    def test_the_order_of_results_tells_nothing_about_hidden_records(self):
        condition = "(CASE WHEN (SELECT notes FROM record WHERE embargo = 1) LIKE 'donor%' THEN year ELSE -year END)"
        rows = results(self.connection, {"sort": "-" + condition})["rows"]
        plain = results(self.connection, {"sort": "-title"})["rows"]
        other = results(self.connection, {"sort": "-" + condition.replace("donor%", "x%")})["rows"]
        self.assertEqual([row["title"] for row in rows], [row["title"] for row in other])
        self.assertEqual([row["title"] for row in rows], [row["title"] for row in plain])
