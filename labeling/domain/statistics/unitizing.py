"""Krippendorff's alpha for spans on a continuum (unitizing), and its squared difference of two spans.

Exact and deterministic, but its value depends on how the continuum is cut, and it mixes existence with
place: it is computed on request and shown on no page. Source: Krippendorff, "Content Analysis" (2004),
section 11.6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from labeling.domain.statistics.measures import Measure, Reason


class Span(NamedTuple):
    """A section of the continuum; a `category` of None is a gap between units."""

    begin: int
    length: int
    category: str | None

    @property
    def end(self) -> int:
        """The first position after the span."""
        return self.begin + self.length


def squared_difference(one: Span, other: Span) -> int:
    """Return the squared difference of two sections of one category or of a unit and a gap."""
    if one.category is not None and other.category is not None:
        if one.category == other.category and one.begin < other.end and other.begin < one.end:
            return (one.begin - other.begin) ** 2 + (one.end - other.end) ** 2
        return 0
    if one.category is not None and other.begin <= one.begin and one.end <= other.end:
        return one.length**2
    if other.category is not None and one.begin <= other.begin and other.end <= one.end:
        return other.length**2
    return 0


@dataclass(frozen=True)
class UnitizingAlpha:
    """Alpha of one category, with its observed and expected disagreement."""

    alpha: Measure
    observed: float
    expected: float


def unitizing_alpha(
    begin: int, length: int, observers: Sequence[Mapping[str, Sequence[tuple[int, int]]]]
) -> tuple[dict[str, UnitizingAlpha], Measure]:
    """Return alpha by category, and over all categories together.

    Each observer gives (begin, length) units by category; units of one category do not overlap and lie
    within the continuum, else ValueError.
    """
    names = sorted({name for observer in observers for name in observer})
    by_name: dict[str, UnitizingAlpha] = {}
    for name in names:
        sections = [_sections(begin, length, observer.get(name, ()), name) for observer in observers]
        observed = _observed(sections, length)
        expected = _expected(sections, length)
        by_name[name] = UnitizingAlpha(_alpha(observed, expected), observed, expected)
    return by_name, _alpha(sum(one.observed for one in by_name.values()), sum(one.expected for one in by_name.values()))


def _alpha(observed: float, expected: float) -> Measure:
    return Measure(1 - observed / expected) if expected else Measure(None, Reason.NO_VARIATION)


def _sections(begin: int, length: int, units: Sequence[tuple[int, int]], name: str) -> list[Span]:
    """Return units and the gaps around them, in order."""
    sections: list[Span] = []
    position = begin
    for start, size in sorted(units):
        if start < position or size < 1 or start + size > begin + length:
            raise ValueError(f"the units of {name} overlap, are empty or leave the continuum")
        if start > position:
            sections.append(Span(position, start - position, None))
        sections.append(Span(start, size, name))
        position = start + size
    if position < begin + length:
        sections.append(Span(position, begin + length - position, None))
    return sections


def _observed(sections: Sequence[Sequence[Span]], length: int) -> float:
    observers = len(sections)
    total = sum(
        squared_difference(one, other)
        for i, ours in enumerate(sections)
        for j, theirs in enumerate(sections)
        if i != j
        for one in ours
        for other in theirs
    )
    return total / (observers * (observers - 1) * length**2)


def _expected(sections: Sequence[Sequence[Span]], length: int) -> float:
    observers = len(sections)
    spans = [span for listed in sections for span in listed]
    units = [span.length for span in spans if span.category is not None]
    gaps = [span.length for span in spans if span.category is None]
    # Three times the sum, so that everything up to the final division stays whole.
    tripled = sum(
        (len(units) - 1) * (2 * size**3 - 3 * size**2 + size)
        + 3 * size**2 * sum(gap - size + 1 for gap in gaps if gap >= size)
        for size in units
    )
    extent = observers * length
    placements = extent * (extent - 1) - sum(size * (size - 1) for size in units)
    return 2 * tripled / (3 * length * placements) if placements else 0.0
