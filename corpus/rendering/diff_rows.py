"""One file's diff as HTML: unified or split, with gaps that expand, in parts that load when they come into sight.

A row is built by joining strings, since a template per row costs more than the rest of the page. Everything that comes
from a file passes `line_html`, which escapes it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Literal

from django.utils.safestring import SafeString, mark_safe

from corpus.domain.change_kinds import HIDDEN_KINDS, ChangeKind, kind_of_all, kind_of_change
from corpus.domain.intraline import Span, changed_spans
from corpus.domain.moves import MOST_LINES, ChangedLine, Move, find_moves, moves_by_line
from corpus.domain.pairing import pair_block, side_by_side
from corpus.domain.vocabulary import Side
from corpus.rendering.highlight import Runs
from corpus.rendering.lines import line_html

# Named, since a page of ASCII alone is held and sent at a fraction of the cost; so are the signs in its templates.
MINUS = "&minus;"
# Rows of a hunk that are drawn with the file; what follows is loaded in parts, small enough that laying one out does
# not hold up the browser while a person types.
FIRST_PART = 400
PART = 100
# Unchanged lines that one press shows at most.
MOST_CONTEXT = 1_000
# Characters of a line that are drawn at once, and that one press adds.
LONG_LINE = 3_000
LINE_PIECE = 6_000
# Characters shown before the first change of a line that is cut.
LEAD_IN = 40
# The height of a row in pixels at the usual code size: what is not loaded yet keeps about its space.
ROW_HEIGHT = 20

Layout = Literal["unified", "split"]
LAYOUTS: tuple[Layout, ...] = ("unified", "split")
HEADS = {
    "unified": ("Old line", "New line", "Change", "Code"),
    "split": ("Old line", "Change", "Old code", "New line", "Change", "New code"),
    "plain": ("Line", "Change", "Code"),
}
LinePlace = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the diff: its number on each side (None where it is not), and whether its file ends there openly."""

    old: int | None
    new: int | None
    no_eol: bool = False


class ShownLines:
    """The lines of one side that a patch shows, by number; runs of lines, which need less memory than a dictionary."""

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._runs: list[list[str]] = []

    def __len__(self) -> int:
        """Return how many lines are shown."""
        return sum(map(len, self._runs))

    def add(self, number: int, line: str) -> None:
        """Add a line behind all that were added before."""
        if self._runs and number == self._firsts[-1] + len(self._runs[-1]):
            self._runs[-1].append(line)
        else:
            self._firsts.append(number)
            self._runs.append([line])

    def line(self, number: int) -> str:
        """Return a line; KeyError where the patch does not show it."""
        at = bisect_right(self._firsts, number) - 1
        if at < 0 or number - self._firsts[at] >= len(self._runs[at]):
            raise KeyError(number)
        return self._runs[at][number - self._firsts[at]]


