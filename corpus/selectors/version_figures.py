"""Figures about the cases of a version that apps above this one know: how far its reviewers agree.

An app registers what it knows with `figure_source` in a module that its `AppConfig.ready` imports. Figures are no part
of a manifest: they are computed when a page shows them, of the cases that the viewer sees.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from corpus.models import CorpusVersion, User


@dataclass(frozen=True)
class VersionFigure:
    """One figure in words: its value, its interval (empty without one), and what it rests on."""

    label: str
    value: str
    interval: str
    counts: str


FigureSource = Callable[[CorpusVersion, User], Sequence[VersionFigure]]

_sources: list[FigureSource] = []


def figure_source(source: FigureSource) -> FigureSource:
    """Register the decorated function."""
    if source not in _sources:
        _sources.append(source)
    return source


def figures_of(version: CorpusVersion, user: User) -> tuple[VersionFigure, ...]:
    """Return what all sources know of a version's cases."""
    return tuple(figure for source in _sources for figure in source(version, user))
