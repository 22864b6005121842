"""What git prints for programs, read into values: changed entries, hunk numbers, trees and commits.

Of the patch text only hunk numbers and the first byte of each body line are read: paths, modes and counts come from
the raw and numstat records, and text comes from blobs. So no encoding, line end or header-like line can do harm.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from corpus.domain.bytestext import path_problem, path_text
from corpus.domain.diff_model import HunkShape, Status

NO_MODE = "000000"

_STATUS: dict[bytes, Status] = {
    b"A": "added",
    b"D": "deleted",
    b"M": "modified",
    b"T": "modified",
    b"R": "renamed",
    b"C": "copied",
}
_HUNK = re.compile(rb"@@ -([0-9]+)(?:,([0-9]+))? \+([0-9]+)(?:,([0-9]+))? @@ ?(.*)", re.DOTALL)
_KINDS = {32: " ", 43: "+", 45: "-"}
_PERSON = re.compile(rb"(.*?) ?<([^>]*)> (-?[0-9]{1,18}) ([-+][0-9]{4})", re.DOTALL)


class GitOutputError(ValueError):
    """git printed what this module does not know; nothing of it may be used."""


@dataclass(frozen=True, slots=True)
class GitChange:
    """One entry of a change between two trees. Paths, modes and object names are None on a side that is absent.

    `type_changed`: a file became a link or a submodule, or the other way round; it is one entry with one hunk that
    removes all and adds all. `binary` files have no counts and no hunks. The object name of a submodule is a commit.
    """

    old_path: bytes | None
    new_path: bytes | None
    status: Status
    type_changed: bool
    old_mode: str | None
    new_mode: str | None
    old_oid: str | None
    new_oid: str | None
    similarity: int | None
    added: int
    removed: int
    binary: bool
    hunks: tuple[HunkShape, ...] = ()


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One name in one directory; `kind` is blob, tree or commit (a submodule)."""

    name: bytes
    mode: str
    kind: str
    oid: str


@dataclass(frozen=True, slots=True)
class CommitInfo:
    """A commit as data. `authored_at` is None where the commit holds no possible date."""

    oid: str
    tree: str
    parents: tuple[str, ...]
    author_name: str
    author_email: str
    authored_at: datetime | None
    message: str


def parse_changes(data: bytes) -> tuple[GitChange, ...]:
    """Entries of `git diff --raw --numstat -z --no-abbrev`, in git's order."""
    tokens = data.split(b"\0")
    if tokens.pop():
        raise GitOutputError("the list of changes breaks off")
    raws: list[tuple[list[bytes], list[bytes]]] = []
    at = 0
    while at < len(tokens) and tokens[at].startswith(b":"):
        fields = tokens[at][1:].split(b" ")
        if len(fields) != 5 or fields[4][:1] not in _STATUS:
            raise GitOutputError("an entry of an unknown kind")
        count = 2 if fields[4][:1] in (b"R", b"C") else 1
        raws.append((fields, tokens[at + 1 : at + 1 + count]))
        at += 1 + count
    changes = []
    for fields, paths in raws:
        if at >= len(tokens):
            raise GitOutputError("fewer counts than entries")
        added, removed, path = tokens[at].split(b"\t", 2)
        at += 1 if path else 3
        changes.append(_change(fields, paths, added, removed))
    if at != len(tokens):
        raise GitOutputError("more counts than entries")
    return tuple(changes)


def _change(fields: Sequence[bytes], paths: Sequence[bytes], added: bytes, removed: bytes) -> GitChange:
    old_mode, new_mode, old_oid, new_oid, score = (field.decode("ascii") for field in fields)
    letter = fields[4][:1]
    for path in paths:
        problem = path_problem(path)
        if problem:
            raise GitOutputError(f"path {path_text(path[:200])} {problem}")
    return GitChange(
        old_path=None if letter == b"A" else paths[0],
        new_path=None if letter == b"D" else paths[-1],
        status=_STATUS[letter],
        type_changed=letter == b"T",
        old_mode=None if old_mode == NO_MODE else old_mode,
        new_mode=None if new_mode == NO_MODE else new_mode,
        old_oid=None if letter == b"A" else old_oid,
        new_oid=None if letter == b"D" else new_oid,
        similarity=int(score[1:]) if letter in (b"R", b"C") else None,
        added=0 if added == b"-" else int(added),
        removed=0 if removed == b"-" else int(removed),
        binary=added == b"-",
    )