@dataclass(frozen=True)
class SideText:
    """Text and colours of one side, by line number from 1. A pasted patch knows only the lines it shows."""

    lines: ShownLines | list[str]
    runs: list[Runs] | None = None
    encoding: str = "UTF-8"

    def text(self, number: int) -> str:
        """Return the line's text without its newline."""
        return self.lines[number - 1] if isinstance(self.lines, list) else self.lines.line(number)

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

    `partners` gives the new line that a removed line became, `marks` what changed between the two, `blank` the lines
    that changed in white space alone, `moves` the move that a line belongs to. `kind` says how the file changed.
    """

    old: SideText
    new: SideText
    hunks: list[HunkRows]
    old_line_count: int | None = None
    new_line_count: int | None = None
    marks: Mapping[LinePlace, list[Span]] = field(default_factory=dict)
    partners: Mapping[int, int] = field(default_factory=dict)
    blank: frozenset[LinePlace] = frozenset()
    moves: Mapping[tuple[Side, int], Move] = field(default_factory=dict)
    kind: ChangeKind | None = None

    def side(self, name: str) -> SideText:
        """Return the text of a side by its name."""
        return self.old if name == Side.OLD else self.new


@dataclass(frozen=True)
class View:
    """How a file is drawn: its layout, its number in the change, the address of its pieces, and what they are asked.

    Without an address there are no pieces: all rows are drawn at once, and a cut line says what is left out.
    `query` follows the parameters of each piece, such as a language that the person chose; it is escaped already.
    """

    layout: Layout
    position: int
    url: str
    path: str
    query: str = ""
    # Whether lines between the hunks can be had.
    expands: bool = False

    @property
    def columns(self) -> int:
        """How many cells a row has."""
        return len(HEADS[self.layout])


def compared(text: DiffText) -> DiffText:
    """Return the text with the lines of each block paired, their changed words marked, and moves recognised."""
    marks: dict[LinePlace, list[Span]] = {}
    partners: dict[int, int] = {}
    blank: set[LinePlace] = set()
    kinds: list[ChangeKind | None] = []
    removed_lines: list[ChangedLine] = []
    added_lines: list[ChangedLine] = []
    seeks_moves = sum(len(hunk.rows) for hunk in text.hunks) <= MOST_LINES
    for hunk in text.hunks:
        for removed, added in blocks(hunk.rows):
            old_numbers = [row.old for row in removed if row.old is not None]
            new_numbers = [row.new for row in added if row.new is not None]
            old_lines = [text.old.text(number) for number in old_numbers]
            new_lines = [text.new.text(number) for number in new_numbers]
            if seeks_moves:
                removed_lines += map(ChangedLine, [0] * len(old_lines), old_numbers, old_lines)
                added_lines += map(ChangedLine, [0] * len(new_lines), new_numbers, new_lines)
            opens = {"old_open": any(row.no_eol for row in removed), "new_open": any(row.no_eol for row in added)}
            kind = kind_of_change(old_lines, new_lines, **opens)
            kinds.append(kind)
            if kind in HIDDEN_KINDS:
                blank.update(("old", number) for number in old_numbers)
                blank.update(("new", number) for number in new_numbers)
            for i, j in pair_block(old_lines, new_lines) if removed and added else ():
                old_place, new_place = ("old", old_numbers[i]), ("new", new_numbers[j])
                partners[old_numbers[i]] = new_numbers[j]
                marks[old_place], marks[new_place] = _changed(old_lines[i], new_lines[j])
                if kind_of_change([old_lines[i]], [new_lines[j]]) in HIDDEN_KINDS:
                    blank.update((old_place, new_place))
    moves = moves_by_line(find_moves(removed_lines, added_lines), 0)
    return replace(text, marks=marks, partners=partners, blank=frozenset(blank), moves=moves, kind=kind_of_all(kinds))


def _changed(old: str, new: str) -> tuple[list[Span], list[Span]]:
    """Return what changed between two lines; of very long ones, all between the first and the last difference."""
    if max(len(old), len(new)) <= LONG_LINE:
        return changed_spans(old, new)
    start = _common_start(old, new)
    end = _common_start(old[start:][::-1], new[start:][::-1])
    return [(start, len(old) - end)], [(start, len(new) - end)]


def _common_start(one: str, other: str) -> int:
    """Return how many characters two texts begin with in common."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def blocks(rows: Sequence[Row]) -> Iterator[tuple[list[Row], list[Row]]]:
    """Yield each run of removed rows with the added rows that follow it; one of the two may be empty."""
    removed: list[Row] = []
    added: list[Row] = []
    for row in [*rows, Row(0, 0)]:
        if row.old is not None and row.new is None and not added:
            removed.append(row)
        elif row.old is None and row.new is not None:
            added.append(row)
        else:
            if removed or added:
                yield removed, added
            removed, added = ([row], []) if row.old is not None and row.new is None else ([], [])


def whole_file(text: DiffText) -> DiffText:
    """Return the text with every line of both sides in one hunk. Its line counts must be known."""
    assert text.old_line_count is not None
    assert text.new_line_count is not None
    rows: list[Row] = []
    old = new = 1
    for hunk in [*text.hunks, HunkRows("", [], text.old_line_count + 1, text.new_line_count + 1)]:
        while old < hunk.old_first and new < hunk.new_first:
            rows.append(Row(old, new))
            old, new = old + 1, new + 1
        rows += hunk.rows
        old += sum(row.old is not None for row in hunk.rows)
        new += sum(row.new is not None for row in hunk.rows)
    return replace(text, hunks=[HunkRows("", rows, 1, 1)])


# --- Tables -------------------------------------------------------------------------------------------------------


