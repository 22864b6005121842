"""Frozen corpus versions. Rows are inserted once; database triggers refuse every change (N6)."""

from __future__ import annotations

from django.db import models

from corpus.domain.vocabulary import Split
from corpus.models.cases import Case
from corpus.models.fields import enum_check, enum_field, public_id_field, sha256_field
from corpus.models.golden import GoldenRevision
from corpus.models.people import User
from corpus.models.projects import Project
from corpus.querysets.versions import CorpusVersionQuerySet


class CorpusVersion(models.Model):
    """A frozen set of cases with its manifest, byte for byte as it was made at freeze."""

    public_id = public_id_field()
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="versions")
    # Semantic version, computed from what changed against the parent.
    number = models.CharField(max_length=32)
    parent = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="children")
    manifest = models.BinaryField()
    manifest_sha256 = sha256_field()
    note = models.TextField(blank=True)
    frozen_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    frozen_at = models.DateTimeField()

    objects = CorpusVersionQuerySet.as_manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["project", "number"], name="version_number_unique"),)

    def __str__(self) -> str:
        return f"{self.project} {self.number}"


class VersionSignature(models.Model):
    """An Ed25519 signature over a version's manifest, made at the freeze with the server's key."""

    version = models.OneToOneField(CorpusVersion, on_delete=models.PROTECT, related_name="signature")
    public_key = models.CharField(max_length=64)
    signature = models.CharField(max_length=128)

    def __str__(self) -> str:
        return f"signature of {self.version} by {self.public_key[:12]}"


class VersionCase(models.Model):
    """One case of a frozen version."""

    version = models.ForeignKey(CorpusVersion, on_delete=models.PROTECT, related_name="cases")
    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="version_cases")
    split = enum_field(Split)
    case_sha256 = sha256_field()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["version", "case"], name="version_case_unique"),
            enum_check("version_case_split_known", "split", Split),
        )

    def __str__(self) -> str:
        return f"{self.case} in {self.version}"


class VersionFinding(models.Model):
    """The revision of a golden finding that a version holds."""

    version_case = models.ForeignKey(VersionCase, on_delete=models.PROTECT, related_name="findings")
    revision = models.ForeignKey(GoldenRevision, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = (models.UniqueConstraint(fields=["version_case", "revision"], name="version_finding_unique"),)

    def __str__(self) -> str:
        return f"{self.revision} in {self.version_case}"


class VersionGate(models.Model):
    """How one gate stood at the freeze: passed, or waived with a reason."""

    version = models.ForeignKey(CorpusVersion, on_delete=models.PROTECT, related_name="gates")
    key = models.CharField(max_length=60)
    has_passed = models.BooleanField()
    detail = models.CharField(max_length=300)
    waiver_reason = models.TextField(blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["version", "key"], name="version_gate_unique"),
            models.CheckConstraint(
                name="version_gate_waived_with_reason",
                condition=models.Q(has_passed=True) | ~models.Q(waiver_reason=""),
            ),
        )

    def __str__(self) -> str:
        return f"{self.key} of {self.version}"
