"""Takes complete supplier lists over into the price tables."""

import logging
import sqlite3
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from .files import PriceLine, read_prices

log = logging.getLogger(__name__)


@dataclass
class ImportResult:
    """What one file brought."""

    supplier: str
    current: int = 0
    planned: int = 0
    removed: int = 0


def import_file(connection: sqlite3.Connection, supplier: str, path: Path, today: date) -> ImportResult:
    """Replace the supplier's list by that of the file."""
    result = ImportResult(supplier)
    before = articles(connection, supplier)
    with connection:
        clear(connection, supplier)
        for line in read_prices(path):
            store(connection, supplier, line, today, result)
    result.removed = len(before - articles(connection, supplier))
    log.info("%s: %d current, %d planned, %d removed", supplier, result.current, result.planned, result.removed)
    return result


def articles(connection: sqlite3.Connection, supplier: str) -> set[str]:
    """The articles that have a price today."""
    rows = connection.execute("SELECT article FROM price WHERE supplier = ?", (supplier,))
    return {article for (article,) in rows}


def clear(connection: sqlite3.Connection, supplier: str) -> None:
    """Remove all prices of the supplier, present and planned."""
    connection.execute("DELETE FROM price WHERE supplier = ?", (supplier,))
    connection.execute("DELETE FROM planned_price WHERE supplier = ?", (supplier,))


def store(
    connection: sqlite3.Connection, supplier: str, line: PriceLine, today: date, result: ImportResult
) -> None:
    """Write one line to the table it belongs to and count it."""
    if line.starts is not None and line.starts > today:
        connection.execute(
            "INSERT OR REPLACE INTO planned_price VALUES (?, ?, ?, ?)",
            (supplier, line.article, line.cents, line.starts.isoformat()),
        )
        result.planned += 1
    else:
        connection.execute(
            "INSERT INTO price VALUES (?, ?, ?)"
            " ON CONFLICT (supplier, article) DO UPDATE SET cents = excluded.cents",
            (supplier, line.article, line.cents),
        )
        result.current += 1


def start_planned(connection: sqlite3.Connection, today: date) -> int:
    """Move planned prices whose day has come into the price table; the latest of them wins. Returns how many."""
    with connection:
        rows = connection.execute(
            "SELECT supplier, article, cents FROM planned_price WHERE starts <= ? ORDER BY starts",
            (today.isoformat(),),
        ).fetchall()
        connection.executemany(
            "INSERT INTO price VALUES (?, ?, ?)"
            " ON CONFLICT (supplier, article) DO UPDATE SET cents = excluded.cents",
            rows,
        )
        connection.execute("DELETE FROM planned_price WHERE starts <= ?", (today.isoformat(),))
    return len(rows)
