"""Which case a person may act on as an adjudicator, and the lock that every such act takes first (N3)."""

from __future__ import annotations

from corpus.domain.vocabulary import CaseState
from corpus.models import Case, User
from labeling.domain.states import RoundState
from labeling.models import Comparison, Disagreement

DECIDABLE = (CaseState.ADJUDICATING,)
OPEN_AGAIN = (CaseState.ADJUDICATING, CaseState.SETTLED, CaseState.STALE)


class NotAdjudicable(Exception):
    """The person may not adjudicate this case, or there is nothing to adjudicate; pages answer 404."""


def lock_case(pk: int) -> Case:
    """Return a case, fresh and locked until the transaction ends; every act of adjudication takes this lock first."""
    return Case.objects.select_for_update(no_key=True, of=("self",)).get(pk=pk)


def locked_disagreement(disagreement: Disagreement, adjudicator: User) -> tuple[Case, Disagreement]:
    known = Disagreement.objects.filter(pk=disagreement.pk).values_list("comparison__round__case_id", flat=True)
    case = lock_case(known.get())
    row = Disagreement.objects.select_related("comparison__round", "pair", "label").get(pk=disagreement.pk)
    require_adjudicable(case, row.comparison, adjudicator)
    return case, row


def locked_case(case: Case, adjudicator: User) -> tuple[Case, Comparison]:
    case = lock_case(case.pk)
    comparison = current_comparison(case)
    if comparison is None:
        raise NotAdjudicable("There is nothing to adjudicate on this case.")
    require_adjudicable(case, comparison, adjudicator)
    return case, comparison


def current_comparison(case: Case) -> Comparison | None:
    """Return the comparison that holds of a case's newest compared round."""
    rows = Comparison.objects.current().filter(round__case=case).select_related("round")
    return rows.order_by("-round__number").first()


def require_adjudicable(case: Case, comparison: Comparison, adjudicator: User) -> None:
    """Raise NotAdjudicable unless the person may decide on the case (B3) and this comparison still holds.

    Work under way on the case, a round that is open, must not be seen by anybody.
    """
    newest = current_comparison(case)
    if (
        case.state not in OPEN_AGAIN
        or newest is None
        or newest.pk != comparison.pk
        or case.rounds.filter(state=RoundState.OPEN).exists()
        or not Case.objects.adjudicable_by(adjudicator).filter(pk=case.pk).exists()
    ):
        raise NotAdjudicable("There is nothing that you can adjudicate on this case.")
