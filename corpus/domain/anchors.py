"""Line numbers on both sides of a change, ranges of lines, and the digest of quoted lines.

Lines count from 1 on their own side. The same number on the two sides names two different places, except where a
context or unchanged line stands on both: `LineMap` tells which line that is.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from corpus.domain.diff_model import HunkNumbers
from corpus.domain.places import LineRange, merge_ranges
from corpus.domain.vocabulary import Side

MAX_RANGES = 200

_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


class AnchorRefused(Exception):
    """A place that cannot be meant; the message says what is wrong with it."""


class _Run(NamedTuple):
    """Lines of one kind in a row: ' ', '-' or '+' inside a hunk, '=' outside.

    Outside, '<' (old) and '>' (new) are lines of which nothing tells what they are on the other side. `hunk` counts
    from 0, or is None.
    """

    kind: str
    old_first: int
    new_first: int
    length: int
    hunk: int | None
    position: int


class LineMap:
    """The two numberings of one file's lines, made from its hunks' numbers alone.

    `hunks` are in order and do not overlap; ValueError if they do or if their counts do not fit their kinds. Lines
    beyond the last hunk are taken as unchanged, whatever the length of the file.
    """

    def __init__(self, hunks: Sequence[HunkNumbers]) -> None:
        runs: list[_Run] = []
        old = new = 1
        position = 0
        for number, hunk in enumerate(hunks):
            old_first = hunk.old_start if hunk.old_count else hunk.old_start + 1
            new_first = hunk.new_start if hunk.new_count else hunk.new_start + 1
            if old_first < old or new_first < new:
                raise ValueError(f"hunk {number + 1} does not follow from the one before it")
            if old_first - old == new_first - new:
                runs.append(_Run("=", old, new, old_first - old, None, 0))
            else:
                runs.append(_Run("<", old, new, old_first - old, None, 0))
                runs.append(_Run(">", old, new, new_first - new, None, 0))
            old, new = old_first, new_first
            # The header line of each hunk but the first takes a position of its own.
            position += 1 if number else 0
            for kind, group in groupby(hunk.kinds):
                length = sum(1 for _ in group)
                runs.append(_Run(kind, old, new, length, number, position + 1))
                old += length if kind != "+" else 0
                new += length if kind != "-" else 0
                position += length
            if old - old_first != hunk.old_count or new - new_first != hunk.new_count:
                raise ValueError(f"hunk {number + 1} does not hold as many lines as its numbers say")
        runs.append(_Run("=", old, new, 2**62, None, 0))
        self._runs = {
            Side.OLD: [run for run in runs if run.length and run.kind not in "+>"],
            Side.NEW: [run for run in runs if run.length and run.kind not in "-<"],
        }
        self._firsts = {
            Side.OLD: [run.old_first for run in self._runs[Side.OLD]],
            Side.NEW: [run.new_first for run in self._runs[Side.NEW]],
        }
        self._shown = [run for run in runs if run.hunk is not None]
        self._positions = [run.position for run in self._shown]

    def _find(self, side: Side, line: int) -> tuple[_Run, int]:
        """The run that holds a line, and how far into it the line stands."""
        if line < 1:
            raise ValueError("lines count from 1")
        index = bisect_right(self._firsts[side], line) - 1
        return self._runs[side][index], line - self._firsts[side][index]

    def translate(self, side: Side, line: int) -> int | None:
        """The number of the same line on the other side; None if it stands on `side` only (or the patch is odd)."""
        run, offset = self._find(side, line)
        if run.kind not in " =":
            return None
        return (run.new_first if side is Side.OLD else run.old_first) + offset

    def to_new(self, line: int) -> int | None:
        """The new number of an old line; None if it was removed."""
        return self.translate(Side.OLD, line)

    def to_old(self, line: int) -> int | None:
        """The old number of a new line; None if it was added."""
        return self.translate(Side.NEW, line)

    def is_changed(self, side: Side, line: int) -> bool:
        """Whether the line stands on one side only."""
        return self._find(side, line)[0].kind in "-+"

    def hunk_of(self, side: Side, line: int) -> int | None:
        """The hunk, from 0, that shows the line; None outside all hunks."""
        return self._find(side, line)[0].hunk

    def is_in_hunk(self, side: Side, line: int) -> bool:
        """Whether a hunk shows the line, changed or as context."""
        return self.hunk_of(side, line) is not None

    def position_of(self, side: Side, line: int) -> int | None:
        """The diff position of a shown line, as some foreign formats count: 1 is the line under the first `@@`."""
        run, offset = self._find(side, line)
        return None if run.hunk is None else run.position + offset

    def at_position(self, position: int) -> tuple[Side, int] | None:
        """Side and line at a diff position (a context line counts as new); None at a `@@` line or beyond."""
        index = bisect_right(self._positions, position) - 1
        if index < 0:
            return None
        run = self._shown[index]
        offset = position - run.position
        if offset >= run.length:
            return None
        return (Side.OLD, run.old_first + offset) if run.kind == "-" else (Side.NEW, run.new_first + offset)


def quote_digest(lines: Sequence[bytes]) -> str:
    """SHA-256, as 64 hexadecimal digits, over the exact bytes of the quoted lines, newlines included."""
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line)
    return digest.hexdigest()


def quoted_lines(lines: Sequence[bytes], ranges: Iterable[LineRange]) -> list[bytes]:
    """The lines of a blob that `ranges` name, in order."""
    return [line for first, last in ranges for line in lines[first - 1 : last]]


def parse_ranges(text: str) -> tuple[LineRange, ...]:
    """Ranges from text such as `40-46,50`, normalised; AnchorRefused for anything else."""
    parts = text.replace(" ", "").split(",", MAX_RANGES + 1)
    if len(parts) > MAX_RANGES:
        raise AnchorRefused(f"more than {MAX_RANGES} ranges of lines")
    ranges = []
    for part in parts:
        match = _RANGE.fullmatch(part)
        if match is None:
            raise AnchorRefused(f"not a range of lines: {part[:40]!r} (write 40-46,50)")
        ranges.append((int(match.group(1)), int(match.group(2) or match.group(1))))
    return normalise_ranges(ranges)


def normalise_ranges(ranges: Iterable[LineRange]) -> tuple[LineRange, ...]:
    """The same lines as sorted ranges that neither overlap nor touch; AnchorRefused if one is no range."""
    listed = list(ranges)
    for first, last in listed:
        if first < 1:
            raise AnchorRefused(f"line {first}: lines count from 1")
        if last < first:
            raise AnchorRefused(f"range {first}-{last} ends before it starts")
    return merge_ranges(listed)


def format_ranges(ranges: Iterable[LineRange]) -> str:
    """Ranges as `parse_ranges` reads them."""
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)


def check_ranges(ranges: Sequence[LineRange], line_count: int) -> None:
    """AnchorRefused unless there is a range and all lie within a file of `line_count` lines."""
    if not ranges:
        raise AnchorRefused("no line is given")
    if len(ranges) > MAX_RANGES:
        raise AnchorRefused(f"more than {MAX_RANGES} ranges of lines")
    for first, last in normalise_ranges(ranges):
        if last > line_count:
            beyond = max(first, line_count + 1)
            raise AnchorRefused(f"line {beyond} is beyond the end of the file, which has {line_count} lines")
