"""Filters on comparisons and disagreements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.db import models

from labeling.domain.states import DisagreementState

if TYPE_CHECKING:
    from corpus.models import User
    from labeling.models import Comparison, Disagreement  # noqa: F401 - type parameters


class ComparisonQuerySet(models.QuerySet["Comparison"]):
    """Filters on comparisons."""

    def current(self) -> Self:
        """Comparisons that hold: each round has at most one."""
        return self.filter(superseded_at__isnull=True)


class DisagreementQuerySet(models.QuerySet["Disagreement"]):
    """Filters on disagreements."""

    def open(self) -> Self:
        """Disagreements that wait for a decision, of comparisons that hold."""
        return self.filter(state=DisagreementState.OPEN, comparison__superseded_at__isnull=True)

    def visible_to(self, user: User) -> Self:
        """Disagreements of cases the user may adjudicate (B3)."""
        from corpus.models import Case

        return self.filter(comparison__round__case_id__in=Case.objects.adjudicable_by(user).values("pk"))
