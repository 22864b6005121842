"""Chance-corrected agreement of the kappa family.

Two-rater coefficients are written as 1 - observed / expected disagreement. With integer counts the expected
disagreement is then exactly zero when nothing varies, so "undefined" needs no tolerance. Tables may be
stacked.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist

import numpy as np

from labeling.domain.statistics.measures import Measure, Reason, measured
from labeling.domain.statistics.tables import Level, Numbers, Ratings, contingency, raw_agreement, why_undefined


def nominal_disagreement(size: int) -> Numbers:
    """Return 0 on the diagonal and 1 elsewhere."""
    return 1 - np.eye(size)


def ordered_disagreement(size: int, power: int) -> Numbers:
    """Return (steps apart / longest distance) ** power: 1 for linear, 2 for quadratic weights."""
    positions = np.arange(size, dtype=float)
    return np.asarray((np.abs(positions[:, None] - positions[None, :]) / max(size - 1, 1)) ** power)


def weighted_kappa(tables: Numbers, disagreement: Numbers) -> Numbers:
    """Return Cohen's weighted kappa (1968), 1 - n sum(d T) / sum(d r c), NaN where nothing varies."""
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    total = tables.sum(axis=(-2, -1))
    observed = (tables * disagreement).sum(axis=(-2, -1)) * total
    expected = (rows[..., :, None] * columns[..., None, :] * disagreement).sum(axis=(-2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(expected == 0, np.nan, 1 - observed / expected))


def cohen_kappa(tables: Numbers) -> Numbers:
    """Return Cohen's kappa (1960)."""
    return weighted_kappa(tables, nominal_disagreement(tables.shape[-1]))


def scott_pi(tables: Numbers) -> Numbers:
    """Return Scott's pi (1955): both raters share one distribution of levels."""
    used = tables.sum(axis=-1) + tables.sum(axis=-2)
    total = tables.sum(axis=(-2, -1))
    differing = total - np.trace(tables, axis1=-2, axis2=-1)
    expected = 4 * total**2 - (used**2).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(expected == 0, np.nan, 1 - 4 * total * differing / expected))


def brennan_prediger(tables: Numbers) -> Numbers:
    """Return agreement corrected for q equally likely levels (1981); PABAK for two levels."""
    size = tables.shape[-1]
    if size < 2:
        return np.full(tables.shape[:-2], np.nan)
    return np.asarray((size * raw_agreement(tables) - 1) / (size - 1))


def chance_agreement(table: Numbers) -> float:
    """Return Cohen's expected agreement of one table that is not empty."""
    return float((table.sum(axis=1) * table.sum(axis=0)).sum() / table.sum() ** 2)


def greatest_kappa(table: Numbers) -> Measure:
    """Return the greatest kappa that the two marginal distributions allow."""
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    total = table.sum()
    expected = total**2 - (rows * columns).sum()
    if expected == 0:
        return Measure(None, why_undefined(table))
    return Measure(float(1 - total * (total - np.minimum(rows, columns).sum()) / expected))


@dataclass(frozen=True)
class KappaTest:
    """A kappa with its large-sample standard errors; they assume independent units."""

    kappa: float
    standard_error: float
    interval: tuple[float, float]
    # Under the hypothesis of no agreement beyond chance; None where it is zero.
    null_standard_error: float
    z: float | None


def kappa_test(table: Numbers, disagreement: Numbers, confidence: float = 0.95) -> KappaTest | None:
    """Return (weighted) kappa with the standard errors of Fleiss, Cohen & Everitt (1969), or None if
    undefined.

    Agreement weights are 1 - disagreement, with a greatest disagreement of 1.
    """
    value = float(weighted_kappa(table, disagreement))
    if not math.isfinite(value):
        return None
    total = float(table.sum())
    cells = table / total
    rows, columns = cells.sum(axis=1), cells.sum(axis=0)
    weights = 1 - disagreement
    observed = float((weights * cells).sum())
    expected = float((weights * np.outer(rows, columns)).sum())
    marginal = (weights @ columns)[:, None] + (rows @ weights)[None, :]
    spread = (cells * (weights * (1 - expected) - marginal * (1 - observed)) ** 2).sum()
    centre = (observed * expected - 2 * expected + observed) ** 2
    error = math.sqrt(max(0.0, float(spread - centre)) / total) / (1 - expected) ** 2
    null_spread = (np.outer(rows, columns) * (weights - marginal) ** 2).sum() - expected**2
    null_error = math.sqrt(max(0.0, float(null_spread)) / total) / (1 - expected)
    # Six decimals, as the printed tables have them that such intervals are compared with.
    half = round(NormalDist().inv_cdf(0.5 + confidence / 2), 6) * error
    return KappaTest(
        kappa=value,
        standard_error=error,
        interval=(value - half, value + half),
        null_standard_error=null_error,
        z=value / null_error if null_error else None,
    )


