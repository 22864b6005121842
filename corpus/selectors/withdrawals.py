"""What a withdrawal of bytes would destroy, and whom it touches (N5).

Bytes are stored once for the whole server, so a withdrawal reaches other cases. A lead destroys what is used by cases
they manage and by nobody else; what another case uses besides stays, and only an administrator's command reaches it.

A case loses its change when bytes of a changed file go: its patch quotes them. So do the uploads it was read from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from corpus.domain.bytestext import text_path
from corpus.domain.vocabulary import Role
from corpus.models import Blob, Case, CaseFile, ImportBatch, Tree, TreeEntry, User, VersionCase
from corpus.models.findings import AnchorFields
from corpus.querysets.people import projects_with_role
from corpus.selectors.trees import find_file, list_tree

CHUNK = 400
MAX_PATHS = 50


class WithdrawalRefused(Exception):
    """Bytes cannot be withdrawn like this; the message is one sentence for the person."""


@dataclass(frozen=True)
class TouchedCase:
    """A case that a withdrawal touches: `loses_change` where its patch goes, else files of its snapshot alone."""

    case: Case
    loses_change: bool
    versions: int


@dataclass(frozen=True)
class WithdrawalPlan:
    """What would be destroyed. `digest` is equal for equal plans: what was confirmed is what was shown."""

    case: Case
    # Empty for the whole case.
    paths: tuple[str, ...]
    blobs: frozenset[int]
    # SHA-256 of each of them, in order.
    contents: tuple[str, ...]
    size: int
    uploads: int
    quotes: int
    # How many of the wanted contents stay, since cases use them that this does not reach.
    kept: int
    touched: tuple[TouchedCase, ...]

    @property
    def losing(self) -> tuple[Case, ...]:
        """The cases whose change is destroyed."""
        return tuple(one.case for one in self.touched if one.loses_change)

    @property
    def keeping(self) -> tuple[Case, ...]:
        """The cases that lose files of their snapshot alone."""
        return tuple(one.case for one in self.touched if not one.loses_change)

    @property
    def digest(self) -> str:
        """SHA-256 over the contents and the cases, by no key of a row: such a key tells what else was stored (B1)."""
        lines = [" ".join(self.contents)]
        lines += [f"{one.case.public_id} {one.loses_change}" for one in self.touched]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def plan_withdrawal(*, case: Case, paths: Sequence[str] | None, viewer: User | None) -> WithdrawalPlan:
    """Say what withdrawing files of `case` would destroy, or, without paths, whatever the case alone uses.

    Without a viewer every case of the server is in reach. Raises WithdrawalRefused for a path that the case does not
    have, and where nothing is left to destroy.
    """
    reach = Case.objects.all() if viewer is None else Case.objects.managed_by(viewer)
    wanted = standing(contents_at(case, paths) if paths else whole_case(case))
    blobs = wanted if paths else without_shared(case, wanted)
    if paths:
        blobs = {key for key in blobs if not users_of([key]).exclude(pk__in=reach.values("pk")).exists()}
    kept = len(wanted - blobs)
    losing = {*losing_change(blobs), *([] if paths else [case.pk])}
    batches = ImportBatch.objects.filter(Q(records__case__in=losing) | Q(for_case__in=losing), raw__isnull=False)
    quoting = standing(
        {
            *Case.objects.filter(pk__in=losing, patch__isnull=False).values_list("patch", flat=True),
            *batches.values_list("raw", flat=True),
        }
    )
    reached = {key for key in quoting if not _used_beyond(key, reach, viewer)}
    kept += len(quoting - reached)
    blobs |= reached
    # Equal patches: the bytes are one, so whoever has them loses them too.
    losing |= set(losing_change(blobs))
    if not blobs:
        raise WithdrawalRefused(
            "Other cases use all of these bytes, so they stay; an administrator of this server can destroy them."
            if kept
            else "Nothing is left to destroy: these bytes are withdrawn already."
        )
    uploads = ImportBatch.objects.filter(raw__in=blobs).count()
    found = Blob.objects.filter(pk__in=blobs).order_by("sha256").values_list("sha256", "size")
    return WithdrawalPlan(
        case=case,
        paths=tuple(paths or ()),
        blobs=frozenset(blobs),
        contents=tuple(sha256 for sha256, _ in found),
        size=sum(size for _, size in found),
        uploads=uploads,
        quotes=sum(rows.count() for rows in quoting_rows(blobs, losing)),
        kept=kept,
        touched=touched_cases(blobs, losing),
    )


def touched_cases(blobs: Collection[int], losing: Collection[int]) -> tuple[TouchedCase, ...]:
    """Return every case that uses one of the contents, in the order in which they came."""
    keys = {*losing, *users_of(blobs).values_list("pk", flat=True)}
    versions: dict[int, int] = {}
    for key in VersionCase.objects.filter(case__in=keys).values_list("case", flat=True):
        versions[key] = versions.get(key, 0) + 1
    cases = Case.objects.filter(pk__in=keys).select_related("project").order_by("pk")
    return tuple(TouchedCase(case, case.pk in losing, versions.get(case.pk, 0)) for case in cases)


def standing(blobs: Iterable[int]) -> set[int]:
    """Return those of the contents that were not withdrawn yet."""
    found: set[int] = set()
    for some in _chunks(set(blobs)):
        found |= set(Blob.objects.filter(pk__in=some, withdrawn_at__isnull=True).values_list("pk", flat=True))
    return found


def contents_at(case: Case, paths: Sequence[str]) -> set[int]:
    """Return the contents of files of a case by path, on both sides. Raises WithdrawalRefused for an unknown path."""
    if len(paths) > MAX_PATHS:
        raise WithdrawalRefused(f"{len(paths)} files are named; name at most {MAX_PATHS}, or withdraw the whole case.")
    found: set[int] = set()
    for path in paths:
        changed = list(
            CaseFile.objects.filter(Q(old_path_text=path) | Q(new_path_text=path), case=case).values_list(
                "old_blob", "new_blob"
            )
        )
        here = {key for pair in changed for key in pair if key is not None}
        for tree in (case.base_tree, case.head_tree):
            file = _file_in(tree, path)
            if file is not None:
                here.add(file)
        if not here and not changed:
            raise WithdrawalRefused(f'The case has no file "{path[:200]}"; write its path as the list of files does.')
        # Where only a patch is known, the lines of the file are nowhere but in it.
        if not here and case.patch_id is not None:
            here.add(case.patch_id)
        found |= here
    return found


def _file_in(tree: Tree | None, path: str) -> int | None:
    if tree is None:
        return None
    try:
        file = find_file(tree, text_path(path))
    except ValueError:
        return None
    return file.blob_id if file else None


def whole_case(case: Case) -> set[int]:
    """Return the contents of every file of a case's change and of its snapshot."""
    pairs = CaseFile.objects.filter(case=case).values_list("old_blob", "new_blob")
    found = {key for pair in pairs for key in pair if key is not None}
    for tree in (case.base_tree, case.head_tree):
        if tree is not None:
            found |= {file.blob_id for file in list_tree(tree) if file.blob_id is not None}
    return found


