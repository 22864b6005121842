"""Gwet's AC1 and AC2: agreement beyond guessing on units that are hard to rate.

Stable where one level prevails, and therefore able to look excellent where the rare level was never agreed
on: a companion, never a headline. The value depends on the number of declared levels, used or not.
"""

from __future__ import annotations

from math import comb

import numpy as np

from labeling.domain.statistics.kappa import ordered_disagreement
from labeling.domain.statistics.measures import Measure, Reason, measured
from labeling.domain.statistics.tables import Numbers, raw_agreement


def agreement_weights(name: str, size: int) -> Numbers:
    """Return the weights `identity`, `linear`, `quadratic` or `ordinal` for levels in order.

    Gwet's ordinal weights count the pairs of levels between two levels; they are not the ordinal metric of
    alpha.
    """
    if name == "identity":
        return np.eye(size)
    if name == "linear":
        return 1 - ordered_disagreement(size, 1)
    if name == "quadratic":
        return 1 - ordered_disagreement(size, 2)
    if name == "ordinal":
        between = np.array([[comb(abs(i - j) + 1, 2) for j in range(size)] for i in range(size)], dtype=float)
        return np.asarray(1 - between / max(between.max(), 1.0))
    raise ValueError(f"unknown weights: {name}")


def ac1(tables: Numbers) -> Numbers:
    """Return AC1 of two raters, NaN without ratings or with a single declared level."""
    size = tables.shape[-1]
    with np.errstate(invalid="ignore", divide="ignore"):
        portions = (tables.sum(axis=-1) + tables.sum(axis=-2)) / (2 * tables.sum(axis=(-2, -1)))[..., None]
        chance = (portions * (1 - portions)).sum(axis=-1) / (size - 1 if size > 1 else np.nan)
        return np.asarray((raw_agreement(tables) - chance) / (1 - chance))


def ac2(table: Numbers, weights: Numbers) -> Measure:
    """Return AC2 of two raters."""
    size, total = len(table), table.sum()
    if not total:
        return Measure(None, Reason.NO_OVERLAP)
    if size < 2:
        return Measure(None, Reason.NO_VARIATION)
    portions = (table.sum(axis=0) + table.sum(axis=1)) / (2 * total)
    return _corrected(float((table * weights).sum() / total), portions, weights)


def ac2_of_counts(counts: Numbers, weights: Numbers) -> Measure:
    """Return AC2 of any number of raters with gaps; identity weights give AC1.

    Units with a single rating stay in the prevalence of the levels, which alpha drops them from.
    """
    raters = counts.sum(axis=1)
    if not (raters >= 2).any():
        return Measure(None, Reason.NO_OVERLAP)
    if counts.shape[1] < 2:
        return Measure(None, Reason.NO_VARIATION)
    return _corrected(weighted_agreement(counts, weights), prevalence(counts), weights)


def weighted_agreement(counts: Numbers, weights: Numbers) -> float:
    """Return the mean weighted agreement of pairs of raters over units with at least two ratings."""
    usable = counts[counts.sum(axis=1) >= 2]
    sizes = usable.sum(axis=1)
    credit = (usable * (usable @ weights - 1)).sum(axis=1)
    return float((credit / (sizes * (sizes - 1))).mean())


def prevalence(counts: Numbers) -> Numbers:
    """Return the mean share of each level over units with at least one rating."""
    rated = counts[counts.sum(axis=1) >= 1]
    return np.asarray((rated / rated.sum(axis=1, keepdims=True)).mean(axis=0))


def ac1_chance(portions: Numbers) -> float:
    """Return the chance agreement of AC1 for levels of this prevalence."""
    return float((portions * (1 - portions)).sum() / (len(portions) - 1))


def fleiss_with_gaps(counts: Numbers) -> Measure:
    """Return Gwet's extension of Fleiss' kappa to units with unequal numbers of ratings."""
    if not (counts.sum(axis=1) >= 2).any():
        return Measure(None, Reason.NO_OVERLAP)
    chance = float((prevalence(counts) ** 2).sum())
    if (counts.sum(axis=0) > 0).sum() < 2:
        return Measure(None, Reason.NO_VARIATION)
    return Measure((weighted_agreement(counts, np.eye(counts.shape[1])) - chance) / (1 - chance))


def _corrected(agreement: float, portions: Numbers, weights: Numbers) -> Measure:
    size = len(portions)
    chance = float(weights.sum() / (size * (size - 1)) * (portions * (1 - portions)).sum())
    return measured((agreement - chance) / (1 - chance) if chance != 1 else np.nan, Reason.NO_VARIATION)
