"""Decisions on a case as its history tells them, and the golden findings that they made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from corpus.domain.vocabulary import AnchorRole, Outcome, Severity
from corpus.models import Case, GoldenFinding, GoldenRevision
from labeling.domain.adjudicating import REASON_WORDS, ReasonCode
from labeling.domain.place_text import group_places
from labeling.domain.states import DisagreementState
from labeling.models import Adjudication, Comparison, Disagreement, Label
from labeling.selectors.golden_inputs import anchor_of
from labeling.selectors.sides import VERDICT_SAYS, Sides
from labeling.selectors.workbench import short_place

OUTCOME_WORDS = {
    Outcome.ACCEPT_A: "accepted A",
    Outcome.ACCEPT_B: "accepted B",
    Outcome.ACCEPT_C: "accepted C",
    Outcome.MERGE: "merged",
    Outcome.REJECT: "rejected",
    Outcome.UNRESOLVED: "left unresolved",
}


@dataclass(frozen=True)
class PastDecision:
    """A decision as the history tells it, in letters."""

    outcome: str
    reason: str
    rationale: str
    confidence: str
    counts_as: str
    verdict: str
    is_guideline_gap: bool
    by: str
    at: datetime
    is_undone: bool
    is_superseded: bool
    holds: bool


@dataclass(frozen=True)
class GoldenRow:
    """A golden finding of the case as it stands."""

    public_id: str
    title: str
    severity: str
    category: str
    state: str
    provenance: str
    revision: int
    where: str


def standing_outcomes(comparison: Comparison) -> dict[int, Adjudication]:
    """Return the newest decision that was not undone of each decided disagreement, by one query."""
    rows = Adjudication.objects.filter(
        disagreement__comparison=comparison, disagreement__state=DisagreementState.DECIDED, undone_at__isnull=True
    )
    return {row.disagreement_id: row for row in rows.order_by("number")}


def history_of(sides: Sides, row: Disagreement) -> tuple[PastDecision, ...]:
    """Return every decision on a disagreement, the newest first; undone ones stay."""
    rows = row.adjudications.select_related("adjudicator", "golden_revision", "disagreement").order_by("-number")
    return past_decisions(sides, rows, is_open=row.state == DisagreementState.OPEN)


def superseded_decisions(sides: Sides, labels: Iterable[Label] | None = None) -> tuple[PastDecision, ...]:
    """Return decisions that hold no longer, the newest first: of pairs that were corrected since, and of comparisons of
    the round before a seat was reopened.

    `labels` narrow them to questions about these labels.
    """
    rows = Adjudication.objects.filter(
        Q(disagreement__comparison=sides.comparison, disagreement__state=DisagreementState.SUPERSEDED)
        | Q(
            disagreement__comparison__round_id=sides.comparison.round_id,
            disagreement__comparison__superseded_at__isnull=False,
        )
    )
    if labels is not None:
        named = [label.pk for label in labels]
        rows = rows.filter(
            Q(disagreement__label__in=named)
            | Q(disagreement__pair__label_a__in=named)
            | Q(disagreement__pair__label_b__in=named)
            | Q(disagreement__pair__label_c__in=named)
        )
    rows = rows.select_related("adjudicator", "golden_revision", "disagreement").order_by("-decided_at", "-pk")
    return tuple(told_decision(sides, row, holds=False) for row in rows)


def past_decisions(sides: Sides, rows: Iterable[Adjudication], *, is_open: bool) -> tuple[PastDecision, ...]:
    """Return decisions on one disagreement, given newest first, in words."""
    told = []
    holds = not is_open
    for row in rows:
        told.append(told_decision(sides, row, holds=holds and row.undone_at is None))
        holds = holds and row.undone_at is not None
    return tuple(told)


def told_decision(sides: Sides, row: Adjudication, *, holds: bool) -> PastDecision:
    """Return one decision in words and letters."""
    is_current = row.disagreement.comparison_id == sides.comparison.pk
    return PastDecision(
        outcome=OUTCOME_WORDS[sides.names.shown(Outcome(row.outcome))],
        reason=REASON_WORDS[ReasonCode(row.reason_code)],
        rationale=row.rationale,
        confidence=row.confidence,
        counts_as=row.golden_revision.state if row.golden_revision is not None else "",
        verdict=VERDICT_SAYS.get(row.verdict, ""),
        is_guideline_gap=row.is_guideline_gap,
        by=row.adjudicator.name,
        at=row.decided_at,
        is_undone=row.undone_at is not None,
        is_superseded=row.disagreement.state == DisagreementState.SUPERSEDED or not is_current,
        holds=holds,
    )


def golden_rows(case: Case) -> tuple[GoldenRow, ...]:
    """Return the golden findings that stand, most severe first, by a constant number of queries."""
    newest: dict[int, GoldenRevision] = {}
    live = GoldenFinding.objects.live().filter(case=case)
    rows = GoldenRevision.objects.filter(finding__in=live).select_related("finding", "category")
    for row in rows.prefetch_related("anchors").order_by("number"):
        newest[row.finding_id] = row
    ordered = sorted(newest.values(), key=lambda row: (-Severity(row.severity).rank, row.finding.public_id))
    return tuple(
        GoldenRow(
            public_id=row.finding.public_id,
            title=row.title or row.impact[:70] or "Untitled",
            severity=row.severity,
            category=row.category.name if row.category else "",
            state=row.state,
            provenance=row.provenance,
            revision=row.number,
            where=_golden_where(row),
        )
        for row in ordered
    )


def _golden_where(revision: GoldenRevision) -> str:
    primary: Sequence[Sequence[object]] = ()
    rows = [anchor_of(row) for row in sorted(revision.anchors.all(), key=lambda row: row.pk)]
    primary = [place for place in group_places(rows) if place[0].role == AnchorRole.PRIMARY]
    return short_place(primary[0]) if primary else ""  # type: ignore[arg-type]
