"""What changed between two versions of a text, part by part and line by line, with the changed words marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from corpus.domain.intraline import Span, changed_spans
from corpus.domain.text_parts import Part

CONTEXT = 2
LineKind = Literal["same", "removed", "added", "skipped"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a line; `is_changed` marks the words that differ from the paired line."""

    text: str
    is_changed: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a change. One of kind skipped stands for unchanged lines and says how many."""

    kind: LineKind
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class PartChange:
    """A part that was added, removed or changed."""

    title: str
    kind: Literal["added", "removed", "changed"]
    lines: tuple[Line, ...]


def compare(old: Sequence[Part], new: Sequence[Part]) -> tuple[PartChange, ...]:
    """Return the changes in the order of `new`, then what was removed; nothing for equal versions."""
    before = {part.key: part for part in old}
    after = {part.key: part for part in new}
    changes = []
    for part in new:
        earlier = before.get(part.key)
        if earlier is None:
            changes.append(PartChange(part.title, "added", tuple(_whole(part.text, "added"))))
        elif earlier.text != part.text:
            changes.append(PartChange(part.title, "changed", tuple(_lines(earlier.text, part.text))))
    changes += [
        PartChange(part.title, "removed", tuple(_whole(part.text, "removed"))) for part in old if part.key not in after
    ]
    return tuple(changes)


def _whole(text: str, kind: LineKind) -> Iterator[Line]:
    for line in text.split("\n"):
        yield Line(kind, (Piece(line),))


def _lines(old: str, new: str) -> Iterator[Line]:
    before, after = old.split("\n"), new.split("\n")
    opcodes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    for index, (tag, a, b, c, d) in enumerate(opcodes):
        if tag == "equal":
            yield from _context(before[a:b], is_first=index == 0, is_last=index == len(opcodes) - 1)
        else:
            yield from _changed(before[a:b], after[c:d])


def _context(lines: Sequence[str], *, is_first: bool, is_last: bool) -> Iterator[Line]:
    """Yield unchanged lines beside a change; a long run in between is named, not shown."""
    head = 0 if is_first else CONTEXT
    tail = 0 if is_last else CONTEXT
    skipped = len(lines) - head - tail
    if skipped < 2:
        yield from (Line("same", (Piece(line),)) for line in lines)
        return
    yield from (Line("same", (Piece(line),)) for line in lines[:head])
    yield Line("skipped", (Piece(f"{skipped} unchanged lines"),))
    yield from (Line("same", (Piece(line),)) for line in lines[len(lines) - tail :])


def _changed(removed: Sequence[str], added: Sequence[str]) -> Iterator[Line]:
    marks = [changed_spans(old, new) for old, new in zip(removed, added, strict=False)]
    for index, line in enumerate(removed):
        yield Line("removed", tuple(_pieces(line, marks[index][0] if index < len(marks) else [])))
    for index, line in enumerate(added):
        yield Line("added", tuple(_pieces(line, marks[index][1] if index < len(marks) else [])))


def _pieces(line: str, spans: Sequence[Span]) -> Iterator[Piece]:
    at = 0
    for start, end in spans:
        if at < start:
            yield Piece(line[at:start])
        yield Piece(line[start:end], is_changed=True)
        at = end
    if at < len(line) or not spans:
        yield Piece(line[at:])
