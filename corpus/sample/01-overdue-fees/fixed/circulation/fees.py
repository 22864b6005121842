"""What a late return costs; the rules are in docs/fees.md."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from .hours import OpeningDays
from .loans import Loan


@dataclass(frozen=True)
class FeeSchedule:
    """Daily rates in cents by kind of item, and the opening days that are free."""

    daily_cents: Mapping[str, int] = field(default_factory=lambda: {"book": 20, "film": 50, "game": 50})
    grace_days: int = 3

    def rate(self, kind: str) -> int:
        try:
            return self.daily_cents[kind]
        except KeyError:
            raise ValueError(f"no daily rate for items of kind {kind!r}") from None


STANDARD = FeeSchedule()


def late_days(loan: Loan, hours: OpeningDays) -> int:
    """Opening days after the due date, up to and including the day of return."""
    if not loan.is_late:
        return 0
    return hours.count_after(loan.due, loan.returned)


def fee_cents(loan: Loan, hours: OpeningDays, schedule: FeeSchedule = STANDARD) -> int:
    """The fee of a returned loan in cents."""
    days = late_days(loan, hours)
    if days <= schedule.grace_days:
        return 0
    return min(days * schedule.rate(loan.item.kind), loan.item.price_cents)
