"""Filters on comparisons, pairs and disagreements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.db import models
from django.db.models import Exists, OuterRef

from labeling.domain.states import ASKED, DisagreementState, PairState

if TYPE_CHECKING:
    from corpus.models import User
    from labeling.models import Comparison, Disagreement, LabelPair  # noqa: F401 - type parameters


class ComparisonQuerySet(models.QuerySet["Comparison"]):
    """Filters on comparisons."""

    def current(self) -> Self:
        """Comparisons that hold: each round has at most one."""
        return self.filter(superseded_at__isnull=True)

    def newest(self) -> Self:
        """Of each case the comparison that is adjudicated: that of its newest compared round."""
        later = self.model._default_manager.filter(
            superseded_at__isnull=True,
            round__case=OuterRef("round__case"),
            round__number__gt=OuterRef("round__number"),
        )
        return self.current().exclude(Exists(later))


class LabelPairQuerySet(models.QuerySet["LabelPair"]):
    """Filters on pairs of labels."""

    def holding(self) -> Self:
        """Pairs that nobody split."""
        return self.exclude(state=PairState.SPLIT)


class DisagreementQuerySet(models.QuerySet["Disagreement"]):
    """Filters on disagreements."""

    def open(self) -> Self:
        """Disagreements that wait for a decision, of comparisons that hold."""
        return self.filter(state=DisagreementState.OPEN, comparison__superseded_at__isnull=True)

    def current(self) -> Self:
        """Disagreements that are open or decided, each case's by its newest compared round."""
        from labeling.models import Comparison

        later = Comparison.objects.current().filter(
            round__case=OuterRef("comparison__round__case"), round__number__gt=OuterRef("comparison__round__number")
        )
        return self.asked().filter(~Exists(later), comparison__superseded_at__isnull=True)

    def asked(self) -> Self:
        """Disagreements that are open or decided; those of labels that are paired otherwise by now are left out."""
        return self.filter(state__in=list(ASKED))

    def visible_to(self, user: User) -> Self:
        """Disagreements of cases the user may adjudicate (B3)."""
        from corpus.models import Case

        return self.filter(comparison__round__case_id__in=Case.objects.adjudicable_by(user).values("pk"))
