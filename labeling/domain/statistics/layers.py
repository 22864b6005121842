"""The five layers of agreement over any selection of cases, each as one headline figure with its interval by case.

Cases that look alike are one kind, so a selection is how often it holds each kind; every figure is a function of count
vectors that add up over kinds. The vectors of a kind are made once, whatever number of selections is looked at.

    layer       unit                           headline                     vector of a case
    verdict     case                           alpha, nominal               3 x 3 verdicts
    existence   finding                        F1                           pairs, only first, only second
    category    pair that shares a line        alpha, nominal               categories x categories
    severity    pair                           alpha, ordinal               5 x 5 levels
    place       pair                           median IoU                   pairs with each IoU that occurs

`insufficient_context` is missing data: such a case is in no layer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np

from labeling.domain.states import FoundBy
from labeling.domain.statistics.alpha import Metric, alpha, coincidences_of_table
from labeling.domain.statistics.intervals import clustered_share, wilson
from labeling.domain.statistics.kinds import JUDGING_VERDICTS, SEVERITY_LEVELS, CaseKind, CountedFinding
from labeling.domain.statistics.measures import Measure, Reason, as_shown, measured
from labeling.domain.statistics.resampling import Statistic, distinct_rows, interval_of_distinct
from labeling.domain.statistics.tables import Numbers, rarest_count, why_undefined


class Layer(StrEnum):
    """What two reviewers may agree on; never mixed in one coefficient."""

    VERDICT = "verdict"
    EXISTENCE = "existence"
    CATEGORY = "category"
    SEVERITY = "severity"
    PLACE = "place"


@dataclass(frozen=True)
class Figure:
    """A figure as a page may show it: value or reason, interval or reason, and on what it rests."""

    value: float | None
    reason: Reason | None
    low: float | None
    high: float | None
    interval_reason: Reason | None
    method: str | None
    units: int
    cases: int
    unstable: bool


@dataclass(frozen=True)
class ShareFigure:
    """A share with its raw counts and interval."""

    hits: int
    total: int
    measure: Measure
    low: float | None
    high: float | None


class Sample:
    """Kinds of cases with their count vectors."""

    def __init__(self, kinds: Sequence[CaseKind]) -> None:
        """Index the kinds; an unknown verdict or severity raises ValueError."""
        self.kinds = tuple(kinds)
        self.judged = np.array([kind.both_judged for kind in self.kinds], dtype=bool)
        self.findings = [kind.findings if kind.both_judged else () for kind in self.kinds]
        self.pairs = [[one for one in found if one.found_by == FoundBy.BOTH] for found in self.findings]

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """Every category that anybody used, sorted."""
        used = {name for found in self.findings for one in found for name in _categories_of(one)}
        return tuple(sorted(used))

    @cached_property
    def ious(self) -> Numbers:
        """Every IoU that occurs among the pairs, ascending."""
        return np.array(sorted({_iou(pair) for pairs in self.pairs for pair in pairs}))

    def vectors(self, layer: Layer) -> Numbers:
        """Return kinds x counts of a layer; kinds that are not judged are all zero."""
        return self._made[layer]

    @cached_property
    def _made(self) -> dict[Layer, Numbers]:
        verdicts = {name: position for position, name in enumerate(JUDGING_VERDICTS)}
        severities = {name: position for position, name in enumerate(SEVERITY_LEVELS)}
        categories = {name: position for position, name in enumerate(self.categories)}
        ious = {value: position for position, value in enumerate(self.ious.tolist())}
        kinds = len(self.kinds)
        made = {
            Layer.VERDICT: np.zeros((kinds, len(verdicts), len(verdicts))),
            Layer.EXISTENCE: np.zeros((kinds, 3)),
            Layer.CATEGORY: np.zeros((kinds, len(categories), len(categories))),
            Layer.SEVERITY: np.zeros((kinds, len(severities), len(severities))),
            Layer.PLACE: np.zeros((kinds, len(ious))),
        }
        columns = {FoundBy.BOTH: 0, FoundBy.FIRST: 1, FoundBy.SECOND: 2}
        for number, kind in enumerate(self.kinds):
            if self.judged[number]:
                made[Layer.VERDICT][number, verdicts[kind.verdict_first], verdicts[kind.verdict_second]] = 1
            for one in self.findings[number]:
                made[Layer.EXISTENCE][number, columns[FoundBy(one.found_by)]] += 1
            for pair in self.pairs[number]:
                if pair.shares_a_line:
                    row, column = categories[pair.category_first], categories[pair.category_second]
                    made[Layer.CATEGORY][number, row, column] += 1
                if not pair.decided_by_severity:
                    if not {pair.severity_first, pair.severity_second} <= severities.keys():
                        raise ValueError(f"{pair.severity_first!r} or {pair.severity_second!r} is no severity")
                    row, column = severities[pair.severity_first], severities[pair.severity_second]
                    made[Layer.SEVERITY][number, row, column] += 1
                made[Layer.PLACE][number, ious[_iou(pair)]] += 1
        return {layer: array.reshape(kinds, math.prod(array.shape[1:])) for layer, array in made.items()}

    def table(self, layer: Layer, times: Numbers) -> Numbers:
        """Return the contingency table of verdict, category or severity over a selection."""
        sums = times @ self.vectors(layer)
        size = round(len(sums) ** 0.5)
        return np.asarray(sums.reshape(size, size))

    def distinct(self, layer: Layer, times: Numbers) -> tuple[Numbers, Numbers]:
        """Return the different vectors of the judged cases of a selection, and how many cases have each."""
        held = self.judged & (times > 0)
        return distinct_rows(self.vectors(layer)[held], times[held])

    def statistic(self, layer: Layer) -> Statistic:
        """Return the headline of a layer as a function of stacked sums of its vectors."""
        if layer is Layer.EXISTENCE:
            return _f1
        if layer is Layer.PLACE:
            return lambda sums: median_of_counts(sums, self.ious)
        metric = Metric.ORDINAL if layer is Layer.SEVERITY else Metric.NOMINAL

        def of_tables(sums: Numbers) -> Numbers:
            size = round(sums.shape[-1] ** 0.5)
            tables = sums.reshape(*sums.shape[:-1], size, size)
            return alpha(coincidences_of_table(tables), metric)

        return of_tables


def figure(sample: Sample, layer: Layer, times: Numbers) -> Figure:
    """Return the headline of a layer over a selection: `times` counts the cases of each kind."""
    distinct, counts = sample.distinct(layer, times)
    sums = times[sample.judged] @ sample.vectors(layer)[sample.judged]
    units = int(sums.sum())
    cases = int(counts.sum())
    statistic = sample.statistic(layer)
    value = float(statistic(sums[None, :])[0]) if units else float("nan")
    measure = measured(value, _why(layer, sums, units))
    shown = as_shown(measure, units=units, rarest=_rarest(layer, sums, units))
    if shown.value is None:
        return Figure(None, shown.reason, None, None, shown.reason, None, units, cases, unstable=False)
    found = interval_of_distinct(distinct, counts, statistic)
    return Figure(
        shown.value, None, found.low, found.high, found.reason, found.method, units, cases, unstable=shown.unstable
    )


def median_of_counts(sums: Numbers, values: Numbers) -> Numbers:
    """Return the median of values given how often each occurs, NaN where none does; stackable."""
    totals = sums.sum(axis=-1, keepdims=True)
    reached = np.cumsum(sums, axis=-1)
    if not len(values):
        return np.full(sums.shape[:-1], np.nan)
    # The two middle ones are the same where their number is odd.
    low = (reached * 2 >= totals).argmax(axis=-1)
    high = (reached * 2 > totals).argmax(axis=-1)
    middle = (values[low] + values[high]) / 2
    return np.asarray(np.where(totals[..., 0] > 0, middle, np.nan))


def share_of_findings(
    sample: Sample, times: Numbers, count: Callable[[Sequence[CountedFinding]], tuple[int, int]]
) -> ShareFigure:
    """Return a share of findings; `count` gives (hits, total) of one case, and Wilson takes the effective size."""
    return _clustered(sample, times, lambda number: count(sample.findings[number]))


def share_of_answers(sample: Sample, times: Numbers, verdict: str) -> ShareFigure:
    """Return the specific agreement of one verdict: 2 x both gave it / how often it was given."""

    def used(number: int) -> tuple[int, int]:
        kind = sample.kinds[number]
        given = (kind.verdict_first == verdict) + (kind.verdict_second == verdict)
        return (2, 2) if given == 2 else (0, given)

    return _clustered(sample, times, used)


def _clustered(sample: Sample, times: Numbers, count: Callable[[int], tuple[int, int]]) -> ShareFigure:
    held = np.flatnonzero(sample.judged & (times > 0)).tolist()
    found = clustered_share([count(number) for number in held], times=[int(times[number]) for number in held])
    if found is None:
        return ShareFigure(0, 0, Measure(None, Reason.EMPTY_DENOMINATOR), None, None)
    return ShareFigure(found.hits, found.total, Measure(found.share), *found.interval)


def share_of_cases(hits: float, total: float) -> ShareFigure:
    """Return a share of cases, one observation a case, with Wilson's plain interval."""
    bounds = wilson(float(hits), float(total))
    if bounds is None:
        return ShareFigure(0, 0, Measure(None, Reason.EMPTY_DENOMINATOR), None, None)
    return ShareFigure(int(hits), int(total), Measure(float(hits) / float(total)), *bounds)


