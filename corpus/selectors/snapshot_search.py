"""Finding files of a snapshot by name, and lines of it by their text. Bounded in bytes read and hits returned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

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


@dataclass(frozen=True)
class LineHit:
    """One line that holds the text, cut for a list."""

    path: str
    line: int
    text: str


@dataclass(frozen=True)
class Found:
    """What a search found. `is_cut` says that there may be more than is listed, or that not all was read."""

    paths: tuple[str, ...] = ()
    hits: tuple[LineHit, ...] = ()
    is_cut: bool = False


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


def find_text(tree: Tree, query: str) -> Found:
    """Return lines of the snapshot's text files that hold `query`, whatever the case of its ASCII letters."""
    wanted = query.strip().encode("utf-8", "surrogatepass").lower()
    if not wanted:
        return Found()
    hits: list[LineHit] = []
    read = 0
    is_cut = False
    files = [file for file in list_tree(tree) if file.blob_id and not file.is_binary]
    for file, data in _contents([file for file in files if file.size <= MAX_FILE]):
        read += len(data)
        if read > MAX_SCAN or len(hits) >= MAX_HITS:
            is_cut = True
            break
        found = list(_lines_with(data, wanted))
        is_cut = is_cut or len(found) > HITS_A_FILE
        hits += [LineHit(file.path_text, number, text) for number, text in found[:HITS_A_FILE]]
    return Found(
        hits=tuple(hits[:MAX_HITS]), is_cut=is_cut or len(hits) > MAX_HITS or any(f.size > MAX_FILE for f in files)
    )


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


def _lines_with(data: bytes, wanted: bytes) -> Iterator[tuple[int, str]]:
    if wanted not in data.lower():
        return
    found = 0
    for number, line in enumerate(data.split(b"\n"), 1):
        at = line.lower().find(wanted)
        if at < 0:
            continue
        yield number, readable(line[max(0, at - EXCERPT // 2) : at + EXCERPT]).strip()
        found += 1
        if found > HITS_A_FILE:
            return
