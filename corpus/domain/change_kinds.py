"""What is different about lines that were replaced: their text, or only what the eye does not see.

    kind_of_change(removed, added, old_open=..., new_open=...)   of one block, or of two paired lines
    kind_of_all(kinds)                                           of a file, from those of its blocks
    line_ends(data), ends_openly(data)                           facts of one blob

Lines are given without their newline, a CR before it included. `..._open` says that the last line given is the last of
its file and has no newline. `HIDDEN_KINDS` are those that a reader may ask to fold away.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from itertools import zip_longest
from operator import eq

Bare = Callable[[str], str]

_BLANKS = re.compile(r"[ \t\r\f\v]+")
_INDENT = " \t\f\v"


class ChangeKind(StrEnum):
    """How two versions of lines differ, from what shows least to what shows most."""

    FINAL_NEWLINE = "final_newline"
    LINE_ENDS = "line_ends"
    TRAILING_BLANKS = "trailing_blanks"
    INDENTATION = "indentation"
    BLANK_LINES = "blank_lines"
    WHITESPACE = "whitespace"
    TEXT = "text"

    @property
    def sentence(self) -> str:
        """What to say of a file or block that changed in no other way; empty for text."""
        return _SENTENCES.get(self, "")


_SENTENCES = {
    ChangeKind.FINAL_NEWLINE: "Only the newline at the end of the file changed.",
    ChangeKind.LINE_ENDS: "Only line ends changed (CR LF or LF).",
    ChangeKind.TRAILING_BLANKS: "Only blanks at the ends of lines changed.",
    ChangeKind.INDENTATION: "Only indentation changed.",
    ChangeKind.BLANK_LINES: "Only blank lines changed.",
    ChangeKind.WHITESPACE: "Only white space changed.",
}
HIDDEN_KINDS = frozenset(ChangeKind) - {ChangeKind.TEXT}


class LineEnds(StrEnum):
    """How the lines of a file end. A CR that no LF follows is text and ends no line."""

    NONE = "none"
    LF = "lf"
    CRLF = "crlf"
    MIXED = "mixed"


def kind_of_change(
    removed: Sequence[str], added: Sequence[str], *, old_open: bool = False, new_open: bool = False
) -> ChangeKind | None:
    """Return how the added lines differ from the removed ones; None if they do not.

    Lines that are only added or only removed are text unless all of them are blank.
    """
    if len(removed) == len(added):
        if _all_same(_whole, removed, added):
            return None if old_open == new_open else ChangeKind.FINAL_NEWLINE
        for kind, bare in _STEPS:
            if _all_same(bare, removed, added):
                return kind
    if _filled_same(_without_trailing_blanks, removed, added):
        return ChangeKind.BLANK_LINES
    return ChangeKind.WHITESPACE if _filled_same(_without_blanks, removed, added) else ChangeKind.TEXT


def kind_of_all(kinds: Iterable[ChangeKind | None]) -> ChangeKind | None:
    """Return how a whole differs whose parts differ like this; None if no part does.

    Where parts differ in several ways of white space, the whole differs in white space.
    """
    found = {kind for kind in kinds if kind is not None}
    if len(found) <= 1:
        return next(iter(found), None)
    return ChangeKind.TEXT if ChangeKind.TEXT in found else ChangeKind.WHITESPACE


def line_ends(data: bytes) -> LineEnds:
    """Return how the lines of a blob end."""
    newlines = data.count(b"\n")
    with_cr = data.count(b"\r\n")
    if not newlines:
        return LineEnds.NONE
    if not with_cr:
        return LineEnds.LF
    return LineEnds.CRLF if with_cr == newlines else LineEnds.MIXED


def ends_openly(data: bytes) -> bool:
    """Say whether the last line of a blob has no newline. An empty blob has no last line."""
    return bool(data) and not data.endswith(b"\n")


def _all_same(bare: Bare, removed: Sequence[str], added: Sequence[str]) -> bool:
    return all(map(eq, map(bare, removed), map(bare, added)))


def _filled_same(bare: Bare, removed: Sequence[str], added: Sequence[str]) -> bool:
    """Say whether the lines that are not empty once bare are the same. Stops at the first that are not."""
    pairs = zip_longest(filter(None, map(bare, removed)), filter(None, map(bare, added)))
    return all(one == other for one, other in pairs)


def _whole(line: str) -> str:
    return line


def _without_cr(line: str) -> str:
    return line.removesuffix("\r")


def _without_trailing_blanks(line: str) -> str:
    return line.rstrip(_INDENT + "\r")


def _without_indent(line: str) -> str:
    return line.lstrip(_INDENT).removesuffix("\r")


def _without_blanks(line: str) -> str:
    return _BLANKS.sub("", line)


_STEPS = (
    (ChangeKind.LINE_ENDS, _without_cr),
    (ChangeKind.TRAILING_BLANKS, _without_trailing_blanks),
    (ChangeKind.INDENTATION, _without_indent),
)
