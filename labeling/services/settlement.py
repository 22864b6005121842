"""How a case settles: by itself where two seats agree, after the last decision otherwise."""

from __future__ import annotations

from django.db import transaction

from corpus import clock
from corpus.domain.vocabulary import (
    CaseResult,
    CaseState,
    Confidence,
    GoldenState,
    Provenance,
    Relation,
    Severity,
    Verdict,
)
from corpus.models import Case, GoldenRevision, User
from corpus.services import audit, golden, seats
from labeling.domain.settling import case_result, golden_state
from labeling.domain.states import AssignmentState, PairState, RoundState
from labeling.models import Assignment, Comparison, GoldenSource, Label, LabelPair, Round
from labeling.selectors.findings import current_anchors


@transaction.atomic
def settle_agreed(*, case: Case, comparison: Comparison) -> None:
    """Settle a case whose two seats do not differ: each pair becomes a golden finding, recorded as agreed."""
    for pair in comparison.pairs.select_related("label_a__category", "label_b__category"):
        accept_pair(case=case, pair=pair, provenance=Provenance.AGREED, decided_by=None)
    settle_case(case=case, round_=comparison.round, actor=None)


def accept_pair(*, case: Case, pair: LabelPair, provenance: Provenance, decided_by: User | None) -> GoldenRevision:
    """Make a golden finding of a pair without disagreements; slot A's wording, the narrower place primary."""
    anchors = current_anchors([pair.label_a, pair.label_b])
    revision = golden.create_finding(
        case=case,
        content=golden.GoldenContent(
            defect=golden.defect_values(pair.label_a),
            category=pair.label_a.category,
            confidence=weaker_confidence(pair.label_a, pair.label_b),
            anchors=golden.merged_anchors(anchors[pair.label_a.pk], anchors[pair.label_b.pk]),
        ),
        state=default_state(pair.label_a),
        provenance=provenance,
        decided_by=decided_by,
    )
    note_sources(revision, [pair.label_a, pair.label_b])
    LabelPair.objects.filter(pk=pair.pk).update(state=PairState.CONFIRMED)
    return revision


def weaker_confidence(first: Label, second: Label) -> str:
    """Return the lower of two labels' confidences; the one that is given where the other is not."""
    order = [confidence.value for confidence in Confidence]
    given = [label.confidence for label in (first, second) if label.confidence]
    return min(given, key=order.index, default="")


def default_state(label: Label) -> GoldenState:
    """Return what an accepted label counts as under the reviewer contract its seat was stamped with."""
    seat = label.assignment
    if seat.verdict == Verdict.UNCERTAIN:
        return GoldenState.UNRESOLVED
    return golden_state(
        severity=Severity(label.severity),
        relation=Relation(label.relation) if label.relation else None,
        is_speculative=bool(label.speculative),
        pre_existing=seat.contract.pre_existing if seat.contract else "required",
        speculative=seat.contract.speculative if seat.contract else "required",
    )


def note_sources(revision: GoldenRevision, labels: list[Label]) -> None:
    """Record which labels, in which revision, a golden finding came from."""
    GoldenSource.objects.bulk_create(
        [
            GoldenSource(
                finding_id=revision.finding_id, label=label, label_revision=label.version, slot=label.assignment.slot
            )
            for label in labels
        ],
        ignore_conflicts=True,
    )


@transaction.atomic
def settle_case(*, case: Case, round_: Round, actor: User | None, decided_verdict: Verdict | None = None) -> CaseResult:
    """Settle a case: compute its result, close its round and every seat on it."""
    submitted = Assignment.objects.filter(round=round_, state=AssignmentState.SUBMITTED).order_by("slot")
    states = [
        GoldenState(golden.latest_revision(finding).state) for finding in case.golden_findings.live().order_by("pk")
    ]
    result = case_result(
        verdicts=[Verdict(seat.verdict) for seat in submitted],
        golden_states=states,
        decided_verdict=decided_verdict,
    )
    before = case.state
    now = clock.now()
    case.state, case.result, case.settled_at, case.stale_reason = CaseState.SETTLED, result, now, ""
    case.save(update_fields=["state", "result", "settled_at", "stale_reason"])
    Round.objects.filter(case=case).exclude(state=RoundState.CLOSED).update(state=RoundState.CLOSED, closed_at=now)
    seats.close_all_seats(case=case)
    audit.record(
        actor=actor, verb="case settled", subject=f"case {case.public_id}", case=case, before=before, after=result
    )
    return result


@transaction.atomic
def return_to_owner(*, case: Case, round_: Round) -> None:
    """Give a case back to its lead: both reviewers said what is missing to judge it."""
    wanted = [seat.missing_context.strip() for seat in round_.assignments.filter(state=AssignmentState.SUBMITTED)]
    before = case.state
    case.state = CaseState.INCOMPLETE
    case.missing = ("Both reviewers lacked context: " + " / ".join(filter(None, wanted)))[:300]
    case.save(update_fields=["state", "missing"])
    Round.objects.filter(case=case).exclude(state=RoundState.CLOSED).update(
        state=RoundState.CLOSED, closed_at=clock.now()
    )
    seats.close_all_seats(case=case)
    audit.record(
        actor=None,
        verb="case returned for context",
        subject=f"case {case.public_id}",
        case=case,
        before=before,
        after=case.state,
    )
