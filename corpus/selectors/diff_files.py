"""One file of a change, ready to be drawn."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from urllib.parse import quote

from django.db import transaction
from django.db.models import F, Prefetch, Q, QuerySet
from django.utils.safestring import SafeString

from corpus.domain.change_kinds import LineEnds, line_ends
from corpus.domain.diff import section_hunks
from corpus.models import Blob, Case, CaseFile, CaseHunk
from corpus.querysets.prepared import Slot, prepared
from corpus.rendering import diff_rows
from corpus.rendering.diff_rows import DiffText, HunkRows, Layout, Row, ShownLines, SideText, View
from corpus.rendering.drawn import ADDRESS, Drawn, drawn_files, keep_drawn
from corpus.rendering.highlight import HighlightStore
from corpus.rendering.notebooks import notebook_lines
from corpus.rendering.text import BIDI, INVISIBLE, decode, decode_line
from corpus.selectors.file_heads import NOTEBOOK, FileHead, head_of, shows_as_image
from corpus.selectors.quotes import section_of
from corpus.selectors.trees import SUBMODULE, SYMLINK

LINE_END_WORDS = {LineEnds.LF: "LF", LineEnds.CRLF: "CR LF", LineEnds.MIXED: "LF and CR LF mixed"}
# Changed lines that a preview draws; it has no pieces that load later.
PREVIEW_LINES = 5_000
BIDI_WARNING = (
    "These lines hold bidirectional control characters, which can make code read otherwise than it runs; each is shown "
    "as a mark."
)
BOTH_SIDES = ("old", "new")
# Invisible characters that are told besides bidirectional ones; a CR shows as a mark and is told as a line end.
UNSEEN = re.compile(f"(?!{BIDI.pattern})(?!\\r){INVISIBLE.pattern}")


@dataclass(frozen=True)
class ImageSide:
    """One side of a changed image; `url` is empty where the side has none."""

    side: str
    url: str


@dataclass(frozen=True)
class FileBody:
    """A file's diff: its tables, its two images, or the note that stands in their place."""

    head: FileHead
    html: SafeString | None
    notes: tuple[str, ...]
    is_closed: bool = False
    can_expand: bool = False
    images: tuple[ImageSide, ...] = ()
    warning: str = ""


@dataclass(frozen=True)
class Wanted:
    """How a file is asked for: its layout, and what departs from how everybody's files are first drawn."""

    layout: Layout
    # All lines of both sides instead of the hunks.
    is_whole: bool = False
    # The lexer that the person chose; None leaves it to the file.
    lexer: str | None = None

    @property
    def is_usual(self) -> bool:
        """Say whether the drawing is one that is kept for everybody."""
        return not self.is_whole and self.lexer is None

    @property
    def query(self) -> str:
        """What the address of every further piece ends with; escaped."""
        whole = "&amp;whole=1" if self.is_whole else ""
        return whole + ("" if self.lexer is None else f"&amp;as={quote(self.lexer, safe='')}")


def file_url(base_url: str, file: CaseFile) -> str:
    """Return the address below which the pieces of a file are served."""
    return f"{base_url}files/{file.position}/"


def expands(file: CaseFile) -> bool:
    """Say whether lines between the hunks can be had: where whole contents of both sides are known."""
    return bool(file.new_blob_id and file.old_blob_id)


def view_of(file: CaseFile, wanted: Wanted, url: str) -> View:
    """Return how a file's rows are drawn."""
    return View(
        layout=wanted.layout,
        position=file.position,
        url=url,
        path=file.new_path_text or file.old_path_text,
        query=wanted.query,
        expands=expands(file),
    )


@prepared
def files_of_case(case: Slot) -> QuerySet[CaseFile]:
    """The files of a case in patch order, without any content."""
    unread = ("old_path", "new_path", "patch_offset", "patch_length")
    files = CaseFile.objects.filter(case_id=case).order_by("position").defer(*unread)
    return files.annotate(old_longest=F("old_blob__longest_line"), new_longest=F("new_blob__longest_line"))


