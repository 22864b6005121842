"""What agrees: accepted at once, as one act that can be taken back while the case is being adjudicated."""

from __future__ import annotations

from django.db import transaction

from corpus.domain.vocabulary import CaseState
from corpus.models import Case, GoldenRevision, User
from corpus.services import audit
from labeling.domain.states import PairState
from labeling.models import LabelPair
from labeling.selectors.pairs import agreed_pairs, labels_of
from labeling.services import settlement
from labeling.services.adjudicable import locked_case
from labeling.services.decision_input import DecisionRefused


@transaction.atomic
def accept_all_agreed(*, case: Case, adjudicator: User) -> list[GoldenRevision]:
    """Accept every pair on which nothing differs, as one act recorded as agreed; repeating it changes nothing."""
    case, comparison = locked_case(case, adjudicator)
    if case.state != CaseState.ADJUDICATING:
        return []
    pairs = list(agreed_pairs(comparison).filter(state=PairState.PROPOSED))
    accepted = [settlement.accept_pair(case=case, pair=pair, decided_by=adjudicator) for pair in pairs]
    if accepted:
        _audit_agreed(case, adjudicator, "agreed findings accepted", len(accepted))
    return accepted


@transaction.atomic
def undo_accept_all(*, case: Case, adjudicator: User) -> int:
    """Take back what `accept_all_agreed` accepted; return how many. The pairs are accepted again when the case settles.

    Raises DecisionRefused once the case is settled.
    """
    case, comparison = locked_case(case, adjudicator)
    if case.state != CaseState.ADJUDICATING:
        raise DecisionRefused("outcome", "This case is settled; undo its last decision first.")
    pairs = list(agreed_pairs(comparison).filter(state=PairState.CONFIRMED))
    for pair in pairs:
        labels = list(labels_of(pair).values())
        settlement.retract_finding(case=case, labels=labels, actor=adjudicator)
    LabelPair.objects.filter(pk__in=[pair.pk for pair in pairs]).update(state=PairState.PROPOSED)
    if pairs:
        _audit_agreed(case, adjudicator, "agreed findings taken back", len(pairs))
    return len(pairs)


def _audit_agreed(case: Case, actor: User, verb: str, pairs: int) -> None:
    audit.record(actor=actor, verb=verb, subject=f"case {case.public_id}", case=case, after=f"{pairs} pairs")
