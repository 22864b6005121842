"""How far apart paired findings lie, and the positional dissimilarity of the gamma measure for comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from corpus.domain.places import Closeness, LineRange, PlaceRelation, count_lines, intersect_ranges, line_gap
from labeling.domain.statistics.measures import Measure, Reason, share


def line_iou(one: Sequence[LineRange], other: Sequence[LineRange]) -> float:
    """Return shared lines over all lines of two merged lists of ranges that are not empty."""
    shared = count_lines(intersect_ranges(one, other))
    return shared / (count_lines(one) + count_lines(other) - shared)


def overlap_coefficient(one: Sequence[LineRange], other: Sequence[LineRange]) -> float:
    """Return shared lines over the lines of the shorter of two merged lists that are not empty."""
    return count_lines(intersect_ranges(one, other)) / min(count_lines(one), count_lines(other))


@dataclass(frozen=True)
class PlaceAgreement:
    """Place of matched pairs: IoU alone punishes one line inside a long range, so both figures are shown."""

    pairs: int
    sharing: int
    median_iou: Measure
    share_with_common_line: Measure
    # Of the pairs without a common line that lie on one side of one file.
    median_gap: Measure


def place_agreement(closenesses: Sequence[Closeness]) -> PlaceAgreement:
    """Return how well the places of matched pairs agree; a pair without a common line has an IoU of 0."""
    ious = [one.shared / one.union if one.union else 0.0 for one in closenesses]
    gaps = [one.gap for one in closenesses if one.relation is PlaceRelation.NEAR and one.gap is not None]
    sharing = sum(one.shares_a_line for one in closenesses)
    empty = Measure(None, Reason.EMPTY_DENOMINATOR)
    return PlaceAgreement(
        pairs=len(closenesses),
        sharing=sharing,
        median_iou=Measure(float(median(ious))) if ious else empty,
        share_with_common_line=share(sharing, len(closenesses)),
        median_gap=Measure(float(median(gaps))) if gaps else empty,
    )


def median_gap(gaps: Sequence[tuple[int, int]]) -> Measure:
    """Return the median of gaps given as (lines, how many pairs have it)."""
    listed = sorted(gaps)
    total = sum(number for _, number in listed)
    if not total:
        return Measure(None, Reason.EMPTY_DENOMINATOR)
    middle = []
    for wanted in ((total - 1) // 2, total // 2):
        before = 0
        for lines, number in listed:
            before += number
            if wanted < before:
                middle.append(lines)
                break
    return Measure(sum(middle) / 2)


def gap_of(one: LineRange, other: LineRange) -> int:
    """Return the difference of the nearest line numbers: 0 shared, 1 neighbours."""
    return line_gap((one,), (other,))


class Unit(NamedTuple):
    """A section of a continuum with its category, as the gamma measure takes it."""

    start: float
    end: float
    category: str | None = None


def positional_dissimilarity(one: Unit, other: Unit, empty: float = 1.0) -> float:
    """Return empty x ((|difference of starts| + |of ends|) / (sum of lengths)) ** 2 (Mathet et al. 2015)."""
    lengths = one.end - one.start + other.end - other.start
    if lengths <= 0:
        raise ValueError("a unit needs a length above zero")
    moved = abs(one.start - other.start) + abs(one.end - other.end)
    return empty * float(moved / lengths) ** 2


@dataclass(frozen=True)
class GammaAlignment:
    """The best alignment of two annotators and its disorder: total dissimilarity per mean number of units."""

    pairs: tuple[tuple[int, int], ...]
    disorder: Measure


def best_gamma_alignment(
    a: Sequence[Unit], b: Sequence[Unit], *, position: float = 1.0, category: float = 1.0, empty: float = 1.0
) -> GammaAlignment:
    """Return the alignment of least total dissimilarity; a unit left alone costs `empty`.

    Only this part of gamma is exact: the coefficient itself divides by a sampled expectation.
    """
    if not a and not b:
        return GammaAlignment((), Measure(None, Reason.EMPTY_DENOMINATOR))
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    n, m = len(a), len(b)
    square = np.full((n + m, n + m), np.inf)
    square[n:, m:] = 0
    for i, one in enumerate(a):
        square[i, m + i] = empty
        for j, other in enumerate(b):
            differs = empty if one.category != other.category else 0.0
            square[i, j] = position * positional_dissimilarity(one, other, empty) + category * differs
    for j in range(m):
        square[n + j, j] = empty
    rows, columns = linear_sum_assignment(square)
    pairs = tuple((int(i), int(j)) for i, j in zip(rows, columns, strict=True) if i < n and j < m)
    return GammaAlignment(pairs, Measure(float(square[rows, columns].sum()) * 2 / (n + m)))
