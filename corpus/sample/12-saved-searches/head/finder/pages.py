"""Answers to the search page's requests."""

import sqlite3
from collections.abc import Mapping
from datetime import date

from .links import SavedSearch, from_code, to_code
from .search import Criteria, Order, Page, search


def criteria_from(query: Mapping[str, str]) -> Criteria:
    """Criteria from the address; years that are no numbers are left out."""

    def year(name: str) -> int | None:
        text = query.get(name, "")
        return int(text) if text.isdecimal() and len(text) <= 4 else None

    return Criteria(query.get("q", "").strip(), query.get("kind", ""), year("from"), year("to"))


def order_from(query: Mapping[str, str]) -> Order:
    """The order from the address: `sort=year` ascending, `sort=-year` descending."""
    column = query.get("sort", "title")
    return Order(column.removeprefix("-"), column.startswith("-"))


def number_from(query: Mapping[str, str]) -> int:
    text = query.get("page", "1")
    return max(1, int(text)) if text.isdecimal() and len(text) <= 6 else 1


def results(connection: sqlite3.Connection, query: Mapping[str, str], staff: bool = False) -> dict:
    """The page of results and the code under which the search can be kept."""
    criteria, order = criteria_from(query), order_from(query)
    page = search(connection, criteria, order, number_from(query), staff)
    return {**as_data(page), "code": to_code(SavedSearch(criteria, order))}


def keep(query: Mapping[str, str], today: date) -> str:
    """A code with the title that the person gave to the search."""
    return to_code(SavedSearch(criteria_from(query), order_from(query), query.get("name", "")[:100], today))


def open_link(connection: sqlite3.Connection, code: str, query: Mapping[str, str], staff: bool = False) -> dict:
    """The results of a kept search; raises BadLink."""
    saved = from_code(code)
    page = search(connection, saved.criteria, saved.order, number_from(query), staff)
    return {**as_data(page), "title": saved.title, "code": code}


def as_data(page: Page) -> dict:
    return {
        "rows": [dict(row) for row in page.rows],
        "page": page.number,
        "pages": page.pages,
        "total": page.total,
    }
