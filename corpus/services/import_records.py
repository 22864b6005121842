"""What becomes of the records of an import: tried without a trace, or stored, each whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice

from django.db import IntegrityError, transaction

from corpus.domain.paths import PathRefused
from corpus.domain.vocabulary import SourceKind, Split
from corpus.gitrepo import GitRefused
from corpus.importers.formats import opened
from corpus.importers.git import sentence
from corpus.importers.records import ImportedCase, ImportRefused, Record, Rejected, Source
from corpus.models import Case, Category, ImportBatch, ImportRecord, Project, User
from corpus.selectors.projects import texts_in_force
from corpus.services.blobs import BlobRefused
from corpus.services.case_bulk import PatchCase, prepare_patch_case, store_patch_cases, stored_already
from corpus.services.case_facts import CaseFacts, FactsRefused, check_text, checked_facts
from corpus.services.cases import (
    CaseRefused,
    ChangeRefused,
    GitSource,
    PatchSource,
    StoredCase,
    attach_change,
    create_case,
    create_incomplete_case,
    incomplete_case,
    waiting_references,
)
from corpus.services.changes import change_from_patch
from corpus.services.claims import add_claims
from corpus.services.trees import TreeRefused

# What refuses one record and leaves the others alone.
REFUSALS = (ChangeRefused, CaseRefused, FactsRefused, TreeRefused, PathRefused, BlobRefused, GitRefused)


@dataclass
class Outcome:
    """What became, or would become, of one record. `identity` is the change's, empty where there is none."""

    outcome: str
    reason: str = ""
    case: Case | None = None
    identity: str = ""


class _RolledBack(Exception):
    """Ends a trial: whatever it stored is gone."""


@contextmanager
def records_of(batch: ImportBatch, source: Source) -> Iterator[Iterator[Record]]:
    """Give the records of a source while the block runs. Raises ImportRefused."""
    defaults = CaseFacts(
        source_kind=SourceKind(batch.source_kind),
        split=Split(batch.split),
        repository=batch.repository,
        licence=batch.licence,
    )
    with opened(batch.format, source, defaults) as records:
        yield _only_one(records) if batch.for_case_id else records


def _only_one(records: Iterator[Record]) -> Iterator[Record]:
    found = list(islice(records, 2))
    if len(found) != 1:
        raise ImportRefused("The source holds more than one case; to complete a case give its change alone.")
    yield found[0]


def try_records(*, batch: ImportBatch, records: Sequence[Record], actor: User) -> list[Outcome]:
    """Say of each record what importing it would do, and leave nothing of any behind."""
    outcomes, plain = _prepare(batch, records)
    if plain:
        held = stored_already(batch.project, plain.values())
        for index, one in plain.items():
            case = held.get(one.identity)
            outcomes[index] = _duplicate(case) if case else _accepted(batch, records[index], None, one.identity)
    return [
        outcomes[index] if index in outcomes else _try_alone(batch, record, actor)
        for index, record in enumerate(records)
    ]


def store_records(*, batch: ImportBatch, records: Sequence[Record], actor: User) -> list[Outcome]:
    """Store the records, each whole or not at all, and say what became of each. Call it inside a transaction.

    What is a plain patch is stored together with the others of its kind; if somebody else stores one of them at the
    same moment, each is stored on its own.
    """
    outcomes, plain = _prepare(batch, records)
    try:
        with transaction.atomic():
            outcomes |= _store_plain(batch, records, plain, actor)
    except (IntegrityError, BlobRefused):
        pass
    return [
        outcomes[index] if index in outcomes else _store_alone(batch, record, actor)
        for index, record in enumerate(records)
    ]


def _prepare(batch: ImportBatch, records: Sequence[Record]) -> tuple[dict[int, Outcome], dict[int, PatchCase]]:
    """Read what stands alone as a patch, without the database; what refuses itself here has its outcome already."""
    outcomes: dict[int, Outcome] = {}
    plain: dict[int, PatchCase] = {}
    waiting = waiting_references(batch.project, _references(records))
    for index, record in enumerate(records):
        if isinstance(record, Rejected):
            outcomes[index] = Outcome(ImportRecord.REJECTED, record.reason)
        elif _is_plain(batch, record) and record.reference not in waiting:
            assert isinstance(record.change, PatchSource)
            try:
                check_text("id", record.reference)
                plain[index] = prepare_patch_case(record.change.patch, record.facts)
            except REFUSALS as error:
                outcomes[index] = _refused(error)
    return outcomes, plain


def _references(records: Iterable[Record]) -> set[str]:
    return {record.reference for record in records if isinstance(record, ImportedCase) and record.reference}


def _is_plain(batch: ImportBatch, record: ImportedCase) -> bool:
    return isinstance(record.change, PatchSource) and not record.claims and batch.for_case_id is None


