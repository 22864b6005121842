"""Letters to members."""

from collections.abc import Iterable, Mapping

from .fees import fee_cents
from .hours import OpeningDays
from .loans import Loan
from .statements import Statement


def euros(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d} EUR"


def return_notice(loan: Loan, hours: OpeningDays) -> str:
    """What the desk prints when an item comes back."""
    fee = fee_cents(loan, hours)
    if fee == 0:
        return f"{loan.item.title}: returned, thank you."
    return f"{loan.item.title}: returned late, please pay {euros(fee)}."


def open_total(loans: Iterable[Loan], branches: Mapping[str, OpeningDays]) -> int:
    return sum(fee_cents(loan, branches[loan.branch]) for loan in loans)


def statement_letter(statement: Statement) -> str:
    """The monthly letter: one line for each fee, then the sum."""
    lines = [f"Fees in {statement.month:%B %Y} for member {statement.member}", ""]
    for entry in statement.entries:
        lines.append(f"{entry.returned:%d.%m.}  {entry.title:<40} {euros(entry.cents):>10}")
    lines += ["", f"{'Total':<47} {euros(statement.total_cents):>10}"]
    return "\n".join(lines) + "\n"
