"""Sentences for people about how two places lie to each other."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.domain.places import Closeness, FilePair, LineRange, Place, PlaceRelation, shared_lines
from corpus.domain.vocabulary import Side

SHOWN_RANGES = 3


def closeness_text(closeness: Closeness, left: Place, right: Place) -> str:
    """Return what makes two places close, as a clause: "both name lines 40–46 of svc/queue.py"."""
    match closeness.relation:
        case PlaceRelation.OVERLAP:
            return f"both name {_shared_text(left, right)}"
        case PlaceRelation.NEAR:
            unit = "line" if closeness.gap == 1 else "lines"
            return f"their places are {closeness.gap} {unit} apart in {_common_file(left, right)}"
        case PlaceRelation.OPPOSITE_SIDES:
            return f"they lie on the two sides of one hunk of {_common_file(left, right)}"
        case PlaceRelation.WHOLE_FILE if closeness.same_whole:
            return f"both name the whole file {_common_file(left, right)}"
        case PlaceRelation.WHOLE_FILE:
            return f"one names the whole file {_common_file(left, right)}, the other a part of it"
        case PlaceRelation.REPOSITORY:
            return "both name the repository as a whole"


def _shared_text(left: Place, right: Place) -> str:
    shared = sorted(shared_lines(left, right).items(), key=lambda item: (_file_name(item[0][0]), item[0][1]))
    (entry, side), ranges = shared[0]
    text = f"{lines_text(ranges)} of {_file_name(entry)}"
    if side is Side.OLD:
        text += " (old side)"
    if len(shared) > 1:
        text += f" and lines in {len(shared) - 1} more " + ("place" if len(shared) == 2 else "places")
    return text


def lines_text(ranges: Sequence[LineRange]) -> str:
    """Return "line 7", "lines 7–9" or "lines 7–9, 12 and more" for ranges that are not empty."""
    shown = [str(first) if first == last else f"{first}–{last}" for first, last in ranges[:SHOWN_RANGES]]
    if len(ranges) > SHOWN_RANGES:
        shown.append("more")
    word = "line" if len(ranges) == 1 and ranges[0][0] == ranges[0][1] else "lines"
    return f"{word} " + (shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}")


def _common_file(left: Place, right: Place) -> str:
    return min(_file_name(entry) for entry in left.files & right.files)


def _file_name(entry: FilePair) -> str:
    return entry.new_path or entry.old_path or ""
