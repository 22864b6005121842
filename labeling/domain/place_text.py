"""Places as a person writes them, one a line, and back.

    src/pay/retry.py new 40-46, 52      ranges of lines on one side
    src/pay/retry.py old                the whole file
    repository                          the whole repository

Each line of the alternates is one alternate; a line that starts with "& " belongs to the alternate above it. The side
and the ranges are read from the end of the line, so a path may hold blanks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from corpus.domain.vocabulary import AnchorLevel, AnchorRole
from labeling.domain.label_input import AnchorInput, FieldRefused

REPOSITORY = "repository"
_RANGE = "[0-9]{1,10}(?:-[0-9]{1,10})?"
_PLACE = re.compile(rf"(?P<path>.+?) (?P<side>old|new)(?: (?P<ranges>{_RANGE}(?:, ?{_RANGE})*))?")


def read_places(text: str, role: AnchorRole) -> list[AnchorInput]:
    """Return the ranges of every place in `text`; FieldRefused quotes the first line that is no place."""
    places: list[AnchorInput] = []
    group = 0
    for line in text.replace("\r\n", "\n").split("\n"):
        if not line.strip():
            continue
        joins = line.startswith("& ") and group > 0
        body = line[2:] if joins else line
        group = group if joins else group + 1
        number = group if role == AnchorRole.ALTERNATE else 0
        places.extend(_read_place(body, role, number))
    return places


def _read_place(line: str, role: AnchorRole, group: int) -> list[AnchorInput]:
    if line.strip() == REPOSITORY:
        return [AnchorInput(role=role.value, level=AnchorLevel.REPOSITORY.value, group=group)]
    match = _PLACE.fullmatch(line.rstrip())
    if match is None:
        raise FieldRefused(
            "anchors", f'"{line[:120]}" is no place; write it like "src/pay/retry.py new 40-46" or "repository".'
        )
    path, side, ranges = match["path"], match["side"], match["ranges"]
    if ranges is None:
        return [AnchorInput(role=role.value, level=AnchorLevel.FILE.value, path=path, side=side, group=group)]
    found = []
    for piece in ranges.split(","):
        first, _, last = piece.strip().partition("-")
        found.append(
            AnchorInput(
                role=role.value,
                level=AnchorLevel.LINES.value,
                path=path,
                side=side,
                first_line=int(first),
                last_line=int(last or first),
                group=group,
            )
        )
    return found


def write_places(anchors: Iterable[AnchorInput], role: AnchorRole) -> str:
    """Return the places of one role as `read_places` reads them, in the order given."""
    lines: list[str] = []
    group: int | None = None
    for place in group_places(anchors):
        if place[0].role != role:
            continue
        joins = role == AnchorRole.ALTERNATE and place[0].group == group
        lines.append(("& " if joins else "") + place_line(place))
        group = place[0].group
    return "\n".join(lines)


def group_places(anchors: Iterable[AnchorInput]) -> list[list[AnchorInput]]:
    """Return the ranges of each place together: equal role, group, level, path and side, in the order first met."""
    found: dict[tuple[str, int, str, str, str], list[AnchorInput]] = {}
    for anchor in anchors:
        key = (anchor.role, anchor.group, anchor.level, anchor.path, anchor.side)
        found.setdefault(key, []).append(anchor)
    return list(found.values())


def place_line(place: Sequence[AnchorInput]) -> str:
    """Return one place, given by all its ranges, as a line of text."""
    first = place[0]
    if first.level == AnchorLevel.REPOSITORY:
        return REPOSITORY
    if first.level == AnchorLevel.FILE:
        return f"{first.path} {first.side}"
    return f"{first.path} {first.side} {ranges_text(place)}"


def ranges_text(place: Sequence[AnchorInput]) -> str:
    """Return the ranges of a place such as "40-46, 52"."""
    return ", ".join(
        f"{anchor.first_line}" if anchor.first_line == anchor.last_line else f"{anchor.first_line}-{anchor.last_line}"
        for anchor in place
    )
