"""Find records."""

import sqlite3
from dataclasses import dataclass


@dataclass(frozen=True)
class Criteria:
    """What is looked for; empty fields do not restrict."""

    text: str = ""
    kind: str = ""
    from_year: int | None = None
    to_year: int | None = None


def conditions(criteria: Criteria, staff: bool) -> tuple[str, list[object]]:
    """The WHERE clause and its values."""
    parts: list[str] = []
    values: list[object] = []
    if not staff:
        parts.append("embargo = 0")
    if criteria.text:
        parts.append("(instr(lower(title), ?) > 0 OR instr(lower(maker), ?) > 0)")
        values += [criteria.text.lower()] * 2
    if criteria.kind:
        parts.append("kind = ?")
        values.append(criteria.kind)
    if criteria.from_year is not None:
        parts.append("year >= ?")
        values.append(criteria.from_year)
    if criteria.to_year is not None:
        parts.append("year <= ?")
        values.append(criteria.to_year)
    return " AND ".join(parts) or "1", values


def search(connection: sqlite3.Connection, criteria: Criteria, staff: bool = False) -> list[sqlite3.Row]:
    """At most 200 records by title."""
    where, values = conditions(criteria, staff)
    sql = f"SELECT id, title, maker, year, kind FROM record WHERE {where} ORDER BY title, id LIMIT 200"
    return connection.execute(sql, values).fetchall()
