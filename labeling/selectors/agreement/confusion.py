"""Who said what where both spoke of one thing: tables of answers, categories and levels, sides folded together.

Which of two sides said which is drawn by case and tells nothing, so a table counts each two answers once, whichever
way round they were given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corpus.domain.vocabulary import Verdict
from labeling.domain.states import FoundBy
from labeling.domain.statistics.kinds import SEVERITY_LEVELS
from labeling.selectors.agreement.sample import CountedCases

# What stands for a label that the other side does not have.
NOT_FOUND = "not_found"
# Steps of shading, from none to the most frequent.
SHADES = 5


@dataclass(frozen=True)
class Cell:
    """How often two answers met, how dark it is drawn, and whether they are the same."""

    one: str
    other: str
    count: int
    shade: int
    agrees: bool


@dataclass(frozen=True)
class ConfusionTable:
    """A triangle: row i holds its cells with the answers up to its own."""

    layer: str
    title: str
    unit: str
    answers: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    total: int


def confusion(cases: CountedCases) -> tuple[ConfusionTable, ...]:
    """Return the tables of verdicts, categories and severities."""
    return cases.remember("confusion", lambda: _tables(cases))


def _tables(cases: CountedCases) -> tuple[ConfusionTable, ...]:
    verdicts: dict[tuple[str, str], int] = {}
    categories: dict[tuple[str, str], int] = {}
    severities: dict[tuple[str, str], int] = {}
    for kind, found, number in zip(cases.sample.kinds, cases.sample.findings, cases.times, strict=True):
        times = int(number)
        _add(verdicts, kind.verdict_first, kind.verdict_second, times)
        for one in found:
            if one.found_by == FoundBy.BOTH:
                if one.shares_a_line:
                    _add(categories, one.category_first, one.category_second, times)
                if not one.decided_by_severity:
                    _add(severities, one.severity_first, one.severity_second, times)
            else:
                _add(categories, one.category_first or one.category_second, NOT_FOUND, times)
                _add(severities, one.severity_first or one.severity_second, NOT_FOUND, times)
    named = (*cases.sample.categories, NOT_FOUND)
    levels = (*reversed(SEVERITY_LEVELS), NOT_FOUND)
    return (
        _table("verdict", "Verdict by verdict", "case", tuple(verdict.value for verdict in Verdict), verdicts),
        _table("category", "Category by category", "finding", named, categories),
        _table("severity", "Severity by severity", "finding", levels, severities),
    )


def _add(counts: dict[tuple[str, str], int], one: str, other: str, times: int) -> None:
    pair = (min(one, other), max(one, other))
    counts[pair] = counts.get(pair, 0) + times


def _table(
    layer: str, title: str, unit: str, answers: Sequence[str], counts: dict[tuple[str, str], int]
) -> ConfusionTable:
    most = max((count for (one, other), count in counts.items() if one != other), default=0)
    rows = []
    for number, one in enumerate(answers):
        cells = []
        for other in answers[: number + 1]:
            count = counts.get((min(one, other), max(one, other)), 0)
            agrees = one == other
            shade = 0 if agrees or not count else max(1, round(SHADES * count / most))
            cells.append(Cell(one, other, count, shade, agrees))
        rows.append((one, tuple(cells)))
    # Nobody can count what neither found.
    return ConfusionTable(layer, title, unit, tuple(answers), tuple(rows), sum(counts.values()))
