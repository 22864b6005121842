"""Accepted truth: golden findings with a stable identity, and their revisions."""

from __future__ import annotations

from django.db import models

from corpus.domain.vocabulary import Confidence, GoldenState, Provenance
from corpus.models.cases import Case
from corpus.models.fields import enum_check, enum_field, public_id_field
from corpus.models.findings import AnchorFields, DefectFields
from corpus.models.people import User
from corpus.models.projects import Category
from corpus.querysets.golden import GoldenFindingQuerySet


class GoldenFinding(models.Model):
    """One defect of a case, by identity and not by wording. Its content is its highest revision."""

    public_id = public_id_field()
    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="golden_findings")
    created_at = models.DateTimeField()
    # Set when an adjudication is undone: the identity stays, nothing of it counts.
    retracted_at = models.DateTimeField(null=True)

    objects = GoldenFindingQuerySet.as_manager()

    def __str__(self) -> str:
        return self.public_id


class GoldenRevision(DefectFields):
    """What a golden finding says; inserted, never changed (N4)."""

    finding = models.ForeignKey(GoldenFinding, on_delete=models.PROTECT, related_name="revisions")
    number = models.PositiveIntegerField()
    state = enum_field(GoldenState)
    category = models.ForeignKey(Category, on_delete=models.PROTECT, null=True, related_name="+")
    mechanism = models.CharField(max_length=120, blank=True)
    confidence = enum_field(Confidence, blank=True)
    provenance = enum_field(Provenance)
    decided_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField()
    reason = models.TextField(blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["finding", "number"], name="golden_revision_number_unique"),
            enum_check("golden_revision_state_known", "state", GoldenState),
            enum_check("golden_revision_provenance_known", "provenance", Provenance),
        )

    def __str__(self) -> str:
        return f"{self.finding} revision {self.number}"


class GoldenAnchor(AnchorFields):
    """A place of one revision of a golden finding."""

    case_lookup = "revision__finding__case"

    revision = models.ForeignKey(GoldenRevision, on_delete=models.CASCADE, related_name="anchors")

    class Meta:
        constraints = AnchorFields.constraints_for("golden_anchor")

    def __str__(self) -> str:
        return f"{self.role} {self.path}"
