"""Syntax highlighting of whole blobs, once per content.

Pygments reads the whole text, so that a string which starts outside a hunk is right inside it. The result is kept as
runs of (token class, length) per line: marks for changed words can then be laid over it without broken markup.
`get_tokens_unprocessed` on a copy with CR and byte order marks replaced keeps every offset; Pygments' own preprocessing
would shift lines.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterable

import pygments
from django.db import transaction
from pygments.token import STANDARD_TYPES

from corpus.cpu_limit import cpu_limit
from corpus.models import Blob, HighlightedBlob
from corpus.rendering.lexers import lexer_name, lexer_of
from corpus.rendering.text import DecodedText

MOST_BYTES = 400_000
MOST_LINES = 20_000
LONGEST_LINE = 2_000
MOST_SECONDS = 2.0
# The same by the clock on the wall, for threads that cannot be interrupted; a busy machine must not cost colours.
MOST_WALL_SECONDS = 10.0
# Lines that may tell the language of a file.
HEAD_LINES = 60
# How much is read between two looks at the clock.
CHARACTERS_A_LOOK = 1_000

# Classes without a colour of their own (names, operators, punctuation, blanks): most tokens of a file.
PLAIN = frozenset({"n", "o", "p", "pm", "w", "x"})

Runs = list[tuple[str, int]]
# What is stored was made by these two; the second counts changes of this module.
VERSION = f"{pygments.__version__}/2"


class _Classes(dict[object, str]):
    """Pygments' short name for the class of each token met so far; empty where it has no colour."""

    def __missing__(self, token: object) -> str:
        known = token
        while known not in STANDARD_TYPES:
            known = known.parent  # type: ignore[attr-defined]
        name = STANDARD_TYPES[known]  # type: ignore[index]
        self[token] = "" if name in PLAIN else name
        return self[token]


_CLASSES = _Classes()


def highlight(text: DecodedText, lexer: str) -> list[Runs] | None:
    """Return the runs of each line, or None where the text is over a limit or the lexer fails."""
    if not lexer or len(text.lines) > MOST_LINES:
        return None
    if sum(map(len, text.lines)) > MOST_BYTES or max(map(len, text.lines), default=0) > LONGEST_LINE:
        return None
    source = "\n".join(text.lines) + "\n"
    try:
        with cpu_limit(MOST_SECONDS):
            lines = _runs(source, lexer)
    except Exception:  # a lexer's fault must cost colours, never the page
        return None
    if lines is None or [sum(length for _, length in runs) for runs in lines] != [len(line) for line in text.lines]:
        return None
    return lines


def _runs(source: str, lexer: str) -> list[Runs] | None:
    """Return the runs of each line of `source`; None if tokens leave gaps or time is over.

    Neighbours of one class in a line are one run.
    """
    lines: list[Runs] = []
    line: Runs = []
    deadline = time.monotonic() + MOST_WALL_SECONDS
    position = next_look = 0
    # What lexers take for a line end or for no text at all is a blank to them.
    source = source.replace("\r", " ").replace("\ufeff", " ")
    for offset, token, value in lexer_of(lexer).get_tokens_unprocessed(source):
        if offset != position:
            return None
        position += len(value)
        if position > next_look:
            next_look = position + CHARACTERS_A_LOOK
            if time.monotonic() > deadline:
                return None
        name = _CLASSES[token]
        first, *others = value.split("\n") if "\n" in value else (value,)
        if first:
            _append(line, name, len(first))
        for part in others:
            lines.append(line)
            line = [(name, len(part))] if part else []
    return lines if not line else [*lines, line]


def _append(line: Runs, name: str, length: int) -> None:
    """Put a run behind a line's others; neighbours of one class are one run."""
    if line and line[-1][0] == name:
        line[-1] = (name, line[-1][1] + length)
    else:
        line.append((name, length))


class HighlightStore:
    """Highlighting of some blobs: what is stored is read by one query, what is missing is made and stored by `keep`."""

    def __init__(self, blobs: Iterable[Blob]) -> None:
        digests = {blob.sha256 for blob in blobs}
        rows = HighlightedBlob.objects.filter(blob_sha256__in=digests, version=VERSION) if digests else ()
        self._stored = {(row.blob_sha256, row.lexer): bytes(row.runs) for row in rows}
        self._made: dict[tuple[str, str], list[Runs] | None] = {}

    def runs(self, blob: Blob, text: DecodedText, file_name: str, chosen_lexer: str | None = None) -> list[Runs] | None:
        """Return the runs of each line of a blob; None means plain text.

        `chosen_lexer` is an alias of `lexers.lexer_choices` that a person chose, empty for plain text. Its runs are
        made anew each time: what one person chose is kept from those who come after (B1).
        """
        if chosen_lexer is not None:
            return highlight(text, chosen_lexer)
        name = lexer_name(file_name, head(text))
        if not name:
            return None
        key = (blob.sha256, name)
        if key in self._stored:
            return unpack(self._stored[key])
        if key not in self._made:
            self._made[key] = highlight(text, name)
        return self._made[key]

    def keep(self) -> None:
        """Store what was made, in place of what other versions made of the same blobs. Once, when all is drawn."""
        if not self._made:
            return
        made = {digest for digest, _ in self._made}
        rows = [
            HighlightedBlob(blob_sha256=digest, lexer=lexer, version=VERSION, runs=pack(runs))
            for (digest, lexer), runs in sorted(self._made.items(), key=lambda item: item[0])
        ]
        with transaction.atomic():
            HighlightedBlob.objects.filter(blob_sha256__in=made).exclude(version=VERSION).delete()
            HighlightedBlob.objects.bulk_create(rows, ignore_conflicts=True)
        self._made.clear()


def head(text: DecodedText) -> str:
    """Return as much of a text as may tell its language."""
    return "\n".join(text.lines[:HEAD_LINES])


def pack(runs: list[Runs] | None) -> bytes:
    """Return runs as compact bytes; no bytes for plain text."""
    if runs is None:
        return b""
    text = "\n".join(" ".join(f"{name}:{length}" for name, length in line) for line in runs)
    return zlib.compress(text.encode("ascii"), 1)


def unpack(data: bytes) -> list[Runs] | None:
    """Invert `pack`."""
    if not data:
        return None
    lines: list[Runs] = []
    for line in zlib.decompress(data).decode("ascii").split("\n"):
        runs: Runs = []
        for item in line.split():
            name, length = item.split(":")
            runs.append((name, int(length)))
        lines.append(runs)
    return lines
