"""Letters to members."""

from collections.abc import Iterable

from .fees import fee_cents
from .loans import Loan


def euros(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d} EUR"


def return_notice(loan: Loan) -> str:
    """What the desk prints when an item comes back."""
    fee = fee_cents(loan)
    if fee == 0:
        return f"{loan.item.title}: returned, thank you."
    return f"{loan.item.title}: returned late, please pay {euros(fee)}."


def open_total(loans: Iterable[Loan]) -> int:
    return sum(fee_cents(loan) for loan in loans)
