"""Comparing the seats of a round, once nobody can recall a submission any more.

The proposal of the aligner is stored with its version and parameters, each difference becomes a disagreement, and a
case without any settles by itself as agreed.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from django.db import transaction

from corpus import clock
from corpus.domain.vocabulary import CaseState, RoundKind, Verdict
from corpus.models import Case, WorkingPolicyVersion
from corpus.selectors.projects import working_policy
from corpus.services import audit
from labeling.domain.alignment import AlignmentParameters, AskPolicy, align
from labeling.domain.states import LIVE, AssignmentState, DisagreementState, RoundState
from labeling.domain.third_seat import Asked, groups_of_two, questions, with_third
from labeling.models import Assignment, ComparedLabel, Comparison, Disagreement, Label, LabelPair, Round
from labeling.querysets.assignments import RoundQuerySet
from labeling.selectors.findings import ChangeShape, as_findings, change_shape, standing_labels
from labeling.selectors.pairs import worst_rank
from labeling.services import settlement
from labeling.services.claimed_labels import claimed_labels
from labeling.services.pair_rows import pair_columns
from labeling.services.seating import lock_seats
from labeling.services.tallies import count_comparison
from labeling.services.third_seats import Compared, call_third_seat, third_seat_policy

logger = logging.getLogger(__name__)


def compare_due_rounds(*, rounds: RoundQuerySet | None = None) -> list[Round]:
    """Compare every open initial or challenge round whose seats are all submitted and final; return those compared.

    `rounds` narrow the sweep. Safe to call at any time and twice at once: the first to take the case's lock
    compares it. A round whose comparison fails is logged and left as it was, so that it stops neither the others nor
    the caller; the next sweep tries again.
    """
    due = (Round.objects.all() if rounds is None else rounds).due(clock.now())
    compared = []
    for round_ in due.order_by("pk"):
        try:
            if compare_round(round_=round_):
                compared.append(round_)
        except Exception:
            logger.exception("Comparing round %s failed; the next sweep tries again.", round_.public_id)
    return compared


def is_due(round_: Round) -> bool:
    """Say whether all wanted seats of a round are submitted and final, its claims pass included.

    `Round.objects.due` asks the same of many rounds in one query.
    """
    if round_.kind not in (RoundKind.INITIAL, RoundKind.CHALLENGE) or round_.state != RoundState.OPEN:
        return False
    seats = list(round_.assignments.filter(state__in=list(LIVE)).select_related("policy"))
    if len(seats) < round_.seats_wanted or not all(is_final(seat) for seat in seats):
        return False
    asked = {seat.reviewer_id for seat in seats if seat.policy.uses_claims}
    claims = Assignment.objects.filter(
        case_id=round_.case_id, round__kind=RoundKind.CLAIMS, state=AssignmentState.SUBMITTED
    )
    return asked <= {seat.reviewer_id for seat in claims if is_final(seat)}


def is_final(seat: Assignment) -> bool:
    """Say whether a seat is submitted and past its recall."""
    return seat.state == AssignmentState.SUBMITTED and seat.final_at is not None and seat.final_at <= clock.now()


@transaction.atomic
def compare_round(*, round_: Round) -> bool:
    """Compare the seats of a round and store what differs; False if it is not, or no longer, due.

    Where the working policy calls a third seat nothing is stored yet: the round goes on until that seat is final, and
    all three are compared. The case's lock, which recall, reopening and every decision take first too, puts them all
    in order; seats are given under the project's lock, which comes before it.
    """
    policy = working_policy(round_.case.project)
    calls = third_seat_policy(policy)
    if not calls.is_off and not round_.third_seat:
        lock_seats(round_.case.project)
    case = Case.objects.select_for_update(no_key=True).get(pk=round_.case_id)
    round_.refresh_from_db()
    if not is_due(round_):
        return False
    submitted = round_.assignments.filter(state=AssignmentState.SUBMITTED)
    seats = list(submitted.select_related("contract").order_by("slot")[:3])
    shape = change_shape(case)
    labels = {seat.slot: _labels_of(seat, shape) for seat in seats}
    asks = AskPolicy(policy.severity_tolerance, policy.asks_about_places)
    compared = _aligned(seats, labels, shape)
    if not calls.is_off and call_third_seat(round_=round_, seats=seats, compared=compared, calls=calls, asks=asks):
        return False
    round_.state = RoundState.COMPARED
    round_.save(update_fields=["state"])
    # The claims pass after it is part of what is compared; a round left open would keep adjudicators away.
    claims = case.rounds.filter(kind=RoundKind.CLAIMS, number__gt=round_.number, state=RoundState.OPEN)
    claims.update(state=RoundState.COMPARED)
    verdicts = {seat.slot: Verdict(seat.verdict) for seat in seats}
    asked = questions(compared.groups, verdicts, asks)
    comparison = _store(round_, compared, asked, labels, policy)
    count_comparison(comparison)
    pairs = sum(len(group.members) > 1 for group in compared.groups)
    audit.record(
        actor=None,
        verb="round compared",
        subject=f"round {round_.public_id}",
        case=case,
        after=f"{pairs} pairs, {len(asked)} disagreements",
    )
    if set(verdicts.values()) == {Verdict.INSUFFICIENT_CONTEXT}:
        settlement.return_to_owner(case=case, round_=round_)
    elif asked:
        Case.objects.filter(pk=case.pk).update(state=CaseState.ADJUDICATING, stale_reason="")
    else:
        settlement.settle(case=case, comparison=comparison, actor=None)
    return True


def _labels_of(seat: Assignment, shape: ChangeShape) -> list[Label]:
    """Return what the owner of a seat stated: their labels, and the claims they confirmed beyond them."""
    own = standing_labels(seat)
    return [*own, *claimed_labels(seat=seat, own=own, shape=shape)]


def _aligned(seats: Sequence[Assignment], labels: dict[str, list[Label]], shape: ChangeShape) -> Compared:
    """Align the labels of the first two seats, and those of the third with what these make."""
    parameters = AlignmentParameters()
    found = [as_findings(labels[seat.slot]) for seat in seats]
    alignment = align(found[0], found[1], files=shape.files, hunks=shape.hunks, parameters=parameters)
    groups = groups_of_two(alignment, found[0], found[1])
    if len(found) > 2:
        groups = with_third(groups, found[2], files=shape.files, hunks=shape.hunks, parameters=parameters)
    return Compared(alignment, groups)


def _store(
    round_: Round,
    compared: Compared,
    asked: Sequence[Asked],
    labels: dict[str, list[Label]],
    policy: WorkingPolicyVersion,
) -> Comparison:
    compared_labels = [label for found in labels.values() for label in found]
    by_id = {label.public_id: label for label in compared_labels}
    now = clock.now()
    parameters = compared.alignment.parameters
    Comparison.objects.current().filter(round=round_).update(superseded_at=now)
    comparison = Comparison.objects.create(
        round=round_,
        aligner=parameters.version,
        window=parameters.window,
        no_match_cost=parameters.no_match_cost,
        category_cost=parameters.category_cost,
        seat_count=len(labels),
        policy=policy,
        compared_at=now,
    )
    ComparedLabel.objects.bulk_create(
        ComparedLabel(comparison=comparison, label=label, revision=label.version) for label in compared_labels
    )
    pairs: dict[int, LabelPair] = {}
    for group in compared.groups:
        if len(group.members) > 1:
            members = [by_id[group.members[slot].id] for slot in group.slots]
            pairs[id(group)] = LabelPair(comparison=comparison, **pair_columns(group, members))
    LabelPair.objects.bulk_create(pairs.values())
    Disagreement.objects.bulk_create(
        Disagreement(
            comparison=comparison,
            kind=one.kind,
            pair=pairs.get(id(one.group)),
            label=_alone(one, by_id),
            distance=one.distance,
            state=DisagreementState.OPEN,
            created_at=now,
        )
        for one in asked
    )
    comparison.worst_rank = worst_rank(comparison, compared_labels)
    comparison.save(update_fields=["worst_rank"])
    return comparison


def _alone(asked: Asked, by_id: dict[str, Label]) -> Label | None:
    """Return the label that a question about one label is about."""
    if asked.group is None or len(asked.group.members) > 1:
        return None
    return by_id[asked.group.members[asked.group.slots[0]].id]
