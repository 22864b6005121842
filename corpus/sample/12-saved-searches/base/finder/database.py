"""The record table."""

import sqlite3

SCHEMA = """
CREATE TABLE record (
    id INTEGER PRIMARY KEY, title TEXT NOT NULL, maker TEXT NOT NULL DEFAULT '', year INTEGER,
    kind TEXT NOT NULL, embargo INTEGER NOT NULL DEFAULT 0, notes TEXT NOT NULL DEFAULT ''
);
"""


def connect(path: str = ":memory:") -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    connection.executescript(SCHEMA)
    return connection
