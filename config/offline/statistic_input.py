"""What `touchstone agree` reads and prints: tables, ratings, levels, and values that may be undefined."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from config.offline.located import Located

if TYPE_CHECKING:
    from labeling.domain.statistics.measures import Measure
    from labeling.domain.statistics.tables import Level, Numbers

MAX_LEVELS = 200
MAX_UNITS = 100_000
MAX_RATERS = 100
MAX_COUNT = 10**9

Answer = dict[str, Any]


def answer(**values: Any) -> Answer:
    """Return the values for printing; what is undefined is null and has its code under `reasons`."""
    return answer_of(values)


def answer_of(values: dict[str, Any]) -> Answer:
    """Return `answer` of names that are no Python names."""
    from labeling.domain.statistics.measures import Measure

    shown: Answer = {}
    reasons: dict[str, str] = {}
    for name, value in values.items():
        if isinstance(value, Measure):
            shown[name] = value.value
            if value.reason is not None:
                reasons[name] = value.reason.value
        else:
            shown[name] = value
    if reasons:
        shown["reasons"] = reasons
    return shown


def of_table(value: Any, table: Numbers) -> Measure:
    """Return a coefficient of `table`, or why it has no value."""
    from labeling.domain.statistics.measures import measured
    from labeling.domain.statistics.tables import why_undefined

    return measured(float(value), why_undefined(table))


def read_levels(data: Located, params: Located) -> list[Level] | None:
    """Return the declared levels in order, if any."""
    for holder in (params, data):
        listed = holder.get("levels")
        # A text describes the levels and declares none.
        if listed is not None and not isinstance(listed.value, str):
            members = listed.items(at_least=1, at_most=MAX_LEVELS)
            levels = [_level(member) for member in members]
            if len(set(levels)) != len(levels):
                listed.fail("a level is listed twice")
            return levels
    return None


def _level(place: Located) -> Level:
    if isinstance(place.value, str):
        return place.text(at_most=200)
    if isinstance(place.value, int) and not isinstance(place.value, bool):
        return place.integer(-MAX_COUNT, MAX_COUNT)
    return place.number(-MAX_COUNT, MAX_COUNT)


def read_matrix(place: Located, *, square: bool = True, at_most: int = MAX_LEVELS) -> list[list[float]]:
    """Return a matrix of finite numbers with equally long rows."""
    rows = [
        [member.number(-MAX_COUNT, MAX_COUNT) for member in row.items(at_least=1, at_most=at_most)]
        for row in place.items(at_least=1, at_most=at_most)
    ]
    if any(len(row) != len(rows[0]) for row in rows):
        place.fail("the rows are not equally long")
    if square and len(rows) != len(rows[0]):
        place.fail(f"the table has {len(rows)} rows and {len(rows[0])} columns; it has to be square")
    return rows


def read_counts(place: Located, *, square: bool) -> Numbers:
    """Return a matrix of whole numbers from 0 up."""
    import numpy as np

    limit = MAX_LEVELS if square else MAX_UNITS
    for row in place.items(at_least=1, at_most=limit):
        for member in row.items(at_least=1, at_most=MAX_LEVELS):
            member.integer(0, MAX_COUNT)
    return np.array(read_matrix(place, square=square, at_most=limit))


def read_ratings(place: Located, levels: list[Level] | None = None) -> list[list[Level | None]]:
    """Return units x reviewers; null is a gap, other values have to be declared levels if there are any."""
    ratings: list[list[Level | None]] = []
    for unit in place.items(at_most=MAX_UNITS):
        given: list[Level | None] = []
        for member in unit.items(at_most=MAX_RATERS):
            level = None if member.value is None else _level(member)
            if levels is not None and level is not None and level not in levels:
                member.fail(f"{member.shown()} is not one of the declared levels")
            given.append(level)
        ratings.append(given)
    return ratings


def read_table(data: Located, params: Located) -> tuple[Numbers, list[Level] | None]:
    """Return the contingency table of two reviewers, given as `table` or as `ratings` or `pairs`."""
    from labeling.domain.statistics.tables import contingency, levels_used

    levels = read_levels(data, params)
    given = data.get("table")
    if given is not None:
        table = read_counts(given, square=True)
        if levels is not None and len(levels) != len(table):
            given.fail(f"{len(table)} rows do not fit {len(levels)} levels")
        return table, levels
    listed = data.get("ratings") or data.get("pairs")
    if listed is None:
        data.fail('"table" or "ratings" is missing')
    ratings = read_ratings(listed, levels)
    for unit, place in zip(ratings, listed.items(at_most=MAX_UNITS), strict=True):
        if len(unit) != 2:
            place.fail("two reviewers are needed")
    found = levels or levels_used(ratings)
    if not found:
        listed.fail("there is no rating")
    return contingency(ratings, found), found


def read_weights(place: Located, size: int) -> Numbers:
    """Return a square matrix of disagreement weights of this size with a zero diagonal."""
    import numpy as np

    rows = read_matrix(place)
    if len(rows) != size:
        place.fail(f"{len(rows)} rows do not fit {size} levels")
    if any(rows[k][k] for k in range(size)) or min(min(row) for row in rows) < 0:
        place.fail("disagreement weights are zero on the diagonal and not negative elsewhere")
    if max(max(row) for row in rows) == 0:
        place.fail("at least one disagreement weight has to be above zero")
    return np.array(rows)


def names_of(place: Located | None, allowed: Sequence[str], default: Sequence[str]) -> list[str]:
    """Return one name or a list of names out of `allowed`."""
    if place is None:
        return list(default)
    members = place.items(at_least=1, at_most=20) if isinstance(place.value, list) else [place]
    names = [member.text() for member in members]
    for member, name in zip(members, names, strict=True):
        if name not in allowed:
            member.fail(f"{member.shown()} is unknown; allowed are {', '.join(allowed)}")
    return names


def read_count(place: Located, name: str, low: int = 0) -> int:
    """Return a whole number from `low` up."""
    return place.at(name).integer(low, MAX_COUNT)


def confidence_of(params: Located) -> float:
    """Return the confidence level of intervals, 0.95 by default."""
    given = params.get("conf")
    if given is None:
        return 0.95
    level = given.number(0, 1)
    if not 0 < level < 1:
        given.fail(f"{given.shown()} is not between 0 and 1")
    return level


def interval_of(bounds: Sequence[float] | None) -> list[float] | None:
    """Return an interval as a list; a bound without a finite value makes it null."""
    if bounds is None or not all(math.isfinite(bound) for bound in bounds):
        return None
    return list(bounds)
