"""Decisions on disagreements: made, revised, undone, and what agrees accepted at once.

Every act first takes the lock of its case (on SQLite the write lock), so two adjudicators act one after the other, and
the second one, whose page shows an older version, is refused with both versions (N3). Nothing is overwritten (N4).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from django.db import transaction
from django.db.models import Max

from corpus import clock
from corpus.domain.vocabulary import (
    CaseState,
    Confidence,
    DisagreementKind,
    GoldenState,
    Outcome,
    Provenance,
    Verdict,
)
from corpus.models import Case, GoldenRevision, User
from corpus.services import audit
from corpus.services.golden import GoldenContent
from labeling.domain.adjudicating import (
    ABOUT_ANSWERS,
    MAX_RATIONALE,
    WHOLE,
    GoldenInput,
    ReasonCode,
    allowed_outcomes,
    allowed_states,
)
from labeling.domain.label_input import FieldRefused, clean_text
from labeling.domain.states import AssignmentState, DisagreementState, PairState, RoundState
from labeling.models import Adjudication, Assignment, Comparison, Disagreement, LabelPair
from labeling.selectors.golden_inputs import input_of
from labeling.services import settlement
from labeling.services.golden_content import (
    ContentRefused,
    Subject,
    cleaned,
    content_of_revision,
    edited_content,
    subject_of,
    write_subject,
)

Member = TypeVar("Member", bound=StrEnum)
DECIDABLE = (CaseState.ADJUDICATING,)
OPEN_AGAIN = (CaseState.ADJUDICATING, CaseState.SETTLED, CaseState.STALE)


class NotAdjudicable(Exception):
    """The person may not adjudicate this case, or there is nothing to adjudicate; pages answer 404."""


class DecisionRefused(Exception):
    """A decision cannot be stored; `errors` name each field with one sentence for the person."""

    def __init__(self, field: str, message: str, *, more: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(message)
        self.errors = ((field, message), *more)


class StaleDecision(Exception):
    """Somebody decided since the page was opened: `stored` is what stands (None: undone), `yours` what was sent."""

    def __init__(self, stored: Adjudication | None, yours: Decision, version: int) -> None:
        super().__init__("This disagreement was decided elsewhere since you opened it.")
        self.stored = stored
        self.yours = yours
        self.version = version


@dataclass(frozen=True)
class Decision:
    """One decision as sent, in terms of the stored slots."""

    outcome: Outcome
    golden_state: str
    reason_code: str
    rationale: str
    confidence: str
    is_guideline_gap: bool
    verdict: str
    edited: GoldenInput | None


@transaction.atomic
def decide(
    *,
    disagreement: Disagreement,
    adjudicator: User,
    outcome: Outcome | str,
    edited: GoldenInput | None = None,
    golden_state: GoldenState | str = "",
    reason_code: ReasonCode | str,
    rationale: str = "",
    confidence: Confidence | str = "",
    is_guideline_gap: bool = False,
    expected_version: int,
    verdict: Verdict | str | None = None,
) -> Adjudication:
    """Store a decision on a disagreement and what it makes of the golden finding; the last one settles the case.

    `outcome` names stored slots, whatever letters were shown. `edited` is the finding's content, for merge. An empty
    `golden_state` is the default of the reviewer contract; `decoy` keeps a rejected label as known wrong. `verdict` is
    the case's, for merge on a difference of answers. Merge, reject and unresolved decide every difference of a pair;
    accepting a side decides one, and opens those again that had been rejected or left unresolved.

    The same decision by the same person again answers as before, whatever version it was made on (N2). Raises
    NotAdjudicable, DecisionRefused or StaleDecision; nothing is stored then.
    """
    case, row = _locked(disagreement, adjudicator)
    kind = DisagreementKind(row.kind)
    subject = subject_of(case, row)
    decision = _checked(
        row, subject, outcome, edited, golden_state, reason_code, rationale, confidence, is_guideline_gap, verdict
    )
    standing = standing_decision(row)
    if standing is not None and standing.adjudicator_id == adjudicator.pk and decision_of(standing) == decision:
        return standing
    if row.version != expected_version:
        raise StaleDecision(standing, decision, row.version)
    if case.state not in DECIDABLE:
        raise DecisionRefused("outcome", "This case is settled; undo its decision first.")
    content = _edited(subject, decision.edited) if decision.edited is not None else None
    carried = _siblings(row) if decision.outcome in WHOLE or kind in ABOUT_ANSWERS else []
    if not carried:
        _ask_again(row)
    act = _unsaved(row, adjudicator, decision)
    pending = [act, *(_unsaved(sibling, adjudicator, decision) for sibling in carried)]
    if kind not in ABOUT_ANSWERS:
        act.golden_revision = write_subject(subject, actor=adjudicator, pending=pending, edited=content)
    _insert(pending)
    if kind in ABOUT_ANSWERS:
        _ask_about_lone_labels(row.comparison, act.verdict)
    audit.record(
        actor=adjudicator,
        verb="disagreement decided",
        subject=f"disagreement {row.public_id}",
        case=case,
        before=standing.outcome if standing else DisagreementState.OPEN,
        after=f"{act.outcome}, {act.reason_code}" + (f", with {len(carried)} more" if carried else ""),
    )
    _settle_when_done(case, row.comparison, adjudicator)
    return act


@transaction.atomic
def undo_decision(*, disagreement: Disagreement, adjudicator: User, expected_version: int) -> None:
    """Open a disagreement again, with all that the same act decided; the decision stays in the history.

    A settled case is being adjudicated again. Undoing what is open changes nothing. Raises NotAdjudicable, or
    StaleDecision when somebody decided otherwise since.
    """
    case, row = _locked(disagreement, adjudicator)
    standing = standing_decision(row)
    if standing is None:
        return
    if row.version != expected_version:
        raise StaleDecision(standing, decision_of(standing), row.version)
    root = standing.along_with or standing
    rows = Disagreement.objects.filter(comparison=row.comparison, state=DisagreementState.DECIDED)
    of_act = [one for one in rows if (held := standing_decision(one)) and (held.along_with or held) == root]
    _reopen(of_act)
    if row.kind in ABOUT_ANSWERS:
        _ask_about_lone_labels(row.comparison, "")
    else:
        write_subject(subject_of(case, row), actor=adjudicator)
    audit.record(
        actor=adjudicator,
        verb="decision undone",
        subject=f"disagreement {row.public_id}",
        case=case,
        before=standing.outcome,
        after=DisagreementState.OPEN,
    )
    if case.state != CaseState.ADJUDICATING:
        settlement.unsettle_case(case=case, round_=row.comparison.round, actor=adjudicator)


@transaction.atomic
def accept_all_agreed(*, case: Case, adjudicator: User) -> list[GoldenRevision]:
    """Accept every pair on which nothing differs, as one act recorded as agreed; repeating it changes nothing."""
    case, comparison = _locked_case(case, adjudicator)
    if case.state != CaseState.ADJUDICATING:
        return []
    pairs = list(settlement.agreed_pairs(comparison).filter(state=PairState.PROPOSED))
    accepted = [
        settlement.accept_pair(case=case, pair=pair, provenance=Provenance.AGREED, decided_by=adjudicator)
        for pair in pairs
    ]
    if accepted:
        _audit_agreed(case, adjudicator, "agreed findings accepted", len(accepted))
    return accepted


@transaction.atomic
def undo_accept_all(*, case: Case, adjudicator: User) -> int:
    """Take back what `accept_all_agreed` accepted; return how many. The pairs are accepted again when the case settles.

    Raises DecisionRefused once the case is settled.
    """
    case, comparison = _locked_case(case, adjudicator)
    if case.state != CaseState.ADJUDICATING:
        raise DecisionRefused("outcome", "This case is settled; undo its last decision first.")
    pairs = list(settlement.agreed_pairs(comparison).filter(state=PairState.CONFIRMED))
    for pair in pairs:
        labels = list(settlement.labels_of(pair).values())
        settlement.retract_finding(case=case, labels=labels, actor=adjudicator)
    LabelPair.objects.filter(pk__in=[pair.pk for pair in pairs]).update(state=PairState.PROPOSED)
    if pairs:
        _audit_agreed(case, adjudicator, "agreed findings taken back", len(pairs))
    return len(pairs)


def standing_decision(disagreement: Disagreement) -> Adjudication | None:
    """Return the decision that holds on a disagreement, or None while it is open."""
    if disagreement.state != DisagreementState.DECIDED:
        return None
    rows = disagreement.adjudications.filter(undone_at__isnull=True)
    return rows.select_related("along_with", "golden_revision", "adjudicator").order_by("-number").first()


def decision_of(row: Adjudication) -> Decision:
    """Return a stored decision as it was sent."""
    is_edit = row.outcome == Outcome.MERGE and row.golden_revision is not None
    return Decision(
        outcome=Outcome(row.outcome),
        golden_state=row.golden_state,
        reason_code=row.reason_code,
        rationale=row.rationale,
        confidence=row.confidence,
        is_guideline_gap=row.is_guideline_gap,
        verdict=row.verdict,
        edited=input_of(content_of_revision(row.golden_revision)) if is_edit and row.golden_revision else None,
    )


# --- Locks and rights ---------------------------------------------------------------------------------------------


def lock_case(pk: int) -> Case:
    """Return a case, fresh and locked until the transaction ends; every act of adjudication takes this lock first."""
    return Case.objects.select_for_update(no_key=True, of=("self",)).get(pk=pk)


def _locked(disagreement: Disagreement, adjudicator: User) -> tuple[Case, Disagreement]:
    known = Disagreement.objects.filter(pk=disagreement.pk).values_list("comparison__round__case_id", flat=True)
    case = lock_case(known.get())
    row = Disagreement.objects.select_related("comparison__round", "pair", "label").get(pk=disagreement.pk)
    _require_adjudicable(case, row.comparison, adjudicator)
    return case, row


def _locked_case(case: Case, adjudicator: User) -> tuple[Case, Comparison]:
    case = lock_case(case.pk)
    comparison = current_comparison(case)
    if comparison is None:
        raise NotAdjudicable("There is nothing to adjudicate on this case.")
    _require_adjudicable(case, comparison, adjudicator)
    return case, comparison


def current_comparison(case: Case) -> Comparison | None:
    """Return the comparison that holds of a case's newest compared round."""
    rows = Comparison.objects.current().filter(round__case=case).select_related("round")
    return rows.order_by("-round__number").first()


