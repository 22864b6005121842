"""Where in a case a place lies that a tool named: found exactly, or said to be unresolved with the reason.

Nothing is guessed. A path is taken as it stands, else by the one reading of it that gives a file of the case: slashes
turned, a leading `./` or the prefix of the source taken off, `a/` or `b/` before a name of the diff, the old name of a
renamed file, or an absolute path that ends with the whole path of one file alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from corpus.domain.places import LineRange, merge_ranges
from corpus.domain.vocabulary import Side
from reviews.domain.formats.records import ClaimedPlace, ReadSettings, Statement
from reviews.domain.vocabulary import PlaceState

_DRIVE = re.compile(r"^[A-Za-z]:/")
_LEFT_OUT = 20
MAX_LINE = 2**31 - 1


class Level(StrEnum):
    """What a found place names."""

    LINES = "lines"
    FILE = "file"
    REPOSITORY = "repository"


@dataclass(frozen=True)
class FilePatch:
    """A file of the change: its names on both sides and its hunks as (old start, new start, kinds of its lines)."""

    old_path: str | None
    new_path: str | None
    hunks: tuple[tuple[int, int, str], ...] = ()

    def path(self, side: Side) -> str | None:
        """Return the file's name on a side."""
        return self.old_path if side is Side.OLD else self.new_path


@dataclass(frozen=True)
class SideLines:
    """What is known of the lines of a file on one side: how many, or which of them are shown, or why there are none."""

    count: int | None = None
    shown: Collection[int] | None = None
    reason: str = ""


def _no_tree(path: str, side: Side) -> bool:
    return False


def _no_paths(side: Side) -> Collection[str]:
    return ()


def _unknown_lines(path: str, side: Side) -> SideLines:
    return SideLines()


@dataclass(frozen=True)
class CaseFiles:
    """What of a case places are looked up in: the files of the change, and its snapshot through functions.

    `tree_has` says whether a side's whole tree has a file, `tree_paths` lists one (asked for absolute paths alone).
    """

    files: tuple[FilePatch, ...]
    head_commit: str = ""
    tree_has: Callable[[str, Side], bool] = _no_tree
    tree_paths: Callable[[Side], Collection[str]] = _no_paths
    lines: Callable[[str, Side], SideLines] = _unknown_lines

    def has(self, path: str, side: Side) -> bool:
        """Say whether a side has a file of that path."""
        return any(path == file.path(side) for file in self.files) or self.tree_has(path, side)

    def ends_of(self, path: str, side: Side) -> list[str]:
        """Return the files of a side whose whole path the end of an absolute path is."""
        changed = {file.path(side) for file in self.files}
        known = {one for one in changed if one is not None} | set(self.tree_paths(side))
        return sorted(one for one in known if path.endswith(f"/{one}"))


@dataclass(frozen=True)
class FoundPlace:
    """A place in the case: the repository, a file, or ranges of lines of one side."""

    level: Level
    path: str = ""
    side: Side | None = None
    ranges: tuple[LineRange, ...] = ()


@dataclass(frozen=True)
class Resolution:
    """What became of the place of a finding. `note` is why it is unresolved, or what was done to find it."""

    state: PlaceState
    places: tuple[FoundPlace, ...] = ()
    related: tuple[FoundPlace, ...] = ()
    note: str = ""


class _Unresolved(Exception):
    """The place cannot be told; the message is the reason as a sentence."""


def resolve(statement: Statement, case: CaseFiles, settings: ReadSettings) -> Resolution:
    """Return where in the case a finding speaks of."""
    if statement.places is None:
        return Resolution(PlaceState.UNPLACED, note="The format has no room for a place.")
    notes: list[str] = []
    try:
        chosen = _in_case_lines(statement.places, statement.otherwise, case, notes)
        found = tuple(_place(place, case, settings, notes) for place in chosen)
    except _Unresolved as reason:
        return Resolution(PlaceState.UNRESOLVED, note=str(reason))
    related = []
    for place in statement.related:
        try:
            related.append(_place(place, case, settings, []))
        except _Unresolved as reason:
            if len(notes) < _LEFT_OUT:
                notes.append(f"A related place was left out: {str(reason)[0].lower()}{str(reason)[1:]}")
    return Resolution(PlaceState.RESOLVED, found, tuple(related), " ".join(dict.fromkeys(notes)))


