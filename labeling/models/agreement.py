"""What statistics count of a comparison: one tally for each, with the findings of both open passes."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from corpus.domain.vocabulary import Severity, Verdict
from corpus.models import Case, GuidelinesVersion, User
from corpus.models.fields import enum_check, enum_field, sha256_field
from labeling.domain.states import FoundBy
from labeling.models.adjudication import Comparison
from labeling.querysets.agreement import TallyQuerySet


class Tally(models.Model):
    """What two people said of one case in their blinded open passes, as agreement counts it.

    A tally is a function of submissions that are final and of one pairing of their labels, so it is inserted and never
    changed: figures that are computed from tallies cannot go stale. Number 0 counts the pairing that the aligner
    proposed; a correction of the pairing inserts the next number, and the highest holds. First and second are the
    sides as adjudication shows them (A and B), so that no figure or list tells who said what.
    """

    comparison = models.ForeignKey(Comparison, on_delete=models.PROTECT, related_name="tallies")
    number = models.PositiveIntegerField(default=0)
    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="tallies")
    verdict_first = enum_field(Verdict)
    verdict_second = enum_field(Verdict)
    # The two people in the order of their keys, and whether that is also the order of the sides.
    reviewer_low = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    reviewer_high = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    is_low_first = models.BooleanField()
    # The guidelines both submitted under; empty where these differ.
    guidelines = models.ForeignKey(GuidelinesVersion, on_delete=models.PROTECT, null=True, related_name="+")
    # Of the verdicts and findings: equal ones have equal digests, so what was read of one need not be read again.
    digest = sha256_field()
    # When the later of the two submitted.
    labelled_at = models.DateTimeField()

    objects = TallyQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["comparison", "number"], name="tally_number_unique"),
            models.CheckConstraint(name="tally_two_reviewers", condition=Q(reviewer_low_id__lt=F("reviewer_high_id"))),
            enum_check("tally_verdict_first_known", "verdict_first", Verdict),
            enum_check("tally_verdict_second_known", "verdict_second", Verdict),
        )
        indexes = (models.Index(fields=["digest"], name="tally_digest"),)

    def __str__(self) -> str:
        return f"tally {self.number} of {self.comparison}"


class TallyFinding(models.Model):
    """One finding of a tally: a pair of labels, or one label without a partner, whose other side is empty."""

    tally = models.ForeignKey(Tally, on_delete=models.PROTECT, related_name="findings")
    found_by = enum_field(FoundBy)
    category_first = models.CharField(max_length=60, blank=True)
    category_second = models.CharField(max_length=60, blank=True)
    severity_first = enum_field(Severity, blank=True)
    severity_second = enum_field(Severity, blank=True)
    shares_a_line = models.BooleanField(default=False)
    is_decided_by_severity = models.BooleanField(default=False)
    # Of the closest places of a pair, in lines.
    shared_lines = models.PositiveIntegerField(default=0)
    union_lines = models.PositiveIntegerField(default=0)
    # Between the nearest lines of a near miss.
    line_gap = models.PositiveIntegerField(null=True)

    class Meta:
        constraints = (
            enum_check("tally_finding_found_by_known", "found_by", FoundBy),
            enum_check("tally_finding_severity_first_known", "severity_first", Severity, blank=True),
            enum_check("tally_finding_severity_second_known", "severity_second", Severity, blank=True),
        )

    def __str__(self) -> str:
        return f"{self.found_by} in {self.tally}"


# The columns of a finding that statistics look at, in the order of `kinds.CountedFinding`.
FINDING_COLUMNS = (
    "found_by",
    "category_first",
    "category_second",
    "severity_first",
    "severity_second",
    "shares_a_line",
    "is_decided_by_severity",
    "shared_lines",
    "union_lines",
    "line_gap",
)
