"""Comparing the seats of a round, once nobody can recall a submission any more.

The proposal of the aligner is stored with its version and parameters, each difference becomes a disagreement, and a
case without any settles by itself as agreed.
"""

from __future__ import annotations

import logging

from django.db import transaction

from corpus import clock
from corpus.domain.vocabulary import CaseState, RoundKind, Verdict
from corpus.models import Case
from corpus.services import audit
from labeling.domain.alignment import Alignment, AlignmentParameters, Flag, align, compare
from labeling.domain.states import LIVE, AssignmentState, DisagreementState, RoundState
from labeling.models import Assignment, ComparedLabel, Comparison, Disagreement, Label, LabelPair, Round
from labeling.querysets.assignments import RoundQuerySet
from labeling.selectors.findings import ChangeShape, as_findings, change_shape, standing_labels
from labeling.selectors.pairs import worst_rank
from labeling.services import settlement
from labeling.services.claimed_labels import claimed_labels
from labeling.services.tallies import count_comparison

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
    """Compare the two seats of a round and store what differs; False if it is not, or no longer, due.

    The case's lock, which recall, reopening and every decision take first too, puts them all in order.
    """
    case = Case.objects.select_for_update(no_key=True).get(pk=round_.case_id)
    round_.refresh_from_db()
    if not is_due(round_):
        return False
    round_.state = RoundState.COMPARED
    round_.save(update_fields=["state"])
    # The claims pass after it is part of what is compared; a round left open would keep adjudicators away.
    claims = case.rounds.filter(kind=RoundKind.CLAIMS, number__gt=round_.number, state=RoundState.OPEN)
    claims.update(state=RoundState.COMPARED)
    submitted = round_.assignments.filter(state=AssignmentState.SUBMITTED)
    seat_a, seat_b = submitted.select_related("contract").order_by("slot")[:2]
    shape = change_shape(case)
    labels_a, labels_b = _labels_of(seat_a, shape), _labels_of(seat_b, shape)
    alignment = align(
        as_findings(labels_a),
        as_findings(labels_b),
        files=shape.files,
        hunks=shape.hunks,
        parameters=AlignmentParameters(),
    )
    outcome = compare(Verdict(seat_a.verdict), Verdict(seat_b.verdict), alignment)
    comparison = _store(round_, alignment, outcome.flags, [*labels_a, *labels_b])
    count_comparison(comparison)
    audit.record(
        actor=None,
        verb="round compared",
        subject=f"round {round_.public_id}",
        case=case,
        after=f"{len(alignment.pairs)} pairs, {len(outcome.flags)} disagreements",
    )
    if outcome.returns_to_owner:
        settlement.return_to_owner(case=case, round_=round_)
    elif outcome.needs_adjudication:
        Case.objects.filter(pk=case.pk).update(state=CaseState.ADJUDICATING, stale_reason="")
    else:
        settlement.settle(case=case, comparison=comparison, actor=None)
    return True


def _labels_of(seat: Assignment, shape: ChangeShape) -> list[Label]:
    """Return what the owner of a seat stated: their labels, and the claims they confirmed beyond them."""
    own = standing_labels(seat)
    return [*own, *claimed_labels(seat=seat, own=own, shape=shape)]


def _store(round_: Round, alignment: Alignment, flags: tuple[Flag, ...], labels: list[Label]) -> Comparison:
    by_id = {label.public_id: label for label in labels}
    now = clock.now()
    Comparison.objects.current().filter(round=round_).update(superseded_at=now)
    comparison = Comparison.objects.create(
        round=round_,
        aligner=alignment.parameters.version,
        window=alignment.parameters.window,
        no_match_cost=alignment.parameters.no_match_cost,
        category_cost=alignment.parameters.category_cost,
        compared_at=now,
    )
    ComparedLabel.objects.bulk_create(
        ComparedLabel(comparison=comparison, label=label, revision=label.version) for label in labels
    )
    pairs = {
        (pair.a_id, pair.b_id): LabelPair(
            comparison=comparison,
            label_a=by_id[pair.a_id],
            label_b=by_id[pair.b_id],
            relation=pair.relation_word,
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
    comparison.worst_rank = worst_rank(comparison, labels)
    comparison.save(update_fields=["worst_rank"])
    return comparison
