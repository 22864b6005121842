"""Filters on labels: the blinding rule for labels, once, in SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.db import models

if TYPE_CHECKING:
    from corpus.models import User
    from labeling.models import Label  # noqa: F401 - type parameters


class LabelQuerySet(models.QuerySet["Label"]):
    """Filters on labels."""

    def standing(self) -> Self:
        """Labels that were not withdrawn."""
        return self.filter(withdrawn_at__isnull=True)

    def visible_to(self, user: User) -> Self:
        """One's own labels; others' only through the adjudication and lead pages, which ask for their own right."""
        return self.filter(assignment__reviewer_id=user.pk)