def _store_plain(
    batch: ImportBatch, records: Sequence[Record], plain: dict[int, PatchCase], actor: User
) -> dict[int, Outcome]:
    if not plain:
        return {}
    held = stored_already(batch.project, plain.values())
    new = {one.identity: one for one in plain.values() if one.identity not in held}
    cases = store_patch_cases(project=batch.project, prepared=list(new.values()), imported_by=actor)
    fresh = dict(zip(new, cases, strict=True))
    outcomes = {}
    for index, one in plain.items():
        case = fresh.pop(one.identity, None)
        if case is not None:
            outcomes[index] = _accepted(batch, records[index], case, one.identity)
            held[one.identity] = case
        else:
            outcomes[index] = _duplicate(held[one.identity])
    return outcomes


def _accepted(batch: ImportBatch, record: Record, case: Case | None, identity: str) -> Outcome:
    assert isinstance(record, ImportedCase)
    notes = [*record.notes, *_unknown_categories(batch, record)]
    return Outcome(ImportRecord.ACCEPTED, _sentence(notes), case, identity)


def _try_alone(batch: ImportBatch, record: Record, actor: User) -> Outcome:
    if isinstance(record, ImportedCase) and isinstance(record.change, GitSource):
        return _try_git(batch, record, record.change)
    result = Outcome(ImportRecord.REJECTED)
    try:
        with transaction.atomic():
            result = _store(batch, record, actor)
            result.case = None if result.outcome == ImportRecord.ACCEPTED else result.case
            raise _RolledBack
    except _RolledBack:
        return result
    except REFUSALS as error:
        return _refused(error)


def _try_git(batch: ImportBatch, record: ImportedCase, change: GitSource) -> Outcome:
    """Check the patch of a repository's change; its snapshots are read and proved when it is committed."""
    try:
        checked_facts(record.facts)
        read = change_from_patch(change.repository.patch(change.base, change.head))
    except REFUSALS as error:
        return _refused(error)
    found = Case.objects.filter(
        project=batch.project, base_commit=change.base, head_commit=change.head, patch__isnull=False
    ).first()
    if found is not None and batch.for_case_id is None:
        return _duplicate(found)
    size = f"{read.file_count} files, {read.added_lines} lines added, {read.removed_lines} removed"
    return Outcome(ImportRecord.ACCEPTED, size, identity=f"{change.base} {change.head}")


def _store_alone(batch: ImportBatch, record: Record, actor: User) -> Outcome:
    try:
        with transaction.atomic():
            return _store(batch, record, actor)
    except REFUSALS as error:
        return _refused(error)


def _store(batch: ImportBatch, record: Record, actor: User) -> Outcome:
    """Store one record, whole. Raises one of REFUSALS; call it inside a transaction of its own."""
    if isinstance(record, Rejected):
        return Outcome(ImportRecord.REJECTED, record.reason)
    project = batch.project
    reference = check_text("id", record.reference)
    waiting = batch.for_case or (incomplete_case(project, reference) if reference else None)
    notes = list(record.notes)
    if record.change is None:
        if batch.for_case is not None:
            raise CaseRefused("The source holds no change; give a patch, both trees, or base and head of a repository.")
        stored = create_incomplete_case(
            project=project,
            reference=reference,
            missing=record.missing,
            facts=record.facts,
            imported_by=actor,
        )
    elif waiting is not None:
        case = attach_change(case=waiting, source=record.change, actor=actor)
        notes.insert(0, f"completes case {case.public_id}")
        stored = StoredCase(case, created=True)
    else:
        stored = create_case(project=project, source=record.change, facts=record.facts, imported_by=actor)
    if not stored.created:
        return _duplicate(stored.case)
    notes += add_claims(case=stored.case, drafts=record.claims)
    notes += _unknown_categories(batch, record)
    return Outcome(ImportRecord.ACCEPTED, _sentence(notes), stored.case, stored.case.identity_sha256)


def _unknown_categories(batch: ImportBatch, record: ImportedCase) -> list[str]:
    named = {claim.category_key for claim in record.claims if claim.category_key}
    unknown = sorted(named - _category_keys(batch.project)) if named else []
    return [f'the category "{name}" is not in the taxonomy' for name in unknown]


def _category_keys(project: Project) -> set[str]:
    taxonomy = texts_in_force(project).taxonomy
    return set(Category.objects.filter(taxonomy=taxonomy).values_list("key", flat=True))


def _duplicate(case: Case) -> Outcome:
    return Outcome(ImportRecord.DUPLICATE, f"It is already case {case.public_id}.", case)


def _refused(error: Exception) -> Outcome:
    return Outcome(ImportRecord.REJECTED, sentence(str(error)))


def _sentence(notes: list[str]) -> str:
    return sentence("; ".join(notes)) if notes else ""