def found_by_both(
    findings: Sequence[CountedFinding], *, category: str | None = None, severity: str | None = None
) -> tuple[int, int]:
    """Return how many labels of a category or severity have a partner, and how many labels there are.

    Over all labels the share is F1: a pair is two labels with a partner.
    """
    hits = total = 0
    for one in findings:
        sides = ((one.category_first, one.severity_first), (one.category_second, one.severity_second))
        for (name, level), other in zip(sides, (FoundBy.SECOND, FoundBy.FIRST), strict=True):
            if one.found_by == other or (category is not None and name != category):
                continue
            if severity is not None and level != severity:
                continue
            total += 1
            hits += one.found_by == FoundBy.BOTH
    return hits, total


def same_category(findings: Sequence[CountedFinding], category: str | None = None) -> tuple[int, int]:
    """Return pairs of equal category and all pairs that share a line; of one category its specific agreement."""
    pairs = [one for one in findings if one.found_by == FoundBy.BOTH and one.shares_a_line]
    if category is None:
        return sum(one.category_first == one.category_second for one in pairs), len(pairs)
    used = [(one.category_first == category) + (one.category_second == category) for one in pairs]
    return 2 * used.count(2), sum(used)


def near_severity(findings: Sequence[CountedFinding], steps: int, severity: str | None = None) -> tuple[int, int]:
    """Return pairs whose levels are at most `steps` apart, and all pairs; of one level its specific agreement."""
    hits = total = 0
    for one in findings:
        if one.found_by != FoundBy.BOTH or one.decided_by_severity:
            continue
        ranks = [SEVERITY_LEVELS.index(level) for level in (one.severity_first, one.severity_second)]
        if severity is None:
            total += 1
            hits += abs(ranks[0] - ranks[1]) <= steps
        else:
            used = ranks.count(SEVERITY_LEVELS.index(severity))
            total += used
            hits += used if used == 2 else 0
    return hits, total


