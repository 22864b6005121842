"""Bootstrap by case: every coefficient is a function of count vectors that add up over cases.

A resample of n cases is one multinomial draw over the different vectors that occur, which is exactly the
bootstrap of cases and, where many cases look alike, thousands of times quicker than drawing them one by
one. The seed is fixed and stored with the result.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from labeling.domain.statistics.measures import Reason
from labeling.domain.statistics.tables import Numbers

RESAMPLES = 2_000
SEED = 20_090_401
FEWEST_CASES = 10
CASES_FOR_BCA = 20
# Above this share of resamples with an undefined statistic there is no interval.
UNDEFINED_LIMIT = 0.05
# Cells of one block of draws: bounds memory at some 80 MB.
BLOCK_CELLS = 5_000_000

# From stacked sums (resamples x counts) to one value each, NaN where undefined.
Statistic = Callable[[Numbers], Numbers]


@dataclass(frozen=True)
class Resampled:
    """An interval by case with what is needed to judge and repeat it."""

    low: float | None
    high: float | None
    reason: Reason | None
    # "bca" or "percentile"; None without an interval.
    method: str | None
    cases: int
    resamples: int
    seed: int
    undefined_share: float


def interval_by_case(
    vectors: Numbers,
    statistic: Statistic,
    *,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Resampled:
    """Return the interval of a statistic of summed count vectors (cases x counts).

    BCa from 20 cases on, percentile below and where BCa is undefined (all resamples equal or the jackknife
    flat), none under 10 cases. Resamples without a value are dropped; above 5 % of them there is no
    interval.
    """
    distinct, multiplicity = distinct_rows(vectors)
    return interval_of_distinct(
        distinct, multiplicity, statistic, confidence=confidence, resamples=resamples, seed=seed
    )


def interval_of_distinct(
    distinct: Numbers,
    multiplicity: Numbers,
    statistic: Statistic,
    *,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Resampled:
    """Return what `interval_by_case` does, from different rows and how many cases have each."""
    cases = int(multiplicity.sum())
    if cases < FEWEST_CASES:
        return Resampled(None, None, Reason.TOO_FEW_CASES, None, cases, 0, seed, 0.0)
    drawn = np.concatenate([statistic(sums) for sums in _draws(distinct, multiplicity, resamples=resamples, seed=seed)])
    values = drawn[np.isfinite(drawn)]
    undefined = 1 - len(values) / resamples
    if undefined > UNDEFINED_LIMIT:
        return Resampled(None, None, Reason.UNDEFINED_RESAMPLES, None, cases, resamples, seed, undefined)
    total = multiplicity @ distinct
    estimate = float(statistic(total[None, :])[0])
    levels = None
    if cases >= CASES_FOR_BCA and math.isfinite(estimate):
        left_out = statistic(total[None, :] - distinct)
        slope = acceleration(left_out, multiplicity)
        levels = bca_levels(values, estimate, slope, confidence)
    method = "bca"
    if levels is None:
        method, levels = "percentile", ((1 - confidence) / 2, (1 + confidence) / 2)
    low, high = np.quantile(values, levels)
    return Resampled(float(low), float(high), None, method, cases, resamples, seed, undefined)


def difference_by_case(
    first: Numbers,
    second: Numbers,
    statistic: Statistic,
    *,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Resampled:
    """Return the interval of statistic(first) - statistic(second) on the same cases, resampled together."""
    width = first.shape[1]

    def difference(sums: Numbers) -> Numbers:
        return np.asarray(statistic(sums[:, :width]) - statistic(sums[:, width:]))

    return interval_by_case(
        np.hstack([first, second]), difference, confidence=confidence, resamples=resamples, seed=seed
    )


def difference_of_groups(
    first: tuple[Numbers, Numbers],
    second: tuple[Numbers, Numbers],
    statistic: Statistic,
    *,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Resampled:
    """Return the percentile interval of statistic(second) - statistic(first) of two groups of different cases.

    Each group is (different rows, how many cases have each). Two periods are compared by this and not by looking
    whether their intervals overlap.
    """
    cases = int(min(first[1].sum(), second[1].sum()))
    if cases < FEWEST_CASES:
        return Resampled(None, None, Reason.TOO_FEW_CASES, None, cases, 0, seed, 0.0)
    values = [
        np.concatenate([statistic(sums) for sums in _draws(*group, resamples=resamples, seed=seed + number)])
        for number, group in enumerate((first, second))
    ]
    differences = values[1] - values[0]
    defined = differences[np.isfinite(differences)]
    undefined = 1 - len(defined) / resamples
    if undefined > UNDEFINED_LIMIT:
        return Resampled(None, None, Reason.UNDEFINED_RESAMPLES, None, cases, resamples, seed, undefined)
    low, high = np.quantile(defined, ((1 - confidence) / 2, (1 + confidence) / 2))
    return Resampled(float(low), float(high), None, "percentile", cases, resamples, seed, undefined)


def distinct_rows(vectors: Numbers, times: Numbers | None = None) -> tuple[Numbers, Numbers]:
    """Return the different rows in ascending order, and how often each occurs; row i counts `times[i]` times.

    Equal rows are found by their bytes first: sorting ten thousand rows takes longer than all resamples of a few.
    """
    rows = np.ascontiguousarray(vectors, dtype=np.float64) + 0.0  # so that there is no second, negative zero
    data, width = rows.tobytes(), rows.shape[1] * rows.itemsize
    if not width:
        return rows[:1], np.array([float(len(rows) if times is None else times.sum())])
    starts = range(0, len(data), width)
    found: Counter[bytes] = Counter()
    if times is None:
        found.update(data[start : start + width] for start in starts)
    else:
        for start, number in zip(starts, times.tolist(), strict=True):
            found[data[start : start + width]] += number
    unsorted = np.frombuffer(b"".join(found), dtype=np.float64).reshape(len(found), rows.shape[1])
    order = np.lexsort(unsorted.T[::-1])
    counts = np.fromiter(found.values(), dtype=np.float64, count=len(found))
    return unsorted[order], counts[order]


def _draws(distinct: Numbers, multiplicity: Numbers, *, resamples: int, seed: int) -> Iterator[Numbers]:
    """Yield stacked sums of resampled cases, a bounded block at a time."""
    source = np.random.default_rng(seed)
    cases = int(multiplicity.sum())
    block = max(1, BLOCK_CELLS // (len(distinct) + distinct.shape[1]))
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        yield np.asarray(source.multinomial(cases, multiplicity / cases, size=size) @ distinct)


def acceleration(left_out: Numbers, multiplicity: Numbers | None = None) -> float | None:
    """Return the jackknife acceleration sum(u^3) / (6 sum(u^2)^1.5), u = mean - value without one case.

    None where the jackknife is flat or undefined.
    """
    weights = np.ones(len(left_out)) if multiplicity is None else multiplicity
    if not np.isfinite(left_out).all():
        return None
    influence = (left_out * weights).sum() / weights.sum() - left_out
    squares = float((weights * influence**2).sum())
    # Differences at the level of rounding are no variation.
    if squares <= 1e-24 * max(1.0, float(np.abs(left_out).max()) ** 2):
        return None
    return float((weights * influence**3).sum() / (6 * squares**1.5))


def bca_levels(values: Numbers, estimate: float, slope: float | None, confidence: float) -> tuple[float, float] | None:
    """Return the quantile levels of the BCa interval (Efron 1987), or None where it is undefined."""
    below = float(((values < estimate).sum() + (values == estimate).sum() / 2) / len(values))
    if slope is None or not 0 < below < 1:
        return None
    normal = NormalDist()
    bias = normal.inv_cdf(below)
    tail = normal.inv_cdf((1 - confidence) / 2)
    levels = []
    for z in (bias + tail, bias - tail):
        if slope * z >= 1:
            return None
        levels.append(normal.cdf(bias + z / (1 - slope * z)))
    return levels[0], levels[1]


@dataclass(frozen=True)
class SampleBootstrap:
    """Estimate, acceleration and both intervals of a statistic of one plain sample."""

    estimate: float
    acceleration: float | None
    percentile: tuple[float, float]
    bca: tuple[float, float] | None


def bootstrap_sample(
    sample: Sequence[float],
    statistic: Callable[[Numbers], Numbers],
    *,
    confidence: float = 0.95,
    resamples: int = 20_000,
    seed: int = SEED,
) -> SampleBootstrap:
    """Return the ordinary bootstrap of `statistic` (samples x values to one value each)."""
    numbers = np.asarray(sample, dtype=float)
    size = len(numbers)
    source = np.random.default_rng(seed)
    block = max(1, BLOCK_CELLS // size)
    values = np.concatenate(
        [
            statistic(numbers[source.integers(0, size, (min(block, resamples - start), size))])
            for start in range(0, resamples, block)
        ]
    )
    estimate = float(statistic(numbers[None, :])[0])
    left_out = np.array([float(statistic(np.delete(numbers, i)[None, :])[0]) for i in range(size)])
    slope = acceleration(left_out)
    low, high = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2])
    levels = bca_levels(values, estimate, slope, confidence)
    return SampleBootstrap(
        estimate=estimate,
        acceleration=slope,
        percentile=(float(low), float(high)),
        bca=None if levels is None else tuple(float(value) for value in np.quantile(values, levels)),  # type: ignore[arg-type]
    )


def every_resample(cases: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield each way to draw `cases` cases with repetition as (times each was drawn, number of orders)."""
    factorials = [math.factorial(number) for number in range(cases + 1)]

    def fill(position: int, left: int) -> Iterator[tuple[int, ...]]:
        if position == cases - 1:
            yield (left,)
            return
        for times in range(left + 1):
            for rest in fill(position + 1, left - times):
                yield (times, *rest)

    if cases:
        for drawn in fill(0, cases):
            orders = factorials[cases]
            for times in drawn:
                orders //= factorials[times]
            yield drawn, orders
