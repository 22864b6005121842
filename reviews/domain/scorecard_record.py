"""A scorecard as plain values: what `touchstone score` prints and what a page offers for download, from one place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from reviews.domain.findings_format import FindingsFile
from reviews.domain.matching import MatchClass
from reviews.domain.scored import HITS, RunState, ScoredCase
from reviews.domain.scoring import Metrics, bounds

BOUNDED = ("recall", "recall_lenient", "weighted_recall", "precision", "precision_lenient")


def scorecard_record(
    source: str, file: FindingsFile, cases: Sequence[ScoredCase], figures: Metrics, weights: Mapping[str, int]
) -> dict[str, object]:
    """Return one run's scorecard as plain values; `source` names what was read."""
    lowest, highest = bounds(cases, weights)
    return {
        "source": source,
        "accepted": file.accepted,
        "rejected": [asdict(note) for note in file.rejected],
        "notes": [asdict(note) for note in file.notes],
        "provisional": figures.counts["open"] > 0,
        "counts": dict(figures.counts),
        "figures": _shown(figures),
        "bounds": {
            figure: {"lowest": lowest.figures[figure].value, "highest": highest.figures[figure].value}
            for figure in BOUNDED
        },
        "unreviewed": [
            {"case_id": case.case_id, "state": case.state.value}
            for case in cases
            if case.state is not RunState.REVIEWED
        ],
        "cases": [_case(case) for case in cases],
    }


def _shown(figures: Metrics) -> dict[str, object]:
    return {
        name: {
            "value": figure.value,
            "numerator": figure.numerator,
            "denominator": figure.denominator,
            "low": figure.low,
            "high": figure.high,
            "reason": figure.reason,
        }
        for name, figure in figures.figures.items()
    }


def _case(case: ScoredCase) -> dict[str, object]:
    named = case.named(*HITS)
    return {
        "case_id": case.case_id,
        "state": case.state.value,
        "complete": case.is_complete,
        "clean": case.is_clean,
        "golden": len(case.golden),
        **{kind.value: case.count(kind) for kind in MatchClass},
        "missed": [one.id for one in case.golden if one.id not in named],
        "findings": [
            {
                "id": finding.id,
                "class": finding.result.value if case.is_reviewed else "set_aside",
                "golden": finding.golden_id if case.is_reviewed else None,
                "reason": finding.reason,
                "open": finding.is_open and case.is_reviewed,
                "explanation": finding.explanation,
            }
            for finding in case.findings
        ],
    }
