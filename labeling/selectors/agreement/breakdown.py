"""The layers by group: of cases (such as language or pair of reviewers) and of labels (category or severity)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from corpus.domain.vocabulary import Role
from corpus.models import Project, User
from labeling.domain.statistics.kinds import SEVERITY_LEVELS
from labeling.domain.statistics.layers import (
    Layer,
    found_by_both,
    near_severity,
    same_category,
    share_of_findings,
)
from labeling.domain.statistics.layers import figure as layer_figure
from labeling.selectors.agreement.sample import (
    LEAD_DIMENSIONS,
    NONE,
    Choice,
    CountedCases,
    counted_cases,
    counted_tallies,
    pair_names,
)
from labeling.selectors.agreement.words import LAYER_TITLES, UNITS, Shown, figure_line, share_line

# Groups of cases: each row is a choice of its own, with every page of figures behind it.
OF_CASES = {
    "language": "Language",
    "source_kind": "Source kind",
    "guidelines": "Guidelines version",
    "pair": "Pair of reviewers",
}
# Groups of labels within cases.
OF_LABELS = {"category": "Category", "severity": "Severity"}
WITHOUT = {"language": "not known", "guidelines": "different versions", "category": "none"}


@dataclass(frozen=True)
class Group:
    """One row: its words, the choice of cases behind it, and its figures."""

    value: str
    label: str
    query: Mapping[str, str]
    cases: int
    lines: tuple[Shown, ...]


@dataclass(frozen=True)
class Breakdown:
    """The rows of one dimension, with the titles of the figures."""

    by: str
    title: str
    columns: tuple[str, ...]
    groups: tuple[Group, ...]
    of_labels: bool


def dimensions_for(roles: frozenset[Role]) -> dict[str, str]:
    """Return the dimensions that a person may break figures down by, with their titles."""
    shown = {name: title for name, title in OF_CASES.items() if Role.LEAD in roles or name not in LEAD_DIMENSIONS}
    return {**OF_LABELS, **shown}


def breakdown(project: Project, user: User, choice: Choice, by: str) -> Breakdown:
    """Return the rows of a dimension; `by` is one of `dimensions_for`."""
    if by in OF_LABELS:
        cases = counted_cases(project, user, choice)
        return cases.remember(("breakdown", by), lambda: _of_labels(cases, by))
    names = pair_names(counted_tallies(project, user, choice)) if by == "pair" else {}
    cases = counted_cases(project, user, choice, by=by)
    query = choice.as_query()
    rows = cases.remember(("breakdown", by), lambda: _of_cases(cases))
    groups = tuple(
        Group(
            value=value,
            label=names.get(value) or value or WITHOUT.get(by, "none"),
            query={**query, by: value or NONE},
            cases=count,
            lines=lines,
        )
        for value, count, lines in rows
    )
    if by == "guidelines":
        groups = tuple(sorted(groups, key=lambda group: (not group.value, int(group.value or 0))))
    columns = tuple(LAYER_TITLES[layer] for layer in Layer)
    return Breakdown(by, OF_CASES[by], columns, groups, of_labels=False)


Row = tuple[str, int, tuple[Shown, ...]]


def _of_cases(cases: CountedCases) -> tuple[Row, ...]:
    rows = []
    for value, times in cases.groups.items():
        lines = tuple(
            figure_line(
                LAYER_TITLES[layer], layer_figure(cases.sample, layer, times), UNITS[layer], f"{layer}_headline"
            )
            for layer in Layer
        )
        rows.append(("" if value is None else str(value), int(times.sum()), lines))
    return tuple(rows)


def _of_labels(cases: CountedCases, by: str) -> Breakdown:
    values = cases.sample.categories if by == "category" else tuple(reversed(SEVERITY_LEVELS))
    groups = []
    for value in values:
        if by == "category":
            found = share_of_findings(cases.sample, cases.times, partial(found_by_both, category=value))
            alike = share_of_findings(cases.sample, cases.times, partial(same_category, category=value))
        else:
            found = share_of_findings(cases.sample, cases.times, partial(found_by_both, severity=value))
            alike = share_of_findings(cases.sample, cases.times, partial(near_severity, steps=0, severity=value))
        lines = (
            share_line("Found by the other, too", found, f"{by}_found_{value}"),
            share_line("Named alike", alike, f"{by}_specific_{value}"),
        )
        if found.total:
            groups.append(Group(value, value or WITHOUT["category"], {}, found.total, lines))
    columns = ("Found by the other, too", f"Specific agreement on the {by}")
    return Breakdown(by, OF_LABELS[by], columns, tuple(groups), of_labels=True)
