"""Figures of agreement: for leads and analysts, the work behind them for leads."""

from __future__ import annotations

from tests.routes.rows import ANALYSTS, LEAD, READ, Row, row

FIGURES = ("", "_breakdown", "_time", "_confusion", "_planning", "_csv", "_study")
BEHIND = ("_cases", "_missed", "_guidelines", "_reviewers")
ROWS: dict[str, Row] = {
    **{f"agreement{page}": row(ANALYSTS, READ) for page in FIGURES},
    **{f"agreement{page}": row(LEAD, READ) for page in BEHIND},
}
