"""Syntax highlighting of whole blobs, once per content.

Pygments reads the whole text, so that a string which starts outside a hunk is right inside it. The result is kept as
runs of (token class, length) per line: marks for changed words can then be laid over it without broken markup.
`get_tokens_unprocessed` on a copy with CR replaced keeps every offset; Pygments' own preprocessing would shift lines.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterable
from functools import lru_cache

import pygments
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_for_filename
from pygments.token import STANDARD_TYPES
from pygments.util import ClassNotFound

from corpus.models import Blob, HighlightedBlob
from corpus.rendering.text import DecodedText

MOST_BYTES = 400_000
MOST_LINES = 20_000
LONGEST_LINE = 2_000
MOST_SECONDS = 2.0

Runs = list[tuple[str, int]]
VERSION = pygments.__version__


@lru_cache(maxsize=2048)
def lexer_name(file_name: str) -> str:
    """Return the alias of the lexer for a file's last path segment; empty for plain text."""
    try:
        lexer = get_lexer_for_filename(file_name)
    except ClassNotFound:
        return ""
    return lexer.aliases[0] if lexer.aliases else ""


@lru_cache(maxsize=64)
def _lexer(name: str) -> Lexer:
    return pygments.lexers.get_lexer_by_name(name, stripnl=False, ensurenl=False, encoding=None)


@lru_cache(maxsize=4096)
def _css_class(token: object) -> str:
    while token not in STANDARD_TYPES:
        token = token.parent  # type: ignore[attr-defined]
    return STANDARD_TYPES[token]  # type: ignore[index]


def highlight(text: DecodedText, lexer: str) -> list[Runs] | None:
    """Return the runs of each line, or None where the text is over a limit or the lexer fails."""
    if not lexer or len(text.lines) > MOST_LINES:
        return None
    if sum(map(len, text.lines)) > MOST_BYTES or max(map(len, text.lines), default=0) > LONGEST_LINE:
        return None
    source = "\n".join(text.lines) + "\n"
    lines: list[Runs] = [[]]
    deadline = time.monotonic() + MOST_SECONDS
    position = 0
    try:
        for offset, token, value in _lexer(lexer).get_tokens_unprocessed(source.replace("\r", " ")):
            if offset != position or time.monotonic() > deadline:
                return None
            position += len(value)
            name = _css_class(token)
            first, *rest = value.split("\n")
            if first:
                lines[-1].append((name, len(first)))
            for part in rest:
                lines.append([(name, len(part))] if part else [])
    except Exception:  # a lexer's fault must cost colours, never the page
        return None
    if lines and not lines[-1]:
        lines.pop()
    if [sum(length for _, length in runs) for runs in lines] != [len(line) for line in text.lines]:
        return None
    return lines


class HighlightStore:
    """Highlighting of some blobs: what is stored is read by one query, what is missing is made and stored."""

    def __init__(self, blobs: Iterable[Blob]) -> None:
        digests = {blob.sha256 for blob in blobs}
        rows = HighlightedBlob.objects.filter(blob_sha256__in=digests, version=VERSION) if digests else ()
        self._stored = {(row.blob_sha256, row.lexer): bytes(row.runs) for row in rows}

    def runs(self, blob: Blob, text: DecodedText, file_name: str) -> list[Runs] | None:
        """Return the runs of each line of a blob; None means plain text."""
        name = lexer_name(file_name)
        if not name:
            return None
        stored = self._stored.get((blob.sha256, name))
        if stored is None:
            stored = self._stored[blob.sha256, name] = pack(highlight(text, name))
            HighlightedBlob.objects.bulk_create(
                [HighlightedBlob(blob_sha256=blob.sha256, lexer=name, version=VERSION, runs=stored)],
                ignore_conflicts=True,
            )
        return unpack(stored)


def pack(runs: list[Runs] | None) -> bytes:
    """Return runs as compact bytes; no bytes for plain text."""
    if runs is None:
        return b""
    text = "\n".join(" ".join(f"{name}:{length}" for name, length in line) for line in runs)
    return zlib.compress(text.encode("ascii"))


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