def changed_files(case: Case) -> list[CaseFile]:
    """Return a case's files in patch order, by one query that reads no content."""
    return files_of_case.all(case=case.pk)


def file_bodies(case: Case, files: Sequence[CaseFile], *, wanted: Wanted, base_url: str) -> dict[int, FileBody]:
    """Return the diffs of files of one case by primary key, in a number of queries that does not grow with them.

    Content is read only of files that were never drawn in this way.
    """
    drawn = drawn_files(case, files, wanted.layout) if files and wanted.is_usual else {}
    # What was kept has all its bytes; of the others some may be withdrawn.
    others = [file.pk for file in files if file.pk not in drawn]
    withdrawn = withdrawn_sides(others) if others else {}
    missing = [file.pk for file in files if file.pk not in drawn and not file.is_binary]
    if missing:
        drawn |= draw_files(case, missing, wanted)
    return {file.pk: _body(file, drawn.get(file.pk), withdrawn.get(file.pk, ()), base_url) for file in files}


def preview_bodies(
    patch: bytes, files: Sequence[CaseFile], hunks: Sequence[Sequence[CaseHunk]], *, layout: Layout
) -> list[FileBody]:
    """Return the diffs of a change that is not stored, drawn at once; files beyond `PREVIEW_LINES` stay closed."""
    # Parsing a section again asks for the patch of its case.
    case = Case(patch=Blob(data=patch))
    wanted = Wanted(layout)
    bodies: list[FileBody] = []
    shown = 0
    for file, held in zip(files, hunks, strict=True):
        file.case = case
        head = head_of(file)
        shown += file.added + file.removed
        if shown > PREVIEW_LINES and bodies:
            head = replace(head, closed_because=f"more than {PREVIEW_LINES:,} changed lines before it")
            bodies.append(FileBody(head, None, (), is_closed=True))
            continue
        text = _from_patch(file, held) if held and not file.is_binary else None
        bodies.append(_body(file, None if text is None else _draw(file, text, wanted, ""), (), ""))
    return bodies


