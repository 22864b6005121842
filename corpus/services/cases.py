"""Cases enter here, whole or not at all. The same change in one project is one case, however often it comes (N2)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q

from corpus import clock
from corpus.domain.vocabulary import CaseState
from corpus.gitrepo import GitRepository
from corpus.models import Blob, Case, CaseTag, Project, Tree, User
from corpus.querysets.cases import CaseQuerySet
from corpus.services import audit
from corpus.services.blobs import store_blob
from corpus.services.case_facts import CaseFacts, checked_facts, columns_of
from corpus.services.changes import Change, ChangeRefused, change_from_patch, change_from_trees, store_change
from corpus.services.claims import bind_claims
from corpus.services.git_trees import store_git_trees
from corpus.services.scratch import patch_between
from corpus.services.trees import Files, store_tree

__all__ = [
    "CaseFacts",
    "CaseRefused",
    "ChangeRefused",
    "StoredCase",
    "attach_change",
    "cases_by_reference",
    "create_case_from_git",
    "create_case_from_patch",
    "create_case_from_trees",
    "create_incomplete_case",
]


LOOKED_UP_AT_ONCE = 500


class CaseRefused(Exception):
    """A case cannot be stored or completed; the message is one sentence for the person."""


@dataclass(frozen=True)
class StoredCase:
    """A case and whether this call stored it; otherwise it was there before, and nothing changed."""

    case: Case
    created: bool


@dataclass(frozen=True)
class PatchSource:
    """A change given as patch bytes alone: labels may point only at lines the patch shows."""

    patch: bytes


@dataclass(frozen=True)
class TreesSource:
    """A change given as its two whole trees; without `patch` git makes one."""

    base: Files
    head: Files
    patch: bytes = b""


@dataclass(frozen=True)
class GitSource:
    """A change given as two commits (full object names) of an opened repository."""

    repository: GitRepository
    base: str
    head: str


ChangeSource = PatchSource | TreesSource | GitSource


def create_case_from_patch(
    *, project: Project, patch: bytes, facts: CaseFacts, imported_by: User | None = None
) -> StoredCase:
    """Store a case from a unified diff or git patch, also inside a mail. Its bytes are kept exactly as given (N5).

    Raises ChangeRefused, PathRefused, FactsRefused or BlobRefused; then nothing was stored.
    """
    return create_case(project=project, source=PatchSource(patch), facts=facts, imported_by=imported_by)


def create_case_from_trees(
    *,
    project: Project,
    base: Files,
    head: Files,
    facts: CaseFacts,
    imported_by: User | None = None,
    patch: bytes = b"",
) -> StoredCase:
    """Store a case from two whole trees (path to mode and bytes), and the patch between them if there is one.

    Raises ChangeRefused, TreeRefused, PathRefused, FactsRefused or BlobRefused; then nothing was stored.
    """
    source = TreesSource(base, head, patch)
    return create_case(project=project, source=source, facts=facts, imported_by=imported_by)


def create_case_from_git(
    *,
    project: Project,
    repository: GitRepository,
    base: str,
    head: str,
    facts: CaseFacts,
    imported_by: User | None = None,
) -> StoredCase:
    """Store a case from two commits of a local repository; both trees are kept whole, without references or history.

    Raises ChangeRefused, TreeRefused, PathRefused, FactsRefused, BlobRefused or GitRefused; then nothing was stored.
    """
    source = GitSource(repository, base, head)
    facts = replace(facts, base_commit=facts.base_commit or base, head_commit=facts.head_commit or head)
    return create_case(project=project, source=source, facts=facts, imported_by=imported_by)


@transaction.atomic
def create_case(
    *, project: Project, source: ChangeSource, facts: CaseFacts, imported_by: User | None = None
) -> StoredCase:
    """Store a case from any source of a change."""
    facts = checked_facts(facts)
    return _store(project=project, change=load_change(source), facts=facts, imported_by=imported_by)


def load_change(source: ChangeSource) -> Change:
    """Read and check a change; its trees are stored. Call it inside the transaction that stores the case."""
    if isinstance(source, PatchSource):
        return change_from_patch(source.patch)
    if isinstance(source, GitSource):
        patch = source.repository.patch(source.base, source.head)
        return change_from_trees(patch, *store_git_trees(source.repository, source.base, source.head))
    base, head = store_tree(source.base), store_tree(source.head)
    return change_from_trees(source.patch or patch_between(source.base, source.head), base, head)


@transaction.atomic
def create_incomplete_case(
    *, project: Project, reference: str, missing: str, facts: CaseFacts, imported_by: User | None = None
) -> StoredCase:
    """Store a case that waits for its change. `reference` identifies it within the project, such as its address."""
    facts = checked_facts(facts)
    identity = _identity("reference", reference)
    found = Case.objects.filter(project=project, identity_sha256=identity).first()
    if found is not None:
        return StoredCase(found, created=False)
    case = Case(state=CaseState.INCOMPLETE, missing=missing[:300], **columns_of(facts))
    return _insert(case, project, identity, facts.tags, imported_by)


def incomplete_case(project: Project, reference: str) -> Case | None:
    """Return the case that waits for its change under this name, if there is one."""
    return Case.objects.filter(
        project=project, identity_sha256=_identity("reference", reference), state=CaseState.INCOMPLETE
    ).first()


def waiting_references(project: Project, references: Iterable[str]) -> set[str]:
    """Return those of the names under which a case waits for its change."""
    identities = {_identity("reference", reference): reference for reference in references}
    if not identities:
        return set()
    waiting = Case.objects.filter(
        project=project, identity_sha256__in=list(identities), state=CaseState.INCOMPLETE
    ).values_list("identity_sha256", flat=True)
    return {identities[identity] for identity in waiting}


def cases_by_reference(project: Project, references: Iterable[str]) -> dict[str, int]:
    """Return the primary keys of the cases that were first imported under these names of their source."""
    identities = {_identity("reference", reference): reference for reference in references}
    found: dict[str, int] = {}
    wanted = list(identities)
    for at in range(0, len(wanted), LOOKED_UP_AT_ONCE):
        known = Case.objects.filter(project=project, identity_sha256__in=wanted[at : at + LOOKED_UP_AT_ONCE])
        found |= {identities[identity]: pk for identity, pk in known.values_list("identity_sha256", "pk")}
    return found


@transaction.atomic
def attach_change(*, case: Case, source: ChangeSource, actor: User | None) -> Case:
    """Give an incomplete case its change, after which it is ready.

    Raises CaseRefused and what reading a change raises; then the case is as it was.
    """
    change = load_change(source)
    other = _same_change(case.project, change).exclude(pk=case.pk).first()
    if other is not None:
        raise CaseRefused(f"This change is already case {other.public_id} of the project; use that one.")
    columns = change_columns(change, store_blob(change.patch))
    if case.language:
        columns.pop("language")
    taken = Case.objects.filter(pk=case.pk, state=CaseState.INCOMPLETE, files__isnull=True).update(
        state=CaseState.READY, missing="", **columns
    )
    if taken != 1:
        raise CaseRefused(f"Case {case.public_id} already has its change; import the new change as a case of its own.")
    case.refresh_from_db()
    store_change(case, change)
    bind_claims(case=case)
    audit.record(
        actor=actor,
        verb="change attached",
        subject=f"case {case.public_id}",
        case=case,
        before=CaseState.INCOMPLETE,
        after=CaseState.READY,
    )
    return case


def _store(*, project: Project, change: Change, facts: CaseFacts, imported_by: User | None) -> StoredCase:
    found = _same_change(project, change).first()
    if found is not None:
        return StoredCase(found, created=False)
    columns = columns_of(facts) | change_columns(change, store_blob(change.patch)) | {"state": CaseState.READY}
    columns["language"] = facts.language or change.language
    try:
        with transaction.atomic():
            stored = _insert(Case(**columns), project, change_identity(change), facts.tags, imported_by)
            store_change(stored.case, change)
    except IntegrityError:
        # Somebody else has stored the same change at this very moment.
        found = _same_change(project, change).first()
        if found is None:
            raise
        return StoredCase(found, created=False)
    return stored


def change_columns(change: Change, patch: Blob) -> dict[str, Any]:
    """Return the columns of a case that its change fills; `patch` is the stored blob of its bytes."""
    base: Tree | None = change.base.tree if change.base else None
    head: Tree | None = change.head.tree if change.head else None
    return {
        "patch": patch,
        "base_tree": base,
        "head_tree": head,
        "language": change.language,
        "file_count": change.file_count,
        "added_lines": change.added_lines,
        "removed_lines": change.removed_lines,
    }


def _insert(case: Case, project: Project, identity: str, tags: Sequence[str], imported_by: User | None) -> StoredCase:
    case.project = project
    case.identity_sha256 = identity
    case.imported_by = imported_by
    case.created_at = clock.now()
    case.save(force_insert=True)
    CaseTag.objects.bulk_create([CaseTag(case=case, name=name) for name in tags])
    audit.record(actor=imported_by, verb="case imported", subject=f"case {case.public_id}", case=case, after=case.state)
    return StoredCase(case, created=True)


def change_identity(change: Change) -> str:
    """Return what makes two imports the same case: both trees where they are given, else the bytes of the patch."""
    if change.base is not None and change.head is not None:
        return _identity("trees", change.base.tree.sha256, change.head.tree.sha256)
    return _identity("patch", hashlib.sha256(change.patch).hexdigest())


def _identity(kind: str, *parts: str) -> str:
    return hashlib.sha256("\0".join((kind, *parts)).encode("utf-8", "backslashreplace")).hexdigest()


def _same_change(project: Project, change: Change) -> CaseQuerySet:
    """Cases of the project with this very change, also those that got it after they were imported without."""
    same = Q(identity_sha256=change_identity(change))
    if change.base is not None and change.head is not None:
        same |= Q(base_tree=change.base.tree, head_tree=change.head.tree)
    else:
        same |= Q(patch__sha256=hashlib.sha256(change.patch).hexdigest(), base_tree__isnull=True)
    return Case.objects.filter(same, project=project)
