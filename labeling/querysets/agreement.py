"""Filters on tallies: what a person's figures may count (B8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.db import models
from django.db.models import Exists, OuterRef

from corpus.domain.vocabulary import CaseState

if TYPE_CHECKING:
    from corpus.models import User
    from labeling.models import Tally  # noqa: F401 - type parameters


class TallyQuerySet(models.QuerySet["Tally"]):
    """Filters on tallies."""

    def visible_to(self, user: User) -> Self:
        """Tallies of cases the user sees: without those on which they hold an unsettled seat (B8)."""
        from corpus.models import Case

        return self.filter(case_id__in=Case.objects.visible_to(user).values("pk"))

    def counted(self) -> Self:
        """Tallies of comparisons that hold, of rounds no seat of which was reopened, on cases that are still there."""
        from labeling.models import Assignment

        reopened = Assignment.objects.filter(is_excluded_from_agreement=True)
        return (
            self.filter(comparison__superseded_at__isnull=True)
            .exclude(comparison__round_id__in=reopened.values("round_id"))
            .exclude(case__state=CaseState.WITHDRAWN)
        )

    def newest(self) -> Self:
        """The tally of each comparison that holds: the one of its newest pairing."""
        from labeling.models import Tally

        later = Tally.objects.filter(comparison_id=OuterRef("comparison_id"), number__gt=OuterRef("number"))
        return self.filter(~Exists(later))
