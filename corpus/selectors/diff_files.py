"""One file of a change, ready to be drawn."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Prefetch, Q, QuerySet
from django.utils.safestring import SafeString

from corpus.domain.diff import parse_patch
from corpus.domain.diff_model import DiffFile, PatchRefused
from corpus.models import Blob, Case, CaseFile, CaseHunk
from corpus.querysets.prepared import Slot, prepared
from corpus.rendering import diff_rows
from corpus.rendering.diff_rows import DiffText, HunkRows, Layout, Row, SideText
from corpus.rendering.drawn import GAPS, Drawn, drawn_files, keep_drawn
from corpus.rendering.highlight import HighlightStore
from corpus.rendering.text import BIDI, decode

# A file with more changed lines than this is closed until it is asked for.
LARGE_CHANGE = 1_000
LOCK_FILES = frozenset(
    {
        "Cargo.lock",
        "Gemfile.lock",
        "Pipfile.lock",
        "bun.lockb",
        "composer.lock",
        "go.sum",
        "gradle.lockfile",
        "package-lock.json",
        "pnpm-lock.yaml",
        "poetry.lock",
        "uv.lock",
        "yarn.lock",
    }
)
GENERATED = re.compile(r"(\.pb\.go|_pb2\.py|\.generated\.\w+|\.g\.dart|\.designer\.cs)$")
MINIFIED = re.compile(r"[.-]min\.(js|css|mjs)$")
BOTH_SIDES = ("old", "new")
KINDS = {"120000": "symbolic link", "160000": "submodule", "100755": "executable", "100644": "file"}


@dataclass(frozen=True)
class FileHead:
    """What a file's header and its entry in the tree show; made without reading any content."""

    position: int
    path: str
    old_path: str
    new_path: str
    directory: str
    name: str
    status: str
    badges: tuple[str, ...]
    added: int
    removed: int
    # Why the file is closed until it is asked for; empty where it is open.
    closed_because: str

    @property
    def moved_from(self) -> str:
        """The former path of a renamed or copied file, else empty."""
        return self.old_path if self.old_path and self.new_path and self.old_path != self.new_path else ""


@dataclass(frozen=True)
class FileBody:
    """A file's diff: its rows, or the note that stands in their place."""

    head: FileHead
    rows: SafeString | None
    notes: tuple[str, ...]
    layout: Layout
    is_closed: bool
    can_expand: bool


def file_heads(files: Iterable[CaseFile]) -> list[FileHead]:
    """Return the headers of files in their order. No query."""
    return [head_of(file) for file in files]


def head_of(file: CaseFile) -> FileHead:
    """Return one file's header."""
    path = file.new_path_text or file.old_path_text
    directory, slash, name = path.rpartition("/")
    badges = [] if file.status == "modified" else [file.status]
    if file.old_mode != file.new_mode and file.old_mode and file.new_mode:
        badges.append(f"mode {file.old_mode} → {file.new_mode}")
    kind = KINDS.get(file.new_mode or file.old_mode, "")
    if kind in {"symbolic link", "submodule"}:
        badges.append(kind)
    if file.is_binary:
        badges.append("binary")
    return FileHead(
        position=file.position,
        path=path,
        old_path=file.old_path_text,
        new_path=file.new_path_text,
        directory=directory + slash,
        name=name,
        status=file.status,
        badges=tuple(badges),
        added=file.added,
        removed=file.removed,
        closed_because=closed_because(name, file.added + file.removed),
    )


def closed_because(name: str, changed_lines: int) -> str:
    """Say why a file starts closed, by its last path segment and size; empty for a file that starts open."""
    if name in LOCK_FILES:
        return "lock file"
    if MINIFIED.search(name):
        return "minified"
    if GENERATED.search(name):
        return "generated"
    if changed_lines > LARGE_CHANGE:
        return f"{changed_lines} changed lines"
    return ""


def closed_body(file: CaseFile, layout: Layout) -> FileBody:
    """Return the body of a file that starts closed; reads nothing."""
    return FileBody(head_of(file), None, (), layout, is_closed=True, can_expand=False)


def lines_url(base_url: str, file: CaseFile) -> str:
    """Return where the rows of a file's gaps are served; empty where whole contents of both sides are not known."""
    return f"{base_url}files/{file.position}/lines/" if file.new_blob_id and file.old_blob_id else ""


@prepared
def files_of_case(case: Slot) -> QuerySet[CaseFile]:
    """The files of a case in patch order, without any content."""
    return CaseFile.objects.filter(case_id=case).order_by("position").defer("old_path", "new_path")


def changed_files(case: Case) -> list[CaseFile]:
    """Return a case's files in patch order, by one query that reads no content."""
    return files_of_case.all(case=case.pk)


def file_bodies(case: Case, files: Sequence[CaseFile], *, layout: Layout, base_url: str) -> dict[int, FileBody]:
    """Return the diffs of files of one case by primary key, in a number of queries that does not grow with them.

    Content is read only of files that were never drawn.
    """
    drawn = drawn_files(case, files, layout) if files else {}
    # What was kept has all its bytes; of the others some may be withdrawn.
    others = [file.pk for file in files if file.pk not in drawn]
    withdrawn = withdrawn_sides(others) if others else {}
    missing = [file.pk for file in files if file.pk not in drawn and not file.is_binary]
    if missing:
        fresh = draw_files(case, missing, layout)
        keep_drawn(fresh, layout)
        drawn |= fresh
    return {
        file.pk: _body(file, drawn.get(file.pk), withdrawn.get(file.pk, ()), layout, lines_url(base_url, file))
        for file in files
    }


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


