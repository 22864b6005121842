"""Who may use which route: one row each. A route without a row fails `test_every_route_has_a_row`.

A row of a project's page says its roles, its verbs, how an address of the asking person is made (`own`) and which ids
in it are foreign to them (`foreign`). `project` is added by the test. The rows stand in
`tests/routes/`, one module a subject.
"""

from __future__ import annotations

from tests.routes import (
    adjudication,
    agreement,
    cases,
    libraries,
    machines,
    people,
    rounds,
    runs,
    seats,
    site,
    versions,
)
from tests.routes.rows import Params, Row, SiteRow

__all__ = ["ACCOUNT_ROWS", "API_ROWS", "FORMS", "PROJECT_ROWS", "QUERIES", "SITE_ROWS", "Params", "Row", "SiteRow"]

PROJECT_ROWS: dict[str, Row] = {
    **people.ROWS,
    **cases.ROWS,
    **rounds.ROWS,
    **seats.ROWS,
    **adjudication.ROWS,
    **agreement.ROWS,
    **versions.ROWS,
    **runs.ROWS,
    **machines.ROWS,
}
SITE_ROWS = site.ROWS
API_ROWS = libraries.API_ROWS
ACCOUNT_ROWS = libraries.ACCOUNT_ROWS

# Views that answer a bare request with a 404 of their own, with the query that makes them answer.
PIECES = {
    "lines": "?old=1&new=1&count=2&show=2",
    "part": "?hunk=0&from=1&whole=1",
    "line": "?side=new&line=1&from=1",
    "blob": "?path=README.md",
    "image": "?path=logo.png",
}
QUERIES = {f"{page}_{piece}": query for page in ("case", "seat", "adjudication") for piece, query in PIECES.items()}
# Forms without which a view does not know what it is asked.
FORMS = {"adjudication_decide": "outcome=unresolved&reason_code=misread_code&expected_version=0"}
