"""Comparing the seats of a round, once nobody can recall a submission any more.

The proposal of the aligner is stored with its version and parameters, each difference becomes a disagreement, and a
case without any settles by itself as agreed.
"""

from __future__ import annotations

from django.db import transaction

from corpus import clock
from corpus.domain.vocabulary import CaseState, RoundKind, Verdict
from corpus.models import Case
from corpus.services import audit
from labeling.domain.alignment import Alignment, AlignmentParameters, Flag, align, compare
from labeling.domain.states import LIVE, AssignmentState, DisagreementState, RoundState
from labeling.models import Assignment, Comparison, Disagreement, Label, LabelPair, Round
from labeling.selectors.findings import as_findings, change_shape, standing_labels


def compare_due_rounds(*, case: Case | None = None) -> list[Round]:
    """Compare every open initial or challenge round whose seats are all submitted and final; return those compared.

    Safe to call at any time and twice at once: the first to move the round's state compares it.
    """
    due = Round.objects.filter(state=RoundState.OPEN, kind__in=[RoundKind.INITIAL, RoundKind.CHALLENGE])
    if case is not None:
        due = due.filter(case=case)
    compared = []
    for round_ in due.select_related("case").order_by("pk"):
        if is_due(round_) and compare_round(round_=round_):
            compared.append(round_)
    return compared


def is_due(round_: Round) -> bool:
    """Say whether all wanted seats of a round are submitted and final, its claims pass included."""
    seats = list(round_.assignments.filter(state__in=list(LIVE)))
    if len(seats) < round_.seats_wanted or not all(is_final(seat) for seat in seats):
        return False
    claims = Assignment.objects.filter(
        case_id=round_.case_id, round__kind=RoundKind.CLAIMS, reviewer_id__in=[seat.reviewer_id for seat in seats]
    )
    if not seats[0].policy.uses_claims:
        return True
    done = {seat.reviewer_id for seat in claims if is_final(seat)}
    return done == {seat.reviewer_id for seat in seats}


def is_final(seat: Assignment) -> bool:
    """Say whether a seat is submitted and past its recall."""
    return seat.state == AssignmentState.SUBMITTED and seat.final_at is not None and seat.final_at <= clock.now()


@transaction.atomic
def compare_round(*, round_: Round) -> bool:
    """Compare the two seats of a round and store what differs; False if another process did so first."""
    if Round.objects.filter(pk=round_.pk, state=RoundState.OPEN).update(state=RoundState.COMPARED) != 1:
        return False
    round_.refresh_from_db()
    case = Case.objects.select_for_update().get(pk=round_.case_id)
    seats = list(round_.assignments.filter(state=AssignmentState.SUBMITTED).order_by("slot"))
    seat_a, seat_b = seats[0], seats[1]
    labels_a, labels_b = standing_labels(seat_a), standing_labels(seat_b)
    shape = change_shape(case)
    parameters = AlignmentParameters()
    alignment = align(
        as_findings(labels_a), as_findings(labels_b), files=shape.files, hunks=shape.hunks, parameters=parameters
    )
    outcome = compare(Verdict(seat_a.verdict), Verdict(seat_b.verdict), alignment)
    comparison = _store(round_, alignment, outcome.flags, [*labels_a, *labels_b])
    audit.record(
        actor=None,
        verb="round compared",
        subject=f"round {round_.public_id}",
        case=case,
        after=f"{len(alignment.pairs)} pairs, {len(outcome.flags)} disagreements",
    )
    from labeling.services import settlement

    if outcome.returns_to_owner:
        settlement.return_to_owner(case=case, round_=round_)
    elif outcome.needs_adjudication:
        Case.objects.filter(pk=case.pk).update(state=CaseState.ADJUDICATING)
    else:
        settlement.settle_agreed(case=case, comparison=comparison)
    return True


def _store(round_: Round, alignment: Alignment, flags: tuple[Flag, ...], labels: list[Label]) -> Comparison:
    by_id = {label.public_id: label for label in labels}
    now = clock.now()
    comparison = Comparison.objects.create(
        round=round_,
        aligner=alignment.parameters.version,
        window=alignment.parameters.window,
        no_match_cost=alignment.parameters.no_match_cost,
        category_cost=alignment.parameters.category_cost,
        compared_at=now,
    )
    pairs = {
        (pair.a_id, pair.b_id): LabelPair(
            comparison=comparison,
            label_a=by_id[pair.a_id],
            label_b=by_id[pair.b_id],
            relation=pair.relation,
            cost=pair.cost,
            explanation=pair.explanation[:500],
            is_decided_by_severity=pair.decided_by_severity,
        )
        for pair in alignment.pairs
    }
    LabelPair.objects.bulk_create(pairs.values())
    Disagreement.objects.bulk_create(
        Disagreement(
            comparison=comparison,
            kind=flag.kind,
            pair=pairs[flag.pair] if flag.pair else None,
            label=by_id[flag.finding_id] if flag.finding_id else None,
            distance=flag.distance,
            state=DisagreementState.OPEN,
            created_at=now,
        )
        for flag in flags
    )
    return comparison
