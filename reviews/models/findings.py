"""What tools said: AI findings by identity of their row, with the places they were found to speak of."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from corpus.domain.vocabulary import AnchorLevel, Severity, Side
from corpus.models.fields import choices_of, enum_check, enum_field, public_id_field, sha256_field
from corpus.models.findings import AnchorFields
from reviews.domain.vocabulary import PlaceState
from reviews.models.intakes import RawRecord
from reviews.models.runs import CaseRun
from reviews.querysets.runs import AIFindingQuerySet


class AIFinding(models.Model):
    """One thing a tool said about a case. Two findings with equal words are two rows (T6).

    Inserted, never changed. Rulings bind to `content_sha256` (neutral words and places, whoever said it), so the same
    statement in a later run is not asked about again. Words and names of the tool are shown to no ruler (B3).
    """

    public_id = public_id_field()
    case_run = models.ForeignKey(CaseRun, on_delete=models.PROTECT, related_name="findings")
    raw = models.OneToOneField(RawRecord, on_delete=models.PROTECT, related_name="finding")
    # Order within the case of its run, from 1.
    position = models.PositiveIntegerField()
    # The source's own id of it, where there is one.
    source_id = models.CharField(max_length=200, blank=True)
    # The tool itself held it back: shown, and scored only where the run says so.
    is_suppressed = models.BooleanField(default=False)

    title = models.CharField(max_length=300, blank=True)
    body = models.TextField(blank=True)
    suggestion = models.TextField(blank=True)
    # Title, body and suggestion without badges, headings, footers and names (`reviews.domain.neutral`).
    neutral_text = models.TextField(blank=True)
    neutral_suggestion = models.TextField(blank=True)
    content_sha256 = sha256_field()

    # As the source says it, and what it means here; empty where that is unknown.
    severity_native = models.CharField(max_length=100, blank=True)
    severity = enum_field(Severity, blank=True)
    category_native = models.CharField(max_length=200, blank=True)
    category_key = models.CharField(max_length=60, blank=True)
    rule_id = models.CharField(max_length=200, blank=True)
    confidence_native = models.CharField(max_length=60, blank=True)

    # The place as the source names it; `anchors` hold where that is in the case.
    path = models.CharField(max_length=4096, blank=True)
    side = models.CharField(max_length=3, choices=choices_of(Side), blank=True)
    # Ranges as people write them, such as "12-14, 20".
    lines = models.CharField(max_length=300, blank=True)
    place_state = enum_field(PlaceState)
    # Why the place was not found, or what was done to find it.
    place_note = models.CharField(max_length=500, blank=True)

    objects = AIFindingQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["case_run", "position"], name="ai_finding_position_unique"),
            enum_check("ai_finding_severity_known", "severity", Severity, blank=True),
            enum_check("ai_finding_place_state_known", "place_state", PlaceState),
            models.CheckConstraint(
                name="ai_finding_side_known", condition=Q(side__in=["", *[side.value for side in Side]])
            ),
            models.CheckConstraint(
                name="ai_finding_unresolved_with_reason",
                condition=~Q(place_state=PlaceState.UNRESOLVED) | ~Q(place_note=""),
            ),
        )
        indexes = (models.Index(fields=["content_sha256"], name="ai_finding_content"),)

    def __str__(self) -> str:
        return self.public_id


class AIAnchor(AnchorFields):
    """A place in the case that an AI finding speaks of: primary where it is made, supporting where it refers to."""

    case_lookup = "finding__case_run__case"

    finding = models.ForeignKey(AIFinding, on_delete=models.PROTECT, related_name="anchors")

    class Meta:
        constraints = AnchorFields.constraints_for("ai_anchor")

    def __str__(self) -> str:
        return f"{self.role} {self.path or AnchorLevel.REPOSITORY}"


class JudgeVerdict(models.Model):
    """A foreign judge's answer on a finding and a golden statement: a suggestion for people, never a ruling."""

    finding = models.ForeignKey(AIFinding, on_delete=models.PROTECT, related_name="judge_verdicts")
    judge = models.CharField(max_length=120, blank=True)
    is_match = models.BooleanField()
    # The statement it was compared with, and its number (from 0) among those of its case.
    golden_text = models.TextField(blank=True)
    golden_index = models.PositiveIntegerField(null=True)
    confidence = models.DecimalField(max_digits=5, decimal_places=4, null=True)
    reasoning = models.TextField(blank=True)

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="judge_verdict_confidence_share",
                condition=Q(confidence__isnull=True) | Q(confidence__gte=0, confidence__lte=1),
            ),
        )

    def __str__(self) -> str:
        return f"{self.judge} on {self.finding}"
