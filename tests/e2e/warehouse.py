"""The work of the whole journey: a change with three defects, a clean one, and what three people say of them."""

from __future__ import annotations

import hashlib
import subprocess
from dataclasses import dataclass
from pathlib import Path

STOCK = b'''"""Stock of the warehouse."""


class OutOfStock(Exception):
    """Fewer pieces are free than were asked for."""


def reserve(store, item, count):
    """Take pieces of an item out of the free stock."""
    with store.lock(item):
        free = store.free(item)
        if free < count:
            raise OutOfStock(item, free)
        store.set_free(item, free - count)
    return free - count
'''
ORDERS = b'''"""Orders of the warehouse."""


def ship(order, carrier):
    """Hand an order to the carrier."""
    if order.is_cancelled:
        return None
    label = carrier.label(order.address)
    return carrier.collect(order.pieces, label)
'''
REPORT = b'''"""Figures for the morning report."""


def average_days(orders):
    """Return the mean number of days from order to collection."""
    days = [order.days for order in orders]
    if not days:
        return 0
    return sum(days) / len(days)
'''
SHELVES = b'''"""Where things lie."""


def shelf_of(item, plan):
    """Return the shelf on which an item lies."""
    x = plan.row(item)
    y = plan.column(item)
    return plan.shelf(x, y)
'''
BASE = {
    "README.md": b"# Warehouse\n\nReserves stock, ships orders, reports.\n",
    "warehouse/orders.py": ORDERS,
    "warehouse/report.py": REPORT,
    "warehouse/shelves.py": SHELVES,
    "warehouse/stock.py": STOCK,
}
# Drops the lock around reading and writing the stock, ships cancelled orders, and divides by nought on a quiet day.
DEFECTIVE = {
    **BASE,
    "warehouse/stock.py": STOCK.replace(b"    with store.lock(item):\n", b"").replace(b"        ", b"    "),
    "warehouse/orders.py": ORDERS.replace(b"    if order.is_cancelled:\n        return None\n", b""),
    "warehouse/report.py": REPORT.replace(b"in orders]", b"in orders if order.days is not None]").replace(
        b"    if not days:\n        return 0\n", b""
    ),
}
# Gives two variables better names, and changes nothing else.
CLEAN = {
    **BASE,
    "warehouse/shelves.py": SHELVES.replace(b"    x = ", b"    row = ")
    .replace(b"    y = ", b"    column = ")
    .replace(b"(x, y)", b"(row, column)"),
}
TREES = {"old": BASE, "new": DEFECTIVE}


def make_repository(at: Path) -> str:
    """Commit the base and the defective change into a repository at `at`; return the clean change as a git patch."""

    def git(*arguments: str) -> str:
        identity = ("-c", "user.name=Wim", "-c", "user.email=wim@example.org", "-c", "commit.gpgsign=false")
        done = subprocess.run(["git", *identity, *arguments], cwd=at, check=True, capture_output=True, text=True)
        return done.stdout

    def commit(tree: dict[str, bytes], message: str) -> None:
        for path, content in tree.items():
            (at / path).parent.mkdir(parents=True, exist_ok=True)
            (at / path).write_bytes(content)
        git("add", ".")
        git("commit", "-q", "-m", message)

    at.mkdir(parents=True)
    git("init", "-q", "-b", "main")
    commit(BASE, "Reserve, ship, report")
    git("tag", "before")
    commit(CLEAN, "Name rows and columns")
    patch = git("format-patch", "-1", "--stdout")
    git("checkout", "-q", "-b", "faster", "before")
    commit(DEFECTIVE, "Make the hot paths shorter")
    return patch


@dataclass(frozen=True)
class Place:
    """Lines of the defective change that a person selects."""

    role: str
    path: str
    side: str
    first: int
    last: int

    @property
    def row(self) -> tuple[str, str, str, int, int, str]:
        """Return role, path, side, lines and the hash of what they quote, as an anchor stores them."""
        lines = TREES[self.side][self.path].splitlines(keepends=True)[self.first - 1 : self.last]
        return (self.role, self.path, self.side, self.first, self.last, hashlib.sha256(b"".join(lines)).hexdigest())


@dataclass(frozen=True)
class Said:
    """One label as a person fills it in."""

    title: str
    severity: str
    category: str
    trigger: str
    impact: str
    places: tuple[Place, ...]
    drag: bool = False
    relation: str = "introduced"
    speculative: str = "no"
    confidence: str = "high"
    evidence: str = ""
    accept_elements: str = ""
    keywords: str = ""


STOCK_PY, ORDERS_PY, REPORT_PY = "warehouse/stock.py", "warehouse/orders.py", "warehouse/report.py"
CONCURRENCY, BOUNDARY, ERRORS = "Concurrency and idempotency", "Conditions and boundaries", "Error handling and retries"
GUARD = (Place("primary", ORDERS_PY, "old", 6, 7),)
FIRST_SAYS = (
    Said(
        title="Two buyers get the same pieces",
        severity="high",
        category=CONCURRENCY,
        trigger="Two reservations of one item run at the same time",
        evidence="Free stock is read and written without the lock that was there",
        impact="More pieces are promised than there are, and orders have to be called off",
        places=(Place("primary", STOCK_PY, "new", 10, 13), Place("alternate", STOCK_PY, "old", 10, 10)),
        drag=True,
        accept_elements="the lock is gone\nread and write can interleave",
        keywords="lock race",
    ),
    Said(
        title="Cancelled orders are shipped",
        severity="high",
        category=BOUNDARY,
        trigger="An order is cancelled before it is collected",
        impact="The carrier collects pieces that nobody wants, and they have to be sent back",
        places=GUARD,
    ),
    Said(
        title="A failed collection leaves a label behind",
        severity="low",
        category=ERRORS,
        trigger="The carrier refuses the collection",
        impact="An unused label may be paid for",
        places=(Place("primary", ORDERS_PY, "new", 6, 7),),
        relation="pre_existing",
        speculative="yes",
        confidence="low",
    ),
)
SECOND_SAYS = (
    Said(
        title="Stock is no longer locked",
        severity="medium",
        category=CONCURRENCY,
        trigger="Two workers reserve the last pieces together",
        impact="One of the two orders cannot be met",
        places=(Place("primary", STOCK_PY, "new", 11, 13),),
        confidence="medium",
    ),
    Said(
        title="The guard for cancelled orders is gone",
        severity="high",
        category=BOUNDARY,
        trigger="A cancelled order reaches the shipping step",
        impact="It is shipped all the same",
        places=GUARD,
    ),
    Said(
        title="No orders, no report",
        severity="low",
        category=BOUNDARY,
        trigger="No order was collected the day before",
        impact="The morning report fails",
        places=(Place("primary", REPORT_PY, "new", 7, 7),),
    ),
)
# Of the accepted pair the narrower place is primary, and the other's places become alternates.
GOLDEN = {
    ("high", "required", Place("primary", STOCK_PY, "new", 11, 13).row),
    ("high", "required", Place("alternate", STOCK_PY, "new", 10, 13).row),
    ("high", "required", Place("alternate", STOCK_PY, "old", 10, 10).row),
    ("high", "required", GUARD[0].row),
    ("medium", "required", Place("primary", REPORT_PY, "new", 7, 7).row),
}
LABELLED = sorted(place.row for said in (*FIRST_SAYS, *SECOND_SAYS) for place in said.places)
