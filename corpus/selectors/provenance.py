"""Where truth comes from: who labelled, answered and decided.

That is known to the apps above this one, and a manifest states it. An app registers what it knows with
`provenance_source` in a module that its `AppConfig.ready` imports, as handlers of jobs do; freezing asks all of them.
People are named by primary key here; a version gives them fresh pseudonyms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from corpus.domain.vocabulary import (
    ClaimAnswerValue,
    Confidence,
    DisagreementKind,
    Outcome,
    RoundKind,
    Severity,
    Verdict,
)


@dataclass(frozen=True)
class LabelSource:
    """One reviewer's label that a golden finding came from, or answer to the claim that asserted it."""

    person: int
    round_kind: RoundKind
    answer: ClaimAnswerValue
    category: str | None
    severity: Severity | None
    confidence: Confidence | None


@dataclass(frozen=True)
class VerdictSource:
    """One reviewer's answer on a whole case. `is_deciding` in the round that the case's result rests on."""

    person: int
    round_kind: RoundKind
    verdict: Verdict
    missing_context: str
    is_deciding: bool
    # Files of the change that they did not mark as read.
    unread_files: int = 0


@dataclass(frozen=True)
class DecisionSource:
    """One decision by an adjudicator, on one or several differences."""

    person: int
    kinds: tuple[DisagreementKind, ...]
    outcome: Outcome
    reason_code: str
    rationale: str
    confidence: Confidence | None


@dataclass(frozen=True)
class CaseProvenance:
    """What is known of one case; labels and decisions by the primary key of the golden finding they belong to."""

    verdicts: tuple[VerdictSource, ...] = ()
    # Decisions that no finding came from: on verdicts, and rejections.
    decisions: tuple[DecisionSource, ...] = ()
    labels: Mapping[int, tuple[LabelSource, ...]] = field(default_factory=dict)
    finding_decisions: Mapping[int, tuple[DecisionSource, ...]] = field(default_factory=dict)
    # Names and versions of the tools that took part, such as the aligner.
    tools: frozenset[tuple[str, str]] = frozenset()


ProvenanceSource = Callable[[Sequence[int]], Mapping[int, CaseProvenance]]
"""Takes primary keys of cases, a bounded number at once, and returns what is known of each."""

_sources: list[ProvenanceSource] = []


def provenance_source(source: ProvenanceSource) -> ProvenanceSource:
    """Register the decorated function."""
    if source not in _sources:
        _sources.append(source)
    return source


def provenance_of(case_ids: Sequence[int]) -> dict[int, CaseProvenance]:
    """Return what all sources know of the cases; a case that nobody knows has an empty record."""
    found = {case_id: CaseProvenance() for case_id in case_ids}
    for source in _sources:
        for case_id, more in source(case_ids).items():
            found[case_id] = _joined(found[case_id], more)
    return found


def _joined(one: CaseProvenance, other: CaseProvenance) -> CaseProvenance:
    def merged(first: Mapping[int, tuple], second: Mapping[int, tuple]) -> dict[int, tuple]:  # type: ignore[type-arg]
        return {key: first.get(key, ()) + second.get(key, ()) for key in {**first, **second}}

    return CaseProvenance(
        verdicts=one.verdicts + other.verdicts,
        decisions=one.decisions + other.decisions,
        labels=merged(one.labels, other.labels),
        finding_decisions=merged(one.finding_decisions, other.finding_decisions),
        tools=one.tools | other.tools,
    )
