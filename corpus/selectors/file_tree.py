"""The changed files as a tree of folders, for the pane beside the diff."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from corpus.selectors.file_heads import FileHead


@dataclass(frozen=True)
class TreeFile:
    """A changed file in the tree."""

    head: FileHead
    is_read: bool


@dataclass(frozen=True)
class TreeNode:
    """A folder of the file tree with its folders and files."""

    name: str
    path: str
    folders: tuple[TreeNode, ...]
    files: tuple[TreeFile, ...]


def build_tree(heads: Iterable[FileHead], read: Collection[int] = frozenset()) -> TreeNode:
    """Return the changed files as a tree of folders; a folder with one folder and nothing else is joined with it.

    A file that turned into a link stands once.
    """
    root: dict[str, dict] = {}  # type: ignore[type-arg]
    files: dict[str, list[TreeFile]] = {}
    for head in heads:
        if head.is_second_half:
            continue
        folder = head.directory.rstrip("/")
        at = root
        for piece in folder.split("/") if folder else []:
            at = at.setdefault(piece, {})
        files.setdefault(folder, []).append(TreeFile(head=head, is_read=head.position in read))

    def node(name: str, path: str, children: dict[str, dict]) -> TreeNode:  # type: ignore[type-arg]
        while len(children) == 1 and path not in files and path:
            (piece, below), *_ = children.items()
            name, path, children = f"{name}/{piece}", f"{path}/{piece}", below
        folders = [node(piece, f"{path}/{piece}" if path else piece, below) for piece, below in children.items()]
        return TreeNode(
            name=name,
            path=path,
            folders=tuple(sorted(folders, key=lambda folder: folder.name)),
            files=tuple(files.get(path, [])),
        )

    return node("", "", root)
