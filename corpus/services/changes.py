"""A change as it is stored: the patch, its files and hunks, bound to the blobs of both snapshots where they are given.

Whatever the source, the stored numbers come from the stored patch bytes, and where snapshots are given they are proved:
base with the hunks applied is head, byte for byte, and no other file differs.
"""

from __future__ import annotations

from dataclasses import dataclass

from corpus.domain.bytestext import path_text
from corpus.domain.diff import DiffFile, ParsedDiff, PatchLimits, PatchRefused, apply_hunks, parse_patch
from corpus.domain.languages import primary_language
from corpus.domain.limits import MIB, in_words
from corpus.domain.paths import check_path, check_paths
from corpus.models import Blob, Case, CaseFile, CaseHunk
from corpus.services.trees import SUBMODULE, Leaf, StoredTree

MAX_PATCH_BYTES = 24 * MIB
LIMITS = PatchLimits(max_bytes=MAX_PATCH_BYTES, max_files=5_000)
# How many changed files' bytes are in memory at a time while the change is proved.
PROVE_AT_ONCE = 40
KINDS = {"context": " ", "added": "+", "removed": "-"}


class ChangeRefused(Exception):
    """A change cannot be stored; the message is one sentence with its place for the person."""


@dataclass(frozen=True)
class Change:
    """A checked change, ready to be stored with a case."""

    patch: bytes
    parsed: ParsedDiff
    files: list[CaseFile]
    hunks: list[list[CaseHunk]]
    base: StoredTree | None = None
    head: StoredTree | None = None

    @property
    def file_count(self) -> int:
        """Return how many files the change touches; a file that became a link counts once."""
        return len({file.new_path_text or file.old_path_text for file in self.files})

    @property
    def added_lines(self) -> int:
        """Return the number of added lines."""
        return sum(file.added for file in self.files)

    @property
    def removed_lines(self) -> int:
        """Return the number of removed lines."""
        return sum(file.removed for file in self.files)

    @property
    def language(self) -> str:
        """Return the language most of the changed lines are in, by file names; empty when they do not tell."""
        return primary_language(
            (bytes(file.new_path or file.old_path or b""), file.added + file.removed)
            for file in self.files
            if not file.is_binary
        )


def change_from_patch(patch: bytes) -> Change:
    """Read a patch that stands alone. Raises ChangeRefused or PathRefused; one bad file refuses the whole change."""
    parsed = _parse(patch)
    _check_patch_paths(parsed)
    return _change(patch, parsed)


def change_from_trees(patch: bytes, base: StoredTree, head: StoredTree) -> Change:
    """Bind a patch to two stored snapshots and prove that it leads from one to the other. Raises ChangeRefused."""
    if base.tree.pk == head.tree.pk:
        raise ChangeRefused("Base and head are the same: there is no change to review, so give two different states.")
    parsed = _parse(patch)
    change = _change(patch, parsed, base, head)
    _prove(change)
    return change


def _parse(patch: bytes) -> ParsedDiff:
    if len(patch) > MAX_PATCH_BYTES:
        raise ChangeRefused(
            f"The patch has {len(patch)} bytes; the limit is {in_words(MAX_PATCH_BYTES)}, "
            "so split the change or leave generated files out."
        )
    if not patch.strip():
        raise ChangeRefused("The patch is empty; give the output of git diff or diff -u.")
    try:
        parsed = parse_patch(patch, limits=LIMITS)
    except PatchRefused as error:
        raise ChangeRefused(
            f"Line {error.patch_line} of the patch: {error.reason}; mend the patch or make it anew with git diff."
        ) from error
    if parsed.errors:
        first = parsed.errors[0]
        more = f" ({len(parsed.errors)} files of the patch cannot be read)" if len(parsed.errors) > 1 else ""
        raise ChangeRefused(
            f"Line {first.patch_line} of the patch, file {first.index + 1}: {first.reason}{more}; "
            "mend the patch or make it anew with git diff."
        )
    return parsed


def _check_patch_paths(parsed: ParsedDiff) -> None:
    for number, file in enumerate(parsed.files, 1):
        if file.path is None:
            raise ChangeRefused(
                f"Line {file.patch_line} of the patch, file {number}: it has no name; "
                "add --- and +++ lines with its path."
            )
        for path in (file.old_path, file.new_path):
            if path is not None:
                check_path(path)
    check_paths({file.old_path for file in parsed.files if file.old_path is not None})
    check_paths({file.new_path for file in parsed.files if file.new_path is not None})


