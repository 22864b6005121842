"""Columns that every statement about a defect shares, and the place columns of its anchors."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from corpus.domain.vocabulary import AnchorLevel, AnchorRole, Relation, Severity, Side
from corpus.models.fields import choices_of, enum_field, sha256_field


class DefectFields(models.Model):
    """What is said about one defect. Everything may be empty while it is a draft; services decide what is missing."""

    title = models.CharField(max_length=200, blank=True)
    severity = enum_field(Severity, blank=True)
    relation = enum_field(Relation, blank=True)
    # Unset until the person says so: a form is empty when opened (B4).
    speculative = models.BooleanField(null=True)
    trigger = models.TextField(blank=True)
    evidence = models.TextField(blank=True)
    impact = models.TextField(blank=True)
    # The trust boundary that is crossed, for categories that name one.
    boundary = models.TextField(blank=True)
    # One acceptable explanation element a line.
    accept_elements = models.TextField(blank=True)
    # Lower-case single tokens, separated by one blank.
    keywords = models.CharField(max_length=400, blank=True)

    class Meta:
        abstract = True

    @property
    def accept_element_list(self) -> list[str]:
        """Return the acceptable explanation elements, one string each."""
        return [line for line in self.accept_elements.splitlines() if line.strip()]

    @property
    def keyword_list(self) -> list[str]:
        """Return the keywords, one string each."""
        return self.keywords.split()


class AnchorFields(models.Model):
    """One contiguous range of one anchor. Rows with equal role, group, path and side are one anchor's ranges.

    `group` numbers the alternates of a finding: ranges of one alternate (which may span files) share a group.
    A file-level row has a path and no lines, a repository-level row neither.
    """

    # The look-up that leads from a row to its case; every table of anchors says its own.
    case_lookup: ClassVar[str]

    role = enum_field(AnchorRole)
    group = models.PositiveSmallIntegerField(default=0)
    level = enum_field(AnchorLevel)
    # Readable path of the anchored side (`corpus.domain.bytestext.path_text`), empty at repository level.
    path = models.CharField(max_length=4096, blank=True)
    side = models.CharField(max_length=3, choices=choices_of(Side), blank=True)
    first_line = models.PositiveIntegerField(null=True)
    last_line = models.PositiveIntegerField(null=True)
    # The blob the lines count in; empty where only a patch was given.
    blob_sha256 = sha256_field(blank=True)
    # SHA-256 over the exact bytes of the quoted lines, and the same lines as readable text.
    quote_sha256 = sha256_field(blank=True)
    quote = models.TextField(blank=True)

    class Meta:
        abstract = True

    @classmethod
    def constraints_for(cls, prefix: str) -> tuple[models.CheckConstraint, ...]:
        """Return the checks every table of anchors needs, named with `prefix`."""
        no_lines = models.Q(first_line__isnull=True, last_line__isnull=True)
        return (
            models.CheckConstraint(
                name=f"{prefix}_role_known", condition=models.Q(role__in=[role.value for role in AnchorRole])
            ),
            models.CheckConstraint(
                name=f"{prefix}_shape",
                condition=(
                    models.Q(
                        level=AnchorLevel.LINES,
                        side__in=[side.value for side in Side],
                        first_line__gte=1,
                        last_line__gte=models.F("first_line"),
                    )
                    & ~models.Q(path="")
                    | models.Q(level=AnchorLevel.FILE, side__in=[side.value for side in Side])
                    & ~models.Q(path="")
                    & no_lines
                    | models.Q(level=AnchorLevel.REPOSITORY, path="", side="") & no_lines
                ),
            ),
        )
