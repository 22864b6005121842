"""Filters on rounds and seats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.db import models

from corpus.domain.vocabulary import Role
from corpus.querysets.people import projects_with_role
from labeling.domain.states import LIVE, AssignmentState

if TYPE_CHECKING:
    from corpus.models import User
    from labeling.models import Assignment, Round  # noqa: F401 - type parameters


class RoundQuerySet(models.QuerySet["Round"]):
    """Filters on rounds."""

    def visible_to(self, user: User) -> Self:
        """Leads see the rounds of cases they manage."""
        from corpus.models import Case

        return self.filter(case_id__in=Case.objects.managed_by(user).values("pk"))


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    """Filters on seats."""

    def live(self) -> Self:
        """Seats that count towards the seats of their round."""
        return self.filter(state__in=list(LIVE))

    def visible_to(self, user: User) -> Self:
        """A reviewer sees their own seats, while they are still a reviewer of the project; nobody else's."""
        return self.filter(
            reviewer_id=user.pk,
            case__project_id__in=projects_with_role(user, [Role.REVIEWER, Role.LEAD, Role.ADJUDICATOR]),
        )

    def editable_by(self, user: User) -> Self:
        """The person's own seats that are still open."""
        return self.visible_to(user).filter(state=AssignmentState.ACTIVE)

    def managed_by(self, user: User) -> Self:
        """Seats of cases the user manages as a lead."""
        from corpus.models import Case

        return self.filter(case_id__in=Case.objects.managed_by(user).values("pk"))