def _require_adjudicable(case: Case, comparison: Comparison, adjudicator: User) -> None:
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


# --- What was sent ------------------------------------------------------------------------------------------------


def _checked(
    row: Disagreement,
    subject: Subject,
    outcome: Outcome | str,
    edited: GoldenInput | None,
    golden_state: GoldenState | str,
    reason_code: ReasonCode | str,
    rationale: str,
    confidence: Confidence | str,
    is_guideline_gap: bool,
    verdict: Verdict | str | None,
) -> Decision:
    kind = DisagreementKind(row.kind)
    side = row.label.assignment.slot if row.label is not None else ""
    chosen = _member(Outcome, "outcome", outcome)
    if chosen not in allowed_outcomes(kind, side=side):
        raise DecisionRefused("outcome", _why_not(kind))
    states = allowed_states(kind, chosen)
    state = str(golden_state or "")
    if state and not (chosen is Outcome.UNRESOLVED and state == GoldenState.UNRESOLVED):
        _member(GoldenState, "golden_state", state)
        if state not in states:
            names = " or ".join(one.value for one in states) or "nothing of its own"
            raise DecisionRefused("golden_state", f"After {chosen.value} a finding counts as {names}, not as {state}.")
    if not reason_code:
        raise DecisionRefused("reason_code", "Choose the reason that decides it.")
    _member(ReasonCode, "reason_code", reason_code)
    if confidence:
        _member(Confidence, "confidence", confidence)
    try:
        text = clean_text("rationale", rationale, MAX_RATIONALE)
    except FieldRefused as error:
        raise DecisionRefused(error.field, error.message) from error
    if reason_code == ReasonCode.OTHER and not text:
        raise DecisionRefused("rationale", "Say the reason in words, since none of the listed ones fits.")
    if edited is not None and chosen is not Outcome.MERGE:
        raise DecisionRefused("edited", "Only a merge takes an edited finding.")
    about_answers = kind in ABOUT_ANSWERS
    if edited is not None and about_answers:
        raise DecisionRefused("edited", "A decision on the answers takes no finding.")
    if chosen is Outcome.MERGE and edited is None and not about_answers:
        raise DecisionRefused("edited", "A merge needs the finding as it should read.")
    if edited is not None:
        try:
            edited = cleaned(subject, edited, str(confidence or ""))
        except ContentRefused as error:
            raise DecisionRefused(*error.errors[0]) from error
    return Decision(
        outcome=chosen,
        golden_state=GoldenState.UNRESOLVED.value if chosen is Outcome.UNRESOLVED and not about_answers else state,
        reason_code=str(reason_code),
        rationale=text,
        confidence=str(confidence or ""),
        is_guideline_gap=bool(is_guideline_gap),
        verdict=_verdict(row, chosen, verdict) if about_answers else "",
        edited=edited,
    )