def _change(patch: bytes, parsed: ParsedDiff, base: StoredTree | None = None, head: StoredTree | None = None) -> Change:
    files: list[CaseFile] = []
    hunks: list[list[CaseHunk]] = []
    for position, entry in enumerate(parsed.files):
        old = _leaf(base, entry.old_path)
        new = _leaf(head, entry.new_path)
        files.append(
            CaseFile(
                position=position,
                old_path=entry.old_path,
                new_path=entry.new_path,
                old_path_text=path_text(entry.old_path) if entry.old_path is not None else "",
                new_path_text=path_text(entry.new_path) if entry.new_path is not None else "",
                status=entry.status,
                old_mode=old.mode if old else entry.old_mode or "",
                new_mode=new.mode if new else entry.new_mode or "",
                is_binary=entry.binary or (not entry.hunks and _is_binary(old, new)),
                similarity=entry.similarity,
                added=entry.added,
                removed=entry.removed,
                old_blob=old.blob if old else None,
                new_blob=new.blob if new else None,
                patch_offset=entry.patch_offset,
                patch_length=entry.patch_length,
            )
        )
        hunks.append(
            [
                CaseHunk(
                    position=number,
                    old_start=hunk.old_start,
                    old_count=hunk.old_count,
                    new_start=hunk.new_start,
                    new_count=hunk.new_count,
                    section=hunk.section,
                    kinds="".join(KINDS[line.origin] for line in hunk.lines),
                )
                for number, hunk in enumerate(entry.hunks)
            ]
        )
    return Change(patch, parsed, files, hunks, base, head)


def _leaf(tree: StoredTree | None, path: bytes | None) -> Leaf | None:
    return tree.files.get(path) if tree is not None and path is not None else None


def _is_binary(old: Leaf | None, new: Leaf | None) -> bool:
    return any(leaf is not None and leaf.blob is not None and leaf.blob.is_binary for leaf in (old, new))


def _prove(change: Change) -> None:
    """Raise ChangeRefused unless the files differ exactly where the patch says, and by its very lines."""
    assert change.base is not None
    assert change.head is not None
    base, head = change.base.files, change.head.files
    differing = {path for path in base.keys() | head.keys() if _identity(base, path) != _identity(head, path)}
    named = set()
    for entry in change.parsed.files:
        if entry.status != "copied" and entry.old_path is not None:
            named.add(entry.old_path)
        if entry.new_path is not None:
            named.add(entry.new_path)
    for path in sorted(differing ^ named):
        says = "differs between base and head but is not in the patch" if path in differing else "is the same in both"
        raise ChangeRefused(f'"{path_text(path)}" {says}; give the patch that belongs to these two states.')
    for at in range(0, len(change.files), PROVE_AT_ONCE):
        _prove_lines(
            list(zip(change.parsed.files, change.files, strict=True))[at : at + PROVE_AT_ONCE], change.base, change.head
        )


def _identity(files: dict[bytes, Leaf], path: bytes) -> tuple[str, str] | None:
    leaf = files.get(path)
    return None if leaf is None else (leaf.mode, leaf.blob.sha256 if leaf.blob else leaf.commit)


def _prove_lines(pairs: list[tuple[DiffFile, CaseFile]], base: StoredTree, head: StoredTree) -> None:
    wanted = {blob_id for _, file in pairs if not file.is_binary for blob_id in (file.old_blob_id, file.new_blob_id)}
    contents = {
        blob.pk: bytes(blob.data) for blob in Blob.objects.filter(pk__in=[key for key in wanted if key is not None])
    }
    for entry, file in pairs:
        if file.is_binary:
            continue
        old = _text_side(_leaf(base, entry.old_path), contents)
        new = _text_side(_leaf(head, entry.new_path), contents)
        try:
            rebuilt = apply_hunks(old, entry)
        except PatchRefused as error:
            raise ChangeRefused(
                f'"{file}", line {error.patch_line} of the patch: {error.reason}; '
                "give the patch that belongs to these two states."
            ) from error
        if rebuilt != new:
            raise ChangeRefused(
                f'"{file}", line {entry.patch_line} of the patch: base with its lines applied is not head; '
                "give the patch that belongs to these two states."
            )


def _text_side(leaf: Leaf | None, contents: dict[int, bytes]) -> bytes:
    """Return the bytes that git compares: of the blob, or the line that stands for a submodule's commit."""
    if leaf is None:
        return b""
    if leaf.mode == SUBMODULE:
        return b"Subproject commit %s\n" % leaf.commit.encode()
    assert leaf.blob is not None
    return contents[leaf.blob.pk]


def store_change(case: Case, change: Change) -> None:
    """Insert the files and hunks of a change for a stored case. Call it inside the case's transaction."""
    for file in change.files:
        file.case = case
    CaseFile.objects.bulk_create(change.files, batch_size=400)
    rows: list[CaseHunk] = []
    for file, hunks in zip(change.files, change.hunks, strict=True):
        for hunk in hunks:
            hunk.case_file = file
        rows += hunks
    CaseHunk.objects.bulk_create(rows, batch_size=400)
