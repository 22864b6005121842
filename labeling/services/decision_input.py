"""A decision as it is sent: whether outcome, state, reason and content fit the disagreement, before it is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from corpus.domain.vocabulary import Confidence, DisagreementKind, GoldenState, Outcome, Verdict
from corpus.services.golden import GoldenContent
from labeling.domain.adjudicating import (
    ABOUT_ANSWERS,
    MAX_RATIONALE,
    SIDES,
    GoldenInput,
    ReasonCode,
    allowed_outcomes,
    allowed_states,
)
from labeling.domain.label_input import FieldRefused, clean_text
from labeling.domain.states import AssignmentState
from labeling.models import Adjudication, Assignment, Disagreement
from labeling.selectors.golden_inputs import input_of
from labeling.services.golden_content import ContentRefused, Subject, cleaned, content_of_revision, edited_content

Member = TypeVar("Member", bound=StrEnum)


class DecisionRefused(Exception):
    """A decision cannot be stored; `errors` name each field with one sentence for the person."""

    def __init__(self, field: str, message: str, *, more: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(message)
        self.errors = ((field, message), *more)


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


def checked_decision(
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
    chosen = _member(Outcome, "outcome", outcome)
    if chosen not in allowed_outcomes(kind, sides=sides_of(row, subject)):
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


def sides_of(row: Disagreement, subject: Subject) -> tuple[str, ...]:
    """Return the slots with something that could be accepted: their labels, or their answers on the whole case."""
    if row.kind in ABOUT_ANSWERS:
        return tuple(SIDES.values())[: row.comparison.seat_count]
    return tuple(subject.labels)


def _member(enumeration: type[Member], field: str, value: object) -> Member:
    try:
        return enumeration(str(value))
    except ValueError as error:
        raise DecisionRefused(field, f"{str(value)[:40]!r} is no {field.replace('_', ' ')} that is known.") from error


def _why_not(kind: DisagreementKind) -> str:
    if kind is DisagreementKind.EXISTENCE:
        return "That side did not find it: accept a label that was written, edit it, reject it or leave it unresolved."
    return "Answers on the whole case cannot be rejected: accept one, choose another, or leave it unresolved."


def _verdict(row: Disagreement, outcome: Outcome, verdict: Verdict | str | None) -> str:
    """Return the verdict a decision on the answers gives the case; empty where it stays unresolved."""
    if outcome is Outcome.UNRESOLVED:
        return ""
    if outcome is Outcome.MERGE:
        if not verdict:
            raise DecisionRefused("verdict", "Choose the verdict that holds instead of both.")
        return str(_member(Verdict, "verdict", verdict).value)
    seats = Assignment.objects.filter(round_id=row.comparison.round_id, state=AssignmentState.SUBMITTED)
    return str(seats.filter(slot=SIDES[outcome]).values_list("verdict", flat=True).get())


def edited_finding(subject: Subject, edited: GoldenInput) -> GoldenContent:
    try:
        return edited_content(subject, edited)
    except ContentRefused as error:
        raise DecisionRefused(*error.errors[0], more=error.errors[1:]) from error