def tables(text: DiffText, view: View) -> SafeString:
    """Return a file's diff as a table, or as several with places for more between them."""
    html: list[str] = [table_open(view.layout, view.path)]
    next_old = next_new = 1
    for index, hunk in enumerate(text.hunks):
        if view.expands and hunk.new_first > next_new:
            html.append(gap_row(next_old, next_new, hunk.new_first - next_new, view))
        if hunk.heading:
            heading = escape(hunk.heading).replace("−", MINUS)
            html.append(f'<tr class="hunk"><td colspan="{view.columns}">{heading}</td></tr>')
        html += rows_html(text, hunk.rows[:FIRST_PART] if view.url else hunk.rows, view)
        if view.url and len(hunk.rows) > FIRST_PART:
            html.append("</tbody></table>")
            for start in range(FIRST_PART, len(hunk.rows), PART):
                count = min(PART, len(hunk.rows) - start)
                address = f"{view.url}part/?hunk={index}&amp;from={start}{view.query}"
                rows = hunk.rows[start : start + PART]
                html.append(holder(address, count, _part_words(rows), _spans(rows)))
            html.append(table_open(view.layout, f"{view.path}, continued"))
        next_old = hunk.old_first + sum(row.old is not None for row in hunk.rows)
        next_new = hunk.new_first + sum(row.new is not None for row in hunk.rows)
    if view.expands and text.hunks and text.new_line_count is not None and text.new_line_count >= next_new:
        html.append(gap_row(next_old, next_new, text.new_line_count - next_new + 1, view))
    if html[-1] == table_open(view.layout, f"{view.path}, continued"):
        html.pop()
    else:
        html.append("</tbody></table>")
    return mark_safe("".join(html))  # noqa: S308 - every piece of file content went through line_html or escape


def part_table(text: DiffText, view: View, hunk: int, start: int) -> SafeString:
    """Return the table of one further part of a hunk, compared within itself; empty beyond its end."""
    rows = text.hunks[hunk].rows[start : start + PART] if hunk < len(text.hunks) else []
    if not rows:
        return SafeString()
    caption = f"{view.path}, {_part_words(rows)}"
    part = compared(replace(text, hunks=[HunkRows("", rows, 1, 1)]))
    html = "".join(rows_html(part, rows, view))
    table = f'<div class="file-part">{table_open(view.layout, caption)}{html}</tbody></table></div>'
    return mark_safe(table)  # noqa: S308 - rows_html escapes


def _spans(rows: Sequence[Row]) -> dict[str, tuple[int, int]]:
    """Return the first and the last line of some rows, new side first; no entry for a side without lines."""
    sides = {
        "new": [row.new for row in rows if row.new is not None],
        "old": [row.old for row in rows if row.old is not None],
    }
    return {side: (numbers[0], numbers[-1]) for side, numbers in sides.items() if numbers}


def _part_words(rows: Sequence[Row]) -> str:
    return " and ".join(f"lines {first} to {last} {side}" for side, (first, last) in _spans(rows).items())


def table_open(kind: str, caption: str) -> str:
    """Return the beginning of a table up to its first row."""
    heads = "".join(f'<th scope="col">{head}</th>' for head in HEADS[kind])
    extra = f" {kind}" if kind != "unified" else ""
    return (
        f'<table class="diff{extra}"><caption class="hidden">{escape(caption)}</caption>'
        f'<thead class="hidden"><tr>{heads}</tr></thead><tbody>'
    )


def holder(address: str, count: int, words: str, spans: Mapping[str, tuple[int, int]]) -> str:
    """Return what keeps the space of rows that viewer.js loads near their turn, and leads to them without script."""
    lines = "".join(f' data-{side}="{first}-{last}"' for side, (first, last) in spans.items())
    return (
        f'<div class="file-part waits"{lines} data-part="{address}">'
        f'<svg width="1" height="{count * ROW_HEIGHT}" aria-hidden="true"></svg>'
        f'<a href="{address}">{escape(words[:1].upper() + words[1:])}</a></div>'
    )


def gap_row(old: int, new: int, count: int, view: View) -> str:
    """Return the row that stands for `count` unchanged lines and expands on request."""
    shown = min(count, MOST_CONTEXT)
    if count > shown:
        words = f"{shown} of {count} unchanged lines"
    else:
        words = f"All {count} unchanged lines" if count > 1 else "The unchanged line"
    query = f"{view.url}lines/?old={old}&amp;new={new}&amp;count={count}"

    def button(show: int, at: str, text: str, extra: str = "") -> str:
        return (
            f'<button type="button"{extra} hx-get="{query}&amp;show={show}&amp;at={at}{view.query}"'
            f' hx-target="closest tr" hx-swap="outerHTML">{text}</button>'
        )

    buttons = ""
    if count > 20:
        buttons = button(20, "start", "&darr; 20") + " " + button(20, "end", "&uarr; 20") + " "
    buttons += button(shown, "start", words, ' class="expand-all"')
    return f'<tr class="gap"><td colspan="{view.columns}">{buttons}</td></tr>'


