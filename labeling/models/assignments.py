"""Rounds and seats."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from corpus.domain.vocabulary import RoundKind, Verdict
from corpus.models import (
    Case,
    CaseFile,
    ContractVersion,
    GuidelinesVersion,
    SeverityPolicyVersion,
    TaxonomyVersion,
    User,
    WorkingPolicyVersion,
)
from corpus.models.fields import enum_check, enum_field, public_id_field
from labeling.domain.states import LIVE, AssignmentState, DeclineReason, RoundState, SeatSource, Slot, ThirdSeat
from labeling.querysets.assignments import AssignmentQuerySet, RoundQuerySet


class Round(models.Model):
    """One blinded pass over a case."""

    public_id = public_id_field()
    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="rounds")
    kind = enum_field(RoundKind, default=RoundKind.INITIAL)
    number = models.PositiveSmallIntegerField()
    state = enum_field(RoundState, default=RoundState.OPEN)
    seats_wanted = models.PositiveSmallIntegerField(default=2)
    # Whether a third seat was called and why; empty until the first two are final. Shown to nobody before the case is
    # adjudicated: it tells whether they differ.
    third_seat = enum_field(ThirdSeat, blank=True)
    # Seed of the draw, so that the draw can be repeated.
    seed = models.PositiveBigIntegerField()
    # Reviewers may take free seats from the queue.
    is_queue_open = models.BooleanField(default=False)
    opened_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)

    objects = RoundQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["case", "number"], name="round_number_unique"),
            enum_check("round_kind_known", "kind", RoundKind),
            enum_check("round_state_known", "state", RoundState),
            enum_check("round_third_seat_known", "third_seat", ThirdSeat, blank=True),
        )
        indexes = (
            # Open rounds are listed by age, and looked through for what is due.
            models.Index(fields=["state", "opened_at"], name="round_state_opened"),
            # Whether a case is being labelled is asked of every case of a list, without a look at the rows.
            models.Index(fields=["case", "state"], name="round_case_state"),
        )

    def __str__(self) -> str:
        return f"{self.kind} round {self.number} of {self.case}"


class Assignment(models.Model):
    """A reviewer's seat in a round, with the verdict they gave. Guideline and other versions are stamped on submit."""

    public_id = public_id_field()
    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="assignments")
    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="assignments")
    reviewer = models.ForeignKey(User, on_delete=models.PROTECT, related_name="assignments")
    slot = enum_field(Slot)
    state = enum_field(AssignmentState, default=AssignmentState.ACTIVE)
    source = enum_field(SeatSource)
    assigned_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    first_opened_at = models.DateTimeField(null=True)
    submitted_at = models.DateTimeField(null=True)
    # From here on the person can no longer recall the submission; comparison waits for every seat's (B1: whether
    # a recall is possible must not depend on the other seat).
    final_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    decline_reason = enum_field(DeclineReason, blank=True)
    # Sum of the times between signs of activity, each cut off at the project's idle limit.
    active_seconds = models.PositiveIntegerField(default=0)
    last_active_at = models.DateTimeField(null=True)

    verdict = enum_field(Verdict, blank=True)
    # What is missing, for insufficient_context.
    missing_context = models.TextField(blank=True)
    summary = models.TextField(blank=True)
    # Counts saves of verdict, missing_context and summary; a save with an older number is refused (N3).
    version = models.PositiveIntegerField(default=0)
    # A seat reopened by a lead leaves agreement statistics.
    is_excluded_from_agreement = models.BooleanField(default=False)

    guidelines = models.ForeignKey(GuidelinesVersion, on_delete=models.PROTECT, null=True, related_name="+")
    taxonomy = models.ForeignKey(TaxonomyVersion, on_delete=models.PROTECT, related_name="+")
    severity_policy = models.ForeignKey(SeverityPolicyVersion, on_delete=models.PROTECT, null=True, related_name="+")
    contract = models.ForeignKey(ContractVersion, on_delete=models.PROTECT, null=True, related_name="+")
    policy = models.ForeignKey(WorkingPolicyVersion, on_delete=models.PROTECT, related_name="+")

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["round", "slot"],
                condition=Q(state__in=list(LIVE)),
                name="assignment_slot_live_unique",
            ),
            models.UniqueConstraint(fields=["round", "reviewer"], name="assignment_reviewer_unique"),
            enum_check("assignment_slot_known", "slot", Slot),
            enum_check("assignment_state_known", "state", AssignmentState),
            enum_check("assignment_source_known", "source", SeatSource),
            enum_check("assignment_verdict_known", "verdict", Verdict, blank=True),
            models.CheckConstraint(
                name="assignment_submitted_with_verdict",
                condition=(
                    ~Q(state=AssignmentState.SUBMITTED)
                    | (~Q(verdict="") & Q(submitted_at__isnull=False) & Q(final_at__isnull=False))
                ),
            ),
        )
        indexes = (
            models.Index(fields=["reviewer", "state"], name="assignment_of_reviewer"),
            # Few seats are ever reopened, and every figure of agreement asks for them.
            models.Index(
                fields=["round"], condition=Q(is_excluded_from_agreement=True), name="assignment_excluded_round"
            ),
        )

    def __str__(self) -> str:
        return f"seat {self.slot} of {self.round}"


class AssignmentEvent(models.Model):
    """One change of a seat's verdict or state; every revision is kept (N4)."""

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="events")
    number = models.PositiveIntegerField()
    state = enum_field(AssignmentState)
    verdict = enum_field(Verdict, blank=True)
    missing_context = models.TextField(blank=True)
    summary = models.TextField(blank=True)
    actor = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", null=True)
    at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["assignment", "number"], name="assignment_event_unique"),)

    def __str__(self) -> str:
        return f"event {self.number} of {self.assignment}"


class FileRead(models.Model):
    """That a reviewer marked a file of the change as read."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="file_reads")
    case_file = models.ForeignKey(CaseFile, on_delete=models.CASCADE, related_name="+")
    read_at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["assignment", "case_file"], name="file_read_unique"),)

    def __str__(self) -> str:
        return f"{self.case_file} read"
