"""What an adjudicator may decide on a disagreement, and what the decisions on one finding amount to.

A disagreement is about a pair of labels (category, severity, anchors_disjoint), about a label without a partner
(existence), or about the answers on the whole case (verdict, insufficient_context). Accepting a side decides one
difference; merging, rejecting and leaving unresolved speak of the whole finding and so decide every difference of its
pair. The two differences about answers are one question and are decided together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from corpus.domain.vocabulary import DisagreementKind, GoldenState, Outcome
from labeling.domain.label_input import LabelInput


class ReasonCode(StrEnum):
    """Why a decision was made, in the words that later counts go by."""

    MISSED_BY_OTHER = "missed_by_other"
    MISREAD_CODE = "misread_code"
    SEVERITY_RULE = "severity_rule"
    CATEGORY_RULE = "category_rule"
    OUT_OF_CONTRACT = "out_of_contract"
    DUPLICATE = "duplicate"
    INSUFFICIENT_EVIDENCE = "insufficient_evidence"
    GUIDELINE_UNCLEAR = "guideline_unclear"
    OTHER = "other"


REASON_WORDS = {
    ReasonCode.MISSED_BY_OTHER: "The other one missed it",
    ReasonCode.MISREAD_CODE: "One misread the code",
    ReasonCode.SEVERITY_RULE: "The severity policy says so",
    ReasonCode.CATEGORY_RULE: "The taxonomy says so",
    ReasonCode.OUT_OF_CONTRACT: "Outside the reviewer contract",
    ReasonCode.DUPLICATE: "The same defect as another",
    ReasonCode.INSUFFICIENT_EVIDENCE: "The evidence is not enough",
    ReasonCode.GUIDELINE_UNCLEAR: "The guidelines do not say",
    ReasonCode.OTHER: "Something else",
}

ABOUT_ANSWERS = frozenset({DisagreementKind.VERDICT, DisagreementKind.INSUFFICIENT_CONTEXT})
# Outcomes that speak of the whole finding.
WHOLE = frozenset({Outcome.MERGE, Outcome.REJECT, Outcome.UNRESOLVED})
SIDES = {Outcome.ACCEPT_A: "A", Outcome.ACCEPT_B: "B", Outcome.ACCEPT_C: "C"}
ACCEPTS = {side: outcome for outcome, side in SIDES.items()}
MAX_RATIONALE = 10_000
MAX_MECHANISM = 120


@dataclass(frozen=True)
class GoldenInput(LabelInput):
    """An edited finding as typed: the fields of a label and the mechanism behind the defect."""

    mechanism: str = ""


def allowed_outcomes(kind: DisagreementKind, *, sides: Sequence[str]) -> tuple[Outcome, ...]:
    """Return what may be decided on a disagreement, in the order it is offered.

    `sides` are the slots (or letters) that have something to accept: those whose label it is about, or everybody's
    for a difference of answers. Answers on the whole case cannot be rejected.
    """
    accepts = tuple(ACCEPTS[side] for side in sorted(sides))
    if kind in ABOUT_ANSWERS:
        return (*accepts, Outcome.MERGE, Outcome.UNRESOLVED)
    return (*accepts, Outcome.MERGE, Outcome.REJECT, Outcome.UNRESOLVED)


def allowed_states(kind: DisagreementKind, outcome: Outcome) -> tuple[GoldenState, ...]:
    """Return what the finding may count as after the decision; empty where the outcome leaves no choice."""
    if kind in ABOUT_ANSWERS or outcome is Outcome.UNRESOLVED:
        return ()
    if outcome is Outcome.REJECT:
        return (GoldenState.DECOY,)
    return (GoldenState.REQUIRED, GoldenState.OPTIONAL)


@dataclass(frozen=True)
class StandingDecision:
    """The decision that holds on one disagreement. `act` is the same for all that one act decided."""

    kind: DisagreementKind
    outcome: Outcome
    # Order in time among the decisions on one case.
    act: int
    golden_state: str = ""


@dataclass(frozen=True)
class Ruling:
    """What the standing decisions on one finding amount to.

    `status` is "open" when none stands. `base` is the slot whose wording holds; with `merged_act` the content that was
    edited in that act holds instead, and `sides` name what later decisions took from a slot, by kind.
    """

    status: str
    base: str = ""
    merged_act: int | None = None
    sides: dict[DisagreementKind, str] = field(default_factory=dict)
    golden_state: str = ""


def ruling(decisions: Sequence[StandingDecision], *, first: str) -> Ruling:
    """Return what `decisions` on one finding amount to; `first` is the slot whose wording holds when nothing tells.

    A rejection outweighs everything, then unresolved; of edits the last holds, and of single differences those decided
    after it.
    """
    in_order = sorted(decisions, key=lambda decision: decision.act)
    if not in_order:
        return Ruling("open")
    merged = max((d.act for d in in_order if d.outcome is Outcome.MERGE), default=None)
    accepted = [d for d in in_order if d.outcome in SIDES and (merged is None or d.act > merged)]
    sides = {decision.kind: SIDES[decision.outcome] for decision in accepted}
    taken = set(sides.values())
    said = sides.get(DisagreementKind.EXISTENCE)
    base = said or (taken.pop() if len(taken) == 1 else first)
    rejected = [d for d in in_order if d.outcome is Outcome.REJECT]
    unresolved = [d for d in in_order if d.outcome is Outcome.UNRESOLVED]
    if rejected:
        status, state = "rejected", rejected[-1].golden_state
    elif unresolved:
        status, state = "unresolved", GoldenState.UNRESOLVED.value
    else:
        status = "accepted"
        state = next((d.golden_state for d in reversed(in_order) if d.golden_state), "")
    return Ruling(status, base, merged, sides, state)
