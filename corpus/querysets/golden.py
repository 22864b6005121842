"""Filters on golden findings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.db import models

if TYPE_CHECKING:
    from corpus.models import GoldenFinding, User  # noqa: F401 - type parameters


class GoldenFindingQuerySet(models.QuerySet["GoldenFinding"]):
    """Filters on golden findings."""

    def live(self) -> Self:
        """Findings that were not retracted."""
        return self.filter(retracted_at__isnull=True)

    def visible_to(self, user: User) -> Self:
        """Golden findings of the cases the user may see whole."""
        from corpus.models import Case

        return self.filter(case_id__in=Case.objects.visible_to(user).values("pk"))