def draw_files(case: Case, wanted: Sequence[int], layout: Layout) -> dict[int, Drawn]:
    """Draw files of one case, by primary key; no rows for a file whose content does not change."""
    full = list(
        CaseFile.objects.filter(pk__in=wanted)
        .select_related("old_blob", "new_blob")
        .prefetch_related(Prefetch("hunks", CaseHunk.objects.order_by("position")))
    )
    store = HighlightStore(blob for file in full for blob in (file.old_blob, file.new_blob) if blob is not None)
    drawn = {}
    for file in full:
        file.case = case
        text = diff_text(file, store)
        if text is None:
            drawn[file.pk] = Drawn("", has_bidi=False)
            continue
        has_bidi = any(BIDI.search(line) for line in _shown_lines(text))
        gaps = GAPS if lines_url("", file) else ""
        html = diff_rows.table_body(diff_rows.with_intraline_marks(text), layout, gaps)
        drawn[file.pk] = Drawn(html, has_bidi)
    return drawn


def _body(file: CaseFile, drawn: Drawn | None, withdrawn: tuple[str, ...], layout: Layout, gaps_url: str) -> FileBody:
    head = head_of(file)
    notes = _notes(file, withdrawn)
    if file.is_binary:
        return FileBody(head, None, (*notes, "Binary files differ."), layout, is_closed=False, can_expand=False)
    if drawn is None or not drawn.html:
        unchanged = () if notes else ("Nothing of the content changed.",)
        return FileBody(head, None, (*notes, *unchanged), layout, is_closed=False, can_expand=False)
    if drawn.has_bidi:
        notes.append("This file holds bidirectional control characters; each is shown as a mark.")
    rows = drawn.rows(gaps_url)
    return FileBody(head, rows, tuple(notes), layout, is_closed=False, can_expand=bool(gaps_url))


def _notes(file: CaseFile, withdrawn: tuple[str, ...]) -> list[str]:
    notes = []
    if file.similarity is not None and file.status in {"renamed", "copied"}:
        notes.append(f"{file.status.capitalize()}, {file.similarity} % alike.")
    notes += [f"The {side} content was withdrawn; only its digest is kept." for side in withdrawn]
    if file.old_blob_id is None and file.new_blob_id is None and not file.is_binary and not withdrawn:
        notes.append("Only the patch is known: colours come from these lines alone, and context cannot be expanded.")
    return notes


def _shown_lines(text: DiffText) -> list[str]:
    return [
        text.new.text(row.new) if row.new is not None else text.old.text(row.old or 0)
        for hunk in text.hunks
        for row in hunk.rows
    ]


def diff_text(file: CaseFile, store: HighlightStore) -> DiffText | None:
    """Return the text of a file's hunks, from whole blobs where they are stored, else from the patch.

    None where nothing of the content changed, and where bytes of it were withdrawn.
    """
    hunks = sorted(file.hunks.all(), key=lambda hunk: hunk.position)
    blobs = [blob for blob in (file.old_blob, file.new_blob) if blob is not None]
    if not hunks or any(blob.withdrawn_at is not None for blob in blobs):
        return None
    if file.old_blob is None and file.new_blob is None:
        return _from_patch(file, hunks)
    old, old_open = _side_of(file.old_blob, file.old_path_text, store)
    new, new_open = _side_of(file.new_blob, file.new_path_text, store)
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


def _side_of(blob: Blob | None, path: str, store: HighlightStore) -> tuple[SideText, bool]:
    """Return a side's text, and whether its last line lacks a newline."""
    if blob is None:
        return SideText([]), False
    text = decode(bytes(blob.data))
    runs = store.runs(blob, text, path.rpartition("/")[2])
    return SideText(text.lines, runs), not text.ends_with_newline and bool(text.lines)


def _from_patch(file: CaseFile, hunks: Sequence[CaseHunk]) -> DiffText | None:
    parsed = parsed_section(file)
    if parsed is None:
        return None
    old: dict[int, str] = {}
    new: dict[int, str] = {}
    shaped = []
    for hunk, stored in zip(parsed.hunks, hunks, strict=True):
        rows = []
        for line in hunk.lines:
            shown = decode(line.text + b"\n").lines[0]
            if line.side_old is not None:
                old[line.side_old] = shown
            if line.side_new is not None:
                new[line.side_new] = shown
            rows.append(Row(line.side_old, line.side_new, line.no_eol))
        shaped.append(
            HunkRows(
                _heading(stored),
                rows,
                hunk.old_start if hunk.old_count else hunk.old_start + 1,
                hunk.new_start if hunk.new_count else hunk.new_start + 1,
            )
        )
    return DiffText(SideText(old), SideText(new), shaped)


def parsed_section(file: CaseFile) -> DiffFile | None:
    """Return the file's own section of the stored patch, parsed again; None where it holds no file."""
    patch = file.case.patch
    if patch is None or patch.withdrawn_at is not None:
        return None
    section = bytes(patch.data)[file.patch_offset : file.patch_offset + file.patch_length]
    try:
        parsed = parse_patch(section)
    except PatchRefused:
        return None
    return parsed.files[0] if parsed.files else None
