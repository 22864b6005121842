"""Labels and answers to claims, with every revision."""

from __future__ import annotations

from django.db import models

from corpus.domain.vocabulary import ClaimAnswerValue, Confidence, Relation, Severity
from corpus.models import Category, Claim
from corpus.models.fields import enum_check, enum_field, public_id_field
from corpus.models.findings import AnchorFields, DefectFields
from labeling.models.assignments import Assignment
from labeling.querysets.labels import LabelQuerySet


class LabelFields(DefectFields):
    """What a reviewer says about one defect, beyond the common columns."""

    category = models.ForeignKey(Category, on_delete=models.PROTECT, null=True, related_name="+")
    confidence = enum_field(Confidence, blank=True)

    class Meta:
        abstract = True


class Label(LabelFields):
    """One statement by one reviewer about one defect: its present content. An open label asserts existence."""

    public_id = public_id_field()
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="labels")
    # The number the reviewer sees, 1 up in their own order; not reused after a withdrawal.
    number = models.PositiveSmallIntegerField()
    # Counts saves; equals the number of the newest revision. A save with an older number is refused (N3).
    version = models.PositiveIntegerField(default=0)
    withdrawn_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    saved_at = models.DateTimeField()

    objects = LabelQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["assignment", "number"], name="label_number_unique"),
            enum_check("label_severity_known", "severity", Severity, blank=True),
            enum_check("label_relation_known", "relation", Relation, blank=True),
            enum_check("label_confidence_known", "confidence", Confidence, blank=True),
        )

    def __str__(self) -> str:
        return self.public_id


class LabelRevision(LabelFields):
    """The content of a label after one acknowledged save; inserted, never changed (N4)."""

    label = models.ForeignKey(Label, on_delete=models.PROTECT, related_name="revisions")
    number = models.PositiveIntegerField()
    is_withdrawn = models.BooleanField(default=False)
    saved_at = models.DateTimeField()
    # The client's own mark of the save, so that a repeated request is recognised (N2).
    save_key = models.CharField(max_length=64, blank=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["label", "number"], name="label_revision_unique"),)

    def __str__(self) -> str:
        return f"{self.label} revision {self.number}"


class LabelAnchor(AnchorFields):
    """A place of a label from one revision on until another (exclusive); `until` empty means it still holds."""

    case_lookup = "label__assignment__case"

    label = models.ForeignKey(Label, on_delete=models.PROTECT, related_name="anchors")
    since = models.PositiveIntegerField()
    until = models.PositiveIntegerField(null=True)

    class Meta:
        constraints = AnchorFields.constraints_for("label_anchor")

    def __str__(self) -> str:
        return f"{self.role} {self.path}"


class ClaimAnswer(models.Model):
    """A reviewer's judgement of one claim; the newest number holds, all are kept."""

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="claim_answers")
    claim = models.ForeignKey(Claim, on_delete=models.PROTECT, related_name="answers")
    number = models.PositiveIntegerField()
    exists = enum_field(ClaimAnswerValue, blank=True)
    severity = enum_field(Severity, blank=True)
    reason = models.TextField(blank=True)
    saved_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["assignment", "claim", "number"], name="claim_answer_unique"),
            enum_check("claim_answer_value_known", "exists", ClaimAnswerValue, blank=True),
            enum_check("claim_answer_severity_known", "severity", Severity, blank=True),
        )

    def __str__(self) -> str:
        return f"answer to {self.claim}"


class ClaimAnswerAnchor(AnchorFields):
    """A place a reviewer accepts for a claim."""

    case_lookup = "answer__assignment__case"

    answer = models.ForeignKey(ClaimAnswer, on_delete=models.CASCADE, related_name="anchors")

    class Meta:
        constraints = AnchorFields.constraints_for("claim_answer_anchor")

    def __str__(self) -> str:
        return f"{self.role} {self.path}"
