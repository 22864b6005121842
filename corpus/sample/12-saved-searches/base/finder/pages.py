"""Answers to the search page's requests."""

import sqlite3
from collections.abc import Mapping

from .search import Criteria, search


def criteria_from(query: Mapping[str, str]) -> Criteria:
    """Criteria from the address; years that are no numbers are left out."""

    def year(name: str) -> int | None:
        text = query.get(name, "")
        return int(text) if text.isdecimal() and len(text) <= 4 else None

    return Criteria(query.get("q", "").strip(), query.get("kind", ""), year("from"), year("to"))


def results(connection: sqlite3.Connection, query: Mapping[str, str], staff: bool = False) -> list[dict]:
    return [dict(row) for row in search(connection, criteria_from(query), staff)]
