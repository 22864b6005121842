"""What a reviewer's answer still needs before it can be submitted (T2): a pure rule over the facts of a seat.

A defect needs category, severity, relation, an answer to "speculative", confidence, a primary place, and the three
parts of the sentence "when TRIGGER happens, THIS LINE makes the program do CONSEQUENCE". A place without lines quotes
nothing by itself, so evidence has to. A label at level note states no wrong behaviour and may leave out the trigger.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from corpus.domain.vocabulary import AnchorLevel, AnchorRole, ClaimAnswerValue, Severity, Verdict


@dataclass(frozen=True)
class LabelFacts:
    """What completeness asks of one standing label."""

    number: int
    severity: str
    category: str
    names_boundary: bool
    relation: str
    speculative: bool | None
    trigger: str
    evidence: str
    impact: str
    boundary: str
    confidence: str
    # Role and level of each place.
    places: frozenset[tuple[str, str]] = field(default_factory=frozenset)


@dataclass(frozen=True)
class Gap:
    """One thing that is missing: of a label (by its number) or, with None, of the answer on the whole case."""

    label: int | None
    field: str
    sentence: str


def label_gaps(label: LabelFacts) -> list[Gap]:
    """Return what a label lacks, in the order of the form."""
    gaps: list[Gap] = []

    def lacks(name: str, sentence: str) -> None:
        gaps.append(Gap(label=label.number, field=name, sentence=sentence))

    primary = {level for role, level in label.places if role == AnchorRole.PRIMARY}
    if not label.severity:
        lacks("severity", "Choose a severity.")
    if not label.category:
        lacks("category", "Choose a category.")
    if not primary:
        lacks("anchors", "Give the primary place: select the lines that show it.")
    if not label.relation:
        lacks("relation", "Say how it relates to the change.")
    if label.speculative is None:
        lacks("speculative", "Say whether it is speculative.")
    if not label.trigger and label.severity != Severity.NOTE:
        lacks("trigger", "Say when it happens.")
    if primary and AnchorLevel.LINES not in primary and not label.evidence:
        lacks("evidence", "The primary place names no lines: quote the code, or name what is missing, as evidence.")
    if not label.impact:
        lacks("impact", "Say what follows from it, and for whom.")
    if label.names_boundary and not label.boundary:
        lacks("boundary", "Name the boundary that is crossed: from whom, to what.")
    if not label.confidence:
        lacks("confidence", "Say how sure you are.")
    return gaps


@dataclass(frozen=True)
class ClaimFacts:
    """What completeness asks of the answer to one claim."""

    number: int
    exists: str
    severity: str
    reason: str
    has_place: bool


def claim_gaps(answer: ClaimFacts) -> list[Gap]:
    """Return what an answer to a claim lacks; a claimed defect that exists needs its severity and an accepted place."""
    gaps: list[Gap] = []

    def lacks(name: str, sentence: str) -> None:
        gaps.append(Gap(label=answer.number, field=name, sentence=sentence))

    if not answer.exists:
        lacks("exists", "Say whether the claimed defect exists.")
    if answer.exists == ClaimAnswerValue.YES:
        if not answer.severity:
            lacks("severity", "Choose a severity.")
        if not answer.has_place:
            lacks("anchors", "Give at least one place that you would accept.")
    if answer.exists == ClaimAnswerValue.INSUFFICIENT_CONTEXT and not answer.reason:
        lacks("reason", "Name what is missing, so exactly that it could be fetched.")
    return gaps


def answer_gaps(*, verdict: str, missing_context: str, labels: Sequence[LabelFacts]) -> list[Gap]:
    """Return everything that keeps an answer from being submitted; empty when it can be."""
    gaps: list[Gap] = []

    def lacks(name: str, sentence: str) -> None:
        gaps.append(Gap(label=None, field=name, sentence=sentence))

    if not verdict:
        lacks("verdict", "Give a verdict on the case.")
    elif verdict == Verdict.HAS_DEFECTS and not labels:
        lacks("verdict", 'The verdict is "has defects" and there is no label: write one, or choose another verdict.')
    elif verdict == Verdict.CLEAN:
        above = [label.number for label in labels if label.severity not in ("", Severity.NOTE)]
        if above:
            named = ", ".join(str(number) for number in above)
            lacks(
                "verdict",
                f"A clean case holds notes only; label {named} is above note: lower or withdraw it, "
                "or change the verdict.",
            )
    elif verdict == Verdict.INSUFFICIENT_CONTEXT and not missing_context:
        lacks("missing_context", "Name what is missing, so exactly that it could be fetched.")
    for label in labels:
        gaps.extend(label_gaps(label))
    return gaps
