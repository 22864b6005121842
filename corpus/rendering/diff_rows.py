"""The rows of one file's diff as HTML: unified or split, with gaps that expand.

A row is built by joining strings, since a template per row costs more than the rest of the page. Everything that comes
from a file passes `line_html`, which escapes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Literal

from django.utils.safestring import SafeString, mark_safe

from corpus.domain.intraline import Span, changed_spans
from corpus.domain.pairing import pair_block, side_by_side
from corpus.rendering.highlight import Runs
from corpus.rendering.lines import line_html

# Named, since a page of ASCII alone is held and sent at a fraction of the cost; so are the signs in its templates.
MINUS = "&minus;"

Layout = Literal["unified", "split"]
LAYOUTS: tuple[Layout, ...] = ("unified", "split")


@dataclass(frozen=True)
class Row:
    """One line of the diff: its number on each side (None where it is not), and whether its file ends there openly."""

    old: int | None
    new: int | None
    no_eol: bool = False


@dataclass(frozen=True)
class SideText:
    """Text and colours of one side, by line number from 1. A pasted patch knows only the lines it shows."""

    lines: dict[int, str] | list[str]
    runs: list[Runs] | None = None

    def text(self, number: int) -> str:
        """Return the line's text without its newline."""
        return self.lines[number] if isinstance(self.lines, dict) else self.lines[number - 1]

    def html(self, number: int, marks: Sequence[Span] = ()) -> str:
        """Return the line's HTML."""
        return line_html(self.text(number), self.runs[number - 1] if self.runs else None, marks)


@dataclass(frozen=True)
class HunkRows:
    """A hunk's heading, its rows in order, and the first line of each side after everything before it."""

    heading: str
    rows: list[Row]
    old_first: int
    new_first: int


@dataclass(frozen=True)
class DiffText:
    """All that is needed to draw one file's diff. `line_counts` are known only where whole blobs are.

    `partners` gives the new line that a removed line became, `marks` what changed between the two.
    """

    old: SideText
    new: SideText
    hunks: list[HunkRows]
    old_line_count: int | None = None
    new_line_count: int | None = None
    marks: dict[tuple[str, int], list[Span]] = field(default_factory=dict)
    partners: dict[int, int] = field(default_factory=dict)


def with_intraline_marks(text: DiffText) -> DiffText:
    """Return the text with the lines of each block paired and their changed words marked."""
    marks: dict[tuple[str, int], list[Span]] = {}
    partners: dict[int, int] = {}
    for hunk in text.hunks:
        for removed, added in blocks(hunk.rows):
            old_lines = [text.old.text(number) for number in removed]
            new_lines = [text.new.text(number) for number in added]
            for i, j in pair_block(old_lines, new_lines):
                partners[removed[i]] = added[j]
                old_spans, new_spans = changed_spans(old_lines[i], new_lines[j])
                marks["old", removed[i]] = old_spans
                marks["new", added[j]] = new_spans
    return DiffText(text.old, text.new, text.hunks, text.old_line_count, text.new_line_count, marks, partners)


def blocks(rows: Sequence[Row]) -> Iterator[tuple[list[int], list[int]]]:
    """Yield each run of removed lines with the added lines that follow it."""
    removed: list[int] = []
    added: list[int] = []
    for row in [*rows, Row(0, 0)]:
        if row.old is not None and row.new is None and not added:
            removed.append(row.old)
        elif row.old is None and row.new is not None:
            added.append(row.new)
        else:
            if removed and added:
                yield removed, added
            removed, added = ([row.old], []) if row.old is not None and row.new is None else ([], [])


def table_body(text: DiffText, layout: Layout, lines_url: str) -> SafeString:
    """Return the rows of the table's body. `lines_url` serves the rows of a gap; empty where there are no blobs."""
    columns = 4 if layout == "unified" else 6
    html: list[str] = []
    next_old = next_new = 1
    expands = bool(lines_url) and text.new_line_count is not None
    for hunk in text.hunks:
        if expands and hunk.new_first > next_new:
            html.append(gap_row(next_old, next_new, hunk.new_first - next_new, columns, lines_url))
        html.append(f'<tr class="hunk"><td colspan="{columns}">{escape(hunk.heading).replace("−", MINUS)}</td></tr>')
        html += rows_html(text, hunk.rows, layout)
        next_old = hunk.old_first + sum(row.old is not None for row in hunk.rows)
        next_new = hunk.new_first + sum(row.new is not None for row in hunk.rows)
    if expands and text.hunks and text.new_line_count is not None and text.new_line_count >= next_new:
        html.append(gap_row(next_old, next_new, text.new_line_count - next_new + 1, columns, lines_url))
    return mark_safe("".join(html))  # noqa: S308 - every piece of file content went through line_html or escape


def gap_row(old: int, new: int, count: int, columns: int, lines_url: str) -> str:
    """Return the row that stands for `count` unchanged lines and expands on request."""
    words = f"All {count} unchanged lines" if count > 1 else "The unchanged line"
    query = f"{lines_url}?old={old}&amp;new={new}&amp;count={count}"
    buttons = ""
    if count > 20:
        buttons = (
            f'<button type="button" hx-get="{query}&amp;show=20&amp;at=start" hx-target="closest tr"'
            f' hx-swap="outerHTML">&darr; 20</button> '
        )
        buttons += (
            f'<button type="button" hx-get="{query}&amp;show=20&amp;at=end" hx-target="closest tr"'
            f' hx-swap="outerHTML">&uarr; 20</button> '
        )
    buttons += (
        f'<button type="button" class="expand-all" hx-get="{query}&amp;show={count}&amp;at=start"'
        f' hx-target="closest tr" hx-swap="outerHTML">{words}</button>'
    )
    return f'<tr class="gap"><td colspan="{columns}">{buttons}</td></tr>'


