"""The audit trail and the seals that chain it. Rows are only ever added (`corpus.immutability`)."""

from __future__ import annotations

from django.db import models

from corpus.models.cases import Case
from corpus.models.fields import sha256_field
from corpus.models.people import User
from corpus.models.projects import Project
from corpus.querysets.audit import AuditEntryQuerySet


class AuditEntry(models.Model):
    """One state change: who, when, from where, what, from, to. Written in the transaction of the change."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, null=True, related_name="audit_entries")
    case = models.ForeignKey(Case, on_delete=models.PROTECT, null=True, related_name="audit_entries")
    actor = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    verb = models.CharField(max_length=60)
    # Kind and public id of what changed, such as "assignment 7QK2M9XTRB".
    subject = models.CharField(max_length=120)
    before = models.CharField(max_length=500, blank=True)
    after = models.CharField(max_length=500, blank=True)
    # Through what it was done, such as "page", "command freeze" or "job import" (`corpus.origin`).
    origin = models.CharField(max_length=60, blank=True, default="")
    at = models.DateTimeField()

    objects = AuditEntryQuerySet.as_manager()

    class Meta:
        indexes = (models.Index(fields=["project", "at"], name="audit_project_at"),)

    def __str__(self) -> str:
        return f"{self.verb} {self.subject}"


class AuditSeal(models.Model):
    """One link of the hash chain (`corpus.domain.audit_chain`); numbers run from 1 without a gap."""

    number = models.PositiveIntegerField(unique=True)
    previous = sha256_field()
    digest = sha256_field(unique=True)
    count = models.PositiveIntegerField()
    sealed_at = models.DateTimeField()

    class Meta:
        constraints = (models.CheckConstraint(name="audit_seal_not_empty", condition=models.Q(count__gte=1)),)

    def __str__(self) -> str:
        return f"seal {self.number}"


class SealedEntry(models.Model):
    """That an entry is covered by a seal, and where in it.

    Not a range of keys: on PostgreSQL a transaction may commit an entry after one with a higher key was sealed.
    """

    entry = models.OneToOneField(AuditEntry, on_delete=models.PROTECT, primary_key=True, related_name="sealed")
    seal = models.ForeignKey(AuditSeal, on_delete=models.PROTECT, related_name="sealed_entries")
    position = models.PositiveIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["seal", "position"], name="sealed_entry_position_unique"),)

    def __str__(self) -> str:
        return f"entry {self.position} of seal {self.seal_id}"
