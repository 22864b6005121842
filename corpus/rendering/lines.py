"""One line of code as HTML: token colours with marks for changed words laid over them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from corpus.domain.intraline import Span
from corpus.rendering.highlight import Runs
from corpus.rendering.text import code_html


def line_html(text: str, runs: Runs | None, marks: Sequence[Span] = ()) -> str:
    """Return the HTML of one line. Tags nest properly whatever the marks: each piece is wrapped on its own."""
    if not runs:
        runs = [("", len(text))] if text else []
    if not marks:
        position = 0
        parts = []
        for name, length in runs:
            parts.append(_wrapped(text[position : position + length], name))
            position += length
        return "".join(parts)
    cuts = sorted({edge for span in marks for edge in span})
    pieces: list[tuple[bool, str]] = []
    position = 0
    for name, length in runs:
        end = position + length
        edges = [position, *(cut for cut in cuts if position < cut < end), end]
        for start, stop in pairwise(edges):
            inside = any(first <= start and stop <= last for first, last in marks)
            pieces.append((inside, _wrapped(text[start:stop], name)))
        position = end
    html = []
    open_mark = False
    for inside, piece in pieces:
        if inside != open_mark:
            html.append("<mark>" if inside else "</mark>")
            open_mark = inside
        html.append(piece)
    if open_mark:
        html.append("</mark>")
    return "".join(html)


def _wrapped(text: str, name: str) -> str:
    html = code_html(text)
    return f'<span class="{name}">{html}</span>' if name else html
