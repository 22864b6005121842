"""Krippendorff's alpha: any number of reviewers, any gaps, four metrics of difference.

A unit with m >= 2 values adds n_c (n_k - [c = k]) / (m - 1) to the coincidences of c and k, so coincidences
add up over cases and can be resampled. alpha = 1 - D_o / D_e with D_o = sum(o d) / n and D_e = sum(n_c n_k
d) / (n (n - 1)). Source: Krippendorff, "Computing Krippendorff's alpha-reliability" (2011).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from labeling.domain.statistics.measures import Measure, Reason, measured
from labeling.domain.statistics.tables import Numbers


class Metric(StrEnum):
    """How far two values differ."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"
    RATIO = "ratio"


def coincidences(counts: Numbers) -> Numbers:
    """Return the coincidence matrix of each unit (units x levels x levels) from its counts of levels."""
    sizes = counts.sum(axis=1)
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(counts.shape[1])
    weight = np.divide(1.0, sizes - 1, out=np.zeros_like(sizes), where=sizes >= 2)
    return np.asarray(pairs * weight[:, None, None])


def total_coincidences(counts: Numbers) -> Numbers:
    """Return the sum of the units' coincidence matrices without forming each of them."""
    sizes = counts.sum(axis=1)
    weight = np.divide(1.0, sizes - 1, out=np.zeros_like(sizes), where=sizes >= 2)
    return np.asarray(counts.T @ (counts * weight[:, None]) - np.diag((counts * weight[:, None]).sum(axis=0)))


def coincidences_of_table(table: Numbers) -> Numbers:
    """Return the coincidences of two reviewers without gaps."""
    return np.asarray(table + np.swapaxes(table, -1, -2))


def differences(metric: Metric, values: Sequence[float], used: Numbers) -> Numbers:
    """Return the squared differences of the levels; `used` (stackable) holds how often each was used.

    The ordinal metric looks at the order of the levels and at `used`, interval and ratio at their `values`.
    """
    size = used.shape[-1]
    if metric is Metric.NOMINAL:
        return 1 - np.eye(size)
    if metric is Metric.ORDINAL:
        middle = np.cumsum(used, axis=-1) - used / 2
        return np.asarray((middle[..., :, None] - middle[..., None, :]) ** 2)
    numbers = np.asarray(values, dtype=float)
    gaps = numbers[:, None] - numbers[None, :]
    if metric is Metric.INTERVAL:
        return np.asarray(gaps**2)
    sums = numbers[:, None] + numbers[None, :]
    return np.asarray(np.divide(gaps, sums, out=np.zeros_like(gaps), where=sums != 0) ** 2)


def disagreements(matrices: Numbers, difference: Numbers) -> tuple[Numbers, Numbers]:
    """Return observed and expected disagreement of (stacked) coincidence matrices."""
    used = matrices.sum(axis=-1)
    total = used.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = (matrices * difference).sum(axis=(-2, -1)) / total
        expected = (used[..., :, None] * used[..., None, :] * difference).sum(axis=(-2, -1)) / (total * (total - 1))
    return np.asarray(observed), np.asarray(expected)


def alpha(matrices: Numbers, metric: Metric = Metric.NOMINAL, values: Sequence[float] = ()) -> Numbers:
    """Return alpha of (stacked) coincidence matrices, NaN where nothing varies or nothing can be paired."""
    return alpha_with(matrices, differences(metric, values, matrices.sum(axis=-1)))


def alpha_with(matrices: Numbers, difference: Numbers) -> Numbers:
    """Return alpha for a given matrix of squared differences, for instance of groups of categories."""
    observed, expected = disagreements(matrices, difference)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(expected > 0, 1 - observed / expected, np.nan))


def alpha_measure(counts: Numbers, metric: Metric = Metric.NOMINAL, values: Sequence[float] = ()) -> Measure:
    """Return alpha of units x levels counts, or why it is undefined."""
    matrix = total_coincidences(counts)
    reason = Reason.NO_VARIATION if matrix.sum() else Reason.NO_OVERLAP
    return measured(float(alpha(matrix, metric, values)), reason)