def observed_agreement(counts: Numbers) -> Measure:
    """Return the mean share of agreeing pairs of raters over units with at least two ratings."""
    raters = counts.sum(axis=1)
    usable = counts[raters >= 2]
    if not len(usable):
        return Measure(None, Reason.NO_OVERLAP)
    sizes = usable.sum(axis=1)
    return Measure(float(((usable * (usable - 1)).sum(axis=1) / (sizes * (sizes - 1))).mean()))


def fleiss_kappa(counts: Numbers) -> Measure:
    """Return Fleiss' kappa (1971) of units x levels; every unit needs equally many ratings."""
    problem = _unfit_for_fleiss(counts)
    if problem is not None:
        return problem
    agreement = observed_agreement(counts)
    assert agreement.value is not None
    portions = counts.sum(axis=0) / counts.sum()
    chance = float((portions**2).sum())
    if (portions > 0).sum() < 2:
        return Measure(None, Reason.NO_VARIATION)
    return Measure((agreement.value - chance) / (1 - chance))


def fleiss_kappa_by_level(counts: Numbers) -> list[Measure]:
    """Return Fleiss' kappa of each level against the others; undefined if it never or always occurs."""
    problem = _unfit_for_fleiss(counts)
    if problem is not None:
        return [problem] * counts.shape[1]
    raters = float(counts[0].sum())
    portions = counts.sum(axis=0) / counts.sum()
    differing = (counts * (raters - counts)).sum(axis=0)
    expected = len(counts) * raters * (raters - 1) * portions * (1 - portions)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.where(expected == 0, np.nan, 1 - differing / expected)
    return [measured(value, Reason.NO_VARIATION) for value in values]


def _unfit_for_fleiss(counts: Numbers) -> Measure | None:
    raters = counts.sum(axis=1)
    if not len(counts) or raters[0] < 2:
        return Measure(None, Reason.NO_OVERLAP)
    return Measure(None, Reason.UNEQUAL_RATINGS) if (raters != raters[0]).any() else None


@dataclass(frozen=True)
class PanelKappas:
    """Kappas of one fixed panel without gaps; they differ in the third digit: name the one that is shown."""

    fleiss: Measure
    conger: Measure
    light: Measure
    randolph: Measure


def panel_kappas(ratings: Ratings, levels: list[Level]) -> PanelKappas:
    """Return the kappas of three and more raters who all rated every unit.

    Conger (1980) takes chance agreement as the mean over pairs of raters with their own marginals, Light
    (1971) is the mean of Cohen's kappas over pairs, Randolph (2005) takes all levels as equally likely.
    """
    panel = [list(unit) for unit in ratings]
    sizes = {len(unit) for unit in panel}
    if not panel or len(sizes) != 1 or any(level is None for unit in panel for level in unit):
        gap = Measure(None, Reason.UNEQUAL_RATINGS)
        return PanelKappas(gap, gap, gap, gap)
    raters = sizes.pop()
    tables = [
        contingency([(unit[one], unit[other]) for unit in panel], levels)
        for one, other in combinations(range(raters), 2)
    ]
    counts = np.array([[unit.count(level) for level in levels] for unit in panel], dtype=float)
    agreement = observed_agreement(counts)
    if agreement.value is None:
        return PanelKappas(agreement, agreement, agreement, agreement)
    chance = float(np.mean([chance_agreement(table) for table in tables]))
    pairwise = np.array([float(cohen_kappa(table)) for table in tables])
    single = (counts.sum(axis=0) > 0).sum() < 2
    undefined = Measure(None, Reason.NO_VARIATION)
    return PanelKappas(
        fleiss=fleiss_kappa(counts),
        conger=undefined if single else Measure((agreement.value - chance) / (1 - chance)),
        light=measured(pairwise.mean(), Reason.NO_VARIATION),
        randolph=undefined if len(levels) < 2 else Measure((len(levels) * agreement.value - 1) / (len(levels) - 1)),
    )
