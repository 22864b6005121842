"""A patch without what people wrote around it.

A patch may come as a mail with author, subject, message and signature, or with lines between its files; these may tell
what is wrong with the change. What is left is headers and hunks, byte for byte.
"""

from __future__ import annotations

import re
from itertools import pairwise

from corpus.domain.diff import parse_patch

_HEADER = re.compile(
    rb"(diff |index |--- |\+\+\+ |old mode |new mode |new file mode |deleted file mode |similarity index "
    rb"|dissimilarity index |rename from |rename to |copy from |copy to |Binary files |GIT binary patch|Index: |={10,})"
)
_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_BINARY_SIZE = re.compile(rb"(literal|delta) \d+\r?$")


def change_only(patch: bytes) -> bytes:
    """Return the headers and hunks of `patch`; raises PatchRefused where it holds no change."""
    parsed = parse_patch(patch)
    lines = patch.split(b"\n")
    ends = [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    starts = sorted({file.patch_line - 1 for file in parsed.files} | {error.patch_line - 1 for error in parsed.errors})
    kept: list[bytes] = []
    for start, stop in pairwise([*starts, len(ends)]):
        kept += _section(ends[start:stop])
    return b"".join(kept)


def _section(lines: list[bytes]) -> list[bytes]:
    """Return the lines of one file's section up to the first that belongs to neither header nor hunk."""
    at = 0
    while at < len(lines):
        line = lines[at].removeprefix(b"\xef\xbb\xbf")
        hunk = _HUNK.match(line)
        if hunk:
            at = _after_hunk(lines, at + 1, *(1 if count is None else int(count) for count in hunk.groups()))
        elif _BINARY_SIZE.match(line):
            at = _after_binary(lines, at + 1)
        elif _HEADER.match(line) or line.startswith(b"\\"):
            at += 1
        else:
            break
    return lines[:at]


def _after_hunk(lines: list[bytes], at: int, old: int, new: int) -> int:
    while at < len(lines) and (old > 0 or new > 0):
        sign = lines[at][:1]
        old -= sign not in (b"+", b"\\")
        new -= sign not in (b"-", b"\\")
        at += 1
    if at < len(lines) and lines[at].startswith(b"\\"):
        at += 1
    return at


def _after_binary(lines: list[bytes], at: int) -> int:
    """Return the index after the blank line that ends one run of encoded bytes."""
    while at < len(lines) and lines[at].strip():
        at += 1
    return min(at + 1, len(lines))
