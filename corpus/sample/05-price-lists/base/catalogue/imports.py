"""Takes supplier files over into the price table."""

import sqlite3
from pathlib import Path

from .files import read_prices


def import_file(connection: sqlite3.Connection, supplier: str, path: Path) -> int:
    """Insert or update every price of the file; all of it or nothing. Returns the number of prices."""
    count = 0
    with connection:
        for article, cents in read_prices(path):
            connection.execute(
                "INSERT INTO price VALUES (?, ?, ?)"
                " ON CONFLICT (supplier, article) DO UPDATE SET cents = excluded.cents",
                (supplier, article, cents),
            )
            count += 1
    return count