def _in_case_lines(
    places: Sequence[ClaimedPlace], otherwise: Sequence[ClaimedPlace], case: CaseFiles, notes: list[str]
) -> Sequence[ClaimedPlace]:
    """Return the reading of a place whose lines count in the case's head."""
    if not places or not case.head_commit:
        problem = next((place.problem for place in places if place.problem), "")
        if problem:
            raise _Unresolved(f"The place cannot be told: {problem}.")
        return places
    if all(_counts_in(place, case) for place in places):
        return places
    for place in otherwise:
        if place.commit and _same_commit(place.commit, case.head_commit) and not place.problem:
            notes.append("Its lines are those of the commit that it was made on.")
            return [place]
    problem = next((place.problem for place in places if place.problem), "")
    if problem:
        raise _Unresolved(f"The place cannot be told: {problem}.")
    other = next(place.commit for place in places if not _counts_in(place, case))
    raise _Unresolved(
        f"Its lines count in the commit {other[:12]}, but the head of the case is {case.head_commit[:12]}."
    )


def _counts_in(place: ClaimedPlace, case: CaseFiles) -> bool:
    if place.problem:
        return False
    return not place.commit or _same_commit(place.commit, case.head_commit) or not (place.ranges or place.position)


def _same_commit(one: str, other: str) -> bool:
    one, other = one.lower(), other.lower()
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) >= 7 and longer.startswith(shorter)


def _place(place: ClaimedPlace, case: CaseFiles, settings: ReadSettings, notes: list[str]) -> FoundPlace:
    if place.problem:
        raise _Unresolved(f"The place cannot be told: {place.problem}.")
    if not place.path:
        if not place.ranges:
            return FoundPlace(Level.REPOSITORY)
        path, side = _only_file(case, place.side), place.side
    elif not place.ranges and place.position is None:
        return _whole_file(place, case, settings, notes)
    else:
        path, side = _path(place.path, place.side, case, settings, notes)
    ranges = place.ranges
    if place.position is not None and not ranges:
        side, line = _at_position(path, place.position, case)
        return _lines(path, side, ((line, line),), case, notes, is_zero_based=False)
    return _lines(path, side, ranges, case, notes, is_zero_based=settings.first_line_is_zero)


def _whole_file(place: ClaimedPlace, case: CaseFiles, settings: ReadSettings, notes: list[str]) -> FoundPlace:
    """Return a file as a whole, on the other side where it was added or deleted and the source names the wrong one."""
    try:
        path, side = _path(place.path, place.side, case, settings, notes)
    except _Unresolved:
        other = Side.OLD if place.side is Side.NEW else Side.NEW
        path, side = _path(place.path, other, case, settings, notes)
        notes.append(f"The file exists on the {other} side only.")
    return FoundPlace(Level.FILE, path, side)


def _only_file(case: CaseFiles, side: Side) -> str:
    paths = [path for path in (file.path(side) for file in case.files) if path is not None]
    if len(paths) != 1:
        raise _Unresolved("It names lines without a file, and the change is not one of a single file.")
    return paths[0]


def _path(named: str, side: Side, case: CaseFiles, settings: ReadSettings, notes: list[str]) -> tuple[str, Side]:
    """Return the path of the case that is meant, and the side that has it."""
    path = plain_path(named)
    if path == "dev/null" or named == "/dev/null":
        raise _Unresolved("It names /dev/null, which is no file.")
    if ".." in path.split("/"):
        raise _Unresolved(f'The path "{named[:200]}" leads out of the repository by "..".')
    prefix = plain_path(settings.path_prefix) if settings.path_prefix else ""
    readings = [path]
    if prefix and path.startswith(prefix):
        readings.insert(0, path[len(prefix) :].lstrip("/"))
    for reading in readings:
        if case.has(reading, side):
            return reading, side
        renamed = _renamed(reading, side, case)
        if renamed is not None:
            notes.append(f"The file was renamed; it is {renamed} on the {side} side.")
            return renamed, side
    if path[:2] in {"a/", "b/"} and case.has(path[2:], side):
        notes.append(f'"{path[:2]}" was taken off its path.')
        return path[2:], side
    is_absolute = path.startswith("/") or bool(_DRIVE.match(path))
    if is_absolute:
        ends = case.ends_of(path, side)
        if len(ends) == 1:
            notes.append(f"Its absolute path ends with {ends[0]}.")
            return ends[0], side
        if ends:
            listed = ", ".join(ends[:4])
            raise _Unresolved(f'The absolute path "{named[:200]}" may be any of {listed}.')
    other = Side.OLD if side is Side.NEW else Side.NEW
    if case.has(path, other):
        raise _Unresolved(f'The file "{path[:200]}" exists on the {other} side only.')
    raise _Unresolved(f'The case has no file "{named[:200]}" on the {side} side.')


