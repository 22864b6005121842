"""Filters on proposed matches and rulings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.db import models

from corpus.domain.vocabulary import Role
from corpus.querysets.people import projects_with_role
from reviews.querysets.runs import READERS, open_seats

if TYPE_CHECKING:
    from corpus.models import User
    from reviews.models import Match, Ruling  # noqa: F401 - type parameters


class MatchQuerySet(models.QuerySet["Match"]):
    """Filters on proposed matches."""

    def visible_to(self, user: User) -> Self:
        """Leads and analysts see those of cases that they do not label at present; they tell who spoke."""
        return self.filter(matching__run__project_id__in=projects_with_role(user, READERS)).filter(
            ~open_seats(user, case_id=models.OuterRef("case_id"))
        )

    def rulable_by(self, user: User) -> Self:
        """Those a person may rule on: adjudicators and leads, never on a case they labelled (B3)."""
        from corpus.models import Case

        cases = Case.objects.visible_to(user).filter(pk__in=Case.objects.adjudicable_by(user).values("pk"))
        return self.filter(
            matching__is_current=True,
            matching__run__project_id__in=projects_with_role(user, [Role.ADJUDICATOR, Role.LEAD]),
            case_id__in=cases.values("pk"),
        )


class RulingQuerySet(models.QuerySet["Ruling"]):
    """Filters on rulings."""

    def visible_to(self, user: User) -> Self:
        """Leads and analysts see those of cases that they do not label at present; rulers see their own."""
        readable = models.Q(project_id__in=projects_with_role(user, READERS)) | models.Q(ruler_id=user.pk)
        return self.filter(readable).filter(~open_seats(user, case_id=models.OuterRef("case_id")))
