"""What a late return costs."""

from .loans import Loan

DAILY_CENTS = 20


def fee_cents(loan: Loan) -> int:
    """The fee of a returned loan in cents."""
    if not loan.is_late:
        return 0
    return (loan.returned - loan.due).days * DAILY_CENTS