def plain_path(named: str) -> str:
    """Return a path with forward slashes and without a leading `./`: a prefix, never a set of characters."""
    path = named.strip().replace("\\", "/") if not _is_escaped(named) else named.strip()
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return path


def _is_escaped(path: str) -> bool:
    """Say whether a path is written in the product's own escapes (`\\xNN`, `\\\\`), as own exports write it."""
    return bool(re.search(r"\\x[0-9a-f]{2}", path)) and not re.search(r"\\(?!x[0-9a-f]{2}|\\)", path)


def _renamed(path: str, side: Side, case: CaseFiles) -> str | None:
    """Return the file's name on `side` where `path` is its name on the other; None where it has kept its name."""
    for file in case.files:
        here, there = file.path(side), file.path(Side.NEW if side is Side.OLD else Side.OLD)
        if there == path and here is not None and here != path and not case.has(path, side):
            return here
    return None


def _at_position(path: str, position: int, case: CaseFiles) -> tuple[Side, int]:
    """Return side and line of a position in the file's patch: counted from its first hunk header, headers included."""
    file = next((one for one in case.files if path in (one.old_path, one.new_path)), None)
    found = line_at_position(file.hunks, position) if file is not None else None
    if found is None:
        raise _Unresolved(f"Position {position} is none of the patch of {path}.")
    return found


def line_at_position(hunks: Sequence[tuple[int, int, str]], position: int) -> tuple[Side, int] | None:
    """Return side and line of a position (the line below the first header is 1); None for a header or beyond."""
    at = 0
    for number, (old, new, kinds) in enumerate(hunks):
        if number:
            at += 1
        for kind in kinds:
            at += 1
            if at == position:
                return (Side.OLD, old) if kind == "-" else (Side.NEW, new)
            old += kind != "+"
            new += kind != "-"
    return None


def _lines(
    path: str,
    side: Side,
    ranges: Sequence[LineRange],
    case: CaseFiles,
    notes: list[str],
    *,
    is_zero_based: bool,
) -> FoundPlace:
    if is_zero_based:
        ranges = [(first + 1, last + 1) for first, last in ranges]
    kept = []
    for first, last in ranges:
        if first > last:
            notes.append(f"The range {first}-{last} was inverted and is read as {last}-{first}.")
            first, last = last, first
        if first < 1:
            notes.append(f"Line {first} is none; the place is the file.")
            return FoundPlace(Level.FILE, path, side)
        if last > MAX_LINE:
            raise _Unresolved(f"Line {last} is beyond any file.")
        kept.append((first, last))
    merged = merge_ranges(kept)
    known = case.lines(path, side)
    if known.reason:
        raise _Unresolved(f"{path}, {side} side: {known.reason}.")
    if known.count is not None and merged[-1][1] > known.count:
        raise _Unresolved(f"{path} has {known.count} lines on the {side} side; there is no line {merged[-1][1]}.")
    if known.shown is not None:
        lines = (line for first, last in merged for line in range(first, last + 1))
        hidden = next((line for line in lines if line not in known.shown), None)
        if hidden is not None:
            raise _Unresolved(
                f"Line {hidden} of {path} is not shown on the {side} side, and the case has no snapshot to look in."
            )
    return FoundPlace(Level.LINES, path, side, merged)


def claimed_words(place: ClaimedPlace) -> str:
    """Return the ranges of a place as people write them."""
    words = [str(first) if first == last else f"{first}-{last}" for first, last in place.ranges[:30]]
    return ", ".join(words) + (", …" if len(place.ranges) > 30 else "")
