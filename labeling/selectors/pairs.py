"""Which labels of a comparison are paired, which stand alone, and which of them a person is asked about."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import QuerySet

from corpus.domain.vocabulary import DisagreementKind, Severity, Verdict
from labeling.domain.adjudicating import ABOUT_ANSWERS
from labeling.domain.alignment import AskPolicy
from labeling.domain.states import AssignmentState, DisagreementState
from labeling.models import Adjudication, Assignment, Comparison, Label, LabelPair

RELATED = ("category", "assignment__contract")


def compared_labels(comparison: Comparison) -> list[Label]:
    """Return the labels that a comparison speaks of, in stored order: one seat's after the other's."""
    rows = Label.objects.standing().filter(pk__in=comparison.compared_labels.values("label"))
    return list(rows.select_related(*RELATED).order_by("assignment__slot", "assignment_id", "number"))


def agreed_pairs(comparison: Comparison) -> QuerySet[LabelPair]:
    """Return the pairs of a comparison without any disagreement, in stored order."""
    related = [f"label_{slot}__{name}" for slot in "abc" for name in RELATED]
    return comparison.pairs.holding().filter(disagreements__isnull=True).select_related(*related).order_by("pk")


def lone_labels(comparison: Comparison) -> list[Label]:
    """Return the labels without a partner in a comparison, in stored order."""
    paired = {pk for pair in comparison.pairs.holding().values_list("label_a", "label_b", "label_c") for pk in pair}
    return [label for label in compared_labels(comparison) if label.pk not in paired]


def unasked_pairs(comparison: Comparison) -> list[LabelPair]:
    """Return the pairs that a third person does not have and whose existence nobody was asked about."""
    asked = comparison.disagreements.asked().filter(kind=DisagreementKind.EXISTENCE, pair__isnull=False)
    pairs = comparison.pairs.holding().filter(label_c__isnull=True).exclude(pk__in=asked.values("pair"))
    return list(pairs.order_by("pk")) if comparison.seat_count > 2 else []


def unjudged_labels(comparison: Comparison) -> list[Label]:
    """Return the labels without a partner whose existence nobody was asked about."""
    asked = set(comparison.disagreements.asked().filter(label__isnull=False).values_list("label_id", flat=True))
    return [label for label in lone_labels(comparison) if label.pk not in asked]


def labels_of(pair: LabelPair) -> dict[str, Label]:
    """Return the labels of a pair by their slots; three where a third person found it too."""
    labels = (pair.label_a, pair.label_b, pair.label_c)
    return {label.assignment.slot: label for label in labels if label is not None}


def label_keys(pair: LabelPair) -> tuple[int, ...]:
    """Return the keys of the labels of a pair, in the order of their slots."""
    return tuple(pk for pk in (pair.label_a_id, pair.label_b_id, pair.label_c_id) if pk is not None)


def lacking_slots(comparison: Comparison) -> set[str]:
    """Return the slots whose owners said that they lacked the context to judge."""
    seats = Assignment.objects.filter(
        round_id=comparison.round_id, state=AssignmentState.SUBMITTED, verdict=Verdict.INSUFFICIENT_CONTEXT
    )
    return set(seats.values_list("slot", flat=True))


def decided_answer(comparison: Comparison) -> Adjudication | None:
    """Return the decision that holds on the answers on the whole case, or None."""
    rows = Adjudication.objects.filter(
        disagreement__comparison=comparison,
        disagreement__kind__in=list(ABOUT_ANSWERS),
        disagreement__state=DisagreementState.DECIDED,
        undone_at__isnull=True,
    )
    return rows.order_by("number", "pk").last()


def is_existence_asked(comparison: Comparison, labels: Iterable[Label]) -> bool:
    """Say whether it is a difference that only these labels found a defect.

    It is none where everybody else had no means to judge (T2), unless a decision on the answers says otherwise.
    """
    seats = Assignment.objects.filter(round_id=comparison.round_id, state=AssignmentState.SUBMITTED)
    missing = set(seats.values_list("slot", flat=True)) - {label.assignment.slot for label in labels}
    if not missing or missing - lacking_slots(comparison):
        return bool(missing)
    held = decided_answer(comparison)
    return held is not None and held.verdict not in ("", Verdict.INSUFFICIENT_CONTEXT)


def ask_policy(comparison: Comparison) -> AskPolicy:
    """Return which differences need a person, as the working policy said when the labels were compared."""
    policy = comparison.policy
    return AskPolicy(policy.severity_tolerance, policy.asks_about_places) if policy is not None else AskPolicy()


def worst_rank(comparison: Comparison, labels: Iterable[Label]) -> int:
    """Return the rank of the most severe label that a decision is about; of any label where the answers differ."""
    by_id = {label.pk: label for label in labels}
    named: set[int] = set()
    for kind, *labels_named in comparison.disagreements.asked().values_list(
        "kind", "label_id", "pair__label_a_id", "pair__label_b_id", "pair__label_c_id"
    ):
        named |= set(by_id) if kind in ABOUT_ANSWERS else {pk for pk in labels_named if pk is not None}
    return max((Severity(by_id[pk].severity).rank for pk in named if pk in by_id), default=0)
