"""How a case settles: by itself where two seats agree, after the last decision otherwise.

A finding keeps its identity as long as it comes from the same labels; what the comparison that holds no longer supports
is retracted when the case settles.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.db import transaction

from corpus import clock
from corpus.domain.vocabulary import (
    CaseResult,
    CaseState,
    Confidence,
    GoldenState,
    Provenance,
    Relation,
    RoundKind,
    Severity,
    Verdict,
)
from corpus.models import Case, GoldenFinding, GoldenRevision, User
from corpus.services import audit, golden, seats
from labeling.domain.settling import case_result, golden_state
from labeling.domain.states import AssignmentState, PairOrigin, PairState, RoundState
from labeling.models import Assignment, Comparison, GoldenSource, Label, LabelPair, Round
from labeling.selectors.findings import current_anchors
from labeling.selectors.pairs import agreed_pairs, labels_of, lone_labels, unjudged_labels
from labeling.selectors.pseudonyms import pseudonyms_of


@transaction.atomic
def settle(
    *, case: Case, comparison: Comparison, actor: User | None, decided_verdict: Verdict | None = None
) -> CaseResult:
    """Settle a case of whose comparison nothing is open any more.

    Pairs that nobody had to decide on become golden findings recorded as agreed, and labels that nobody judged (the
    other seat lacked context) are kept as unresolved. The caller holds the case's lock.
    """
    for pair in agreed_pairs(comparison).filter(state=PairState.PROPOSED):
        accept_pair(case=case, pair=pair, decided_by=actor)
    for label in unjudged_labels(comparison):
        write_finding(
            case=case,
            labels=[label],
            content=label_content(label),
            state=GoldenState.UNRESOLVED,
            provenance=Provenance.ADJUDICATED,
            decided_by=actor,
            reason="The other reviewer lacked the context to judge it.",
        )
    retract_unsupported(case=case, comparison=comparison, actor=actor)
    return settle_case(case=case, round_=comparison.round, actor=actor, decided_verdict=decided_verdict)


def accept_pair(*, case: Case, pair: LabelPair, decided_by: User | None) -> GoldenRevision:
    """Make a golden finding of a pair without disagreements, recorded as agreed unless a person paired its labels.

    The narrowest place is primary, and where the policy lets severities differ the most severe level holds. The wording
    is that of the side shown as A, so that it tells nobody who sat where (B3).
    """
    labels = in_shown_order(case, pair.comparison, labels_of(pair))
    anchors = current_anchors(labels)
    is_paired_by_person = pair.origin == PairOrigin.ADJUDICATOR
    worst = max(labels, key=lambda label: Severity(label.severity).rank)
    revision = write_finding(
        case=case,
        labels=labels,
        content=golden.GoldenContent(
            defect={**golden.defect_values(labels[0]), "severity": worst.severity},
            category=labels[0].category,
            confidence=weaker_confidence(labels),
            anchors=golden.merged_anchors(*(anchors[label.pk] for label in labels)),
        ),
        state=agreed_state(labels, worst.severity),
        provenance=Provenance.ADJUDICATED if is_paired_by_person else Provenance.AGREED,
        decided_by=decided_by,
        reason="An adjudicator paired its labels." if is_paired_by_person else "",
    )
    LabelPair.objects.filter(pk=pair.pk).update(state=PairState.CONFIRMED)
    return revision


def in_shown_order(case: Case, comparison: Comparison, by_slot: dict[str, Label]) -> list[Label]:
    """Return the labels in the order in which their slots are shown."""
    names = pseudonyms_of(case.public_id, seats=comparison.seat_count)
    return [by_slot[slot] for slot in sorted(by_slot, key=names.letter)]


def label_content(label: Label) -> golden.GoldenContent:
    """Return what one label says, as a golden finding would."""
    return golden.GoldenContent(
        defect=golden.defect_values(label),
        category=label.category,
        confidence=label.confidence,
        anchors=tuple(current_anchors([label])[label.pk]),
    )


def weaker_confidence(labels: Sequence[Label]) -> str:
    """Return the lowest of the labels' confidences; of those that are given where others are not."""
    order = [confidence.value for confidence in Confidence]
    given = [label.confidence for label in labels if label.confidence]
    return min(given, key=order.index, default="")


