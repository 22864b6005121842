"""Find records."""

import sqlite3
from dataclasses import dataclass

PAGE_SIZE = 50
COLUMNS = ("title", "maker", "year", "kind")


@dataclass(frozen=True)
class Criteria:
    """What is looked for; empty fields do not restrict."""

    text: str = ""
    kind: str = ""
    from_year: int | None = None
    to_year: int | None = None


@dataclass(frozen=True)
class Order:
    """The column that results are sorted by."""

    column: str = "title"
    descending: bool = False

    def sql(self) -> str:
        direction = "DESC" if self.descending else "ASC"
        column = self.column if self.column in COLUMNS else "title"
        return f"{column} {direction}, id {direction}"


@dataclass(frozen=True)
class Page:
    """One page of results; `total` counts all of them."""

    rows: list[sqlite3.Row]
    number: int
    total: int

    @property
    def pages(self) -> int:
        return max(1, -(-self.total // PAGE_SIZE))


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


def search(
    connection: sqlite3.Connection, criteria: Criteria, order: Order, number: int = 1, staff: bool = False
) -> Page:
    """One page of the records, counted from 1."""
    where, values = conditions(criteria, staff)
    total = connection.execute(f"SELECT count(*) FROM record WHERE {where}", values).fetchone()[0]
    sql = f"SELECT id, title, maker, year, kind FROM record WHERE {where} ORDER BY {order.sql()} LIMIT ? OFFSET ?"
    rows = connection.execute(sql, [*values, PAGE_SIZE, (number - 1) * PAGE_SIZE]).fetchall()
    return Page(rows, number, total)
