import sqlite3
import tempfile
import unittest
from pathlib import Path

from dispatch.queue import Queue

BEFORE = """
CREATE TABLE job (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, payload TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'ready',
    worker TEXT, leased_until REAL, attempts INTEGER NOT NULL DEFAULT 0, error TEXT
);
CREATE INDEX job_state ON job (state, id);
INSERT INTO job (kind, payload) VALUES ('mail', '{"to": "a"}');
"""


class UpgradeTest(unittest.TestCase):
    def test_jobs_of_an_earlier_file_are_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "queue.db")
            connection = sqlite3.connect(path)
            connection.executescript(BEFORE)
            connection.close()
            for _ in range(2):
                queue = Queue(path, lambda: 0.0)
                self.addCleanup(queue.close)
            self.assertEqual(queue.claim("w1").payload, {"to": "a"})
