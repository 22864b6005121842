"""Filters on cases and claims: the blinding rules B1, B3 and B8, once, in SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.db import models
from django.db.models import Exists, OuterRef, Q

from corpus.domain.vocabulary import CaseState, Role
from corpus.querysets.people import projects_with_role

if TYPE_CHECKING:
    from corpus.models import Case, Claim, User  # noqa: F401 - type parameters

DECIDED = (CaseState.SETTLED, CaseState.STALE)


def open_seat(user: User, path: str = "") -> Exists:
    """Say whether `user` holds an unsettled seat on the case that a row reaches by `path`."""
    from corpus.models import CaseSeat

    return Exists(CaseSeat.objects.filter(case_id=OuterRef(f"{path}pk"), user_id=user.pk, closed_at__isnull=True))


def managed(user: User, path: str = "") -> Q:
    """Return the condition of `managed_by` for rows that reach their case by `path`, such as "case__".

    A list of such rows is walked in its own order and asks of each; a set of all managed cases would be made first.
    """
    return Q(**{f"{path}project_id__in": projects_with_role(user, [Role.LEAD])}) & ~Q(open_seat(user, path))


def adjudicable(user: User, path: str = "") -> Q:
    """Return the condition of `adjudicable_by` for rows that reach their case by `path`."""
    from corpus.models import CaseSeat

    labelled = CaseSeat.objects.filter(
        Q(closed_at__isnull=True) | Q(has_submitted=True), case_id=OuterRef(f"{path}pk"), user_id=user.pk
    )
    projects = projects_with_role(user, [Role.ADJUDICATOR, Role.LEAD])
    return Q(**{f"{path}project_id__in": projects}) & ~Q(Exists(labelled))


class CaseQuerySet(models.QuerySet["Case"]):
    """Filters on cases."""

    def without_open_seat(self, user: User) -> Self:
        """Leave out cases on which `user` holds an unsettled seat (B1, B8)."""
        return self.filter(~Q(open_seat(user)))

    def managed_by(self, user: User) -> Self:
        """Cases whose every column and label the user may see as a lead."""
        return self.filter(managed(user))

    def adjudicable_by(self, user: User) -> Self:
        """Cases the user may adjudicate: role of adjudicator or lead, never a labeller of the case (B3)."""
        return self.filter(adjudicable(user))

    def visible_to(self, user: User) -> Self:
        """Cases with all their columns: leads any, adjudicators what they may adjudicate, analysts what is settled.

        Reviewers reach their cases through `Assignment.objects.visible_to` alone, which shows only what B6 allows.
        """
        lead = Q(project_id__in=projects_with_role(user, [Role.LEAD]))
        analyst = Q(project_id__in=projects_with_role(user, [Role.ANALYST]), state__in=DECIDED)
        adjudicator = Q(
            project_id__in=projects_with_role(user, [Role.ADJUDICATOR]),
            state__in=[CaseState.ADJUDICATING, *DECIDED],
            pk__in=self.model._default_manager.adjudicable_by(user).values("pk"),
        )
        return self.filter(lead | analyst | adjudicator).without_open_seat(user)


class ClaimQuerySet(models.QuerySet["Claim"]):
    """Filters on claims."""

    def visible_to(self, user: User) -> Self:
        """Leads see the claims of cases they manage; seats see theirs through their assignment."""
        from corpus.models import Case

        return self.filter(case_id__in=Case.objects.managed_by(user).values("pk"))