def without_shared(case: Case, blobs: Collection[int]) -> set[int]:
    """Leave out what any other case uses: as a file of its change, or in a folder that its snapshot shares."""
    left = set(blobs)
    for some in _chunks(blobs):
        others = CaseFile.objects.filter(Q(old_blob__in=some) | Q(new_blob__in=some)).exclude(case=case)
        left -= {key for pair in others.values_list("old_blob", "new_blob") for key in pair}
        left -= set(Case.objects.filter(patch__in=some).exclude(pk=case.pk).values_list("patch", flat=True))
    own = _folders({tree for tree in (case.base_tree_id, case.head_tree_id) if tree is not None})
    roots = Q(base_tree__in=own) | Q(head_tree__in=own)
    pairs = Case.objects.filter(roots).exclude(pk=case.pk).values_list("base_tree", "head_tree")
    shared = {key for pair in pairs for key in pair if key in own}
    for some in _chunks(own):
        foreign = TreeEntry.objects.filter(child__in=some).exclude(tree__in=own)
        shared |= set(foreign.values_list("child", flat=True))
    for some in _chunks(_folders(shared)):
        left -= set(TreeEntry.objects.filter(tree__in=some, blob__isnull=False).values_list("blob", flat=True))
    for some in _chunks(left):
        foreign = TreeEntry.objects.filter(blob__in=some).exclude(tree__in=own)
        left -= set(foreign.values_list("blob", flat=True))
    return left


