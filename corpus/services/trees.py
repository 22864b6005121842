"""Snapshots: directories of blobs by content hash. A directory that is there already is not stored again.

The hash of a directory is the SHA-256 over its entries in the order of their raw names, each written as
`MODE SP NAME NUL KIND SP TARGET LF`: MODE as six digits, NAME as raw bytes, KIND one of `blob`, `tree`, `commit`, and
TARGET the SHA-256 of the file's bytes, the hash of the directory so defined, or the commit name of a submodule. Below
the root no directory is empty, as in git; an empty root is the hash of nothing. References and history are no part of
it (B6).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from django.db import transaction

from corpus.domain.bytestext import path_text
from corpus.domain.limits import MAX_TREE_BYTES, MAX_TREE_FILES, in_words
from corpus.domain.paths import check_paths
from corpus.models import Blob, Tree, TreeEntry
from corpus.services.blobs import store_blobs

FILE, EXECUTABLE, SYMLINK, SUBMODULE, DIRECTORY = "100644", "100755", "120000", "160000", "040000"
FILE_MODES = frozenset({FILE, EXECUTABLE, SYMLINK})
BATCH_ROWS = 400

# Path to mode and content; the content of a submodule is the name of its commit in ASCII.
Files = Mapping[bytes, tuple[str, bytes]]


class TreeRefused(Exception):
    """A snapshot cannot be stored; the message is one sentence for the person."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One file of a snapshot (`blob`, without its bytes) or one submodule (`commit`)."""

    mode: str
    blob: Blob | None = None
    commit: str = ""


@dataclass(frozen=True)
class StoredTree:
    """A stored snapshot and its files by path."""

    tree: Tree
    files: dict[bytes, Leaf]


@dataclass
class _Directory:
    leaves: dict[bytes, Leaf] = field(default_factory=dict)
    children: dict[bytes, _Directory] = field(default_factory=dict)
    digest: str = ""


def store_tree(files: Files) -> StoredTree:
    """Store a snapshot given in memory. Raises TreeRefused, PathRefused or BlobRefused; then nothing was stored."""
    check_size(len(files), sum(len(data) for _, data in files.values()))
    check_paths(files)
    with transaction.atomic():
        blobs = store_blobs(data for mode, data in files.values() if mode != SUBMODULE)
        leaves = {}
        for path, (mode, data) in files.items():
            if mode == SUBMODULE:
                leaves[path] = Leaf(mode, commit=_commit_name(path, data))
            else:
                leaves[path] = Leaf(mode, blob=blobs[hashlib.sha256(data).hexdigest()])
        return store_leaves(leaves)


def check_size(count: int, size: int) -> None:
    """Raise TreeRefused for a snapshot over the limits."""
    if count > MAX_TREE_FILES:
        raise TreeRefused(
            f"The snapshot has {count} files; the limit is {MAX_TREE_FILES}, so import the patch alone instead."
        )
    if size > MAX_TREE_BYTES:
        raise TreeRefused(
            f"The files of the snapshot have {size} bytes together; the limit is {in_words(MAX_TREE_BYTES)}, "
            "so import the patch alone instead."
        )


def store_leaves(leaves: Mapping[bytes, Leaf]) -> StoredTree:
    """Store the directories over blobs that are stored already. Paths were checked before."""
    for path, leaf in leaves.items():
        if leaf.mode not in FILE_MODES and leaf.mode != SUBMODULE:
            raise TreeRefused(
                f'"{path_text(path)}" has the mode {leaf.mode}; known are 100644, 100755, 120000 and 160000.'
            )
    root = _Directory()
    for path, leaf in leaves.items():
        *folders, name = path.split(b"/")
        directory = root
        for folder in folders:
            directory = directory.children.setdefault(folder, _Directory())
        directory.leaves[name] = leaf
    directories = {directory.digest: directory for directory in _hashed(root)}
    with transaction.atomic():
        trees = _store_directories(directories)
    return StoredTree(trees[root.digest], dict(leaves))


def _commit_name(path: bytes, data: bytes) -> str:
    text = data.decode("ascii", "replace")
    if len(text) not in (40, 64) or not set(text) <= set("0123456789abcdef"):
        raise TreeRefused(
            f'The submodule "{path_text(path)}" needs the full name of its commit: 40 or 64 hexadecimal digits.'
        )
    return text


def _hashed(directory: _Directory) -> Iterator[_Directory]:
    """Hash a directory after those below it, and yield all of them, deepest first."""
    for child in directory.children.values():
        yield from _hashed(child)
    hasher = hashlib.sha256()
    for name in sorted([*directory.leaves, *directory.children]):
        if name in directory.leaves:
            leaf = directory.leaves[name]
            kind, target = ("blob", leaf.blob.sha256) if leaf.blob else ("commit", leaf.commit)
            mode = leaf.mode
        else:
            mode, kind, target = DIRECTORY, "tree", directory.children[name].digest
        hasher.update(b"%s %s\0%s %s\n" % (mode.encode(), name, kind.encode(), target.encode()))
    directory.digest = hasher.hexdigest()
    yield directory


def _store_directories(directories: dict[str, _Directory]) -> dict[str, Tree]:
    """Store the directories that are not there yet, and return the rows of all of them by hash."""
    trees = _rows(directories)
    # Sorted, so that two imports of one snapshot wait for each other instead of locking crosswise.
    missing = sorted(directories.keys() - trees.keys())
    if not missing:
        return trees
    Tree.objects.bulk_create([Tree(sha256=digest) for digest in missing], ignore_conflicts=True, batch_size=BATCH_ROWS)
    trees |= _rows(missing)
    entries = (entry for digest in missing for entry in _entries(trees[digest], directories[digest], trees))
    TreeEntry.objects.bulk_create(entries, ignore_conflicts=True, batch_size=BATCH_ROWS)
    return trees


def _entries(tree: Tree, directory: _Directory, trees: dict[str, Tree]) -> Iterator[TreeEntry]:
    for name, leaf in sorted(directory.leaves.items()):
        yield TreeEntry(
            tree=tree, name=name, name_text=path_text(name), mode=leaf.mode, blob=leaf.blob, commit=leaf.commit
        )
    for name, child in sorted(directory.children.items()):
        yield TreeEntry(tree=tree, name=name, name_text=path_text(name), mode=DIRECTORY, child=trees[child.digest])


def _rows(digests: Iterable[str]) -> dict[str, Tree]:
    wanted = list(digests)
    found: dict[str, Tree] = {}
    for at in range(0, len(wanted), BATCH_ROWS):
        found |= {tree.sha256: tree for tree in Tree.objects.filter(sha256__in=wanted[at : at + BATCH_ROWS])}
    return found
