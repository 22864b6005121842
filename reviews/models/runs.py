"""Runs, and what became of each case in them."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from corpus.models import Case, CorpusVersion, Project, User
from corpus.models.fields import enum_check, enum_field, public_id_field, sha256_field
from reviews.domain.vocabulary import CaseRunState, ContextKind
from reviews.models.tools import ToolConfiguration
from reviews.querysets.runs import CaseRunQuerySet, RunQuerySet


class Run(models.Model):
    """One execution of a tool against a corpus version; without one it is a shadow run, which has no gold."""

    public_id = public_id_field()
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="runs")
    configuration = models.ForeignKey(ToolConfiguration, on_delete=models.PROTECT, related_name="runs")
    version = models.ForeignKey(CorpusVersion, on_delete=models.PROTECT, null=True, related_name="runs")
    # Tells runs of the same configuration apart; repeats of one run share it.
    name = models.CharField(max_length=120, blank=True)
    repeat = models.PositiveSmallIntegerField(default=1)
    # ISO 4217, of all costs of the run.
    currency = models.CharField(max_length=3, default="USD")
    # Whether findings that the tool held back count.
    scores_suppressed = models.BooleanField(default=False)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    objects = RunQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["configuration", "version", "name", "repeat"],
                condition=Q(version__isnull=False),
                name="run_repeat_unique",
            ),
            models.UniqueConstraint(
                fields=["configuration", "name", "repeat"],
                condition=Q(version__isnull=True),
                name="run_shadow_repeat_unique",
            ),
            models.CheckConstraint(name="run_repeat_from_one", condition=Q(repeat__gte=1)),
        )

    def __str__(self) -> str:
        return f"run {self.public_id}"

    @property
    def is_shadow(self) -> bool:
        """Say whether there is no gold to score the run against."""
        return self.version_id is None


class CaseRun(models.Model):
    """What became of one case in a run, and what it took. What was not told is null, never 0."""

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="case_runs")
    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="case_runs")
    state = enum_field(CaseRunState)
    # Why it failed, in the words of the source.
    detail = models.CharField(max_length=500, blank=True)
    # The commit that the tool says it reviewed; it was equal to the case's.
    head_commit = models.CharField(max_length=64, blank=True)
    tokens_in = models.PositiveBigIntegerField(null=True)
    tokens_out = models.PositiveBigIntegerField(null=True)
    cost = models.DecimalField(max_digits=14, decimal_places=6, null=True)
    latency_ms = models.PositiveBigIntegerField(null=True)
    # How many findings the tool itself says it made, where it does.
    declared_findings = models.PositiveIntegerField(null=True)

    objects = CaseRunQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["run", "case"], name="case_run_unique"),
            enum_check("case_run_state_known", "state", CaseRunState),
            models.CheckConstraint(name="case_run_cost_not_negative", condition=Q(cost__isnull=True) | Q(cost__gte=0)),
        )

    def __str__(self) -> str:
        return f"{self.case} in {self.run}"


class SeenContext(models.Model):
    """A file, or a retrieved part of one, that the tool read for a case."""

    case_run = models.ForeignKey(CaseRun, on_delete=models.PROTECT, related_name="seen_context")
    position = models.PositiveIntegerField()
    kind = enum_field(ContextKind)
    path = models.CharField(max_length=4096)
    first_line = models.PositiveIntegerField(null=True)
    last_line = models.PositiveIntegerField(null=True)
    sha256 = sha256_field(blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["case_run", "position"], name="seen_context_position_unique"),
            enum_check("seen_context_kind_known", "kind", ContextKind),
            models.CheckConstraint(
                name="seen_context_lines",
                condition=Q(first_line__isnull=True, last_line__isnull=True)
                | Q(first_line__gte=1, last_line__gte=F("first_line")),
            ),
        )

    def __str__(self) -> str:
        return self.path
