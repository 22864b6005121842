"""The parsed change: files, hunks and lines, and what can be wrong with a patch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

Origin = Literal["context", "added", "removed"]
Status = Literal["added", "deleted", "modified", "renamed", "copied"]
PatchFormat = Literal["git", "unified", "svn", "hg"]

_KINDS: dict[Origin, str] = {"context": " ", "removed": "-", "added": "+"}


class PatchRefused(Exception):
    """The bytes hold no change that can be used; `reason` says why, `patch_line` (from 1) where it shows."""

    def __init__(self, reason: str, patch_line: int = 1) -> None:
        super().__init__(f"line {patch_line}: {reason}")
        self.reason = reason
        self.patch_line = patch_line


@dataclass(frozen=True, slots=True)
class PatchLimits:
    """What one patch may measure. A patch beyond a limit is refused before it is parsed."""

    max_bytes: int = 32_000_000
    max_lines: int = 1_200_000
    max_line_bytes: int = 4_000_000
    max_header_bytes: int = 32_000
    max_files: int = 20_000


DEFAULT_LIMITS = PatchLimits()


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a hunk: its number on each side (None = not there) and its bytes without the newline.

    `no_eol` is true when the file ends with this line and without a newline.
    """

    side_old: int | None
    side_new: int | None
    text: bytes
    no_eol: bool = False

    @property
    def origin(self) -> Origin:
        """Where the line stands: on both sides, on the new side only, or on the old side only."""
        if self.side_old is None:
            return "added"
        return "removed" if self.side_new is None else "context"

    @property
    def data(self) -> bytes:
        """The exact bytes in the file, newline included."""
        return self.text if self.no_eol else self.text + b"\n"


class HunkNumbers(Protocol):
    """What a hunk says about line numbers: `kinds` holds ' ', '-' or '+' for each of its lines in order."""

    @property
    def old_start(self) -> int: ...
    @property
    def old_count(self) -> int: ...
    @property
    def new_start(self) -> int: ...
    @property
    def new_count(self) -> int: ...
    @property
    def kinds(self) -> str: ...


@dataclass(frozen=True, slots=True)
class HunkShape:
    """A hunk without its text, for changes whose text lies in blobs."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    section: bytes
    kinds: str


@dataclass(frozen=True, slots=True)
class Hunk:
    """A run of lines. A side with count 0 starts on the line before the gap."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    section: bytes
    lines: tuple[DiffLine, ...]

    @property
    def kinds(self) -> str:
        """One of ' ', '-' and '+' for each line, in order."""
        return "".join([_KINDS[line.origin] for line in self.lines])


@dataclass(frozen=True, slots=True)
class DiffFile:
    """One file of a change. A path or mode is None when the side is absent or the patch does not say.

    `patch_line` is the line of the patch at which the file starts; `patch_offset` and `patch_length` are where its
    section lies in the bytes of the patch as given. Object names are as abbreviated in the patch.
    """

    old_path: bytes | None
    new_path: bytes | None
    status: Status
    old_mode: str | None
    new_mode: str | None
    binary: bool
    similarity: int | None
    added: int
    removed: int
    hunks: tuple[Hunk, ...]
    old_oid: str | None = None
    new_oid: str | None = None
    patch_line: int = 1
    patch_offset: int = 0
    patch_length: int = 0

    @property
    def path(self) -> bytes | None:
        """The path on the new side, or the old one of a deleted file."""
        return self.new_path if self.new_path is not None else self.old_path


@dataclass(frozen=True, slots=True)
class FileError:
    """A file of the patch that cannot be used: its position in the patch (from 0), why, and where it shows."""

    index: int
    reason: str
    patch_line: int


@dataclass(frozen=True, slots=True)
class PatchWarning:
    """Something that was mended or left out while reading; the change itself stands."""

    reason: str
    patch_line: int


@dataclass(frozen=True, slots=True)
class ParsedDiff:
    """A patch as read: good files in patch order, bad files, and what was mended."""

    format: PatchFormat
    files: tuple[DiffFile, ...]
    errors: tuple[FileError, ...]
    warnings: tuple[PatchWarning, ...]