def _member(enumeration: type[Member], field: str, value: object) -> Member:
    try:
        return enumeration(str(value))
    except ValueError as error:
        raise DecisionRefused(field, f"{str(value)[:40]!r} is no {field.replace('_', ' ')} that is known.") from error


def _why_not(kind: DisagreementKind) -> str:
    if kind is DisagreementKind.EXISTENCE:
        return "Only one side wrote this label: accept it, edit it, reject it or leave it unresolved."
    return "Answers on the whole case cannot be rejected: accept one, choose another, or leave it unresolved."


def _verdict(row: Disagreement, outcome: Outcome, verdict: Verdict | str | None) -> str:
    """Return the verdict a decision on the answers gives the case; empty where it stays unresolved."""
    if outcome is Outcome.UNRESOLVED:
        return ""
    if outcome is Outcome.MERGE:
        if not verdict:
            raise DecisionRefused("verdict", "Choose the verdict that holds instead of both.")
        return str(_member(Verdict, "verdict", verdict).value)
    slot = "A" if outcome is Outcome.ACCEPT_A else "B"
    seats = Assignment.objects.filter(round_id=row.comparison.round_id, state=AssignmentState.SUBMITTED, slot=slot)
    return str(seats.values_list("verdict", flat=True).get())


def _edited(subject: Subject, edited: GoldenInput) -> GoldenContent:
    try:
        return edited_content(subject, edited)
    except ContentRefused as error:
        raise DecisionRefused(*error.errors[0], more=error.errors[1:]) from error


