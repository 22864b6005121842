"""Count tables from ratings, and the agreement that needs no correction for chance.

A contingency table has the first reviewer's levels as rows, the second's as columns. Functions take stacks
of tables (any leading dimensions) and answer with NaN where a value is undefined; `measures.measured` turns
that into a reason.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from labeling.domain.statistics.measures import Measure, Reason, share

Numbers = NDArray[np.float64]
Level = Hashable
# Units x reviewers, None where a reviewer gave nothing.
Ratings = Sequence[Sequence[Level | None]]


def levels_used(ratings: Ratings) -> list[Level]:
    """Return the levels that occur, sorted: numbers by value, else by text."""
    used = {level for unit in ratings for level in unit if level is not None}
    if all(isinstance(level, int | float) for level in used):
        return sorted(used)  # type: ignore[type-var]
    return sorted(used, key=str)


def contingency(pairs: Ratings, levels: Sequence[Level]) -> Numbers:
    """Return the table of (first, second) ratings; a pair with a gap is left out.

    A level outside `levels` raises ValueError.
    """
    index = _index(levels)
    table = np.zeros((len(levels), len(levels)))
    for first, second in pairs:
        if first is not None and second is not None:
            table[_position(index, first), _position(index, second)] += 1
    return table


def level_counts(ratings: Ratings, levels: Sequence[Level]) -> Numbers:
    """Return units x levels: how many reviewers gave each level."""
    index = _index(levels)
    counts = np.zeros((len(ratings), len(levels)))
    for unit, given in enumerate(ratings):
        for level in given:
            if level is not None:
                counts[unit, _position(index, level)] += 1
    return counts


def _index(levels: Sequence[Level]) -> dict[Level, int]:
    index = {level: position for position, level in enumerate(levels)}
    if len(index) != len(levels):
        raise ValueError("a level is listed twice")
    return index


def _position(index: dict[Level, int], level: Level) -> int:
    if level not in index:
        raise ValueError(f"{level!r} is not one of the levels")
    return index[level]


def raw_agreement(tables: Numbers) -> Numbers:
    """Return the share of units on which both agree."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.trace(tables, axis1=-2, axis2=-1) / tables.sum(axis=(-2, -1)))


def specific_agreement(table: Numbers) -> list[Measure]:
    """Return for each level 2 x agreed / (times used by either), undefined for a level that nobody used.

    This is what the kappa paradox hides: a rare class that was never agreed on (Cicchetti & Feinstein 1990).
    """
    used = table.sum(axis=0) + table.sum(axis=1)
    return [share(2 * float(table[k, k]), float(used[k])) for k in range(len(table))]


def mean_signed_difference(table: Numbers) -> Measure:
    """Return the mean of (second level - first level) in steps of the scale: leniency or strictness."""
    positions = np.arange(len(table))
    steps = positions[None, :] - positions[:, None]
    return share(float((table * steps).sum()), float(table.sum()))


def share_within(table: Numbers, steps: int) -> Measure:
    """Return the share of units whose two levels are at most `steps` apart."""
    positions = np.arange(len(table))
    near = np.abs(positions[None, :] - positions[:, None]) <= steps
    return share(float(table[near].sum()), float(table.sum()))


def why_undefined(table: Numbers) -> Reason:
    """Return why a chance-corrected coefficient of `table` has no value."""
    return Reason.NO_VARIATION if table.sum() else Reason.NO_OVERLAP


def rarest_count(table: Numbers) -> int:
    """Return the units in the level that was used least among those used by anyone."""
    used = (table.sum(axis=0) + table.sum(axis=1) - np.diag(table))[(table.sum(axis=0) + table.sum(axis=1)) > 0]
    return int(used.min()) if used.size else 0