def rows_html(text: DiffText, rows: Sequence[Row], layout: Layout) -> list[str]:
    """Return the HTML of rows in the asked layout."""
    return _split_rows(text, rows) if layout == "split" else [_unified_row(text, row) for row in rows]


def _number(side: str, number: int, words: str) -> str:
    return (
        f'<td class="{side[0]}"><button class="ln" type="button" tabindex="-1" data-side="{side}" data-line="{number}">'
        f"{number}<i> {words}</i></button></td>"
    )


def _unified_row(text: DiffText, row: Row) -> str:
    if row.old is not None and row.new is not None:
        cells = _number("old", row.old, "old") + _number("new", row.new, "new")
        html = f'<tr class="ctx">{cells}<td class="s"></td><td class="c">{text.new.html(row.new)}</td></tr>'
    elif row.old is not None:
        code = text.old.html(row.old, text.marks.get(("old", row.old), ()))
        cells = _number("old", row.old, "old, removed") + '<td class="n"></td>'
        html = f'<tr class="del">{cells}<td class="s"></td><td class="c">{code}</td></tr>'
    else:
        assert row.new is not None
        code = text.new.html(row.new, text.marks.get(("new", row.new), ()))
        cells = '<td class="o"></td>' + _number("new", row.new, "new, added")
        html = f'<tr class="add">{cells}<td class="s"></td><td class="c">{code}</td></tr>'
    if row.no_eol:
        html += _no_newline(row, 4)
    return html


def _no_newline(row: Row, columns: int) -> str:
    side = "" if row.old is not None and row.new is not None else (" (new)" if row.old is None else " (old)")
    return f'<tr class="meta"><td colspan="{columns}">No newline at end of file{side}</td></tr>'


def _split_rows(text: DiffText, rows: Sequence[Row]) -> list[str]:
    html: list[str] = []
    index = 0
    while index < len(rows):
        row = rows[index]
        if row.old is not None and row.new is not None:
            html.append(
                f'<tr class="ctx">{_split_side(text, "old", row.old, "")}{_split_side(text, "new", row.new, "")}</tr>'
            )
            if row.no_eol:
                html.append(_no_newline(row, 6))
            index += 1
            continue
        removed: list[Row] = []
        added: list[Row] = []
        while index < len(rows) and (rows[index].old is None or rows[index].new is None):
            (removed if rows[index].new is None else added).append(rows[index])
            index += 1
        places = {row.new: at for at, row in enumerate(added)}
        partners = (places.get(text.partners.get(row.old or 0)) for row in removed)
        pairs = [(at, partner) for at, partner in enumerate(partners) if partner is not None]
        for left, right in side_by_side(len(removed), len(added), pairs):
            old = None if left is None else removed[left].old
            new = None if right is None else added[right].new
            html.append(f"<tr>{_split_side(text, 'old', old, 'del')}{_split_side(text, 'new', new, 'add')}</tr>")
        html += [_no_newline(row, 6) for row in [*removed, *added] if row.no_eol]
    return html


def _split_side(text: DiffText, side: str, number: int | None, state: str) -> str:
    if number is None:
        return f'<td class="{side[0]} void"></td><td class="s void"></td><td class="c void"></td>'
    words = side if not state else f"{side}, {'removed' if state == 'del' else 'added'}"
    source = text.old if side == "old" else text.new
    code = source.html(number, text.marks.get((side, number), ()))
    extra = f" {state}" if state else ""
    cell = _number(side, number, words)
    if state:
        cell = cell.replace(f'class="{side[0]}"', f'class="{side[0]}{extra}"', 1)
    return f'{cell}<td class="s{extra}"></td><td class="c{extra}">{code}</td>'


def context_rows(
    text: DiffText, *, old: int, new: int, count: int, show: int, at: str, layout: Layout, lines_url: str
) -> SafeString:
    """Return `show` rows of a gap of `count` lines that begins at `old`/`new`, and the gap that is left."""
    columns = 4 if layout == "unified" else 6
    show = min(show, count)
    skipped = count - show
    first = skipped if at == "end" else 0
    rows = [Row(old + first + i, new + first + i) for i in range(show)]
    html = rows_html(text, rows, layout)
    if skipped:
        left = (
            gap_row(old, new, skipped, columns, lines_url)
            if at == "end"
            else gap_row(old + show, new + show, skipped, columns, lines_url)
        )
        html = [left, *html] if at == "end" else [*html, left]
    return mark_safe("".join(html))  # noqa: S308 - rows_html escapes


def plain_rows(text: SideText, side: str, count: int) -> SafeString:
    """Return the rows of a whole file of the snapshot, with the numbers of its side."""
    html = [
        f'<tr class="ctx">{_number(side, number, side)}<td class="s"></td><td class="c">{text.html(number)}</td></tr>'
        for number in range(1, count + 1)
    ]
    return mark_safe("".join(html))  # noqa: S308 - line_html escapes
