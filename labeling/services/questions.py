"""Disagreements as questions that are asked, decided and asked again. Callers hold the lock of the case."""

from __future__ import annotations

from collections.abc import Iterable

from corpus import clock
from corpus.domain.vocabulary import DisagreementKind, Outcome, Verdict
from corpus.models import Case, User
from labeling.domain.adjudicating import ABOUT_ANSWERS
from labeling.domain.states import DisagreementState
from labeling.models import Adjudication, Comparison, Disagreement
from labeling.selectors.pairs import decided_answer, is_existence_asked, labels_of, unasked_pairs, unjudged_labels
from labeling.services import settlement


def standing_decision(disagreement: Disagreement) -> Adjudication | None:
    """Return the decision that holds on a disagreement, or None while it is open."""
    if disagreement.state != DisagreementState.DECIDED:
        return None
    rows = disagreement.adjudications.filter(undone_at__isnull=True)
    return rows.select_related("along_with", "golden_revision", "adjudicator").order_by("-number").first()


def siblings_of(row: Disagreement) -> list[Disagreement]:
    """Return the other disagreements that are about the same pair, or about the answers as well."""
    others = Disagreement.objects.asked().filter(comparison_id=row.comparison_id).exclude(pk=row.pk).order_by("pk")
    if row.pair_id is not None:
        return list(others.filter(pair_id=row.pair_id))
    if row.kind in ABOUT_ANSWERS:
        return list(others.filter(kind__in=list(ABOUT_ANSWERS)))
    return []


def ask_again(row: Disagreement) -> None:
    """Open the other differences of a pair again that had been decided by rejecting it or leaving it unresolved."""
    reopen(
        other
        for other in siblings_of(row)
        if (held := standing_decision(other)) and held.outcome in (Outcome.REJECT, Outcome.UNRESOLVED)
    )


def reopen(rows: Iterable[Disagreement]) -> None:
    """Open decided disagreements again; what was decided stays in their history, undone."""
    for row in rows:
        row.adjudications.filter(undone_at__isnull=True).update(undone_at=clock.now())
        move(row, DisagreementState.OPEN)


def move(row: Disagreement, state: DisagreementState) -> None:
    """Bring a disagreement to a state; its version counts on, so that older pages are refused."""
    row.state = state
    row.version += 1
    row.save(update_fields=["state", "version"])


def ask_about_lone_labels(comparison: Comparison, verdict: str) -> None:
    """Ask about the existence of what some found while the others lacked context, once the case can be judged.

    Without such a verdict the questions go away again, as far as nobody answered them.
    """
    if verdict and verdict != Verdict.INSUFFICIENT_CONTEXT:
        now = clock.now()
        Disagreement.objects.bulk_create(
            Disagreement(comparison=comparison, kind=DisagreementKind.EXISTENCE, label=label, created_at=now)
            for label in unjudged_labels(comparison)
        )
        Disagreement.objects.bulk_create(
            Disagreement(comparison=comparison, kind=DisagreementKind.EXISTENCE, pair=pair, created_at=now)
            for pair in unasked_pairs(comparison)
        )
        return
    for row in comparison.disagreements.filter(
        kind=DisagreementKind.EXISTENCE, version=0, state=DisagreementState.OPEN
    ).select_related("label__assignment", "pair"):
        found = labels_of(row.pair).values() if row.pair is not None else [row.label]
        if not is_existence_asked(comparison, [label for label in found if label is not None]):
            row.delete()


def settle_when_done(case: Case, comparison: Comparison, adjudicator: User) -> None:
    """Settle the case if nothing of its comparison is open any more."""
    if Disagreement.objects.filter(comparison=comparison).open().exists():
        return
    held = decided_answer(comparison)
    settlement.settle(
        case=case,
        comparison=comparison,
        actor=adjudicator,
        decided_verdict=Verdict(held.verdict) if held is not None and held.verdict else None,
    )
