"""Where findings are and how close two of them lie: the geometry shared by alignment and matching.

A place is a set of (file entry, side, line). A file entry is the pair of old and new path, so a renamed
file stays one file; line numbers on different sides are never compared. Lines are kept as sorted, disjoint,
inclusive ranges, so a range of a million lines costs as much as a range of one. Costs are integers in 1/10
000 (`COST_UNIT`), which keeps every comparison exact:

    share a line                                            1 - (IoU + overlap coefficient) / 2, below 1
    nearest lines g apart on one side of one file, g <= w   1 + g / (2 w)
    opposite sides of one hunk, or a whole-file anchor      1.5
    both name the repository as a whole                     1.5
    else                                                    not close

IoU is |shared| / |union|, the overlap coefficient |shared| / |smaller place|; the window w is 5 lines by
default.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from corpus.domain.vocabulary import Side

COST_UNIT = 10_000
DEFAULT_WINDOW = 5

LineRange = tuple[int, int]
# (new path, old path, side), first line, last line
PlaceKey = tuple[tuple[str, str, str], int, int]
NO_PLACE_KEY: PlaceKey = (("", "", ""), 0, 0)


class FilePair(NamedTuple):
    """One file entry of a change: None on the side where the file does not exist."""

    old_path: str | None
    new_path: str | None


class HunkRange(NamedTuple):
    """The lines of one hunk; `path` is the file's old or new path, None means no line on that side."""

    path: str
    old: LineRange | None
    new: LineRange | None


