"""Long work and imports."""

from __future__ import annotations

from django.db import models

from corpus.domain.vocabulary import JobState, SourceKind, Split
from corpus.models.blobs import Blob
from corpus.models.cases import Case
from corpus.models.fields import enum_check, enum_field, public_id_field
from corpus.models.people import User
from corpus.models.projects import Project
from corpus.querysets.work import ImportBatchQuerySet, ImportRecordQuerySet, JobQuerySet


class Job(models.Model):
    """One piece of long work. The row is the truth, a broker only carries its id; a killed worker's job resumes."""

    public_id = public_id_field()
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="jobs")
    kind = models.CharField(max_length=40)
    # The public id of the row the job works on, such as an import batch.
    subject = models.CharField(max_length=64, blank=True)
    state = enum_field(JobState, default=JobState.QUEUED)
    done_items = models.PositiveIntegerField(default=0)
    total_items = models.PositiveIntegerField(null=True)
    # Where to go on after a worker's death: the number of the last finished item.
    cursor = models.PositiveIntegerField(default=0)
    message = models.CharField(max_length=500, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        constraints = (enum_check("job_state_known", "state", JobState),)
        indexes = (models.Index(fields=["state", "lease_until"], name="job_claimable"),)

    def __str__(self) -> str:
        return f"{self.kind} {self.public_id}"


class ImportBatch(models.Model):
    """One upload or command that brings cases; previewed first, then committed or discarded as a whole."""

    PREVIEWED, COMMITTING, COMMITTED, DISCARDED = "previewed", "committing", "committed", "discarded"
    STATES = (PREVIEWED, COMMITTING, COMMITTED, DISCARDED)

    public_id = public_id_field()
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="import_batches")
    # The importer that reads the bytes, such as "patch" or "git".
    format = models.CharField(max_length=40)
    source_name = models.CharField(max_length=500)
    # What holds for every case of the import that does not say otherwise.
    source_kind = enum_field(SourceKind, default=SourceKind.EXPERT)
    split = enum_field(Split, default=Split.DEV)
    repository = models.CharField(max_length=200, blank=True)
    licence = models.CharField(max_length=80, blank=True)
    # The incomplete case that this import completes; null where it brings cases of its own.
    for_case = models.ForeignKey(Case, on_delete=models.PROTECT, null=True, related_name="+")
    raw = models.ForeignKey(Blob, on_delete=models.PROTECT, null=True, related_name="+")
    state = models.CharField(max_length=16, choices=[(state, state) for state in STATES], default=PREVIEWED)
    accepted = models.PositiveIntegerField(default=0)
    rejected = models.PositiveIntegerField(default=0)
    duplicates = models.PositiveIntegerField(default=0)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    committed_at = models.DateTimeField(null=True)

    objects = ImportBatchQuerySet.as_manager()

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="import_batch_state_known",
                condition=models.Q(state__in=["previewed", "committing", "committed", "discarded"]),
            ),
            enum_check("import_batch_source_kind_known", "source_kind", SourceKind),
            enum_check("import_batch_split_known", "split", Split),
        )

    def __str__(self) -> str:
        return f"import {self.public_id}"


class ImportRecord(models.Model):
    """What became of one record of an import, with its place and, where refused, the reason (N8)."""

    ACCEPTED, REJECTED, DUPLICATE = "accepted", "rejected", "duplicate"

    batch = models.ForeignKey(ImportBatch, on_delete=models.CASCADE, related_name="records")
    position = models.PositiveIntegerField()
    place = models.CharField(max_length=300)
    summary = models.CharField(max_length=300, blank=True)
    outcome = models.CharField(max_length=16, choices=[(word, word) for word in (ACCEPTED, REJECTED, DUPLICATE)])
    reason = models.CharField(max_length=500, blank=True)
    case = models.ForeignKey(Case, on_delete=models.PROTECT, null=True, related_name="import_records")

    objects = ImportRecordQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["batch", "position"], name="import_record_position_unique"),
            models.CheckConstraint(
                name="import_record_outcome_known",
                condition=models.Q(outcome__in=["accepted", "rejected", "duplicate"]),
            ),
        )

    def __str__(self) -> str:
        return f"{self.place}: {self.outcome}"
