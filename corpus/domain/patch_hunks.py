"""Hunks of one file: cut by their own counts here, read line by line by unidiff.

The counts in a hunk header decide what is text, so no line of a body can pass for a header. unidiff sees one file at a
time, with a made-up name, canonical hunk headers and bodies decoded as Latin-1: one byte is one character, nothing can
fail to decode, and encoding gives the bytes back.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from unidiff.errors import UnidiffParseError
from unidiff.patch import PatchSet

from corpus.domain.diff_model import DiffLine, Hunk

SHORTER = "hunk shorter than its header says"
LONGER = "hunk longer than its header says"

_GROUP_LINES = 5_000
# Nothing git or diff prints counts further; a bound keeps a hostile number from costing time.
_MAX_NUMBER = 2**31 - 1
_HEADER = re.compile(
    rb"@@ -([0-9]{1,12})(?:,([0-9]{1,12}))? \+([0-9]{1,12})(?:,([0-9]{1,12}))? @@(?: (.*)|(.*))", re.DOTALL
)


class SectionProblem(Exception):
    """One file of a patch is bad: `index` is the line (from 0) where it shows, `resume` where reading goes on."""

    def __init__(self, reason: str, index: int, resume: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.index = index
        self.resume = resume


@dataclass(slots=True)
class RawHunk:
    """A hunk as cut: numbers of its header and its body lines, each with its sign and without its newline."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    section: bytes
    index: int
    body: list[bytes] = field(default_factory=list)
    unterminated: set[int] = field(default_factory=set)

    def take_lines(self) -> Iterator[tuple[int | None, int | None, bytes, bool]]:
        """Old number, new number, text and whether its file ends there without a newline, of each line.

        The hunk lets go of each line as it is given out: a change may be all that memory holds.
        """
        old, new = self.old_first, self.new_first
        for at, line in enumerate(self.body):
            self.body[at] = b""
            sign = line[:1]
            is_old, is_new = sign != b"+", sign != b"-"
            yield old if is_old else None, new if is_new else None, line[1:], at in self.unterminated
            old += is_old
            new += is_new

    @property
    def old_first(self) -> int:
        """The first old line that the hunk covers or, with count 0, the line it stands before."""
        return self.old_start if self.old_count else self.old_start + 1

    @property
    def new_first(self) -> int:
        """The same on the new side."""
        return self.new_start if self.new_count else self.new_start + 1


def read_hunk_header(line: bytes, index: int) -> RawHunk:
    """Read `@@ -a,b +c,d @@ heading`; SectionProblem unless its numbers can be those of a hunk."""
    match = _HEADER.fullmatch(line)
    if match is None:
        raise SectionProblem("malformed hunk header", index, index + 1)
    old_start, old_count, new_start, new_count = (1 if number is None else int(number) for number in match.groups()[:4])
    if max(old_start + old_count, new_start + new_count) > _MAX_NUMBER:
        raise SectionProblem("line number in a hunk header is out of bounds", index, index + 1)
    if (old_count and not old_start) or (new_count and not new_start):
        raise SectionProblem("hunk header names line 0", index, index + 1)
    if not old_count and not new_count:
        raise SectionProblem("hunk without lines", index, index + 1)
    section = match.group(5) if match.group(5) is not None else match.group(6)
    return RawHunk(old_start, old_count, new_start, new_count, section.removesuffix(b"\r"), index)


def cut_hunk(lines: Sequence[bytes], index: int) -> tuple[RawHunk, int]:
    """Cut the hunk whose header is `lines[index]`; returns it and the index of the line after it.

    An empty line is an empty context line (mail and editors strip trailing blanks); a line that starts with a
    backslash, in whatever language, says that the line before it has no newline.
    """
    hunk = read_hunk_header(lines[index], index)
    old, new, at, end = hunk.old_count, hunk.new_count, index + 1, len(lines)
    body, unterminated = hunk.body, hunk.unterminated
    while old or new:
        if at == end:
            raise SectionProblem(SHORTER, at - 1, at)
        line = lines[at]
        sign = line[:1]
        if sign == b" " or line in (b"", b"\r"):
            old, new = old - 1, new - 1
            if sign != b" ":
                line = b" " + line
        elif sign == b"-":
            old -= 1
        elif sign == b"+":
            new -= 1
        elif sign == b"\\":
            if not body:
                raise SectionProblem("no-newline marker without a line before it", at, at + 1)
            unterminated.add(len(body) - 1)
            at += 1
            continue
        else:
            raise SectionProblem(SHORTER, *_place_of_end(lines, at, index))
        if old < 0 or new < 0:
            if is_plain_header(lines, at):
                raise SectionProblem(SHORTER, at - 1, at)
            raise SectionProblem(LONGER, at, at)
        body.append(line)
        at += 1
    while at < end and lines[at][:1] == b"\\":
        unterminated.add(len(body) - 1)
        at += 1
    _refuse_surplus(lines, at)
    return hunk, at


def _place_of_end(lines: Sequence[bytes], at: int, start: int) -> tuple[int, int]:
    """Last line of a hunk that broke off before `at`, and where to go on.

    When the counts swallowed the `---` and `+++` lines of the next file, step back before them.
    """
    if at - start > 3 and lines[at].startswith(b"@@ -") and is_plain_header(lines, at - 2):
        return at - 3, at - 2
    return at - 1, at


