"""Filters on rounds and seats."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Self

from django.db import models
from django.db.models import Count, Exists, F, OuterRef, Q

from corpus.domain.vocabulary import Role, RoundKind
from corpus.querysets.cases import adjudicable, managed
from corpus.querysets.people import projects_with_role
from labeling.domain.states import LIVE, AssignmentState, RoundState

if TYPE_CHECKING:
    from corpus.models import User
    from labeling.models import Assignment, Round  # noqa: F401 - type parameters


class RoundQuerySet(models.QuerySet["Round"]):
    """Filters on rounds."""

    def visible_to(self, user: User) -> Self:
        """Leads see the rounds of cases they manage."""
        return self.filter(managed(user, "case__"))

    def adjudicable_by(self, user: User) -> Self:
        """Rounds of cases the user may adjudicate (B3)."""
        return self.filter(adjudicable(user, "case__"))

    def with_live_count(self) -> Self:
        """Add `live`: how many seats of the round are worked on or submitted."""
        return self.annotate(live=Count("assignments", filter=Q(assignments__state__in=list(LIVE)), distinct=True))

    def with_free_seats(self) -> Self:
        """Open rounds in which fewer people sit than are wanted."""
        return self.filter(state=RoundState.OPEN).with_live_count().filter(live__lt=F("seats_wanted"))

    def due(self, now: datetime) -> Self:
        """Open rounds whose wanted seats are all submitted and final at `now`, with their claims pass where one is.

        One query, whatever their number; `labeling.services.comparison.is_due` asks the same of one round.
        """
        from labeling.models import Assignment

        final = Q(state=AssignmentState.SUBMITTED, final_at__lte=now)
        seats = Assignment.objects.filter(round=OuterRef("pk"))
        answered = Assignment.objects.filter(
            final, round__kind=RoundKind.CLAIMS, case=OuterRef("case"), reviewer=OuterRef("reviewer")
        )
        counted = Count(
            "assignments",
            filter=Q(assignments__state=AssignmentState.SUBMITTED, assignments__final_at__lte=now),
        )
        return (
            self.filter(state=RoundState.OPEN, kind__in=[RoundKind.INITIAL, RoundKind.CHALLENGE])
            # Most rounds have no seat that is done, and are left out by this alone.
            .filter(Exists(seats.filter(final)))
            .filter(~Exists(seats.filter(state__in=list(LIVE)).exclude(final)))
            .filter(~Exists(seats.filter(final, policy__uses_claims=True).exclude(Exists(answered))))
            .annotate(final_seats=counted)
            .filter(final_seats__gte=F("seats_wanted"))
        )


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
        return self.filter(managed(user, "case__"))