def agreed_state(labels: Sequence[Label], severity: str) -> GoldenState:
    """Return what a pair counts as that nobody had to decide on.

    It is unresolved where all are uncertain about the case, and where nobody said what kind of defect it is, as an
    imported claim may leave open.
    """
    if {label.assignment.verdict for label in labels} == {Verdict.UNCERTAIN} or labels[0].category is None:
        return GoldenState.UNRESOLVED
    return default_state({**golden.defect_values(labels[0]), "severity": severity}, labels[0])


def default_state(defect: dict[str, object], label: Label) -> GoldenState:
    """Return what an accepted finding counts as under the reviewer contract that the label's seat was stamped with."""
    contract = label.assignment.contract
    relation = str(defect["relation"])
    return golden_state(
        severity=Severity(str(defect["severity"])),
        relation=Relation(relation) if relation else None,
        is_speculative=bool(defect["speculative"]),
        pre_existing=contract.pre_existing if contract else "required",
        speculative=contract.speculative if contract else "required",
    )


def finding_of(case: Case, labels: Sequence[Label]) -> GoldenFinding | None:
    """Return the golden finding that came from exactly these labels, retracted or not."""
    wanted = {label.pk for label in labels}
    sources: dict[int, set[int]] = {}
    rows = GoldenSource.objects.filter(finding__case=case, finding__sources__label__in=wanted)
    for finding, label in rows.values_list("finding_id", "label_id"):
        sources.setdefault(finding, set()).add(label)
    found = next((finding for finding, held in sorted(sources.items()) if held == wanted), None)
    return GoldenFinding.objects.get(pk=found) if found is not None else None


def write_finding(
    *,
    case: Case,
    labels: Sequence[Label],
    content: golden.GoldenContent,
    state: GoldenState,
    provenance: Provenance,
    decided_by: User | None,
    reason: str = "",
) -> GoldenRevision:
    """Store what a finding says: a new revision of the one these labels made before, else a new finding."""
    finding = finding_of(case, labels)
    if finding is None:
        revision = golden.create_finding(
            case=case, content=content, state=state, provenance=provenance, decided_by=decided_by, reason=reason
        )
    else:
        revision = golden.revise(
            finding=finding, content=content, state=state, provenance=provenance, decided_by=decided_by, reason=reason
        )
    GoldenSource.objects.bulk_create(
        [
            GoldenSource(
                finding_id=revision.finding_id, label=label, label_revision=label.version, slot=label.assignment.slot
            )
            for label in labels
        ],
        update_conflicts=True,
        unique_fields=["finding", "label"],
        update_fields=["label_revision"],
    )
    return revision


def retract_finding(*, case: Case, labels: Sequence[Label], actor: User | None) -> None:
    """Take back the golden finding that came from exactly these labels, if there is one."""
    finding = finding_of(case, labels)
    if finding is not None:
        golden.retract(finding=finding, actor=actor)


def retract_unsupported(*, case: Case, comparison: Comparison, actor: User | None) -> None:
    """Retract findings made of labels that the comparison that holds does not speak of in this way.

    Such are left over where a seat was reopened and its labels pair otherwise, or where a fresh open pass replaces an
    earlier one. A challenge round adds to what stands and takes nothing back, and a fresh pass without any label leaves
    the decoys that were kept of an earlier one: what was known to be wrong still is.
    """
    if comparison.round.kind != RoundKind.INITIAL:
        return
    is_silent = not comparison.compared_labels.exists()
    supported = {
        frozenset(pair) - {None} for pair in comparison.pairs.holding().values_list("label_a", "label_b", "label_c")
    }
    supported |= {frozenset([label.pk]) for label in lone_labels(comparison)}
    for finding in case.golden_findings.live().filter(sources__isnull=False).distinct():
        held = GoldenSource.objects.filter(finding=finding).values_list("label_id", flat=True)
        keeps = is_silent and golden.latest_revision(finding).state == GoldenState.DECOY
        if frozenset(held) not in supported and not (keeps and _is_of_earlier_round(finding, comparison)):
            golden.retract(finding=finding, actor=actor)


