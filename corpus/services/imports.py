"""Imports: previewed first, then committed or discarded. Each case lands whole or not at all, both are counted (N8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice

from django.db import transaction

from corpus import clock
from corpus.domain.paths import PathRefused
from corpus.domain.vocabulary import SourceKind, Split
from corpus.gitrepo import GitRefused
from corpus.importers.formats import GIT, detect_format, opened
from corpus.importers.git import sentence
from corpus.importers.records import ImportedCase, ImportRefused, Record, Rejected, Source
from corpus.models import Blob, Case, Category, ImportBatch, ImportRecord, Job, Project, User
from corpus.selectors.projects import texts_in_force
from corpus.services import audit, jobs
from corpus.services.blobs import BlobRefused, store_blob
from corpus.services.case_facts import CaseFacts, FactsRefused, check_text, checked_facts, printable
from corpus.services.cases import (
    CaseRefused,
    ChangeRefused,
    GitSource,
    StoredCase,
    attach_change,
    create_case,
    create_incomplete_case,
    incomplete_case,
)
from corpus.services.changes import change_from_patch
from corpus.services.claims import add_claims
from corpus.services.trees import TreeRefused

JOB_KIND = "import"
# What refuses one record and leaves the others alone.
REFUSALS = (ChangeRefused, CaseRefused, FactsRefused, TreeRefused, PathRefused, BlobRefused, GitRefused)
# Imports of at most so many records are done in the request that commits them.
AT_ONCE = 25

__all__ = [
    "ImportRefused",
    "ImportStateRefused",
    "Options",
    "Trial",
    "commit_import",
    "discard_import",
    "keep_trial",
    "preview_import",
    "try_import",
]


class ImportStateRefused(Exception):
    """The import is in no state for this; the message is one sentence for the person."""


@dataclass(frozen=True)
class Options:
    """What holds for every case of an import that does not say otherwise."""

    source_kind: SourceKind = SourceKind.EXPERT
    split: Split = Split.DEV
    repository: str = ""
    licence: str = ""
    for_case: Case | None = None


class _RolledBack(Exception):
    """Ends a trial: whatever it stored is gone."""


@dataclass
class _Outcome:
    """What became, or would become, of one record."""

    outcome: str
    reason: str = ""
    case: Case | None = None
    identity: str = ""


@dataclass(frozen=True)
class Trial:
    """What an import would do: a batch and its records that are not stored, and the source they were read from."""

    source: Source
    batch: ImportBatch
    records: list[ImportRecord]


def try_import(
    *, project: Project, source: Source, created_by: User, format_name: str = "", options: Options = Options()
) -> Trial:
    """Read a source and say what its import would do; nothing is stored.

    Raises ImportRefused when nothing of the source can be imported for one reason.
    """
    format_name = format_name or detect_format(source)
    batch = ImportBatch(
        project=project,
        format=format_name,
        source_name=_cut(source.name, 500),
        source_kind=options.source_kind,
        split=options.split,
        repository=options.repository,
        licence=options.licence,
        for_case=options.for_case,
        created_by=created_by,
        created_at=clock.now(),
    )
    rows = []
    seen: set[str] = set()
    with _records(batch, source) as records:
        for position, record in enumerate(records):
            outcome = _try(batch, record, created_by)
            if outcome.outcome == ImportRecord.ACCEPTED and outcome.identity in seen:
                outcome = _Outcome(ImportRecord.DUPLICATE, "The same change stands earlier in this import.")
            seen.add(outcome.identity)
            rows.append(_row(batch, position, record, outcome))
    if not rows:
        raise ImportRefused(f"{source.name} holds no case.")
    if len(rows) == 1 and rows[0].outcome == ImportRecord.REJECTED:
        place = "" if rows[0].place.startswith(batch.source_name[:300]) else f"{source.name}, "
        raise ImportRefused(f"{place}{rows[0].place}: {rows[0].reason}")
    _count(batch, rows)
    return Trial(source, batch, rows)


@transaction.atomic
def keep_trial(*, trial: Trial) -> ImportBatch:
    """Store a trial as a preview that can be committed: the batch, its bytes and its records, nothing else."""
    batch = trial.batch
    batch.raw = _raw(trial.source)
    batch.save(force_insert=True)
    ImportRecord.objects.bulk_create(trial.records, batch_size=400)
    audit.record(
        actor=batch.created_by,
        verb="import previewed",
        subject=f"import {batch.public_id}",
        project=batch.project,
        after=_counts(batch),
    )
    return batch


def preview_import(
    *, project: Project, source: Source, created_by: User, format_name: str = "", options: Options = Options()
) -> ImportBatch:
    """Try an import and keep what it would do. Raises ImportRefused; then nothing is stored."""
    return keep_trial(
        trial=try_import(
            project=project, source=source, created_by=created_by, format_name=format_name, options=options
        )
    )


def commit_import(*, batch: ImportBatch, actor: User) -> ImportBatch:
    """Import what the preview accepted: at once where it is little, else by a job that a killed worker's successor
    resumes. Committing again changes nothing, and takes up an import that broke off."""
    with transaction.atomic():
        taken = ImportBatch.objects.filter(pk=batch.pk, state=ImportBatch.PREVIEWED, accepted__gt=0).update(
            state=ImportBatch.COMMITTING
        )
        batch.refresh_from_db()
        if not taken and batch.state == ImportBatch.PREVIEWED:
            raise ImportStateRefused("Nothing of this import can be accepted; mend what is listed and upload it again.")
        if batch.state == ImportBatch.DISCARDED:
            raise ImportStateRefused("This import was discarded; upload the file again.")
        if batch.state == ImportBatch.COMMITTED:
            return batch
        job = jobs.enqueue(kind=JOB_KIND, project=batch.project, subject=batch.public_id, created_by=actor)
    if batch.accepted <= AT_ONCE and batch.format != GIT:
        jobs.run_job(job.public_id)
    batch.refresh_from_db()
    return batch


def discard_import(*, batch: ImportBatch, actor: User) -> ImportBatch:
    """Set a previewed import aside. Raises ImportStateRefused once it was committed."""
    with transaction.atomic():
        taken = ImportBatch.objects.filter(pk=batch.pk, state=ImportBatch.PREVIEWED).update(state=ImportBatch.DISCARDED)
        batch.refresh_from_db()
        if not taken and batch.state != ImportBatch.DISCARDED:
            raise ImportStateRefused("This import was committed and cannot be discarded; withdraw its cases instead.")
        if taken:
            audit.record(
                actor=actor,
                verb="import discarded",
                subject=f"import {batch.public_id}",
                project=batch.project,
                before=ImportBatch.PREVIEWED,
                after=ImportBatch.DISCARDED,
            )
    return batch


@jobs.handles(JOB_KIND)
def run_import(job: Job, progress: jobs.Progress) -> str:
    """Store the accepted records of a batch from the cursor on, one transaction each, and close it."""
    batch = ImportBatch.objects.select_related("project", "created_by", "raw", "for_case").get(public_id=job.subject)
    if batch.state == ImportBatch.COMMITTED:
        return _counts(batch)
    assert batch.raw is not None
    source = Source(batch.source_name, bytes(batch.raw.data))
    progress.total(batch.records.count())
    try:
        with _records(batch, source) as records:
            for position, record in islice(enumerate(records), progress.cursor, None):
                with transaction.atomic():
                    _commit_record(batch, position, record, job.created_by)
                    progress.advance(position + 1)
    except ImportRefused as error:
        raise jobs.JobFailed(str(error)) from error
    with transaction.atomic():
        _count(batch, list(batch.records.only("outcome")))
        batch.state = ImportBatch.COMMITTED
        batch.committed_at = clock.now()
        batch.save(update_fields=["state", "committed_at", "accepted", "rejected", "duplicates"])
        audit.record(
            actor=job.created_by,
            verb="import committed",
            subject=f"import {batch.public_id}",
            project=batch.project,
            before=ImportBatch.COMMITTING,
            after=_counts(batch),
        )
    return _counts(batch)


def _commit_record(batch: ImportBatch, position: int, record: Record, actor: User) -> None:
    row = ImportRecord.objects.filter(batch=batch, position=position).first()
    if row is None or row.outcome != ImportRecord.ACCEPTED or row.case_id is not None:
        return
    try:
        with transaction.atomic():
            outcome = _store(batch, record, actor)
    except REFUSALS as error:
        outcome = _refused(error)
    row.outcome, row.case = outcome.outcome, outcome.case
    row.reason = _cut(outcome.reason, 500)
    row.save(update_fields=["outcome", "case", "reason"])


@contextmanager
def _records(batch: ImportBatch, source: Source) -> Iterator[Iterator[Record]]:
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


def _try(batch: ImportBatch, record: Record, actor: User) -> _Outcome:
    """Say what importing the record would do, and leave nothing of it behind."""
    if isinstance(record, Rejected):
        return _Outcome(ImportRecord.REJECTED, record.reason)
    if isinstance(record.change, GitSource):
        return _try_git(batch, record, record.change)
    result = _Outcome(ImportRecord.REJECTED)
    try:
        with transaction.atomic():
            result = _store(batch, record, actor)
            result.case = None if result.outcome == ImportRecord.ACCEPTED else result.case
            raise _RolledBack
    except _RolledBack:
        return result
    except REFUSALS as error:
        return _refused(error)


def _try_git(batch: ImportBatch, record: ImportedCase, change: GitSource) -> _Outcome:
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
    return _Outcome(ImportRecord.ACCEPTED, size, identity=f"{change.base} {change.head}")


def _store(batch: ImportBatch, record: Record, actor: User) -> _Outcome:
    """Store one record, whole. Raises one of REFUSALS; call it inside a transaction of its own."""
    if isinstance(record, Rejected):
        return _Outcome(ImportRecord.REJECTED, record.reason)
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
    return _Outcome(ImportRecord.ACCEPTED, _sentence(notes), stored.case, stored.case.identity_sha256)


def _unknown_categories(batch: ImportBatch, record: ImportedCase) -> list[str]:
    named = {claim.category_key for claim in record.claims if claim.category_key}
    unknown = sorted(named - _category_keys(batch.project)) if named else []
    return [f'the category "{name}" is not in the taxonomy' for name in unknown]


def _category_keys(project: Project) -> set[str]:
    taxonomy = texts_in_force(project).taxonomy
    return set(Category.objects.filter(taxonomy=taxonomy).values_list("key", flat=True))


def _duplicate(case: Case) -> _Outcome:
    return _Outcome(ImportRecord.DUPLICATE, f"It is already case {case.public_id}.", case)


def _refused(error: Exception) -> _Outcome:
    return _Outcome(ImportRecord.REJECTED, sentence(str(error)))


def _sentence(notes: list[str]) -> str:
    return sentence("; ".join(notes)) if notes else ""


def _row(batch: ImportBatch, position: int, record: Record, outcome: _Outcome) -> ImportRecord:
    return ImportRecord(
        batch=batch,
        position=position,
        place=_cut(record.place, 300),
        summary=_cut(record.summary, 300),
        outcome=outcome.outcome,
        reason=_cut(outcome.reason, 500),
        case=outcome.case,
    )


def _cut(text: str, limit: int) -> str:
    text = " ".join(printable(text).split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _raw(source: Source) -> Blob:
    try:
        return store_blob(source.data)
    except BlobRefused as error:
        raise ImportRefused(f"{source.name}: {error}") from error


def _count(batch: ImportBatch, rows: list[ImportRecord]) -> None:
    counts = Counter(row.outcome for row in rows)
    batch.accepted = counts[ImportRecord.ACCEPTED]
    batch.rejected = counts[ImportRecord.REJECTED]
    batch.duplicates = counts[ImportRecord.DUPLICATE]


def _counts(batch: ImportBatch) -> str:
    return f"{batch.accepted} accepted, {batch.rejected} rejected, {batch.duplicates} already there"