def _folders(roots: Collection[int]) -> set[int]:
    """Return the trees and every folder below them."""
    found: set[int] = set()
    level = set(roots)
    while level:
        found |= level
        below: set[int] = set()
        for some in _chunks(level):
            rows = TreeEntry.objects.filter(tree__in=some, child__isnull=False)
            below |= set(rows.values_list("child", flat=True))
        level = below - found
    return found


def users_of(blobs: Collection[int]) -> QuerySet[Case]:
    """Return the cases that use any of the contents: as patch, in their change, or anywhere in their snapshot."""
    trees: set[int] = set()
    for some in _chunks(blobs):
        trees |= set(TreeEntry.objects.filter(blob__in=some).values_list("tree", flat=True))
    level = set(trees)
    while level:
        above: set[int] = set()
        for some in _chunks(level):
            above |= set(TreeEntry.objects.filter(child__in=some).values_list("tree", flat=True))
        level = above - trees
        trees |= level
    keys: set[int] = set()
    for some in _chunks(blobs):
        keys |= set(Case.objects.filter(patch__in=some).values_list("pk", flat=True))
        files = CaseFile.objects.filter(Q(old_blob__in=some) | Q(new_blob__in=some))
        keys |= set(files.values_list("case", flat=True))
    for some in _chunks(trees):
        keys |= set(Case.objects.filter(Q(base_tree__in=some) | Q(head_tree__in=some)).values_list("pk", flat=True))
    return Case.objects.filter(pk__in=keys)


def losing_change(blobs: Collection[int]) -> set[int]:
    """Return the cases whose patch is among the contents or quotes one of them."""
    found: set[int] = set()
    for some in _chunks(blobs):
        files = CaseFile.objects.filter(Q(old_blob__in=some) | Q(new_blob__in=some))
        found |= set(files.values_list("case", flat=True))
        found |= set(Case.objects.filter(patch__in=some).values_list("pk", flat=True))
    return found


def _used_beyond(blob: int, reach: QuerySet[Case], viewer: User | None) -> bool:
    """Say whether a patch or an upload is used by a case or an import that a withdrawal does not reach."""
    if viewer is None:
        return False
    batches = ImportBatch.objects.filter(raw=blob).exclude(project__in=projects_with_role(viewer, [Role.LEAD]))
    return batches.exists() or users_of([blob]).exclude(pk__in=reach.values("pk")).exists()


def quoting_rows(blobs: Collection[int], losing: Collection[int]) -> Iterator[QuerySet[AnchorFields]]:
    """Yield the places that quote lines of the contents, or of the patch of a case that loses it, table by table."""
    digests = Blob.objects.filter(pk__in=blobs).values("sha256")
    for model in AnchorFields.__subclasses__():
        of_patch = Q(**{f"{model.case_lookup}__in": losing}, blob_sha256="")
        yield model._default_manager.filter(Q(blob_sha256__in=digests) | of_patch).exclude(quote="")


def _chunks(keys: Collection[int]) -> Iterator[list[int]]:
    """Yield the keys in lots that any database takes as parameters."""
    ordered = sorted(keys)
    for at in range(0, len(ordered), CHUNK):
        yield ordered[at : at + CHUNK]