@dataclass(frozen=True)
class Anchor:
    """A named place: lines of one side of a file, the whole file (no ranges), or the repository (no path)."""

    path: str | None
    side: Side | None = None
    ranges: tuple[LineRange, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what is no place: lines without a side or a path, ranges that are empty or start below 1."""
        if self.ranges and (self.path is None or self.side is None):
            raise ValueError("line ranges need a path and a side")
        for first, last in self.ranges:
            if not 1 <= first <= last:
                raise ValueError(f"not a range of lines: {first} to {last}")


class PlaceRelation(StrEnum):
    """How two places lie to each other, from the closest to the loosest."""

    OVERLAP = "overlap"
    NEAR = "near"
    OPPOSITE_SIDES = "opposite_sides"
    WHOLE_FILE = "whole_file"
    REPOSITORY = "repository"


@dataclass(frozen=True)
class Closeness:
    """Relation and cost of two places; `shared` and `union` count lines, `gap` is set for near places."""

    relation: PlaceRelation
    cost: int
    shared: int = 0
    union: int = 0
    gap: int | None = None
    # Both places are the same whole file or the whole repository: equal without lines to share.
    same_whole: bool = False

    @property
    def shares_a_line(self) -> bool:
        """Whether the two places have a line in common."""
        return self.relation is PlaceRelation.OVERLAP


@dataclass(frozen=True)
class Place:
    """A resolved set of anchors; made by `Geometry.place`."""

    lines: Mapping[tuple[FilePair, Side], tuple[LineRange, ...]]
    whole_files: frozenset[FilePair]
    repository: bool
    size: int
    # Indexes of the hunks that the lines of a side touch.
    old_hunks: frozenset[int]
    new_hunks: frozenset[int]
    files: frozenset[FilePair] = field(repr=False)


def merge_ranges(ranges: Iterable[LineRange]) -> tuple[LineRange, ...]:
    """Return the same lines as sorted ranges with at least one line between neighbours."""
    merged: list[LineRange] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + 1:
            if last > merged[-1][1]:
                merged[-1] = (merged[-1][0], last)
        else:
            merged.append((first, last))
    return tuple(merged)


def count_lines(ranges: Iterable[LineRange]) -> int:
    """Return the number of lines in disjoint ranges."""
    return sum(last - first + 1 for first, last in ranges)


def intersect_ranges(left: Sequence[LineRange], right: Sequence[LineRange]) -> tuple[LineRange, ...]:
    """Return the lines in both of two merged range lists."""
    shared: list[LineRange] = []
    i = j = 0
    while i < len(left) and j < len(right):
        first = max(left[i][0], right[j][0])
        last = min(left[i][1], right[j][1])
        if first <= last:
            shared.append((first, last))
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return tuple(shared)


def line_gap(left: Sequence[LineRange], right: Sequence[LineRange]) -> int:
    """Return the difference of the nearest line numbers of two non-empty merged lists.

    0 means a shared line, 1 neighbours.
    """
    nearest: int | None = None
    i = j = 0
    while i < len(left) and j < len(right):
        gap = max(0, left[i][0] - right[j][1], right[j][0] - left[i][1])
        if nearest is None or gap < nearest:
            nearest = gap
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    if nearest is None:
        raise ValueError("a gap needs lines on both sides")
    return nearest


def overlap_cost(shared: int, left_size: int, right_size: int) -> int:
    """Return 1 - (IoU + overlap coefficient) / 2 in 1/10 000, rounded half up and always below 10 000.

    `shared` is at least 1 and at most the smaller size.
    """
    union = left_size + right_size - shared
    smaller = min(left_size, right_size)
    denominator = 2 * union * smaller
    numerator = COST_UNIT * (denominator - shared * (union + smaller))
    return min((2 * numerator + denominator) // (2 * denominator), COST_UNIT - 1)


class Geometry:
    """The file entries and hunks of one change, as far as places need them."""

    def __init__(self, files: Iterable[FilePair] = (), hunks: Iterable[HunkRange] = ()) -> None:
        """Index the change: `files` may list only the renamed ones, any other path is its own file entry."""
        self._old: dict[str, FilePair] = {}
        self._new: dict[str, FilePair] = {}
        for pair in files:
            if pair.old_path is not None:
                self._old.setdefault(pair.old_path, pair)
            if pair.new_path is not None:
                self._new.setdefault(pair.new_path, pair)
        self._hunks: dict[FilePair, list[tuple[int, HunkRange]]] = {}
        for number, hunk in enumerate(hunks):
            self._hunks.setdefault(self.file_of(hunk.path, None), []).append((number, hunk))

    def file_of(self, path: str, side: Side | None) -> FilePair:
        """Return the file entry that has `path` on `side`, else on the other side, else one of its own."""
        first, second = (self._old, self._new) if side is Side.OLD else (self._new, self._old)
        return first.get(path) or second.get(path) or FilePair(path, path)

    def place(self, anchors: Iterable[Anchor]) -> Place:
        """Return the union of `anchors` as one place."""
        ranges: dict[tuple[FilePair, Side], list[LineRange]] = {}
        whole: set[FilePair] = set()
        repository = False
        for anchor in anchors:
            if anchor.path is None:
                repository = True
                continue
            entry = self.file_of(anchor.path, anchor.side)
            if anchor.side is None or not anchor.ranges:
                whole.add(entry)
            else:
                ranges.setdefault((entry, anchor.side), []).extend(anchor.ranges)
        lines = {key: merge_ranges(listed) for key, listed in ranges.items()}
        return Place(
            lines=lines,
            whole_files=frozenset(whole),
            repository=repository,
            size=sum(count_lines(merged) for merged in lines.values()),
            old_hunks=self._touched(lines, Side.OLD),
            new_hunks=self._touched(lines, Side.NEW),
            files=frozenset(whole.union(entry for entry, _ in lines)),
        )

    def _touched(self, lines: Mapping[tuple[FilePair, Side], tuple[LineRange, ...]], side: Side) -> frozenset[int]:
        touched: set[int] = set()
        for (entry, line_side), ranges in lines.items():
            if line_side is side:
                for number, hunk in self._hunks.get(entry, ()):
                    span = hunk.old if side is Side.OLD else hunk.new
                    if span is not None and intersect_ranges(ranges, (span,)):
                        touched.add(number)
        return frozenset(touched)


def shared_lines(left: Place, right: Place) -> dict[tuple[FilePair, Side], tuple[LineRange, ...]]:
    """Return the lines that both places name, by file entry and side."""
    shared: dict[tuple[FilePair, Side], tuple[LineRange, ...]] = {}
    for key, ranges in left.lines.items():
        other = right.lines.get(key)
        common = intersect_ranges(ranges, other) if other else ()
        if common:
            shared[key] = common
    return shared


def closeness(left: Place, right: Place, window: int = DEFAULT_WINDOW) -> Closeness | None:
    """Return how close two places are (the table at the top of this module), or None if they are not."""
    if left.files.isdisjoint(right.files):
        if left.repository and right.repository:
            return _loose(PlaceRelation.REPOSITORY, same_whole=True)
        return None
    shared = 0
    gap: int | None = None
    for key, ranges in left.lines.items():
        other = right.lines.get(key)
        if other is None:
            continue
        distance = line_gap(ranges, other)
        if distance == 0:
            shared += count_lines(intersect_ranges(ranges, other))
        elif gap is None or distance < gap:
            gap = distance
    if shared:
        return Closeness(
            PlaceRelation.OVERLAP,
            overlap_cost(shared, left.size, right.size),
            shared=shared,
            union=left.size + right.size - shared,
        )
    if gap is not None and gap <= window:
        step = (COST_UNIT * gap + window) // (2 * window)
        return Closeness(PlaceRelation.NEAR, COST_UNIT + step, gap=gap)
    if not (left.old_hunks.isdisjoint(right.new_hunks) and left.new_hunks.isdisjoint(right.old_hunks)):
        return _loose(PlaceRelation.OPPOSITE_SIDES)
    if not (left.whole_files.isdisjoint(right.files) and right.whole_files.isdisjoint(left.files)):
        return _loose(
            PlaceRelation.WHOLE_FILE,
            same_whole=not left.whole_files.isdisjoint(right.whole_files),
        )
    if left.repository and right.repository:
        return _loose(PlaceRelation.REPOSITORY, same_whole=True)
    return None


def _loose(relation: PlaceRelation, *, same_whole: bool = False) -> Closeness:
    return Closeness(relation, COST_UNIT + COST_UNIT // 2, same_whole=same_whole)


@dataclass(frozen=True)
class Nearest:
    """The closest combination of two findings' places: 0 is the primary place, from 1 on the alternates."""

    closeness: Closeness
    left: int
    right: int


def nearest(left: Sequence[Place], right: Sequence[Place], window: int = DEFAULT_WINDOW) -> Nearest | None:
    """Return the closest of all combinations of primary and alternate places, or None if no two are close.

    Among equally close ones the earliest wins: primary places before alternates.
    """
    best: Nearest | None = None
    for i, one in enumerate(left):
        for j, other in enumerate(right):
            found = closeness(one, other, window)
            if found is not None and (best is None or found.cost < best.closeness.cost):
                best = Nearest(found, i, j)
    return best


def place_key(place: Place) -> PlaceKey:
    """Return (file and side, first line, last line) of the first part of a place, for canonical orders.

    Files sort by new path (old path where the file is gone), sides by name; whole files come before their
    lines and the repository before every file.
    """
    if place.repository:
        return NO_PLACE_KEY
    parts: list[PlaceKey] = [
        ((*_names(entry), str(side)), ranges[0][0], ranges[-1][1]) for (entry, side), ranges in place.lines.items()
    ]
    parts += [((*_names(entry), ""), 0, 0) for entry in place.whole_files]
    return min(parts, default=NO_PLACE_KEY)


def _names(entry: FilePair) -> tuple[str, str]:
    return entry.new_path or entry.old_path or "", entry.old_path or ""
