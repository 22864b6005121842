"""Monthly statements of fees."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from .fees import STANDARD, FeeSchedule, fee_cents
from .hours import OpeningDays
from .loans import Loan


@dataclass(frozen=True)
class Entry:
    """One fee on a statement."""

    returned: date
    title: str
    cents: int


@dataclass(frozen=True)
class Statement:
    """All fees of one member that were fixed in one calendar month; `month` is its first day."""

    member: str
    month: date
    entries: tuple[Entry, ...]

    @property
    def total_cents(self) -> int:
        return sum(entry.cents for entry in self.entries)


def month_bounds(day: date) -> tuple[date, date]:
    """The first day of the month of `day`, and the first day after that month."""
    first = day.replace(day=1)
    if first.month == 12:
        return first, date(first.year + 1, 1, 1)
    return first, first.replace(month=first.month + 1)


def monthly_statements(
    loans: Iterable[Loan],
    branches: Mapping[str, OpeningDays],
    month: date,
    schedule: FeeSchedule = STANDARD,
) -> list[Statement]:
    """One statement for each member with a fee in the month of `month`, ordered by member.

    Entries are ordered by day of return, then title. Members without a fee get no statement.
    """
    first, after = month_bounds(month)
    entries: dict[str, list[Entry]] = defaultdict(list)
    for loan in loans:
        if loan.returned is None or not first <= loan.returned < after:
            continue
        cents = fee_cents(loan, branches[loan.branch], schedule)
        if cents:
            entries[loan.member].append(Entry(loan.returned, loan.item.title, cents))
    return [
        Statement(member, first, tuple(sorted(found, key=lambda entry: (entry.returned, entry.title))))
        for member, found in sorted(entries.items())
    ]
