"""Patch bytes to `ParsedDiff`, strictly: nothing is guessed, nothing is dropped without a word.

Sections are found in `patch_reader`, headers read in `patch_headers`, hunk bodies in `patch_hunks`. One bad file fails
alone; a patch without a good file, or of a kind that is not read, is refused with its reason and line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpus.domain.bytestext import split_lines
from corpus.domain.diff_model import (
    DEFAULT_LIMITS,
    DiffFile,
    DiffLine,
    FileError,
    Hunk,
    HunkNumbers,
    HunkShape,
    ParsedDiff,
    PatchLimits,
    PatchRefused,
    PatchWarning,
)
from corpus.domain.patch_hunks import RawHunk, SectionProblem, cut_hunk
from corpus.domain.patch_reader import PatchReader

__all__ = [
    "DEFAULT_LIMITS",
    "DiffFile",
    "DiffLine",
    "FileError",
    "Hunk",
    "HunkShape",
    "ParsedDiff",
    "PatchLimits",
    "PatchRefused",
    "PatchWarning",
    "RawHunk",
    "apply_hunks",
    "parse_patch",
    "section_hunks",
    "sides_agree",
]

NORMAL = "normal diff: make it with diff -u"
SHIFTED = "every line of the patch is indented or quoted: remove what stands before it"
SAVE_AS_UTF8 = "save the patch as UTF-8 (git diff --output=FILE)"
NO_FILE = "no file found: this is no unified diff"

_UTF8_MARK = b"\xef\xbb\xbf"
_UTF32_MARKS = (b"\xff\xfe\0\0", b"\0\0\xfe\xff")
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_PACKED = {b"\x1f\x8b": "gzip", b"PK\x03\x04": "zip", b"\xfd7zXZ\0": "xz", b"BZh": "bzip2"}
_CR_ENDS = re.compile(rb"\r(?:--- |\+\+\+ |@@ -)")
# What mail programs, --graph and --line-prefix put before each line.
_SHIFTED = re.compile(rb"\n([>|* \t]{1,8})--- [^\n]+\n\1\+\+\+ [^\n]+\n\1@@ -[0-9]")
_NORMAL = re.compile(rb"[0-9]+(?:,[0-9]+)?[acd][0-9]+(?:,[0-9]+)?")


def parse_patch(data: bytes, *, limits: PatchLimits = DEFAULT_LIMITS) -> ParsedDiff:
    """Read a git, unified, Subversion or Mercurial patch, also inside a mail.

    Returns at least one good file; bad ones are in `errors`. Raises PatchRefused, and nothing else, for anything that
    holds no change: it names the reason and the line. Time and memory are linear in `data`, which is capped first.
    """
    lines, warnings = _prepare(data, limits)
    mark = 3 if data.startswith(_UTF8_MARK) else 0
    reader = PatchReader(lines, limits, warnings, mark, len(data))
    reader.run()
    if not reader.files:
        if reader.errors:
            raise PatchRefused(reader.errors[0].reason, reader.errors[0].patch_line)
        raise _why_nothing(data, lines)
    return ParsedDiff(reader.format or "unified", tuple(reader.files), tuple(reader.errors), tuple(reader.warnings))


def _prepare(data: bytes, limits: PatchLimits) -> tuple[list[bytes], list[PatchWarning]]:
    """Check size and encoding and split into lines at newlines only."""
    if len(data) > limits.max_bytes:
        raise PatchRefused(f"patch is larger than the limit of {limits.max_bytes} bytes")
    if not data.removeprefix(_UTF8_MARK).strip():
        raise PatchRefused("empty input")
    for marks, name in ((_UTF32_MARKS, "UTF-32"), (_UTF16_MARKS, "UTF-16")):
        if data.startswith(marks):
            raise PatchRefused(f"{name} text: {SAVE_AS_UTF8}")
    warnings = []
    if data.startswith(_UTF8_MARK):
        data = data[3:]
        warnings.append(PatchWarning("byte order mark before the patch left out", 1))
    count = data.count(b"\n") + 1
    if count > limits.max_lines:
        raise PatchRefused(f"patch has {count} lines; the limit is {limits.max_lines}", limits.max_lines)
    lines = data.split(b"\n")
    if lines[-1]:
        warnings.append(PatchWarning("the last line of the patch had no newline; one was added", len(lines)))
    else:
        lines.pop()
    longest = max(lines, key=len)
    if len(longest) > limits.max_line_bytes:
        raise PatchRefused(
            f"line has {len(longest)} bytes; the limit is {limits.max_line_bytes}", lines.index(longest) + 1
        )
    if all(line.endswith(b"\r") for line in lines):
        warnings.append(PatchWarning("every line of the patch ends in CR LF; the CR was kept in the text of lines", 1))
    return lines, warnings


def _why_nothing(data: bytes, lines: Sequence[bytes]) -> PatchRefused:
    """The refusal of a text in which no file was found."""
    for magic, name in _PACKED.items():
        if data.startswith(magic):
            return PatchRefused(f"{name} file: unpack it first")
    head = data[:400]
    if len(head) > 3 and head.count(b"\0") * 3 > len(head):
        return PatchRefused(f"UTF-16 text: {SAVE_AS_UTF8}")
    if len(lines) == 1 and _CR_ENDS.search(data):
        return PatchRefused("lines end in CR alone: save the patch with LF")
    shifted = _SHIFTED.search(b"\n" + data)
    if shifted:
        return PatchRefused(SHIFTED, data.count(b"\n", 0, shifted.start()) + 1)
    for index, line in enumerate(lines):
        following = lines[index + 1][:2] if index + 1 < len(lines) else b""
        if following in (b"< ", b"> ") and _NORMAL.fullmatch(line.removesuffix(b"\r")):
            return PatchRefused(NORMAL, index + 1)
    return PatchRefused(NO_FILE)


def section_hunks(section: bytes) -> list[RawHunk]:
    """The hunks, as cut, in one file's section of a patch that was read before: a fraction of the work of reading it.

    Raises PatchRefused where a hunk is not whole.
    """
    lines = section.split(b"\n")
    if not lines[-1]:
        lines.pop()
    hunks: list[RawHunk] = []
    at = 0
    while at < len(lines):
        if not lines[at].startswith(b"@@ -"):
            at += 1
            continue
        try:
            hunk, at = cut_hunk(lines, at)
        except SectionProblem as problem:
            raise PatchRefused(problem.reason, problem.index + 1) from problem
        hunks.append(hunk)
    return hunks


def apply_hunks(base: bytes, file: DiffFile) -> bytes:
    """The new side of `file`, from the bytes of its old side; PatchRefused if a line does not fit `base`."""
    lines = split_lines(base)
    out: list[bytes] = []
    at = 0
    for number, hunk in enumerate(file.hunks, 1):
        start = hunk.old_start - 1 if hunk.old_count else hunk.old_start
        if start < at or start > len(lines):
            raise PatchRefused(f"hunk {number} does not fit the base file", file.patch_line)
        out += lines[at:start]
        at = start
        for line in hunk.lines:
            if line.side_old is not None:
                if at >= len(lines) or lines[at] != line.data:
                    raise PatchRefused(
                        f"line {at + 1} of the base file is not the one in hunk {number}", file.patch_line
                    )
                at += 1
            if line.side_new is not None:
                out.append(line.data)
    out += lines[at:]
    return b"".join(out)


def sides_agree(old: bytes, new: bytes, hunks: Sequence[HunkNumbers]) -> bool:
    """Whether `old` with these hunks is `new`: every line that no hunk changes is the same on both sides.

    The texts of changed lines come from the blobs themselves, so the numbers alone say what the hunks do.
    """
    old_lines, new_lines = split_lines(old), split_lines(new)
    old_at = new_at = 0
    for hunk in hunks:
        start = hunk.old_start - 1 if hunk.old_count else hunk.old_start
        same = start - old_at
        if same < 0 or new_at + same != (hunk.new_start - 1 if hunk.new_count else hunk.new_start):
            return False
        if old_lines[old_at:start] != new_lines[new_at : new_at + same]:
            return False
        old_at, new_at = start, new_at + same
        for kind in hunk.kinds:
            if kind == " " and old_lines[old_at : old_at + 1] != new_lines[new_at : new_at + 1]:
                return False
            old_at += kind != "+"
            new_at += kind != "-"
        if old_at > len(old_lines) or new_at > len(new_lines):
            return False
    return old_lines[old_at:] == new_lines[new_at:]
