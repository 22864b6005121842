"""What happens to the work on a case whose bytes are destroyed."""

from __future__ import annotations

from corpus.models import Case, User
from corpus.services.withdrawals import ends_work
from labeling.services.rounds import withdraw_case


@ends_work
def end_work(*, case: Case, actor: User, reason: str) -> None:
    """Withdraw the case: its rounds and seats close, its labels are kept without what they quote."""
    withdraw_case(case=case, actor=actor, reason=reason)