def context_rows(text: DiffText, view: View, *, old: int, new: int, count: int, show: int, at: str) -> SafeString:
    """Return `show` rows of a gap of `count` lines that begins at `old`/`new`, and the gap that is left."""
    show = min(show, count, MOST_CONTEXT)
    skipped = count - show
    first = skipped if at == "end" else 0
    html = rows_html(text, [Row(old + first + i, new + first + i) for i in range(show)], view)
    if skipped:
        ahead = 0 if at == "end" else show
        left = gap_row(old + ahead, new + ahead, skipped, view)
        html = [left, *html] if at == "end" else [*html, left]
    return mark_safe("".join(html))  # noqa: S308 - rows_html escapes


def plain_tables(text: SideText, side: str, path: str, url: str, first: int = 1) -> SafeString:
    """Return lines of a whole file of the snapshot, with the numbers of its side, from line `first` on.

    The first answer holds places for all that follows; `url` serves them, and is escaped and has a query already.
    """
    count = len(text.lines)
    last = min(count, first + (FIRST_PART if first == 1 else PART) - 1)
    rows = [
        f'<tr class="ctx">{_number(side, number, side)}<td class="s"></td>'
        f'<td class="c">{_code(text, number, (), url)}</td></tr>'
        for number in range(first, last + 1)
    ]
    caption = path if first == 1 else f"{path}, lines {first} to {last}"
    html = f"{table_open('plain', caption)}{''.join(rows)}</tbody></table>"
    if first > 1:
        html = f'<div class="file-part">{html}</div>'
    else:
        for start in range(last + 1, count + 1, PART):
            stop = min(count, start + PART - 1)
            words = f"lines {start} to {stop}"
            html += holder(f"{url}&amp;first={start}", stop - start + 1, words, {side: (start, stop)})
    return mark_safe(html)  # noqa: S308 - line_html escapes


# --- Rows ---------------------------------------------------------------------------------------------------------


def rows_html(text: DiffText, rows: Sequence[Row], view: View) -> list[str]:
    """Return the HTML of rows in the asked layout."""
    if view.layout == "split":
        return _split_rows(text, rows, view)
    return [_unified_row(text, row, view) for row in rows]


def _number(side: str, number: int, words: str, state: str = "") -> str:
    return (
        f'<td class="{side[0]}{state}"><button class="ln" tabindex="-1" data-side="{side}" data-line="{number}">'
        f"{number}<i> {words}</i></button></td>"
    )


def _words(text: DiffText, side: str, number: int, state: str) -> str:
    """Return what a screen reader hears of a line after its number."""
    words = side + (f", {state}" if state else "")
    if (side, number) in text.blank:
        words += ", white space only"
    move = text.moves.get((Side(side), number)) if text.moves else None
    if move is not None:
        words += f", moved {'to' if side == 'old' else 'from'} {_other_end(move, side, number)}"
    return words


def _other_end(move: Move, side: str, number: int) -> int:
    return move.new_first + number - move.old_first if side == "old" else move.old_first + number - move.new_first


def _cell(text: DiffText, side: str, number: int, state: str, view: View) -> str:
    """Return the code cell of a line; `state` is the class of its cell in the split layout."""
    address = f"{view.url}line/?side={side}{view.query}" if view.url else ""
    code = _code(text.side(side), number, text.marks.get((side, number), ()), address)
    move = text.moves.get((Side(side), number)) if text.moves else None
    if move is None:
        return f'<td class="c{state}">{code}</td>'
    first = move.old_first if side == "old" else move.new_first
    return f'<td class="c{state} moved">{_move_link(move, side, view) if number == first else ""}{code}</td>'


def _move_link(move: Move, side: str, view: View) -> str:
    to = "new" if side == "old" else "old"
    line = move.new_first if side == "old" else move.old_first
    words = f"moved to {line}" if side == "old" else f"moved from {line}"
    at = f"{view.position}-{to}-{line}"
    return f'<a class="line-note" href="?at={at}#file-{view.position}" data-at="{at}">{words}</a>'


