"""Comparison of two seats, the disagreements it finds, and decisions on them."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from corpus.domain.vocabulary import Confidence, DisagreementKind, GoldenState, Outcome, Verdict
from corpus.models import GoldenFinding, GoldenRevision, User, WorkingPolicyVersion
from corpus.models.fields import enum_check, enum_field, public_id_field
from labeling.domain.adjudicating import ReasonCode
from labeling.domain.states import Correction, DisagreementState, PairOrigin, PairState, Slot
from labeling.models.assignments import Round
from labeling.models.labels import Label
from labeling.querysets.adjudication import ComparisonQuerySet, DisagreementQuerySet, LabelPairQuerySet


class Comparison(models.Model):
    """One alignment of a round's seats: the proposal with the aligner's version and parameters.

    A round whose seat was reopened is compared again; the older comparison stays with its decisions, superseded.
    """

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="comparisons")
    aligner = models.CharField(max_length=40)
    window = models.PositiveSmallIntegerField()
    # Integer costs in 1/10000.
    no_match_cost = models.PositiveIntegerField()
    category_cost = models.PositiveIntegerField()
    # Rank of the most severe label that somebody has to decide on, so that queues need not look at labels.
    worst_rank = models.PositiveSmallIntegerField(default=0)
    # How many people's passes were compared: three where a third seat was called.
    seat_count = models.PositiveSmallIntegerField(default=2)
    # Said which differences need a person; empty for comparisons from before that was a setting.
    policy = models.ForeignKey(WorkingPolicyVersion, on_delete=models.PROTECT, null=True, related_name="+")
    compared_at = models.DateTimeField()
    superseded_at = models.DateTimeField(null=True)

    objects = ComparisonQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["round"], condition=Q(superseded_at__isnull=True), name="comparison_current_unique"
            ),
        )

    def __str__(self) -> str:
        return f"comparison of {self.round}"


class ComparedLabel(models.Model):
    """A label that took part in a comparison, in the revision that was compared.

    Beside the labels of the open pass these are the claims that a reviewer confirmed beyond them.
    """

    # Names the label to an adjudicator: its own id is known to whoever wrote it (B3).
    public_id = public_id_field()
    comparison = models.ForeignKey(Comparison, on_delete=models.PROTECT, related_name="compared_labels")
    label = models.ForeignKey(Label, on_delete=models.PROTECT, related_name="+")
    revision = models.PositiveIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["comparison", "label"], name="compared_label_unique"),)

    def __str__(self) -> str:
        return f"{self.label} in {self.comparison}"


class LabelPair(models.Model):
    """Two labels taken for the same defect, with the relation of their places and the cost in 1/10000.

    Where a third seat was called a pair may be of any two of the three, the lower slot first, and `label_c` is the
    label that joins the pair of the first two, with its own relation and cost to the nearer of them.

    The aligner proposes pairs; an adjudicator may split one and pair labels otherwise. Pairs that do not hold any more
    stay, with their disagreements and decisions, so that proposal and correction can be compared.
    """

    comparison = models.ForeignKey(Comparison, on_delete=models.PROTECT, related_name="pairs")
    label_a = models.ForeignKey(Label, on_delete=models.PROTECT, related_name="+")
    label_b = models.ForeignKey(Label, on_delete=models.PROTECT, related_name="+")
    label_c = models.ForeignKey(Label, on_delete=models.PROTECT, null=True, related_name="+")
    relation = models.CharField(max_length=32)
    cost = models.PositiveIntegerField()
    relation_c = models.CharField(max_length=32, blank=True)
    cost_c = models.PositiveIntegerField(null=True)
    explanation = models.CharField(max_length=500, blank=True)
    explanation_c = models.CharField(max_length=500, blank=True)
    # Only severity, in an exact tie, made this pair: it is left out of severity agreement.
    is_decided_by_severity = models.BooleanField(default=False)
    origin = enum_field(PairOrigin, default=PairOrigin.ALIGNER)
    state = enum_field(PairState, default=PairState.PROPOSED)

    objects = LabelPairQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["comparison", "label_a"], condition=~Q(state=PairState.SPLIT), name="label_pair_a_unique"
            ),
            models.UniqueConstraint(
                fields=["comparison", "label_b"], condition=~Q(state=PairState.SPLIT), name="label_pair_b_unique"
            ),
            models.UniqueConstraint(
                fields=["comparison", "label_c"],
                condition=~Q(state=PairState.SPLIT) & Q(label_c__isnull=False),
                name="label_pair_c_unique",
            ),
            models.UniqueConstraint(
                fields=["comparison", "label_a", "label_b"],
                condition=Q(label_c__isnull=True),
                name="label_pair_unique",
            ),
            models.UniqueConstraint(
                fields=["comparison", "label_a", "label_b", "label_c"],
                condition=Q(label_c__isnull=False),
                name="label_pair_of_three_unique",
            ),
            enum_check("label_pair_origin_known", "origin", PairOrigin),
            models.CheckConstraint(name="label_pair_differs", condition=~Q(label_a=F("label_b"))),
            enum_check("label_pair_state_known", "state", PairState),
        )

    def __str__(self) -> str:
        return f"{self.label_a} with {self.label_b}"


class PairCorrection(models.Model):
    """One act by which an adjudicator split a pair or paired two labels; inserted, never changed (N4)."""

    comparison = models.ForeignKey(Comparison, on_delete=models.PROTECT, related_name="corrections")
    number = models.PositiveIntegerField()
    act = enum_field(Correction)
    pair = models.ForeignKey(LabelPair, on_delete=models.PROTECT, related_name="corrections")
    actor = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField(blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["comparison", "number"], name="pair_correction_number_unique"),
            enum_check("pair_correction_act_known", "act", Correction),
        )

    def __str__(self) -> str:
        return f"{self.act} {self.pair}"


class Disagreement(models.Model):
    """One difference. It is about a pair, about one label without a partner, or about the verdicts (neither)."""

    public_id = public_id_field()
    comparison = models.ForeignKey(Comparison, on_delete=models.PROTECT, related_name="disagreements")
    kind = enum_field(DisagreementKind)
    pair = models.ForeignKey(LabelPair, on_delete=models.PROTECT, null=True, related_name="disagreements")
    label = models.ForeignKey(Label, on_delete=models.PROTECT, null=True, related_name="disagreements")
    # Levels apart, for severity.
    distance = models.PositiveSmallIntegerField(null=True)
    state = enum_field(DisagreementState, default=DisagreementState.OPEN)
    # Counts changes of state. A decision made on an older number is refused, so two adjudicators cannot overwrite
    # each other.
    version = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()

    objects = DisagreementQuerySet.as_manager()

    class Meta:
        constraints = (
            enum_check("disagreement_kind_known", "kind", DisagreementKind),
            enum_check("disagreement_state_known", "state", DisagreementState),
            models.CheckConstraint(
                name="disagreement_one_subject", condition=Q(pair__isnull=True) | Q(label__isnull=True)
            ),
            models.UniqueConstraint(
                fields=["pair", "kind"], condition=Q(pair__isnull=False), name="disagreement_pair_kind_unique"
            ),
            models.UniqueConstraint(
                fields=["comparison", "label", "kind"],
                condition=Q(label__isnull=False),
                name="disagreement_label_kind_unique",
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.public_id}"


class Adjudication(models.Model):
    """One decision on a disagreement; the highest number holds, all are kept (N4)."""

    public_id = public_id_field()
    disagreement = models.ForeignKey(Disagreement, on_delete=models.PROTECT, related_name="adjudications")
    number = models.PositiveIntegerField()
    adjudicator = models.ForeignKey(User, on_delete=models.PROTECT, related_name="adjudications")
    # In terms of the stored slots, whatever order was shown.
    outcome = enum_field(Outcome)
    golden_state = enum_field(GoldenState, blank=True)
    # The verdict that a decision on the verdicts gave the case; empty where it left it unresolved.
    verdict = enum_field(Verdict, blank=True)
    reason_code = enum_field(ReasonCode)
    rationale = models.TextField(blank=True)
    confidence = enum_field(Confidence, blank=True)
    is_guideline_gap = models.BooleanField(default=False)
    # What the decision wrote; empty for a plain rejection or a verdict.
    golden_revision = models.ForeignKey(GoldenRevision, on_delete=models.PROTECT, null=True, related_name="+")
    # One act may decide several differences of one finding: the others point to the one that was asked about.
    along_with = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="carried")
    decided_at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["disagreement", "number"], name="adjudication_number_unique"),
            enum_check("adjudication_outcome_known", "outcome", Outcome),
            enum_check("adjudication_golden_state_known", "golden_state", GoldenState, blank=True),
            enum_check("adjudication_verdict_known", "verdict", Verdict, blank=True),
            enum_check("adjudication_reason_code_known", "reason_code", ReasonCode),
            enum_check("adjudication_confidence_known", "confidence", Confidence, blank=True),
        )

    def __str__(self) -> str:
        return f"decision {self.number} on {self.disagreement}"


class GoldenSource(models.Model):
    """Which label, in which revision, a golden finding came from."""

    finding = models.ForeignKey(GoldenFinding, on_delete=models.PROTECT, related_name="sources")
    label = models.ForeignKey(Label, on_delete=models.PROTECT, related_name="golden_sources")
    label_revision = models.PositiveIntegerField()
    slot = enum_field(Slot)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["finding", "label"], name="golden_source_unique"),)

    def __str__(self) -> str:
        return f"{self.label} made {self.finding}"
