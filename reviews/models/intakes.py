"""What was uploaded of a tool's output: previewed first, then confirmed or discarded; and its records as they came."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from corpus.models import Blob, Case, CorpusVersion, Project, User
from corpus.models.fields import enum_check, enum_field, public_id_field, sha256_field
from reviews.domain.vocabulary import RecordKind
from reviews.models.runs import CaseRun, Run
from reviews.models.tools import SourceSettings, Tool, ToolConfiguration
from reviews.querysets.runs import IntakeQuerySet, IntakeRecordQuerySet, RawRecordQuerySet


class Intake(models.Model):
    """One upload or command that brings a tool's output; nothing of it is in a run before it is confirmed."""

    PREVIEWED, COMMITTING, COMMITTED, DISCARDED = "previewed", "committing", "committed", "discarded"
    STATES = (PREVIEWED, COMMITTING, COMMITTED, DISCARDED)

    public_id = public_id_field()
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="intakes")
    # Null where the file itself names its tools and each of them gets a run.
    tool = models.ForeignKey(Tool, on_delete=models.PROTECT, null=True, related_name="intakes")
    configuration = models.ForeignKey(ToolConfiguration, on_delete=models.PROTECT, null=True, related_name="+")
    version = models.ForeignKey(CorpusVersion, on_delete=models.PROTECT, null=True, related_name="intakes")
    # The one case that a file speaks of which names none.
    for_case = models.ForeignKey(Case, on_delete=models.PROTECT, null=True, related_name="+")
    name = models.CharField(max_length=120, blank=True)
    repeat = models.PositiveSmallIntegerField(default=1)
    scores_suppressed = models.BooleanField(default=False)
    format = models.CharField(max_length=40)
    # Why the file was taken for this format; empty where the format was named.
    format_reason = models.CharField(max_length=300, blank=True)
    source_name = models.CharField(max_length=500)
    settings = models.ForeignKey(SourceSettings, on_delete=models.PROTECT, null=True, related_name="intakes")
    raw = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")
    state = models.CharField(max_length=16, choices=[(state, state) for state in STATES], default=PREVIEWED)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    committed_at = models.DateTimeField(null=True)

    objects = IntakeQuerySet.as_manager()

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="intake_state_known",
                condition=Q(state__in=["previewed", "committing", "committed", "discarded"]),
            ),
            models.CheckConstraint(name="intake_repeat_from_one", condition=Q(repeat__gte=1)),
            models.CheckConstraint(
                name="intake_configuration_of_tool", condition=Q(configuration__isnull=True) | Q(tool__isnull=False)
            ),
        )

    def __str__(self) -> str:
        return f"intake {self.public_id}"


class IntakeRecord(models.Model):
    """What one record of an intake is, and what becomes of it, with its place and, where it needs one, the reason."""

    NEW, PRESENT, LEFT_OUT, REJECTED = "new", "present", "left_out", "rejected"
    OUTCOMES = (NEW, PRESENT, LEFT_OUT, REJECTED)

    intake = models.ForeignKey(Intake, on_delete=models.CASCADE, related_name="records")
    position = models.PositiveIntegerField()
    # The position of the record whose body this one was split off.
    parent_position = models.PositiveIntegerField(null=True)
    place = models.CharField(max_length=300)
    kind = enum_field(RecordKind)
    outcome = models.CharField(max_length=16, choices=[(word, word) for word in OUTCOMES])
    tool_name = models.CharField(max_length=80, blank=True)
    case = models.ForeignKey(Case, on_delete=models.PROTECT, null=True, related_name="+")
    summary = models.CharField(max_length=300, blank=True)
    # Where it speaks of, in words.
    where = models.CharField(max_length=300, blank=True)
    # Why it was rejected, or what of it was not kept.
    reason = models.CharField(max_length=500, blank=True)

    objects = IntakeRecordQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["intake", "position"], name="intake_record_position_unique"),
            models.CheckConstraint(
                name="intake_record_outcome_known", condition=Q(outcome__in=["new", "present", "left_out", "rejected"])
            ),
            enum_check("intake_record_kind_known", "kind", RecordKind),
            models.CheckConstraint(
                name="intake_record_rejected_with_reason",
                condition=(Q(kind="rejected", outcome="rejected") & ~Q(reason=""))
                | (~Q(kind="rejected") & ~Q(outcome="rejected")),
            ),
        )

    def __str__(self) -> str:
        return f"{self.place}: {self.kind}"


class IntakeRemark(models.Model):
    """Something an intake says once for many records, with how often it occurs."""

    UNKNOWN_SEVERITY, UNKNOWN_CATEGORY, ZERO_LINE = "unknown_severity", "unknown_category", "zero_line"
    KINDS = (UNKNOWN_SEVERITY, UNKNOWN_CATEGORY, ZERO_LINE)

    intake = models.ForeignKey(Intake, on_delete=models.CASCADE, related_name="remarks")
    kind = models.CharField(max_length=20, choices=[(kind, kind) for kind in KINDS])
    word = models.CharField(max_length=100, blank=True)
    count = models.PositiveIntegerField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["intake", "kind", "word"], name="intake_remark_unique"),
            models.CheckConstraint(
                name="intake_remark_kind_known",
                condition=Q(kind__in=["unknown_severity", "unknown_category", "zero_line"]),
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.word}"


class RawRecord(models.Model):
    """One record of a tool's output, byte for byte, with its kind. Inserted once; triggers refuse every change."""

    intake = models.ForeignKey(Intake, on_delete=models.PROTECT, related_name="raw_records")
    position = models.PositiveIntegerField()
    parent = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="parts")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, null=True, related_name="raw_records")
    case_run = models.ForeignKey(CaseRun, on_delete=models.PROTECT, null=True, related_name="raw_records")
    kind = enum_field(RecordKind)
    place = models.CharField(max_length=300)
    reason = models.CharField(max_length=500, blank=True)
    author = models.CharField(max_length=120, blank=True)
    data = models.BinaryField()
    # What makes the record the same when it comes again: its id in the source, else its bytes and how often they came.
    identity_sha256 = sha256_field()

    objects = RawRecordQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["intake", "position"], name="raw_record_position_unique"),
            models.UniqueConstraint(
                fields=["run", "identity_sha256"], condition=Q(run__isnull=False), name="raw_record_identity_unique"
            ),
            enum_check("raw_record_kind_known", "kind", RecordKind),
            models.CheckConstraint(
                name="raw_record_rejected_with_reason", condition=~Q(kind="rejected") | ~Q(reason="")
            ),
        )
        indexes = (models.Index(fields=["run", "kind"], name="raw_record_run_kind"),)

    def __str__(self) -> str:
        return f"{self.kind} at {self.place}"
