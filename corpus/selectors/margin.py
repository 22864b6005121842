"""Findings in the margin of the viewer, whoever made them: the places that `marks.js` draws beside the lines."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from corpus.domain.vocabulary import AnchorLevel


class Place(Protocol):
    """One contiguous range of an anchor, stored or typed."""

    @property
    def role(self) -> str: ...
    @property
    def level(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def side(self) -> str: ...
    @property
    def first_line(self) -> int | None: ...
    @property
    def last_line(self) -> int | None: ...


@dataclass(frozen=True)
class MarginMark:
    """A finding of somebody else beside the code: `slot` is the column, `sign` stands on its first line."""

    slot: str
    name: str
    sign: str
    severity: str
    marks: str


def place_marks(places: Iterable[Place], role: str = "") -> str:
    """Return places as JSON rows of path, side, first line, last line and role; whole files have no place in a margin.

    `role` stands for the role of all of them where it is given.
    """
    return json.dumps(
        [
            [place.path, place.side, place.first_line, place.last_line, role or place.role]
            for place in places
            if place.level == AnchorLevel.LINES
        ]
    )
