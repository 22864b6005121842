"""Reading snapshots: a whole listing, one file by its path, one level of folders. No bytes are loaded."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.domain.bytestext import path_text
from corpus.models import Tree, TreeEntry

DIRECTORY, SYMLINK, SUBMODULE = "040000", "120000", "160000"
CHUNK = 400


@dataclass(frozen=True, slots=True)
class SnapshotFile:
    """One file, link or submodule of a snapshot, with the facts of its bytes. A submodule has a commit and no blob."""

    path: bytes
    path_text: str
    mode: str
    blob_id: int | None
    blob_sha256: str
    size: int
    line_count: int
    is_binary: bool
    commit: str

    @property
    def is_symlink(self) -> bool:
        """Say whether the bytes are the target of a symbolic link."""
        return self.mode == SYMLINK


@dataclass(frozen=True, slots=True)
class LevelEntry:
    """One name in a folder, as a file browser shows it; `path` leads to it from the root."""

    name_text: str
    path: bytes
    path_text: str
    mode: str
    size: int | None

    @property
    def is_directory(self) -> bool:
        """Say whether it can be opened as a folder."""
        return self.mode == DIRECTORY


def list_tree(tree: Tree) -> list[SnapshotFile]:
    """Return every file of a snapshot in the order of its path bytes. One query for each level of folders."""
    listings: dict[int, list[TreeEntry]] = {}
    level = {tree.pk}
    while level:
        wanted = sorted(level - listings.keys())
        for tree_id in wanted:
            listings[tree_id] = []
        children = set()
        for at in range(0, len(wanted), CHUNK):
            for entry in _entries_of(wanted[at : at + CHUNK]):
                listings[entry.tree_id].append(entry)
                if entry.child_id is not None:
                    children.add(entry.child_id)
        level = children - listings.keys()
    files: list[SnapshotFile] = []
    stack = [(b"", tree.pk)]
    while stack:
        prefix, tree_id = stack.pop()
        for entry in listings[tree_id]:
            path = prefix + bytes(entry.name)
            if entry.child_id is not None:
                stack.append((path + b"/", entry.child_id))
            else:
                files.append(_file(path, entry))
    return sorted(files, key=lambda file: file.path)


def find_file(tree: Tree, path: bytes) -> SnapshotFile | None:
    """Return the file at `path`, or None when there is none; a folder is none. One query for each piece of the path."""
    entry = _find_entry(tree, path)
    return None if entry is None or entry.child_id is not None else _file(path, entry)


def list_level(tree: Tree, path: bytes = b"") -> list[LevelEntry] | None:
    """Return the entries of the folder at `path` (empty is the root), folders first, or None when it is no folder."""
    tree_id: int | None = tree.pk
    if path:
        entry = _find_entry(tree, path)
        tree_id = entry.child_id if entry else None
    if tree_id is None:
        return None
    prefix = path + b"/" if path else b""
    found = [
        LevelEntry(
            name_text=entry.name_text,
            path=prefix + bytes(entry.name),
            path_text=path_text(prefix + bytes(entry.name)),
            mode=entry.mode,
            size=entry.blob.size if entry.blob else None,
        )
        for entry in _entries_of([tree_id])
    ]
    return sorted(found, key=lambda entry: (not entry.is_directory, entry.path))


def _find_entry(tree: Tree, path: bytes) -> TreeEntry | None:
    entry: TreeEntry | None = None
    tree_id: int | None = tree.pk
    for piece in path.split(b"/"):
        if tree_id is None:
            return None
        entry = (
            TreeEntry.objects.filter(tree_id=tree_id, name_text=path_text(piece))
            .select_related("blob")
            .defer("blob__data")
            .first()
        )
        # Two byte strings may read alike; only the very bytes are the file.
        if entry is None or bytes(entry.name) != piece:
            return None
        tree_id = entry.child_id
    return entry


def _entries_of(tree_ids: list[int]) -> list[TreeEntry]:
    return list(TreeEntry.objects.filter(tree_id__in=tree_ids).select_related("blob").defer("blob__data"))


def _file(path: bytes, entry: TreeEntry) -> SnapshotFile:
    blob = entry.blob
    return SnapshotFile(
        path=path,
        path_text=path_text(path),
        mode=entry.mode,
        blob_id=entry.blob_id,
        blob_sha256=blob.sha256 if blob else "",
        size=blob.size if blob else 0,
        line_count=blob.line_count if blob else 0,
        is_binary=blob.is_binary if blob else False,
        commit=entry.commit,
    )
