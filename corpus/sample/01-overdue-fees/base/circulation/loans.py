"""Loans and their returns."""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Item:
    """One copy; `price_cents` is what a replacement costs."""

    barcode: str
    title: str
    price_cents: int


@dataclass(frozen=True)
class Loan:
    """One copy lent to one member."""

    member: str
    item: Item
    branch: str
    due: date
    returned: date | None = None

    @property
    def is_late(self) -> bool:
        """Whether it came back after the due date."""
        return self.returned is not None and self.returned > self.due
