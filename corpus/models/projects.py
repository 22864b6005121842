"""A project and its versioned texts: taxonomy, severity policy, guidelines, reviewer contract, working policy."""

from __future__ import annotations

from django.db import models

from corpus.domain.vocabulary import EditKind, Severity
from corpus.models.fields import enum_check, enum_field, public_id_field
from corpus.models.people import User
from corpus.querysets.projects import ProjectQuerySet


class Project(models.Model):
    """The tenant: taxonomy, policy, guidelines, people and cases belong to it."""

    public_id = public_id_field()
    name = models.CharField(max_length=120)
    slug = models.SlugField(max_length=60, unique=True)
    description = models.TextField(blank=True)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    archived_at = models.DateTimeField(null=True)

    objects = ProjectQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name


class VersionedText(models.Model):
    """One version of one of a project's texts. Rows are inserted, never changed; the highest number is in force."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="%(class)ss")
    number = models.PositiveIntegerField()
    edit_kind = enum_field(EditKind, default=EditKind.SUBSTANTIVE)
    # Which decisions a substantive edit makes stale: empty is all, else a category key (N7).
    scope = models.CharField(max_length=60, blank=True)
    note = models.CharField(max_length=300, blank=True)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        abstract = True
        constraints = (
            models.UniqueConstraint(fields=["project", "number"], name="%(class)s_number_unique"),
            enum_check("%(class)s_edit_kind_known", "edit_kind", EditKind),
        )

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.number}"


class TaxonomyVersion(VersionedText):
    """The categories in force; its rows are `Category`."""


class Category(models.Model):
    """A kind of defect. `key` is the same in every version of the taxonomy."""

    taxonomy = models.ForeignKey(TaxonomyVersion, on_delete=models.PROTECT, related_name="categories")
    key = models.SlugField(max_length=60)
    name = models.CharField(max_length=120)
    description = models.TextField()
    # Sentences for the reviewer, one a line: what belongs, what goes elsewhere, examples.
    belongs = models.TextField(blank=True)
    excludes = models.TextField(blank=True)
    examples = models.TextField(blank=True)
    in_scope = models.BooleanField(default=True)
    # A defect of such a category must name the trust boundary that is crossed.
    names_boundary = models.BooleanField(default=False)
    position = models.PositiveSmallIntegerField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["taxonomy", "key"], name="category_key_unique"),
            models.UniqueConstraint(fields=["taxonomy", "position"], name="category_position_unique"),
        )

    def __str__(self) -> str:
        return self.name


class SeverityPolicyVersion(VersionedText):
    """What each severity means; its rows are `SeverityLevel`. `rules` say how to choose among them, one a line."""

    rules = models.TextField(blank=True)


class SeverityLevel(models.Model):
    """One level of a severity policy with its observable definition and its weight in scores."""

    policy = models.ForeignKey(SeverityPolicyVersion, on_delete=models.PROTECT, related_name="levels")
    severity = enum_field(Severity)
    name = models.CharField(max_length=60)
    impact = models.TextField()
    reach = models.TextField()
    examples = models.TextField(blank=True)
    weight = models.PositiveSmallIntegerField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["policy", "severity"], name="severity_level_unique"),
            enum_check("severity_level_known", "severity", Severity),
        )

    def __str__(self) -> str:
        return self.severity


class GuidelinesVersion(VersionedText):
    """The labelling guidelines, in Markdown."""

    text = models.TextField()


class ContractVersion(VersionedText):
    """The reviewer contract: what a reviewer claims to do, sees and is trusted with."""

    CONTEXTS = ("diff", "changed_files", "repository")
    TREATMENTS = ("required", "optional", "excluded")
    AUTHORITIES = ("private", "advisory", "blocking")

    bounded_claim = models.TextField()
    context_allowed = models.CharField(max_length=32, choices=[(word, word.replace("_", " ")) for word in CONTEXTS])
    context_note = models.TextField(blank=True)
    changed_lines_only = models.BooleanField(default=False)
    changed_lines_note = models.TextField(blank=True)
    pre_existing = models.CharField(max_length=32, choices=[(word, word) for word in TREATMENTS])
    pre_existing_note = models.TextField(blank=True)
    speculative = models.CharField(max_length=32, choices=[(word, word) for word in TREATMENTS])
    speculative_note = models.TextField(blank=True)
    intended_authority = models.CharField(max_length=32, choices=[(word, word) for word in AUTHORITIES])
    intended_authority_note = models.TextField(blank=True)
    # One exclusion a line.
    exclusions = models.TextField(blank=True)
    owner = models.CharField(max_length=120, blank=True)


class WorkingPolicyVersion(VersionedText):
    """How the project works: claims pass, seats, time limits, what settles by itself."""

    uses_claims = models.BooleanField(default=False)
    reservation_hours = models.PositiveSmallIntegerField(default=72)
    idle_cutoff_seconds = models.PositiveSmallIntegerField(default=120)
    recall_minutes = models.PositiveSmallIntegerField(default=10)
    shows_labels_after_settlement = models.BooleanField(default=False)
    # What a version must hold before it is frozen without a waiver.
    min_clean_percent = models.PositiveSmallIntegerField(default=0)
    min_per_category = models.PositiveSmallIntegerField(default=0)
    min_per_severity = models.PositiveSmallIntegerField(default=0)
    max_unresolved_percent = models.PositiveSmallIntegerField(default=20)
    # Differences in severity of at most so many levels need no decision: the more severe level holds.
    severity_tolerance = models.PositiveSmallIntegerField(default=0)
    # Whether somebody decides where two labels of one defect share no line; else the narrower place is primary.
    asks_about_places = models.BooleanField(default=True)
    # A third seat is called below this agreement of a case in per cent (0: never), or where the verdicts differ, and on
    # a share in per cent of all other cases, so that being called tells nothing (B4).
    third_seat_below = models.PositiveSmallIntegerField(default=0)
    third_seat_on_verdict = models.BooleanField(default=False)
    third_seat_share = models.PositiveSmallIntegerField(default=0)
