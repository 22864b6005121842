"""The shop's item table."""

import sqlite3

SCHEMA = """
CREATE TABLE IF NOT EXISTS item (
    sku TEXT PRIMARY KEY,
    name TEXT NOT NULL DEFAULT '',
    quantity INTEGER NOT NULL DEFAULT 0 CHECK (quantity >= 0)
);
"""


def connect(path: str = ":memory:") -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    connection.executescript(SCHEMA)
    return connection
