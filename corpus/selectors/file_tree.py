"""The changed files as a tree of folders, for the pane beside the diff."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from corpus.selectors.file_heads import FileHead


@dataclass(frozen=True)
class TreeRow:
    """One step through the tree from top to bottom: a folder that begins, a file, or the end of a folder."""

    folder: str = ""
    head: FileHead | None = None
    is_read: bool = False


def build_tree(heads: Iterable[FileHead], read: Collection[int] = frozenset()) -> tuple[TreeRow, ...]:
    """Return the changed files as a tree, folders before files; a folder with one folder and nothing else is joined
    with it. A file that turned into a link stands once.

    Paths may be deep and come from anybody, so neither this nor the page descends by recursion.
    """
    root: dict[str, dict] = {}  # type: ignore[type-arg]
    files: dict[str, list[TreeRow]] = {}
    for head in heads:
        if head.is_second_half:
            continue
        folder = head.directory.rstrip("/")
        at = root
        for piece in folder.split("/") if folder else []:
            at = at.setdefault(piece, {})
        files.setdefault(folder, []).append(TreeRow(head=head, is_read=head.position in read))
    rows: list[TreeRow] = []
    todo: list[TreeRow | tuple[str, str, dict[str, dict]]] = [("", "", root)]  # type: ignore[type-arg]
    while todo:
        step = todo.pop()
        if isinstance(step, TreeRow):
            rows.append(step)
            continue
        name, path, children = step
        while name and len(children) == 1 and path not in files:
            (piece, below), *_ = children.items()
            name, path, children = f"{name}/{piece}", f"{path}/{piece}", below
        if name:
            rows.append(TreeRow(folder=name))
            todo.append(TreeRow())
        todo += reversed(files.get(path, []))
        todo += [(piece, f"{path}/{piece}" if path else piece, children[piece]) for piece in sorted(children)[::-1]]
    return tuple(rows)
