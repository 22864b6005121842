"""The shop's tables."""

import sqlite3

SCHEMA = """
CREATE TABLE IF NOT EXISTS price (
    supplier TEXT NOT NULL, article TEXT NOT NULL, cents INTEGER NOT NULL CHECK (cents > 0),
    PRIMARY KEY (supplier, article)
);
"""


def connect(path: str = ":memory:") -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    connection.executescript(SCHEMA)
    return connection
