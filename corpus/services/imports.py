"""Imports: previewed first, then committed or discarded. Each case lands whole or not at all, both are counted (N8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from django.db import transaction

from corpus import clock
from corpus.domain.vocabulary import SourceKind, Split
from corpus.importers.formats import GIT, detect_format
from corpus.importers.records import ImportRefused, Record, Source
from corpus.models import Blob, Case, ImportBatch, ImportRecord, Job, Project, User
from corpus.services import audit, jobs
from corpus.services.blobs import BlobRefused, store_blob
from corpus.services.case_facts import printable
from corpus.services.import_records import Outcome, records_of, store_records, try_records

JOB_KIND = "import"
# Imports of at most so many records are done in the request that commits them.
AT_ONCE = 25
# Records are tried, and stored, so many at a time: one transaction for each lot.
LOT = 200

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
    rows: list[ImportRecord] = []
    seen: set[str] = set()
    with records_of(batch, source) as records:
        for lot in _lots(records):
            outcomes = try_records(batch=batch, records=lot, actor=created_by)
            for record, outcome in zip(lot, outcomes, strict=True):
                if outcome.outcome == ImportRecord.ACCEPTED and outcome.identity in seen:
                    outcome = Outcome(ImportRecord.DUPLICATE, "The same change stands earlier in this import.")
                seen.add(outcome.identity)
                rows.append(_row(batch, len(rows), record, outcome))
    if not rows:
        raise ImportRefused(f"{source.name} holds no case.")
    if len(rows) == 1 and rows[0].outcome == ImportRecord.REJECTED:
        place = "" if rows[0].place.startswith(batch.source_name[:300]) else f"{source.name}, "
        raise ImportRefused(f"{place}{rows[0].place}: {rows[0].reason}")
    _count(batch, (row.outcome for row in rows))
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
    """Store the accepted records of a batch from the cursor on, one transaction for each lot, and close it."""
    batch = ImportBatch.objects.select_related("project", "created_by", "raw", "for_case").get(public_id=job.subject)
    if batch.state == ImportBatch.COMMITTED:
        return _counts(batch)
    assert batch.raw is not None
    if batch.raw.withdrawn_at is not None:
        raise jobs.JobFailed("The bytes of this import were withdrawn; upload it anew without them.")
    source = Source(batch.source_name, bytes(batch.raw.data))
    progress.total(batch.records.count())
    try:
        with records_of(batch, source) as records:
            position = progress.cursor
            for lot in _lots(islice(records, position, None)):
                with transaction.atomic():
                    _commit_lot(batch, position, lot, job.created_by)
                    position += len(lot)
                    progress.advance(position)
    except ImportRefused as error:
        raise jobs.JobFailed(str(error)) from error
    with transaction.atomic():
        _count(batch, batch.records.values_list("outcome", flat=True))
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


def _lots(records: Iterator[Record]) -> Iterator[list[Record]]:
    while lot := list(islice(records, LOT)):
        yield lot


def _commit_lot(batch: ImportBatch, first: int, lot: list[Record], actor: User) -> None:
    """Store what the preview accepted of some records that follow each other, and note what became of each."""
    last = first + len(lot)
    rows = ImportRecord.objects.filter(
        batch=batch, position__gte=first, position__lt=last, outcome=ImportRecord.ACCEPTED, case__isnull=True
    )
    waiting = list(rows.order_by("position"))
    outcomes = store_records(batch=batch, records=[lot[row.position - first] for row in waiting], actor=actor)
    as_tried: list[ImportRecord] = []
    otherwise: list[ImportRecord] = []
    for row, outcome in zip(waiting, outcomes, strict=True):
        reason = _cut(outcome.reason, 500)
        (as_tried if (row.outcome, row.reason) == (outcome.outcome, reason) else otherwise).append(row)
        row.outcome, row.case, row.reason = outcome.outcome, outcome.case, reason
    ImportRecord.objects.bulk_update(as_tried, ["case"], batch_size=100)
    ImportRecord.objects.bulk_update(otherwise, ["outcome", "case", "reason"], batch_size=100)


def _row(batch: ImportBatch, position: int, record: Record, outcome: Outcome) -> ImportRecord:
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


def _count(batch: ImportBatch, outcomes: Iterable[str]) -> None:
    counts = Counter(outcomes)
    batch.accepted = counts[ImportRecord.ACCEPTED]
    batch.rejected = counts[ImportRecord.REJECTED]
    batch.duplicates = counts[ImportRecord.DUPLICATE]


def _counts(batch: ImportBatch) -> str:
    return f"{batch.accepted} accepted, {batch.rejected} rejected, {batch.duplicates} already there"