def is_plain_header(lines: Sequence[bytes], at: int) -> bool:
    """Whether `---`, `+++` and a hunk header stand in a row from `at` on."""
    return (
        at + 2 < len(lines)
        and (lines[at].startswith(b"--- ") or lines[at].rstrip(b"\r") == b"---")
        and (lines[at + 1].startswith(b"+++ ") or lines[at + 1].rstrip(b"\r") == b"+++")
        and lines[at + 2].startswith(b"@@")
    )


def _refuse_surplus(lines: Sequence[bytes], at: int) -> None:
    """Refuse signed lines right after a hunk: they would be lost. A mail signature is none of them."""
    while at < len(lines) and lines[at][:1] in (b" ", b"+", b"-"):
        if lines[at].rstrip() == b"--" or is_plain_header(lines, at):
            return
        if lines[at][:1] != b" ":
            raise SectionProblem(LONGER, at, at)
        at += 1


def skip_hunk(lines: Sequence[bytes], index: int) -> int:
    """The index after the hunk at `index`, as far as it can be followed; used to get past a bad file."""
    try:
        return max(cut_hunk(lines, index)[1], index + 1)
    except SectionProblem as problem:
        return max(problem.resume, index + 1)


def has_word_mark(lines: Sequence[bytes]) -> bool:
    """Whether a line holds the marks that a word diff puts around removed or added words."""
    return any(
        0 <= line.find(b"[-") < line.rfind(b"-]") - 1 or 0 <= line.find(b"{+") < line.rfind(b"+}") - 1 for line in lines
    )


def check_order(hunks: Sequence[RawHunk]) -> bool:
    """Refuse hunks that overlap or run backwards, and text after a line without a newline.

    Returns whether the numbers of both sides agree (lines before a hunk that are not shown are the same on both).
    """
    old_next = new_next = 1
    shift, agree = 0, True
    old_ended = new_ended = False
    for hunk in hunks:
        if hunk.old_first < old_next or hunk.new_first < new_next:
            raise SectionProblem("hunks overlap or are out of order", hunk.index, hunk.index)
        agree = agree and hunk.new_first - hunk.old_first == shift
        shift = hunk.new_first + hunk.new_count - hunk.old_first - hunk.old_count
        for number, line in enumerate(hunk.body):
            sign = line[:1]
            if (old_ended and sign != b"+") or (new_ended and sign != b"-"):
                raise SectionProblem("text after a line without a newline", hunk.index, hunk.index)
            if number in hunk.unterminated:
                old_ended = old_ended or sign != b"+"
                new_ended = new_ended or sign != b"-"
        old_next, new_next = hunk.old_first + hunk.old_count, hunk.new_first + hunk.new_count
    return agree


def read_lines(hunks: Sequence[RawHunk]) -> tuple[Hunk, ...]:
    """The hunks of one file with numbered lines, as unidiff reads them."""
    read: list[list[DiffLine]] = [[] for _ in hunks]
    for group in _groups(hunks):
        text = b"--- a/x\n+++ b/x\n" + b"".join(piece.text for piece in group)
        try:
            parsed = PatchSet(io.StringIO(text.decode("latin-1"), newline="\n"))
        except UnidiffParseError as error:
            raise SectionProblem(f"hunk cannot be read: {error}", hunks[0].index, hunks[0].index) from error
        if len(parsed) != 1 or [len(hunk) for hunk in parsed[0]] != [piece.length for piece in group]:
            raise SectionProblem("hunk cannot be read", hunks[0].index, hunks[0].index)
        for piece, lines in zip(group, parsed[0], strict=True):
            unterminated = hunks[piece.hunk].unterminated
            read[piece.hunk] += [
                DiffLine(
                    line.source_line_no, line.target_line_no, line.value[:-1].encode("latin-1"), number in unterminated
                )
                for number, line in enumerate(lines, piece.first)
            ]
    return tuple(
        Hunk(hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count, hunk.section, tuple(lines))
        for hunk, lines in zip(hunks, read, strict=True)
    )


class _Piece(NamedTuple):
    """A part of a hunk, as a hunk of its own: number of the hunk, its first line in it, how many, and the text."""

    hunk: int
    first: int
    length: int
    text: bytes


def _groups(hunks: Sequence[RawHunk]) -> Iterator[list[_Piece]]:
    """The hunks in groups of a bounded number of lines, the longer ones in pieces.

    unidiff needs ten times the memory of its text, so it gets a little at a time.
    """
    group: list[_Piece] = []
    room = _GROUP_LINES
    for number, hunk in enumerate(hunks):
        old, new, first = hunk.old_first, hunk.new_first, 0
        while first < len(hunk.body):
            lines = hunk.body[first : first + room]
            old_count = sum(line[:1] != b"+" for line in lines)
            new_count = sum(line[:1] != b"-" for line in lines)
            header = b"@@ -%d,%d +%d,%d @@\n" % (old, old_count, new, new_count)
            group.append(_Piece(number, first, len(lines), header + b"\n".join(lines) + b"\n"))
            old, new, first = old + old_count, new + new_count, first + len(lines)
            room -= len(lines)
            if not room:
                yield group
                group, room = [], _GROUP_LINES
    if group:
        yield group
