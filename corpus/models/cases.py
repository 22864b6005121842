"""Cases: one change under review with its snapshot and provenance, and its parsed files."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from corpus.domain.vocabulary import (
    CaseResult,
    CaseState,
    Channel,
    Completeness,
    ExposureKind,
    SourceKind,
    Split,
)
from corpus.models.blobs import Blob, Tree
from corpus.models.fields import enum_check, enum_field, public_id_field, sha256_field
from corpus.models.findings import AnchorFields, DefectFields
from corpus.models.people import User
from corpus.models.projects import Project
from corpus.querysets.cases import CaseQuerySet, ClaimQuerySet


class Case(models.Model):
    """One change under review.

    Reviewers see repository, languages, size, the change and the two trees; every other column is hidden from them
    (B6), so pages for reviewers read cases through `corpus.selectors.blinded`.
    """

    public_id = public_id_field()
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="cases")
    state = enum_field(CaseState)
    # What is missing to label an incomplete case, in words.
    missing = models.CharField(max_length=300, blank=True)
    result = enum_field(CaseResult, blank=True)
    settled_at = models.DateTimeField(null=True)
    stale_reason = models.CharField(max_length=300, blank=True)
    withdrawn_reason = models.CharField(max_length=300, blank=True)

    repository = models.CharField(max_length=200, blank=True)
    language = models.CharField(max_length=60, blank=True)
    area = models.CharField(max_length=60, blank=True)
    patch = models.ForeignKey(Blob, on_delete=models.PROTECT, null=True, related_name="+")
    base_tree = models.ForeignKey(Tree, on_delete=models.PROTECT, null=True, related_name="+")
    head_tree = models.ForeignKey(Tree, on_delete=models.PROTECT, null=True, related_name="+")
    file_count = models.PositiveIntegerField(default=0)
    added_lines = models.PositiveIntegerField(default=0)
    removed_lines = models.PositiveIntegerField(default=0)

    # Hidden from reviewers.
    title = models.CharField(max_length=300, blank=True)
    message = models.TextField(blank=True)
    change_author = models.CharField(max_length=200, blank=True)
    change_author_user = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    base_commit = models.CharField(max_length=64, blank=True)
    head_commit = models.CharField(max_length=64, blank=True)
    external_url = models.CharField(max_length=500, blank=True)
    source_kind = enum_field(SourceKind)
    split = enum_field(Split, default=Split.DEV)
    family = models.CharField(max_length=80, blank=True)
    # Cases that are near-duplicates share a cluster.
    cluster = models.CharField(max_length=80, blank=True)
    variant = models.CharField(max_length=40, blank=True)
    tier = models.CharField(max_length=40, blank=True)
    licence = models.CharField(max_length=80, blank=True)
    is_private = models.BooleanField(default=True)
    context_allowed = models.TextField(blank=True)
    build = models.CharField(max_length=300, blank=True)
    language_versions = models.CharField(max_length=200, blank=True)
    completeness = enum_field(Completeness, default=Completeness.UNKNOWN)
    completeness_set_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    completeness_set_at = models.DateTimeField(null=True)

    # What makes an import of the same change the same case.
    identity_sha256 = sha256_field()
    imported_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", null=True)
    created_at = models.DateTimeField()

    objects = CaseQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["project", "identity_sha256"], name="case_identity_unique"),
            enum_check("case_state_known", "state", CaseState),
            enum_check("case_result_known", "result", CaseResult, blank=True),
            enum_check("case_source_kind_known", "source_kind", SourceKind),
            enum_check("case_split_known", "split", Split),
            enum_check("case_completeness_known", "completeness", Completeness),
        )
        indexes = (
            models.Index(fields=["project", "state", "id"], name="case_project_state"),
            # The languages of a project are read for the filter of its list without touching the wide rows.
            models.Index(fields=["project", "language", "state"], name="case_project_language"),
        )

    def __str__(self) -> str:
        return self.public_id


class CaseTag(models.Model):
    """A free word on a case, hidden from reviewers."""

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="tags")
    name = models.CharField(max_length=60)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["case", "name"], name="case_tag_unique"),)

    def __str__(self) -> str:
        return self.name


class CaseFile(models.Model):
    """One entry of the change, stored at import and never recomputed. The parsed value is `domain.diff.DiffFile`."""

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="files")
    position = models.PositiveIntegerField()
    old_path = models.BinaryField(max_length=4096, null=True)
    new_path = models.BinaryField(max_length=4096, null=True)
    old_path_text = models.CharField(max_length=8192, blank=True)
    new_path_text = models.CharField(max_length=8192, blank=True)
    status = models.CharField(max_length=8)
    old_mode = models.CharField(max_length=6, blank=True)
    new_mode = models.CharField(max_length=6, blank=True)
    is_binary = models.BooleanField(default=False)
    similarity = models.PositiveSmallIntegerField(null=True)
    added = models.PositiveIntegerField(default=0)
    removed = models.PositiveIntegerField(default=0)
    # Whole contents where a snapshot was given; a pasted patch has neither.
    old_blob = models.ForeignKey(Blob, on_delete=models.PROTECT, null=True, related_name="+")
    new_blob = models.ForeignKey(Blob, on_delete=models.PROTECT, null=True, related_name="+")
    # Where this file's section lies in the case's patch.
    patch_offset = models.PositiveBigIntegerField()
    patch_length = models.PositiveBigIntegerField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["case", "position"], name="case_file_position_unique"),
            models.CheckConstraint(
                name="case_file_status_known",
                condition=Q(status__in=["added", "deleted", "modified", "renamed", "copied"]),
            ),
        )

    def __str__(self) -> str:
        return self.new_path_text or self.old_path_text


class CaseHunk(models.Model):
    """Numbers of one hunk over the blobs. `kinds` holds one of ' ', '+', '-' per line, in order."""

    case_file = models.ForeignKey(CaseFile, on_delete=models.CASCADE, related_name="hunks")
    position = models.PositiveIntegerField()
    old_start = models.PositiveIntegerField()
    old_count = models.PositiveIntegerField()
    new_start = models.PositiveIntegerField()
    new_count = models.PositiveIntegerField()
    section = models.BinaryField(max_length=4096)
    kinds = models.TextField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["case_file", "position"], name="case_hunk_position_unique"),)

    def __str__(self) -> str:
        return f"-{self.old_start},{self.old_count} +{self.new_start},{self.new_count}"


class CaseSeat(models.Model):
    """That a person labels or labelled a case: the gate for blinding (B1, B3), known to every app.

    Open from the assignment until the case settles or the person gives the seat back. `labeling` opens and closes it.
    """

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="seats")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="case_seats")
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    # A seat that was declined or expired without a submission bars nobody from adjudicating.
    has_submitted = models.BooleanField(default=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["case", "user"], name="case_seat_unique"),)
        indexes = (models.Index(fields=["user", "closed_at"], name="case_seat_open"),)

    def __str__(self) -> str:
        return f"seat of {self.user} on {self.case}"


class Exposure(models.Model):
    """Who saw what of which case, when and how (B2). Rows are only ever added."""

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="exposures")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="exposures")
    kind = enum_field(ExposureKind)
    channel = enum_field(Channel)
    first_seen_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["case", "user", "kind", "channel"], name="exposure_unique"),
            enum_check("exposure_kind_known", "kind", ExposureKind),
            enum_check("exposure_channel_known", "channel", Channel),
        )

    def __str__(self) -> str:
        return f"{self.user} saw {self.kind} of {self.case}"


class Claim(DefectFields):
    """A statement to be judged whose origin is hidden. An imported claim waits until its case is complete."""

    AI, SEEDED, IMPORTED, CHALLENGE, DECOY = "ai", "seeded", "imported_golden", "challenge", "decoy"
    ORIGINS = (AI, SEEDED, IMPORTED, CHALLENGE, DECOY)

    public_id = public_id_field()
    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="claims")
    # Order within its source; pages for reviewers order claims by a keyed hash instead.
    position = models.PositiveIntegerField()
    origin = models.CharField(max_length=16, choices=[(origin, origin) for origin in ORIGINS])
    statement = models.TextField()
    category_key = models.CharField(max_length=60, blank=True)
    # The untouched record this claim was read from.
    raw = models.TextField(blank=True)
    created_at = models.DateTimeField()

    objects = ClaimQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["case", "origin", "position"], name="claim_position_unique"),
            models.CheckConstraint(
                name="claim_origin_known",
                condition=Q(origin__in=["ai", "seeded", "imported_golden", "challenge", "decoy"]),
            ),
        )

    def __str__(self) -> str:
        return self.public_id


class ClaimAnchor(AnchorFields):
    """A place of a claim."""

    case_lookup = "claim__case"

    claim = models.ForeignKey(Claim, on_delete=models.CASCADE, related_name="anchors")

    class Meta:
        constraints = AnchorFields.constraints_for("claim_anchor")

    def __str__(self) -> str:
        return f"{self.role} {self.path}"
