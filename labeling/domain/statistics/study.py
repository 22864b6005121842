"""Every number of one agreement page for one pair of reviewers: five layers, never mixed in one coefficient.

Only blinded first submissions count. `insufficient_context` is missing data, and such a case is out of
detection and of the capture counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from corpus.domain.vocabulary import Verdict
from labeling.domain.statistics.alpha import Metric, alpha, coincidences_of_table
from labeling.domain.statistics.capture import Captures
from labeling.domain.statistics.existence import Detection, detection_f1, pooled
from labeling.domain.statistics.gwet import ac1
from labeling.domain.statistics.kappa import cohen_kappa, ordered_disagreement, weighted_kappa
from labeling.domain.statistics.kinds import JUDGING_VERDICTS, SEVERITY_LEVELS
from labeling.domain.statistics.measures import Measure, measured
from labeling.domain.statistics.tables import (
    Numbers,
    contingency,
    levels_used,
    mean_signed_difference,
    raw_agreement,
    share_within,
    specific_agreement,
    why_undefined,
)


@dataclass(frozen=True)
class PairedLabels:
    """Category and severity of one matched pair, first reviewer first."""

    categories: tuple[str, str]
    severities: tuple[str, str]
    # A near miss demands equal categories, so it would flatter the category layer.
    shares_a_line: bool = True
    # Severity decided this pair in an exact tie, so it may not count in the severity layer.
    decided_by_severity: bool = False


@dataclass(frozen=True)
class StudyCase:
    """One case that both reviewers submitted."""

    verdicts: tuple[str, str]
    pairs: tuple[PairedLabels, ...]
    only_first: int
    only_second: int

    @property
    def both_judged(self) -> bool:
        """Whether both had the context to judge."""
        return Verdict.INSUFFICIENT_CONTEXT.value not in self.verdicts


@dataclass(frozen=True)
class VerdictLayer:
    """Unit: case."""

    table: Numbers
    raw: Measure
    alpha: Measure
    kappa: Measure
    ac1: Measure
    specific: dict[str, Measure]


@dataclass(frozen=True)
class CategoryLayer:
    """Unit: matched pair that shares a line."""

    levels: tuple[str, ...]
    table: Numbers
    raw: Measure
    alpha: Measure
    specific: dict[str, Measure]


@dataclass(frozen=True)
class SeverityLayer:
    """Unit: matched pair; weights rest on the full scale, used or not."""

    table: Numbers
    exact: Measure
    within_one: Measure
    mean_signed: Measure
    alpha: Measure
    quadratic: Measure
    linear: Measure


@dataclass(frozen=True)
class Study:
    """The layers of one pair of reviewers."""

    verdict: VerdictLayer
    detection: Detection
    f1: Measure
    category: CategoryLayer
    severity: SeverityLayer
    captures: Captures


def study(
    cases: Sequence[StudyCase],
    *,
    verdicts: Sequence[str] = JUDGING_VERDICTS,
    severities: Sequence[str] = SEVERITY_LEVELS,
) -> Study:
    """Return all layers; an unknown verdict or severity raises ValueError."""
    judged = [case for case in cases if case.both_judged]
    pairs = [pair for case in judged for pair in case.pairs]
    detection = pooled(Detection(len(case.pairs), case.only_first, case.only_second) for case in judged)
    return Study(
        verdict=verdict_layer(contingency([case.verdicts for case in judged], verdicts), verdicts),
        detection=detection,
        f1=detection_f1(detection),
        category=_category_layer_of([pair.categories for pair in pairs if pair.shares_a_line]),
        severity=severity_layer(
            contingency([pair.severities for pair in pairs if not pair.decided_by_severity], severities)
        ),
        captures=Captures(
            detection.both + detection.only_first, detection.both + detection.only_second, detection.both
        ),
    )


def verdict_layer(table: Numbers, levels: Sequence[str]) -> VerdictLayer:
    """Return the verdict layer of a table of cases."""
    return VerdictLayer(
        table=table,
        raw=_of(raw_agreement(table), table),
        alpha=_of(alpha(coincidences_of_table(table)), table),
        kappa=_of(cohen_kappa(table), table),
        ac1=_of(ac1(table), table),
        specific=dict(zip(levels, specific_agreement(table), strict=True)),
    )


def _category_layer_of(pairs: Sequence[tuple[str, str]]) -> CategoryLayer:
    levels = tuple(str(level) for level in levels_used(pairs))
    return category_layer(contingency(pairs, levels), levels)


def category_layer(table: Numbers, levels: Sequence[str]) -> CategoryLayer:
    """Return the category layer of a table of pairs that share a line."""
    return CategoryLayer(
        levels=tuple(levels),
        table=table,
        raw=_of(raw_agreement(table), table),
        alpha=_of(alpha(coincidences_of_table(table)), table),
        specific=dict(zip(levels, specific_agreement(table), strict=True)),
    )


def severity_layer(table: Numbers) -> SeverityLayer:
    """Return the severity layer of a table of pairs on the full scale."""
    size = len(table)
    return SeverityLayer(
        table=table,
        exact=_of(raw_agreement(table), table),
        within_one=share_within(table, 1),
        mean_signed=mean_signed_difference(table),
        alpha=_of(alpha(coincidences_of_table(table), Metric.ORDINAL), table),
        quadratic=_of(weighted_kappa(table, ordered_disagreement(size, 2)), table),
        linear=_of(weighted_kappa(table, ordered_disagreement(size, 1)), table),
    )


def _of(value: Numbers, table: Numbers) -> Measure:
    return measured(float(np.asarray(value)), why_undefined(table))