def withdrawn_sides(wanted: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Return the sides of files whose bytes were withdrawn, by primary key; both, where the patch was all there was."""
    rows = CaseFile.objects.filter(pk__in=wanted).filter(
        Q(old_blob__withdrawn_at__isnull=False)
        | Q(new_blob__withdrawn_at__isnull=False)
        | Q(old_blob__isnull=True, new_blob__isnull=True, case__patch__withdrawn_at__isnull=False)
    )
    return {
        key: tuple(side for side, at in (("old", old), ("new", new)) if at is not None) or BOTH_SIDES
        for key, old, new in rows.values_list("pk", "old_blob__withdrawn_at", "new_blob__withdrawn_at")
    }


def draw_files(case: Case, keys: Sequence[int], wanted: Wanted) -> dict[int, Drawn]:
    """Draw files of one case, by primary key; no rows for a file whose content does not change.

    What every reader would be shown is kept, drawings and colours in one transaction.
    """
    full = list(
        CaseFile.objects.filter(pk__in=keys)
        .select_related("old_blob", "new_blob")
        .prefetch_related(Prefetch("hunks", CaseHunk.objects.order_by("position")))
    )
    store = HighlightStore(blob for file in full for blob in (file.old_blob, file.new_blob) if blob is not None)
    drawn = {}
    for file in full:
        file.case = case
        text = diff_text(file, store, wanted)
        drawn[file.pk] = Drawn("", has_bidi=False) if text is None else _draw(file, text, wanted, ADDRESS)
    with transaction.atomic():
        store.keep()
        if wanted.is_usual:
            keep_drawn(drawn, wanted.layout)
    return drawn


def _draw(file: CaseFile, text: DiffText, wanted: Wanted, url: str) -> Drawn:
    """Draw a file's text: what is to be said of it, then its tables, whose further pieces are below `url`."""
    text = diff_rows.compared(text)
    shown = _shown_lines(text)
    notes = "".join(file_note(note) for note in _content_notes(file, text, shown, wanted))
    html = notes + diff_rows.tables(text, view_of(file, wanted, url))
    return Drawn(html, any(BIDI.search(line) for line in shown))


def _body(file: CaseFile, drawn: Drawn | None, withdrawn: tuple[str, ...], base_url: str) -> FileBody:
    head = head_of(file)
    notes = _notes(file, withdrawn)
    if file.is_binary:
        images = _images(file, withdrawn, base_url)
        return FileBody(head, None, tuple(notes if images else (*notes, "Binary files differ.")), images=images)
    if drawn is None or not drawn.html:
        return FileBody(head, None, tuple(notes or ("Nothing of the content changed.",)))
    warning = BIDI_WARNING if drawn.has_bidi else ""
    html = drawn.at(file_url(base_url, file))
    return FileBody(head, html, tuple(notes), can_expand=expands(file), warning=warning)


def _images(file: CaseFile, withdrawn: tuple[str, ...], base_url: str) -> tuple[ImageSide, ...]:
    """Return both sides of a changed image; none where its bytes are not here or no browser shows such a file."""
    sides = (("old", file.old_path_text, file.old_blob_id), ("new", file.new_path_text, file.new_blob_id))
    if withdrawn or not any(blob for _, _, blob in sides):
        return ()
    if not all(shows_as_image(path) for _, path, blob in sides if blob):
        return ()
    return tuple(
        ImageSide(side, f"{base_url}image/{side}/?path={quote(path, safe='')}" if blob else "")
        for side, path, blob in sides
    )


def _notes(file: CaseFile, withdrawn: tuple[str, ...]) -> list[str]:
    """Return what is said of a file without its content."""
    notes = []
    if file.similarity is not None and file.status in {"renamed", "copied"}:
        notes.append(f"{file.status.capitalize()}, {file.similarity} % alike.")
    if SYMLINK in (file.old_mode, file.new_mode):
        notes.append("The text of a symbolic link is the path that it leads to.")
    if SUBMODULE in (file.old_mode, file.new_mode):
        notes.append("A submodule: its text names the commit of another repository.")
    notes += [f"The {side} content was withdrawn; only its digest is kept." for side in withdrawn]
    has_text = not file.is_binary and SUBMODULE not in (file.old_mode, file.new_mode)
    if file.old_blob_id is None and file.new_blob_id is None and has_text and not withdrawn:
        notes.append("Only the patch is known: colours come from these lines alone, and context cannot be expanded.")
    return notes


def _content_notes(file: CaseFile, text: DiffText, shown: Sequence[str], wanted: Wanted) -> Iterator[str]:
    """Yield what is said of a file's content: how it changed where no letter did, and what cannot be seen in it."""
    if text.kind is not None and text.kind.sentence:
        yield text.kind.sentence
    if file.old_blob is not None and file.new_blob is not None:
        before, after = line_ends(bytes(file.old_blob.data)), line_ends(bytes(file.new_blob.data))
        if before is not after and LineEnds.NONE not in (before, after):
            yield f"Line ends changed: {LINE_END_WORDS[before]} before, {LINE_END_WORDS[after]} now."
    if NOTEBOOK.search(file.new_path_text or file.old_path_text) and wanted.lexer is None:
        yield "Lines of cells are shown as the text they stand for; choose JSON as the language to see the file itself."
    hidden = sum(len(UNSEEN.findall(line)) for line in shown)
    if hidden:
        yield f"{hidden} invisible character{'s' if hidden > 1 else ''} in these lines; each is shown as a mark."
    if {text.old.encoding, text.new.encoding} != {"UTF-8"}:
        yield "Not UTF-8: each byte is shown as the Latin-1 character of its number."


def file_note(text: str) -> str:
    """Return a note above a file's rows."""
    return f'<div class="file-note">{escape(text)}</div>'


def _shown_lines(text: DiffText) -> list[str]:
    return [
        text.new.text(row.new) if row.new is not None else text.old.text(row.old or 0)
        for hunk in text.hunks
        for row in hunk.rows
    ]


def diff_text(file: CaseFile, store: HighlightStore, wanted: Wanted) -> DiffText | None:
    """Return the text of a file's hunks, from whole blobs where they are stored, else from the patch.

    None where nothing of the content changed, and where bytes of it were withdrawn.
    """
    text = _stored_text(file, store, wanted.lexer)
    if text is None:
        return None
    if wanted.is_whole and text.old_line_count is not None:
        return diff_rows.whole_file(text)
    return text


def _stored_text(file: CaseFile, store: HighlightStore, lexer: str | None) -> DiffText | None:
    hunks = sorted(file.hunks.all(), key=lambda hunk: hunk.position)
    blobs = [blob for blob in (file.old_blob, file.new_blob) if blob is not None]
    if not hunks or any(blob.withdrawn_at is not None for blob in blobs):
        return None
    if file.old_blob is None and file.new_blob is None:
        return _from_patch(file, hunks)
    old, old_open = _side_of(file.old_blob, file.old_path_text, store, lexer)
    new, new_open = _side_of(file.new_blob, file.new_path_text, store, lexer)
    old_count, new_count = len(old.lines), len(new.lines)
    shaped = [
        HunkRows(
            _heading(hunk),
            rows_of(hunk, old_count if old_open else None, new_count if new_open else None),
            hunk.old_start if hunk.old_count else hunk.old_start + 1,
            hunk.new_start if hunk.new_count else hunk.new_start + 1,
        )
        for hunk in hunks
    ]
    return DiffText(old, new, shaped, old_count, new_count)


def rows_of(hunk: CaseHunk, old_last_open: int | None, new_last_open: int | None) -> list[Row]:
    """Return the rows of a stored hunk. The `..._open` numbers are a side's last line where it lacks its newline."""
    rows: list[Row] = []
    old = hunk.old_start if hunk.old_count else hunk.old_start + 1
    new = hunk.new_start if hunk.new_count else hunk.new_start + 1
    for kind in hunk.kinds:
        if kind == " ":
            rows.append(Row(old, new, old == old_last_open and new == new_last_open))
        elif kind == "-":
            rows.append(Row(old, None, old == old_last_open))
        else:
            rows.append(Row(None, new, new == new_last_open))
        old += kind in " -"
        new += kind in " +"
    return rows


def _heading(hunk: CaseHunk) -> str:
    section = bytes(hunk.section).decode("utf-8", "replace")
    numbers = f"@@ −{hunk.old_start},{hunk.old_count} +{hunk.new_start},{hunk.new_count} @@"
    return f"{numbers} {section}".rstrip()


def _side_of(blob: Blob | None, path: str, store: HighlightStore, lexer: str | None) -> tuple[SideText, bool]:
    """Return a side's text, and whether its last line lacks a newline."""
    if blob is None:
        return SideText([]), False
    text = decode(bytes(blob.data))
    if lexer is None and NOTEBOOK.search(path) and (shown := notebook_lines(text)) is not None:
        return SideText(*shown, text.encoding), not text.ends_with_newline and bool(text.lines)
    runs = store.runs(blob, text, path.rpartition("/")[2], lexer)
    return SideText(text.lines, runs, text.encoding), not text.ends_with_newline and bool(text.lines)


def _from_patch(file: CaseFile, hunks: Sequence[CaseHunk]) -> DiffText | None:
    patch = file.case.patch
    if patch is None or patch.withdrawn_at is not None:
        return None
    old, new = ShownLines(), ShownLines()
    shaped = []
    for hunk, stored in zip(section_hunks(section_of(patch.data, file)), hunks, strict=True):
        rows = []
        for old_number, new_number, data, no_eol in hunk.take_lines():
            shown = decode_line(data)
            if old_number is not None:
                old.add(old_number, shown)
            if new_number is not None:
                new.add(new_number, shown)
            rows.append(Row(old_number, new_number, no_eol))
        shaped.append(HunkRows(_heading(stored), rows, hunk.old_first, hunk.new_first))
    return DiffText(SideText(old), SideText(new), shaped)
