"""One line of code as HTML: token colours with marks for changed words laid over them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from corpus.domain.intraline import Span
from corpus.rendering.highlight import Runs
from corpus.rendering.text import code_html, stands_as_it_is


def line_html(text: str, runs: Runs | None, marks: Sequence[Span] = ()) -> str:
    """Return the HTML of one line. Tags nest properly whatever the marks: each piece is wrapped on its own."""
    if not runs:
        runs = [("", len(text))] if text else []
    # Most lines hold nothing to escape; it is quicker to look once than at each piece.
    html_of = str if stands_as_it_is(text) else code_html
    if not marks:
        position = 0
        parts = []
        for name, length in runs:
            html = html_of(text[position : position + length])
            parts.append(f'<span class="{name}">{html}</span>' if name else html)
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
            html = html_of(text[start:stop])
            pieces.append((inside, f'<span class="{name}">{html}</span>' if name else html))
        position = end
    marked = []
    open_mark = False
    for inside, piece in pieces:
        if inside != open_mark:
            marked.append("<mark>" if inside else "</mark>")
            open_mark = inside
        marked.append(piece)
    if open_mark:
        marked.append("</mark>")
    return "".join(marked)
