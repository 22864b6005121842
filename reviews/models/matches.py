"""Which golden finding structure proposes for each AI finding, and what people ruled on it."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from corpus.models import Case, GoldenRevision, Project, User
from corpus.models.fields import enum_check, enum_field, public_id_field, sha256_field
from reviews.domain.matching import MatchClass, MatchReason
from reviews.domain.rulings import ON_PAIR, RulingValue
from reviews.domain.vocabulary import EvidenceGrade, ImpactGrade, LocalisationGrade, SuggestionGrade
from reviews.models.findings import AIFinding
from reviews.models.runs import Run
from reviews.querysets.matches import MatchQuerySet, RulingQuerySet


class Matching(models.Model):
    """One proposal for all findings of a run, with the settings it was made by.

    A run that was taken in further gets a new one; only whether it is the current one changes.
    """

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="matchings")
    number = models.PositiveIntegerField()
    is_current = models.BooleanField(default=True)
    algorithm = models.CharField(max_length=20)
    window = models.PositiveIntegerField()
    category_cost = models.PositiveIntegerField()
    localised_lines = models.PositiveIntegerField()
    localised_share = models.PositiveIntegerField()
    # Shares in percent: of certain matches that are ruled on all the same, and of questions that two people answer.
    sample_percent = models.PositiveSmallIntegerField()
    second_percent = models.PositiveSmallIntegerField()
    made_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["run", "number"], name="matching_number_unique"),
            models.UniqueConstraint(fields=["run"], condition=Q(is_current=True), name="matching_one_is_current"),
            models.CheckConstraint(
                name="matching_shares_are_percent", condition=Q(sample_percent__lte=100, second_percent__lte=100)
            ),
        )

    def __str__(self) -> str:
        return f"matching of {self.run}"


class Match(models.Model):
    """What structure proposes for one AI finding; a pair with a golden finding where there is one.

    Everything but `is_open` stays as it was proposed. `is_open`: it waits for a ruling (`wanted` of them).
    """

    public_id = public_id_field()
    matching = models.ForeignKey(Matching, on_delete=models.PROTECT, related_name="matches")
    finding = models.ForeignKey(AIFinding, on_delete=models.PROTECT, related_name="matches")
    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="matches")
    content_sha256 = sha256_field()
    case_sha256 = sha256_field()
    golden = models.ForeignKey(GoldenRevision, on_delete=models.PROTECT, null=True, related_name="+")
    match_class = enum_field(MatchClass)
    reason = enum_field(MatchReason, blank=True)
    is_certain = models.BooleanField()
    is_sampled = models.BooleanField(default=False)
    explanation = models.CharField(max_length=500, blank=True)
    wanted = models.PositiveSmallIntegerField()
    is_open = models.BooleanField()
    # Orders the queue by a keyed hash, so that the order tells nothing of tools or of what was proposed.
    shuffle = models.CharField(max_length=16)

    objects = MatchQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["matching", "finding"], name="match_finding_unique"),
            enum_check("match_class_known", "match_class", MatchClass),
            enum_check("match_reason_known", "reason", MatchReason, blank=True),
            models.CheckConstraint(name="match_wants_at_most_two", condition=Q(wanted__lte=2)),
            models.CheckConstraint(name="match_open_wants_a_ruling", condition=Q(is_open=False) | Q(wanted__gte=1)),
        )
        indexes = (
            models.Index(fields=["shuffle"], name="match_queue", condition=Q(is_open=True)),
            models.Index(fields=["case", "content_sha256"], name="match_question"),
        )

    def __str__(self) -> str:
        return self.public_id


class Ruling(models.Model):
    """A person's blind answer to one question: what do these words say of this case? Inserted, never changed (N4).

    It binds to the words (`content_sha256`, whoever said them), and to the golden revision it names; one that names
    none binds to the frozen content of the case, since another golden finding might have been meant.
    """

    public_id = public_id_field()
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="rulings")
    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="rulings")
    content_sha256 = sha256_field()
    case_sha256 = sha256_field()
    golden = models.ForeignKey(GoldenRevision, on_delete=models.PROTECT, null=True, related_name="+")
    value = enum_field(RulingValue)
    rationale = models.TextField()
    localisation = enum_field(LocalisationGrade, blank=True)
    evidence = enum_field(EvidenceGrade, blank=True)
    impact = enum_field(ImpactGrade, blank=True)
    suggestion = enum_field(SuggestionGrade, blank=True)
    # Settles a question that two rulers answered differently.
    is_final = models.BooleanField(default=False)
    ruler = models.ForeignKey(User, on_delete=models.PROTECT, related_name="rulings")
    seconds = models.PositiveIntegerField()
    ruled_at = models.DateTimeField()

    objects = RulingQuerySet.as_manager()

    class Meta:
        constraints = (
            enum_check("ruling_value_known", "value", RulingValue),
            enum_check("ruling_localisation_known", "localisation", LocalisationGrade, blank=True),
            enum_check("ruling_evidence_known", "evidence", EvidenceGrade, blank=True),
            enum_check("ruling_impact_known", "impact", ImpactGrade, blank=True),
            enum_check("ruling_suggestion_known", "suggestion", SuggestionGrade, blank=True),
            models.CheckConstraint(
                name="ruling_names_a_golden_finding_on_a_pair_only",
                condition=Q(value__in=sorted(ON_PAIR), golden__isnull=False)
                | ~Q(value__in=sorted(ON_PAIR)) & Q(golden__isnull=True),
            ),
            models.CheckConstraint(name="ruling_with_rationale", condition=~Q(rationale="")),
        )
        indexes = (models.Index(fields=["case", "content_sha256"], name="ruling_question"),)

    def __str__(self) -> str:
        return f"{self.value} on {self.content_sha256[:8]}"
