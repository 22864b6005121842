"""A development as a picture: numbers for SVG attributes, since no page has styles of its own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from labeling.selectors.agreement.over_time import Development
from labeling.selectors.agreement.words import Shown

WIDTH, HEIGHT = 960, 280
LEFT, RIGHT, TOP, BOTTOM = 44, 12, 24, 30
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
# A label of a mark keeps this far from the right edge.
LABEL_ROOM = 110


@dataclass(frozen=True)
class Dot:
    """One value with its place and words."""

    x: str
    y: str
    words: str


@dataclass(frozen=True)
class Chart:
    """Everything that is drawn. Values below zero lie on the axis; the table says them."""

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    ticks: tuple[tuple[str, str], ...]
    labels: tuple[tuple[str, str, str], ...]
    rolling: tuple[Dot, ...]
    rolling_band: str
    cumulative_line: str
    cumulative_band: str
    marks: tuple[tuple[str, str, str, str], ...]


def chart_of(found: Development) -> Chart | None:
    """Return the picture, None where there is nothing to draw."""
    points = [point for point in found.points if point.cumulative.value is not None or point.rolling.value is not None]
    if not points:
        return None
    last = found.cases
    first = points[0].cases

    def x(cases: int) -> float:
        span = max(last - first, 1)
        return LEFT + (WIDTH - LEFT - RIGHT) * min(max((cases - first) / span, 0.0), 1.0)

    rolling = [(x(point.cases), point.rolling) for point in points]
    cumulative = [(x(point.cases), point.cumulative) for point in points]
    shown = sorted({points[0].cases, points[len(points) // 2].cases, points[-1].cases})
    return Chart(
        width=WIDTH,
        height=HEIGHT,
        left=LEFT,
        right=WIDTH - RIGHT,
        top=TOP,
        bottom=HEIGHT - BOTTOM,
        ticks=tuple((f"{_y(tick):.1f}", f"{tick:g}") for tick in TICKS),
        labels=tuple((f"{x(cases):.1f}", str(cases), _anchor(x(cases))) for cases in shown),
        rolling=tuple(
            Dot(f"{x(point.cases):.1f}", f"{_y(point.rolling.value):.1f}", _words(point.cases, point.rolling))
            for point in points
            if point.rolling.value is not None
        ),
        rolling_band=_band(rolling),
        cumulative_line=" ".join(f"{at:.1f},{_y(one.value):.1f}" for at, one in cumulative if one.value is not None),
        cumulative_band=_band(cumulative),
        marks=tuple(
            (f"{x(mark.cases):.1f}", mark.label, *_beside(x(mark.cases))) for mark in found.marks if mark.cases >= first
        ),
    )


def _y(value: float | None) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - min(max(value or 0.0, 0.0), 1.0))


def _band(points: Iterable[tuple[float, Shown]]) -> str:
    """Return the corners of the area between lower and upper ends."""
    held = [(at, one.low, one.high) for at, one in points if one.low is not None and one.high is not None]
    upper = [f"{at:.1f},{_y(high):.1f}" for at, _, high in held]
    lower = [f"{at:.1f},{_y(low):.1f}" for at, low, _ in reversed(held)]
    return " ".join((*upper, *lower)) if len(held) > 1 else ""


def _words(cases: int, one: Shown) -> str:
    interval = f", {one.interval}" if one.interval else ""
    return f"up to case {cases}: {one.text}{interval}"


def _anchor(at: float) -> str:
    return "start" if at <= LEFT + 1 else "end" if at >= WIDTH - RIGHT - 1 else "middle"


def _beside(at: float) -> tuple[str, str]:
    """Return where the label of a mark stands, and how it is anchored."""
    return (f"{at - 4:.1f}", "end") if at > WIDTH - RIGHT - LABEL_ROOM else (f"{at + 4:.1f}", "start")
