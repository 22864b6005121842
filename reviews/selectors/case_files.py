"""What of a case the places of its AI findings are looked up in."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from functools import cache

from corpus.domain.bytestext import text_path
from corpus.domain.vocabulary import Side
from corpus.models import Case, CaseFile
from corpus.selectors.quotes import CaseText, PlaceRefused
from corpus.selectors.trees import find_file, list_tree
from reviews.domain.anchoring import CaseFiles, FilePatch, SideLines


def case_files(case: Case) -> tuple[CaseFiles, CaseText]:
    """Return a case's files for resolving places, and its text for quoting. Trees and bytes are read when asked."""
    rows = list(CaseFile.objects.filter(case=case).prefetch_related("hunks").order_by("position"))
    text = CaseText(case, files=rows)
    trees = {Side.OLD: case.base_tree, Side.NEW: case.head_tree}

    @cache
    def tree_has(path: str, side: Side) -> bool:
        tree = trees[side]
        if tree is None:
            return False
        with suppress(ValueError):
            return find_file(tree, text_path(path)) is not None
        return False

    @cache
    def tree_paths(side: Side) -> frozenset[str]:
        tree = trees[side]
        return frozenset() if tree is None else frozenset(file.path_text for file in list_tree(tree))

    @cache
    def lines(path: str, side: Side) -> SideLines:
        try:
            file = text.side_file(path, side)
        except PlaceRefused as refused:
            return SideLines(reason=str(refused).rstrip("."))
        if file.reason:
            return SideLines(reason=file.reason)
        return SideLines(count=len(file.lines)) if file.is_whole else SideLines(shown=file.lines.keys())

    return CaseFiles(_patches(rows), case.head_commit, tree_has, tree_paths, lines), text


def _patches(rows: Iterable[CaseFile]) -> tuple[FilePatch, ...]:
    return tuple(
        FilePatch(
            row.old_path_text if row.old_path is not None else None,
            row.new_path_text if row.new_path is not None else None,
            tuple(
                (hunk.old_start, hunk.new_start, hunk.kinds)
                for hunk in sorted(row.hunks.all(), key=lambda one: one.position)
            ),
        )
        for row in rows
    )
