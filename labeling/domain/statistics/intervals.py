"""Intervals of shares; findings of one case stand or fall together and count with an effective sample size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

Interval = tuple[float, float]


def normal_quantile(confidence: float) -> float:
    """Return z of a two-sided interval: 1.96 for 0.95."""
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def wilson(hits: float, total: float, confidence: float = 0.95) -> Interval | None:
    """Return Wilson's score interval, None without any unit; counts may be fractions (effective sizes)."""
    if total <= 0:
        return None
    z = normal_quantile(confidence)
    portion = hits / total
    centre = (portion + z * z / (2 * total)) / (1 + z * z / total)
    half = z * math.sqrt(portion * (1 - portion) / total + z * z / (4 * total**2)) / (1 + z * z / total)
    low = 0.0 if hits <= 0 else max(0.0, centre - half)
    high = 1.0 if hits >= total else min(1.0, centre + half)
    return low, high


def wilson_with_continuity(hits: int, total: int, confidence: float = 0.95) -> Interval | None:
    """Return Wilson's interval with continuity correction (Newcombe 1998a, method 4)."""
    if total <= 0:
        return None
    z = normal_quantile(confidence)
    p, q = hits / total, 1 - hits / total
    scale = 2 * (total + z * z)
    low_root = math.sqrt(max(0.0, z * z - 2 - 1 / total + 4 * p * (total * q + 1)))
    high_root = math.sqrt(max(0.0, z * z + 2 - 1 / total + 4 * p * (total * q - 1)))
    low = 0.0 if hits == 0 else max(0.0, (2 * total * p + z * z - 1 - z * low_root) / scale)
    high = 1.0 if hits == total else min(1.0, (2 * total * p + z * z + 1 + z * high_root) / scale)
    return low, high


def clopper_pearson(hits: int, total: int, confidence: float = 0.95) -> Interval | None:
    """Return the exact binomial interval."""
    if total <= 0:
        return None
    from scipy.stats import beta

    tail = (1 - confidence) / 2
    low = 0.0 if hits == 0 else float(beta.ppf(tail, hits, total - hits + 1))
    high = 1.0 if hits == total else float(beta.ppf(1 - tail, hits + 1, total - hits))
    return low, high


@dataclass(frozen=True)
class ClusteredShare:
    """A share of findings with the variance between cases."""

    hits: int
    total: int
    share: float
    # None with a single case.
    standard_error: float | None
    design_effect: float
    effective_total: float
    naive: Interval
    interval: Interval


def clustered_share(
    cases: Sequence[tuple[int, int]],
    confidence: float = 0.95,
    floor: float = 1.0,
    times: Sequence[int] | None = None,
) -> ClusteredShare | None:
    """Return sum(hits) / sum(totals) over (hits, total) cases, or None without any unit.

    With `times` the case at i stands for that many cases.

    The variance is that of the ratio estimator with cases as clusters, k / (k - 1) sum((h - p t)^2) / T^2.
    The design effect is this over the binomial variance, at least `floor`; Wilson's interval then takes T /
    design effect units, so it does not collapse where all or none were hit.
    """
    numbers = [1] * len(cases) if times is None else times
    counted = [(hit, count, number) for (hit, count), number in zip(cases, numbers, strict=True)]
    hits = sum(hit * number for hit, _, number in counted)
    total = sum(count * number for _, count, number in counted)
    if not total:
        return None
    portion = hits / total
    clusters = sum(number for _, count, number in counted if count)
    variance = None
    effect = floor
    if clusters > 1:
        squares = sum(number * (hit - portion * count) ** 2 for hit, count, number in counted)
        variance = clusters / (clusters - 1) * squares / total**2
        binomial = portion * (1 - portion) / total
        effect = max(floor, variance / binomial) if binomial else floor
    effective = total / effect
    naive = wilson(hits, total, confidence)
    interval = wilson(portion * effective, effective, confidence)
    assert naive is not None
    assert interval is not None
    return ClusteredShare(
        hits=hits,
        total=total,
        share=portion,
        standard_error=None if variance is None else math.sqrt(variance),
        design_effect=effect,
        effective_total=effective,
        naive=naive,
        interval=interval,
    )


def paired_difference(table: Sequence[Sequence[int]], confidence: float = 0.95) -> tuple[float, Interval] | None:
    """Return the difference of two paired shares with Newcombe's interval (1998b, method 10), or None if
    empty.

    `table` is [[both, only the first], [only the second, neither]].
    """
    (both, first), (second, neither) = table
    total = both + first + second + neither
    if not total:
        return None
    p1, p2 = (both + first) / total, (both + second) / total
    one = wilson(both + first, total, confidence)
    other = wilson(both + second, total, confidence)
    assert one is not None
    assert other is not None
    association = float(both * neither - first * second)
    if association > 0:
        association = max(association - total / 2, 0.0)
    margins = (both + first) * (second + neither) * (both + second) * (first + neither)
    phi = association / math.sqrt(margins) if margins else 0.0

    def reach(ours: float, theirs: float) -> float:
        return math.sqrt(max(0.0, ours**2 - 2 * phi * ours * theirs + theirs**2))

    difference = (first - second) / total
    return difference, (
        difference - reach(p1 - one[0], other[1] - p2),
        difference + reach(one[1] - p1, p2 - other[0]),
    )
