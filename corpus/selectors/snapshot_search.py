"""Finding files of a snapshot by name, and lines of it by their text. Bounded in bytes, hits and time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

import regex

from corpus.models import Blob, Tree
from corpus.selectors.quotes import readable
from corpus.selectors.trees import SUBMODULE, SnapshotFile, list_tree

MAX_NAMES = 60
MAX_HITS = 120
HITS_A_FILE = 8
# Bytes of file contents that one search reads at most, and in one go.
MAX_SCAN = 48 * 1024 * 1024
CHUNK_BYTES = 4 * 1024 * 1024
MAX_FILE = 2 * 1024 * 1024
EXCERPT = 160
# Seconds that the expressions of one search may take.
MOST_SECONDS = 2.0

How = Literal["literal", "word", "regex"]
HOWS: tuple[How, ...] = ("literal", "word", "regex")
# Returns where a line matches, or -1; raises TimeoutError.
Finder = Callable[[bytes], int]


class SearchRefused(Exception):
    """What is searched for cannot be read; the message is one sentence for the person."""


@dataclass(frozen=True)
class LineHit:
    """One line that holds the text, cut for a list."""

    path: str
    line: int
    text: str


@dataclass(frozen=True)
class Found:
    """What a search found. `is_cut` says that there may be more than is listed, `is_late` that time ran out."""

    paths: tuple[str, ...] = ()
    hits: tuple[LineHit, ...] = ()
    is_cut: bool = False
    is_late: bool = False


def find_paths(tree: Tree, query: str) -> Found:
    """Return files whose path holds every word of `query`, whatever the case of letters; shorter paths first."""
    words = query.lower().split()
    if not words:
        return Found()
    matching = [
        file.path_text
        for file in list_tree(tree)
        if file.mode != SUBMODULE and all(word in file.path_text.lower() for word in words)
    ]
    last = words[-1]
    matching.sort(key=lambda path: (last not in path.rpartition("/")[2].lower(), len(path), path))
    return Found(paths=tuple(matching[:MAX_NAMES]), is_cut=len(matching) > MAX_NAMES)


def find_text(tree: Tree, query: str, *, how: How = "literal", paths: str = "") -> Found:
    """Return lines of the snapshot's text files that hold `query`, in files whose path fits `paths`.

    A literal is found whatever the case of its ASCII letters; a word and a regular expression as they are written. A
    line is matched by itself, so `^` and `$` are its ends. Raises SearchRefused for an expression that is none.
    """
    if not query.strip():
        return Found()
    finder = _finder(query, how)
    hits: list[LineHit] = []
    read = 0
    is_cut = False
    files = [file for file in list_tree(tree) if file.blob_id and not file.is_binary and fits(file.path_text, paths)]
    try:
        for file, data in _contents([file for file in files if file.size <= MAX_FILE]):
            read += len(data)
            if read > MAX_SCAN or len(hits) >= MAX_HITS:
                is_cut = True
                break
            found = list(_lines_with(data, finder, query, how))
            is_cut = is_cut or len(found) > HITS_A_FILE
            hits += [LineHit(file.path_text, number, text) for number, text in found[:HITS_A_FILE]]
    except TimeoutError:
        return Found(hits=tuple(hits[:MAX_HITS]), is_cut=True, is_late=True)
    return Found(
        hits=tuple(hits[:MAX_HITS]), is_cut=is_cut or len(hits) > MAX_HITS or any(f.size > MAX_FILE for f in files)
    )


def fits(path: str, wanted: str) -> bool:
    """Say whether a path fits a filter: a pattern with `*` or `?` for all of it or its name, else a part of it."""
    wanted = wanted.strip()
    if not wanted:
        return True
    if "*" in wanted or "?" in wanted:
        return fnmatchcase(path, wanted) or fnmatchcase(path.rpartition("/")[2], wanted)
    return wanted.lower() in path.lower()


def _finder(query: str, how: How) -> Finder:
    if how == "literal":
        wanted = query.strip().encode("utf-8", "surrogatepass").lower()
        return lambda line: line.lower().find(wanted)
    source = query if how == "regex" else rf"\b{regex.escape(query.strip())}\b"
    try:
        pattern = regex.compile(source)
    except regex.error as error:
        raise SearchRefused(f"This is no regular expression: {error}.") from error
    deadline = time.monotonic() + MOST_SECONDS

    def find(line: bytes) -> int:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        match = pattern.search(line.decode("utf-8", "replace"), timeout=left)
        return -1 if match is None else len(match.string[: match.start()].encode())

    return find


def _contents(files: list[SnapshotFile]) -> Iterator[tuple[SnapshotFile, bytes]]:
    """Yield files with their bytes in order, a bounded amount of them in memory at a time."""
    batch: list[SnapshotFile] = []
    size = 0
    for file in files:
        batch.append(file)
        size += file.size
        if size >= CHUNK_BYTES or len(batch) >= 200:
            yield from _read(batch)
            batch, size = [], 0
    yield from _read(batch)


def _read(batch: list[SnapshotFile]) -> Iterator[tuple[SnapshotFile, bytes]]:
    keys = [file.blob_id for file in batch if file.blob_id is not None]
    rows = {blob.pk: bytes(blob.data) for blob in Blob.objects.filter(pk__in=keys, withdrawn_at__isnull=True)}
    for file in batch:
        if file.blob_id in rows:
            yield file, rows[file.blob_id]


def _lines_with(data: bytes, find: Finder, query: str, how: How) -> Iterator[tuple[int, str]]:
    wanted = query.strip().encode("utf-8", "surrogatepass")
    if (how == "literal" and wanted.lower() not in data.lower()) or (how == "word" and wanted not in data):
        return
    found = 0
    for number, line in enumerate(data.removesuffix(b"\n").split(b"\n"), 1):
        at = find(line.removesuffix(b"\r"))
        if at < 0:
            continue
        yield number, readable(line[max(0, at - EXCERPT // 2) : at + EXCERPT]).strip()
        found += 1
        if found > HITS_A_FILE:
            return