def parse_sections(data: bytes) -> list[tuple[HunkShape, ...]]:
    """Hunks of each section of `git diff`, cut by the hunks' own counts."""
    lines = data.split(b"\n")
    if lines.pop():
        raise GitOutputError("the patch breaks off")
    sections: list[list[HunkShape]] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith(b"diff --git "):
            sections.append([])
        elif line.startswith(b"@@ ") and sections:
            hunk, at = _hunk(lines, at)
            sections[-1].append(hunk)
    return [tuple(hunks) for hunks in sections]


def _hunk(lines: Sequence[bytes], at: int) -> tuple[HunkShape, int]:
    match = _HUNK.fullmatch(lines[at - 1])
    if match is None:
        raise GitOutputError("a hunk header of an unknown form")
    old_start, old_count, new_start, new_count = (1 if number is None else int(number) for number in match.groups()[:4])
    old, new = old_count, new_count
    kinds: list[str] = []
    while old > 0 or new > 0:
        if at == len(lines):
            raise GitOutputError("a hunk breaks off")
        sign = lines[at][0] if lines[at] else 0
        at += 1
        if sign == 92:
            continue
        if sign not in _KINDS:
            raise GitOutputError("a hunk line of an unknown kind")
        old -= sign != 43
        new -= sign != 45
        kinds.append(_KINDS[sign])
    if old or new:
        raise GitOutputError("a hunk is longer than its header says")
    return HunkShape(old_start, old_count, new_start, new_count, match.group(5), "".join(kinds)), at


def hunks_by_entry(
    changes: Sequence[GitChange], sections: Sequence[tuple[HunkShape, ...]]
) -> list[tuple[HunkShape, ...]]:
    """Give section i to entry i; the two sections of a type change become one hunk of one entry."""
    if len(sections) != sum(2 if change.type_changed else 1 for change in changes):
        raise GitOutputError("the patch and the list of changes differ in length")
    result = []
    remaining = iter(sections)
    for change in changes:
        hunks = next(remaining)
        if change.type_changed:
            hunks = _joined(hunks, next(remaining))
        result.append(() if change.binary else hunks)
    return result


def _joined(removal: Sequence[HunkShape], creation: Sequence[HunkShape]) -> tuple[HunkShape, ...]:
    old = sum(hunk.old_count for hunk in removal)
    new = sum(hunk.new_count for hunk in creation)
    if not old and not new:
        return ()
    return (HunkShape(1 if old else 0, old, 1 if new else 0, new, b"", "-" * old + "+" * new),)


def parse_tree(data: bytes, oid_bytes: int) -> Iterator[TreeEntry]:
    """Entries of a raw tree object whose object names have `oid_bytes` bytes."""
    at = 0
    while at < len(data):
        end = data.find(b"\0", at)
        mode, blank, name = data[at:end].partition(b" ")
        oid = data[end + 1 : end + 1 + oid_bytes]
        if end < 0 or not blank or len(oid) != oid_bytes or b"/" in name or path_problem(name):
            raise GitOutputError("a malformed tree")
        kind = "tree" if mode == b"40000" else "commit" if mode == b"160000" else "blob"
        yield TreeEntry(name, mode.decode("ascii", "replace").rjust(6, "0"), kind, oid.hex())
        at = end + 1 + oid_bytes


def parse_commit(oid: str, data: bytes) -> CommitInfo:
    """A raw commit object. Text is decoded as the commit says, else as UTF-8, else as Latin-1."""
    head, _, message = data.partition(b"\n\n")
    fields: dict[bytes, list[bytes]] = {}
    for line in head.split(b"\n"):
        key, _, value = line.partition(b" ")
        fields.setdefault(key, []).append(value)
    person = _PERSON.fullmatch(fields.get(b"author", [b""])[0])
    name, email, seconds = (person.group(1), person.group(2), int(person.group(3))) if person else (b"", b"", None)
    encoding = fields.get(b"encoding", [b"utf-8"])[0].decode("ascii", "replace")
    try:
        authored_at = None if seconds is None else datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        authored_at = None
    return CommitInfo(
        oid=oid,
        tree=fields.get(b"tree", [b""])[0].decode("ascii", "replace"),
        parents=tuple(value.decode("ascii", "replace") for value in fields.get(b"parent", [])),
        author_name=_decoded(name, encoding),
        author_email=_decoded(email, encoding),
        authored_at=authored_at,
        message=_decoded(message, encoding),
    )


def _decoded(data: bytes, encoding: str) -> str:
    for name in (encoding, "utf-8"):
        try:
            return data.decode(name)
        except (LookupError, UnicodeError, ValueError):
            continue
    return data.decode("latin-1")