# --- What is written ----------------------------------------------------------------------------------------------


def _siblings(row: Disagreement) -> list[Disagreement]:
    """Return the other disagreements that are about the same pair, or about the answers as well."""
    others = Disagreement.objects.filter(comparison_id=row.comparison_id).exclude(pk=row.pk).order_by("pk")
    if row.pair_id is not None:
        return list(others.filter(pair_id=row.pair_id))
    if row.kind in ABOUT_ANSWERS:
        return list(others.filter(kind__in=list(ABOUT_ANSWERS)))
    return []


def _unsaved(row: Disagreement, adjudicator: User, decision: Decision) -> Adjudication:
    newest = row.adjudications.aggregate(newest=Max("number"))["newest"] or 0
    return Adjudication(
        disagreement=row,
        number=newest + 1,
        adjudicator=adjudicator,
        outcome=decision.outcome,
        golden_state=decision.golden_state,
        verdict=decision.verdict,
        reason_code=decision.reason_code,
        rationale=decision.rationale,
        confidence=decision.confidence,
        is_guideline_gap=decision.is_guideline_gap,
        decided_at=clock.now(),
    )


def _insert(pending: Sequence[Adjudication]) -> None:
    """Store the rows of one act; the others point to the first. Rows are inserted whole and never changed (N4)."""
    act = pending[0]
    for row in pending:
        if row is not act:
            row.along_with, row.golden_revision = act, act.golden_revision
        row.save(force_insert=True)
        _move(row.disagreement, DisagreementState.DECIDED)


def _ask_again(row: Disagreement) -> None:
    """Open the other differences of a pair again that had been decided by rejecting it or leaving it unresolved."""
    _reopen(
        other
        for other in _siblings(row)
        if (held := standing_decision(other)) and held.outcome in (Outcome.REJECT, Outcome.UNRESOLVED)
    )


def _reopen(rows: Iterable[Disagreement]) -> None:
    for row in rows:
        row.adjudications.filter(undone_at__isnull=True).update(undone_at=clock.now())
        _move(row, DisagreementState.OPEN)


def _move(row: Disagreement, state: DisagreementState) -> None:
    row.state = state
    row.version += 1
    row.save(update_fields=["state", "version"])


def _ask_about_lone_labels(comparison: Comparison, verdict: str) -> None:
    """Ask whether labels exist that one side wrote while the other lacked context, once the case can be judged.

    Without such a verdict the questions go away again, as far as nobody answered them.
    """
    if verdict and verdict != Verdict.INSUFFICIENT_CONTEXT:
        now = clock.now()
        Disagreement.objects.bulk_create(
            Disagreement(comparison=comparison, kind=DisagreementKind.EXISTENCE, label=label, created_at=now)
            for label in settlement.unjudged_labels(comparison)
        )
        return
    seats = Assignment.objects.filter(
        round_id=comparison.round_id, state=AssignmentState.SUBMITTED, verdict=Verdict.INSUFFICIENT_CONTEXT
    )
    if seats.exists():
        comparison.disagreements.filter(
            kind=DisagreementKind.EXISTENCE, version=0, state=DisagreementState.OPEN
        ).exclude(label__assignment__in=seats).delete()


def _settle_when_done(case: Case, comparison: Comparison, adjudicator: User) -> None:
    rows = Disagreement.objects.filter(comparison=comparison)
    if rows.open().exists():
        return
    answers = rows.filter(kind__in=list(ABOUT_ANSWERS)).first()
    held = standing_decision(answers) if answers is not None else None
    settlement.settle(
        case=case,
        comparison=comparison,
        actor=adjudicator,
        decided_verdict=Verdict(held.verdict) if held is not None and held.verdict else None,
    )


def _audit_agreed(case: Case, actor: User, verb: str, pairs: int) -> None:
    audit.record(actor=actor, verb=verb, subject=f"case {case.public_id}", case=case, after=f"{pairs} pairs")