def _code(source: SideText, number: int, marks: Sequence[Span], url: str) -> str:
    """Return a line's HTML; of a very long one the piece around its first change, with what shows more of it."""
    line = source.text(number)
    if len(line) <= LONG_LINE:
        return source.html(number, marks)
    start = max(0, marks[0][0] - LEAD_IN) if marks and marks[0][0] > LONG_LINE // 2 else 0
    end = min(len(line), start + LONG_LINE)
    clipped = [
        (max(first, start) - start, min(last, end) - start) for first, last in marks if first < end and last > start
    ]
    html = line_html(line[start:end], None, [span for span in clipped if span[0] < span[1]])
    address = f"{url}&amp;line={number}" if url else ""
    return more_before(address, start) + html + more_after(address, end, len(line))


def more_before(address: str, start: int) -> str:
    """Return the button for what a cut line holds before `start`."""
    return _more(address, f"&amp;to={start}", f"{start:,} characters before") if start else ""


def more_after(address: str, end: int, length: int) -> str:
    """Return the button for what a cut line holds from `end` on."""
    return _more(address, f"&amp;from={end}", f"{length - end:,} characters more") if end < length else ""


def _more(address: str, query: str, words: str) -> str:
    if not address:
        return f'<span class="cut">{words}</span>'
    return f'<button class="cut" hx-get="{address}{query}" hx-swap="outerHTML">{words}</button>'


def line_piece(line: str, address: str, *, start: int | None, end: int | None) -> SafeString:
    """Return the next piece of a cut line from `start` on, or the one before `end`."""
    if start is not None:
        stop = min(len(line), start + LINE_PIECE)
        html = line_html(line[start:stop], None) + more_after(address, stop, len(line))
    else:
        stop = min(len(line), end or 0)
        begin = max(0, stop - LINE_PIECE)
        html = more_before(address, begin) + line_html(line[begin:stop], None)
    return mark_safe(html)  # noqa: S308 - line_html escapes


def _unified_row(text: DiffText, row: Row, view: View) -> str:
    if row.old is not None and row.new is not None:
        cells = _number("old", row.old, "old") + _number("new", row.new, "new")
        html = f'<tr class="ctx">{cells}<td class="s"></td>{_cell(text, "new", row.new, "", view)}</tr>'
    elif row.old is not None:
        state = "del w" if ("old", row.old) in text.blank else "del"
        cells = _number("old", row.old, _words(text, "old", row.old, "removed")) + '<td class="n"></td>'
        html = f'<tr class="{state}">{cells}<td class="s"></td>{_cell(text, "old", row.old, "", view)}</tr>'
    else:
        assert row.new is not None
        state = "add w" if ("new", row.new) in text.blank else "add"
        cells = '<td class="o"></td>' + _number("new", row.new, _words(text, "new", row.new, "added"))
        html = f'<tr class="{state}">{cells}<td class="s"></td>{_cell(text, "new", row.new, "", view)}</tr>'
    return html + _no_newline(row, view) if row.no_eol else html


def _no_newline(row: Row, view: View) -> str:
    side = "" if row.old is not None and row.new is not None else (" (new)" if row.old is None else " (old)")
    return f'<tr class="meta"><td colspan="{view.columns}">No newline at end of file{side}</td></tr>'


def _split_rows(text: DiffText, rows: Sequence[Row], view: View) -> list[str]:
    html: list[str] = []
    index = 0
    while index < len(rows):
        row = rows[index]
        if row.old is not None and row.new is not None:
            sides = _split_side(text, "old", row.old, "", view) + _split_side(text, "new", row.new, "", view)
            html.append(f'<tr class="ctx">{sides}</tr>')
            if row.no_eol:
                html.append(_no_newline(row, view))
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
            blank = _is_blank(text, (("old", old), ("new", new)))
            sides = _split_side(text, "old", old, "del", view) + _split_side(text, "new", new, "add", view)
            html.append(f'<tr class="w">{sides}</tr>' if blank else f"<tr>{sides}</tr>")
        html += [_no_newline(row, view) for row in [*removed, *added] if row.no_eol]
    return html


def _is_blank(text: DiffText, places: Iterable[tuple[str, int | None]]) -> bool:
    return bool(text.blank) and all(number is None or (side, number) in text.blank for side, number in places)


def _split_side(text: DiffText, side: str, number: int | None, state: str, view: View) -> str:
    if number is None:
        return f'<td class="{side[0]} void"></td><td class="s void"></td><td class="c void"></td>'
    words = _words(text, side, number, {"": "", "del": "removed", "add": "added"}[state])
    extra = f" {state}" if state else ""
    cell = _number(side, number, words, extra)
    return f'{cell}<td class="s{extra}"></td>{_cell(text, side, number, extra, view)}'