def _is_of_earlier_round(finding: GoldenFinding, comparison: Comparison) -> bool:
    return not finding.sources.filter(label__assignment__round__number__gte=comparison.round.number).exists()


@transaction.atomic
def settle_case(*, case: Case, round_: Round, actor: User | None, decided_verdict: Verdict | None = None) -> CaseResult:
    """Give a case its result and close its round and every seat on it."""
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
def unsettle_case(*, case: Case, round_: Round, actor: User) -> None:
    """Take the result of a case back because a decision on it is open again; everybody seated is blinded again (B1)."""
    before = case.state
    case.state, case.result, case.settled_at, case.stale_reason = CaseState.ADJUDICATING, "", None, ""
    case.save(update_fields=["state", "result", "settled_at", "stale_reason"])
    Round.objects.filter(pk=round_.pk).update(state=RoundState.COMPARED, closed_at=None)
    blind_again(case=case, round_=round_)
    audit.record(
        actor=actor,
        verb="case reopened",
        subject=f"case {case.public_id}",
        case=case,
        before=before,
        after=case.state,
    )


@transaction.atomic
def label_again(*, case: Case, round_: Round, actor: User, reason: str) -> bool:
    """Open a compared round again because a seat of it was reopened; False where the case is in no state for it.

    A settled case is stale until the round was compared anew, one that was being adjudicated is being labelled. The
    decisions stay with their comparison. The caller holds the case's lock.
    """
    before = case.state
    if before not in (CaseState.ADJUDICATING, CaseState.SETTLED, CaseState.STALE):
        return False
    if before == CaseState.ADJUDICATING:
        case.state = CaseState.LABELLING
    else:
        case.state, case.stale_reason = CaseState.STALE, f"A seat was reopened: {reason}"[:300]
    case.save(update_fields=["state", "stale_reason"])
    opened = [round_.pk]
    if round_.kind == RoundKind.CLAIMS:
        # The open pass before it is compared again together with the new answers.
        earlier = case.rounds.filter(number__lt=round_.number).exclude(kind=RoundKind.CLAIMS)
        opened += earlier.order_by("-number").values_list("pk", flat=True)[:1]
    Round.objects.filter(pk__in=opened).update(state=RoundState.OPEN, closed_at=None)
    blind_again(case=case, round_=round_)
    audit.record(
        actor=actor,
        verb="round reopened",
        subject=f"round {round_.public_id}",
        case=case,
        before=before,
        after=f"{case.state}: {reason}",
    )
    return True


def blind_again(*, case: Case, round_: Round) -> None:
    """Open the seats of everybody who labels or labelled in a round: its case is no longer settled."""
    for seat in round_.assignments.live().select_related("reviewer"):
        seats.open_seat(case=case, user=seat.reviewer)


@transaction.atomic
def return_to_owner(*, case: Case, round_: Round) -> None:
    """Give a case back to its lead: both reviewers said what is missing to judge it."""
    submitted = list(round_.assignments.filter(state=AssignmentState.SUBMITTED))
    wanted = [seat.missing_context.strip() for seat in sorted(submitted, key=shown_letter(case, len(submitted)))]
    before = case.state
    case.state = CaseState.INCOMPLETE
    case.missing = ("Both reviewers lacked context: " + " / ".join(dict.fromkeys(filter(None, wanted))))[:300]
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


def shown_letter(case: Case, seats: int) -> Callable[[Assignment], str]:
    """Return the letter a seat of the case is shown as, for sorting."""
    names = pseudonyms_of(case.public_id, seats=seats)
    return lambda seat: names.letter(seat.slot)
