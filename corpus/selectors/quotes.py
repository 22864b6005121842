"""Places bound to bytes: which blob the lines count in, and the exact bytes they quote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from corpus.domain.anchors import quote_digest
from corpus.domain.bytestext import split_lines, text_path
from corpus.domain.diff import section_hunks
from corpus.domain.vocabulary import Side
from corpus.models import Blob, Case, CaseFile
from corpus.selectors.trees import find_file

# The readable quote is for people; beyond this the lines themselves are a click away. The hash covers all of them.
MAX_QUOTE = 20_000


class PlaceRefused(Exception):
    """A place does not exist in the case; the message is one sentence for the person."""


@dataclass(frozen=True)
class Quote:
    """Quoted lines: SHA-256 of their exact bytes, the same as readable text, and the blob they count in (if any)."""

    blob_sha256: str
    quote_sha256: str
    text: str


@dataclass(frozen=True)
class SideFile:
    """One side of a file of a case. `lines` maps the numbers that may be quoted to their bytes, line end included."""

    blob_sha256: str
    lines: Mapping[int, bytes]
    # Why lines cannot be quoted; empty when they can.
    reason: str = ""
    is_whole: bool = True


def readable(data: bytes) -> str:
    """Return bytes as text for people: UTF-8, else Latin-1; NUL, which no database takes in text, becomes U+2400."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    text = text.replace("\0", "\u2400")
    return text if len(text) <= MAX_QUOTE else text[:MAX_QUOTE] + "…"


def section_of(patch: bytes | memoryview, file: CaseFile) -> bytes:
    """Return a file's own section of the stored patch."""
    return bytes(memoryview(patch)[file.patch_offset : file.patch_offset + file.patch_length])


class CaseText:
    """The text of one case by path and side, each file read at most once.

    Whoever reads many cases passes the case's files and the blobs (by primary key) that were loaded for all of them.
    """

    def __init__(
        self, case: Case, *, files: Sequence[CaseFile] | None = None, blobs: Mapping[int, Blob] | None = None
    ) -> None:
        self.case = case
        self._files = files
        self._blobs = blobs or {}
        self._sides: dict[tuple[str, Side], SideFile] = {}

    def side_file(self, path: str, side: Side) -> SideFile:
        """Return one side of a file of the change or of the snapshot; PlaceRefused when the case has no such file."""
        key = (path, side)
        if key not in self._sides:
            self._sides[key] = self._find(path, side)
        return self._sides[key]

    def quote(self, path: str, side: Side, first: int, last: int) -> Quote:
        """Return what lines `first` to `last` say; PlaceRefused when one of them is not there or not shown."""
        file = self.side_file(path, side)
        if file.reason:
            raise PlaceRefused(f"{path}, {side} side: {file.reason}; name the whole file instead.")
        lines = []
        for number in range(first, last + 1):
            if number not in file.lines:
                raise PlaceRefused(self._no_line(file, path, side, number))
            lines.append(file.lines[number])
        text = readable(b"".join(lines))
        return Quote(blob_sha256=file.blob_sha256, quote_sha256=quote_digest(lines), text=text)

    def _no_line(self, file: SideFile, path: str, side: Side, number: int) -> str:
        if file.is_whole:
            return f"{path} has {len(file.lines)} lines on the {side} side; there is no line {number}."
        return f"Line {number} of {path} is not shown on the {side} side; without a snapshot name only shown lines."

    def _find(self, path: str, side: Side) -> SideFile:
        column = "old_path_text" if side is Side.OLD else "new_path_text"
        if self._files is None:
            changed = CaseFile.objects.filter(case=self.case, **{column: path}).order_by("position").first()
        else:
            changed = next((file for file in self._files if getattr(file, column) == path), None)
        if changed is not None:
            return self._of_change(changed, side)
        tree = self.case.base_tree if side is Side.OLD else self.case.head_tree
        if tree is not None:
            with suppress(ValueError):
                found = find_file(tree, text_path(path))
                if found is not None:
                    return self._of_blob(found.blob_id)
        raise PlaceRefused(f"The case has no file {path} on the {side} side.")

    def _of_change(self, file: CaseFile, side: Side) -> SideFile:
        blob_id = file.old_blob_id if side is Side.OLD else file.new_blob_id
        if blob_id is not None:
            return self._of_blob(blob_id)
        has_tree = self.case.base_tree_id if side is Side.OLD else self.case.head_tree_id
        if has_tree is not None:
            return self._of_blob(None)
        if file.is_binary:
            return SideFile(blob_sha256="", lines={}, reason="it is binary and has no lines")
        return SideFile(blob_sha256="", lines=self._shown(file, side), is_whole=False)

    def _of_blob(self, blob_id: int | None) -> SideFile:
        if blob_id is None:
            return SideFile(blob_sha256="", lines={}, reason="it is a submodule and has no lines")
        blob = self._blobs.get(blob_id) or Blob.objects.get(pk=blob_id)
        if blob.withdrawn_at is not None:
            return SideFile(blob_sha256=blob.sha256, lines={}, reason="its bytes were withdrawn")
        if blob.is_binary:
            return SideFile(blob_sha256=blob.sha256, lines={}, reason="it is binary and has no lines")
        return SideFile(blob_sha256=blob.sha256, lines=dict(enumerate(split_lines(bytes(blob.data)), 1)))

    def _shown(self, file: CaseFile, side: Side) -> dict[int, bytes]:
        """Return the lines that the patch shows on one side."""
        if self.case.patch is None or self.case.patch.withdrawn_at is not None:
            return {}
        lines: dict[int, bytes] = {}
        for hunk in section_hunks(section_of(self.case.patch.data, file)):
            for old, new, data, no_eol in hunk.take_lines():
                number = old if side is Side.OLD else new
                if number is not None:
                    lines[number] = data if no_eol else data + b"\n"
        return lines
