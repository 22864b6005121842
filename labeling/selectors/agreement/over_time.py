"""Agreement as it develops: the last cases in a rolling window, and all so far, each with its interval."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from corpus.domain.vocabulary import EditKind
from corpus.models import GuidelinesVersion, Project, TaxonomyVersion, User
from labeling.domain.statistics.layers import Layer, Sample
from labeling.domain.statistics.layers import figure as layer_figure
from labeling.domain.statistics.tables import Numbers
from labeling.selectors.agreement.sample import Choice, counted_tallies, kinds_of, remembered
from labeling.selectors.agreement.words import UNITS, Shown, figure_line

WINDOW = 25
MOST_POINTS = 24


@dataclass(frozen=True)
class Point:
    """How agreement stood after a number of cases: over the last `WINDOW`, and over all so far."""

    cases: int
    at: datetime
    rolling: Shown
    cumulative: Shown


@dataclass(frozen=True)
class Mark:
    """A text of the project that changed between two cases."""

    # Before how many cases: the position on the axis.
    cases: int
    label: str


@dataclass(frozen=True)
class Development:
    """The points of one layer, what changed in between, and how many cases there are."""

    layer: str
    cases: int
    points: tuple[Point, ...]
    marks: tuple[Mark, ...]


def development(project: Project, user: User, choice: Choice, layer: Layer) -> Development:
    """Return the development of one layer over the chosen cases in the order in which they were labelled."""
    rows = list(
        counted_tallies(project, user, choice)
        .newest()
        .order_by("labelled_at", "pk")
        .values_list("labelled_at", "digest")
    )
    moments = [moment for moment, _ in rows]
    digests = [digest for _, digest in rows]
    key = hashlib.sha256("".join(digests).encode()).digest()
    ends = positions(len(rows))
    figures = remembered(("development", layer, key), lambda: _figures(digests, ends, layer))
    return Development(
        layer=layer.value,
        cases=len(rows),
        points=tuple(
            Point(end, moments[end - 1], rolling, cumulative)
            for end, (rolling, cumulative) in zip(ends, figures, strict=True)
        ),
        marks=marks_of(project, moments),
    )


def positions(cases: int) -> tuple[int, ...]:
    """Return after which numbers of cases figures are computed: from the first full window on, evenly, to the last."""
    if cases < WINDOW:
        return (cases,) if cases else ()
    steps = np.linspace(WINDOW, cases, num=min(MOST_POINTS, cases - WINDOW + 1))
    return tuple(dict.fromkeys(round(step) for step in steps))


def _figures(digests: Sequence[str], ends: Sequence[int], layer: Layer) -> tuple[tuple[Shown, Shown], ...]:
    kinds = kinds_of(set(digests))
    index = {digest: number for number, digest in enumerate(sorted(kinds))}
    sample = Sample([kinds[digest] for digest in index])
    order = np.array([index[digest] for digest in digests], dtype=int)

    def line(chosen: Numbers) -> Shown:
        times = np.bincount(chosen, minlength=len(index)).astype(float)
        return figure_line("", layer_figure(sample, layer, times), UNITS[layer])

    return tuple((line(order[max(0, end - WINDOW) : end]), line(order[:end])) for end in ends)


def marks_of(project: Project, moments: Sequence[datetime]) -> tuple[Mark, ...]:
    """Return the substantive versions of guidelines and taxonomy that came into force between counted cases."""
    found = []
    for model, word in ((GuidelinesVersion, "guidelines"), (TaxonomyVersion, "taxonomy")):
        rows = model.objects.filter(project=project, edit_kind=EditKind.SUBSTANTIVE, number__gt=1)
        for number, at in rows.order_by("number").values_list("number", "created_at"):
            before = sum(moment < at for moment in moments)
            if 0 < before < len(moments):
                found.append(Mark(before, f"{word} {number}"))
    return tuple(sorted(found, key=lambda mark: mark.cases))
