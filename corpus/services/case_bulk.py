"""Many cases from patches at once: the same rows as one by one, in a number of queries that does not grow with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q

from corpus import clock
from corpus.domain.vocabulary import CaseState
from corpus.models import AuditEntry, Blob, Case, CaseFile, CaseHunk, CaseTag, Project, User
from corpus.services import audit
from corpus.services.blobs import sha256_of, store_blobs
from corpus.services.case_facts import CaseFacts, author_address, checked_facts, columns_of
from corpus.services.cases import change_columns, change_identity
from corpus.services.changes import Change, change_from_patch

BATCH_ROWS = 400


@dataclass(frozen=True)
class PatchCase:
    """A checked case from a patch that stands alone, ready to be stored."""

    facts: CaseFacts
    change: Change
    patch_sha256: str
    identity: str


def prepare_patch_case(patch: bytes, facts: CaseFacts) -> PatchCase:
    """Read and check a case. Raises what `create_case_from_patch` raises; asks the database nothing."""
    checked = checked_facts(facts)
    change = change_from_patch(patch)
    return PatchCase(checked, change, sha256_of(patch), change_identity(change))


def stored_already(project: Project, prepared: Iterable[PatchCase]) -> dict[str, Case]:
    """Return the cases of the project that hold one of these changes, by the identity of the change."""
    identities: dict[str, str] = {case.patch_sha256: case.identity for case in prepared}
    same = Q(identity_sha256__in=list(identities.values()))
    same |= Q(patch__sha256__in=list(identities), base_tree__isnull=True)
    cases = Case.objects.filter(same, project=project).select_related("patch").defer("patch__data")
    found = {}
    for case in cases:
        by_patch = identities.get(case.patch.sha256) if case.patch is not None else None
        found[by_patch or case.identity_sha256] = case
    return found


@transaction.atomic
def store_patch_cases(*, project: Project, prepared: Sequence[PatchCase], imported_by: User | None) -> list[Case]:
    """Store cases whose changes the project does not hold yet, each of them once, and return them in order.

    Raises BlobRefused, and IntegrityError where somebody else stored one of them meanwhile; then none is stored.
    """
    blobs = store_blobs(case.change.patch for case in prepared)
    authors = _authors(case.facts for case in prepared)
    now = clock.now()
    cases = [_case(one, project, blobs, authors) for one in prepared]
    for case in cases:
        case.imported_by = imported_by
        case.created_at = now
    Case.objects.bulk_create(cases, batch_size=BATCH_ROWS)
    files: list[CaseFile] = []
    hunks: list[CaseHunk] = []
    tags: list[CaseTag] = []
    trail: list[AuditEntry] = []
    for case, one in zip(cases, prepared, strict=True):
        for file, inside in zip(one.change.files, one.change.hunks, strict=True):
            file.case = case
            files.append(file)
            hunks += inside
        tags += [CaseTag(case=case, name=name) for name in one.facts.tags]
        trail.append(
            audit.entry(
                actor=imported_by, verb="case imported", subject=f"case {case.public_id}", case=case, after=case.state
            )
        )
    CaseFile.objects.bulk_create(files, batch_size=BATCH_ROWS)
    for one in prepared:
        for file, inside in zip(one.change.files, one.change.hunks, strict=True):
            for hunk in inside:
                hunk.case_file = file
    CaseHunk.objects.bulk_create(hunks, batch_size=BATCH_ROWS)
    CaseTag.objects.bulk_create(tags, batch_size=BATCH_ROWS)
    AuditEntry.objects.bulk_create(trail, batch_size=BATCH_ROWS)
    return cases


def _case(one: PatchCase, project: Project, blobs: Mapping[str, Blob], authors: Mapping[str, User]) -> Case:
    columns = columns_of(one.facts, authors) | change_columns(one.change, blobs[one.patch_sha256])
    if one.facts.language:
        columns["language"] = one.facts.language
    return Case(project=project, state=CaseState.READY, identity_sha256=one.identity, **columns)


def _authors(facts: Iterable[CaseFacts]) -> dict[str, User]:
    addresses = {address for one in facts if (address := author_address(one))}
    return {user.email: user for user in User.objects.filter(email__in=addresses)} if addresses else {}