def on_one_line(findings: Sequence[CountedFinding]) -> tuple[int, int]:
    """Return pairs whose places share a line, and all pairs."""
    pairs = [one for one in findings if one.found_by == FoundBy.BOTH]
    return sum(one.shares_a_line for one in pairs), len(pairs)


def _f1(sums: Numbers) -> Numbers:
    with np.errstate(invalid="ignore"):
        return np.asarray(2 * sums[..., 0] / (2 * sums[..., 0] + sums[..., 1] + sums[..., 2]))


def _iou(pair: CountedFinding) -> float:
    return pair.shared_lines / pair.union_lines if pair.union_lines else 0.0


def _categories_of(one: CountedFinding) -> list[str]:
    sides = ((one.category_first, FoundBy.SECOND), (one.category_second, FoundBy.FIRST))
    return [name for name, missing in sides if one.found_by != missing]


def _why(layer: Layer, sums: Numbers, units: int) -> Reason:
    if layer in (Layer.EXISTENCE, Layer.PLACE):
        return Reason.EMPTY_DENOMINATOR
    return why_undefined(sums) if units else Reason.NO_OVERLAP


def _rarest(layer: Layer, sums: Numbers, units: int) -> int:
    """Return the units of the class used least; layers without classes cannot have a rare one."""
    if layer in (Layer.EXISTENCE, Layer.PLACE):
        return units
    size = round(len(sums) ** 0.5)
    return rarest_count(sums.reshape(size, size))
