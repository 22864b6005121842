"""Filters on memberships and invitations."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Self

from django.db import models

from corpus.domain.vocabulary import Role

if TYPE_CHECKING:
    from corpus.models import Invitation, Membership, User  # noqa: F401 - type parameters


def projects_with_role(user: User, roles: Iterable[Role]) -> models.QuerySet[Membership, int]:
    """Return the ids of the projects in which `user` holds one of `roles`, as a subquery."""
    from corpus.models import Membership

    memberships = Membership.objects.filter(
        user_id=user.pk, user__is_active=True, role__in=[role.value for role in roles]
    )
    return memberships.values_list("project_id", flat=True)


class MembershipQuerySet(models.QuerySet["Membership"]):
    """Filters on memberships."""

    def held_by(self, user: User) -> Self:
        """The roles of an active person in the projects they see (`Project.objects.visible_to`)."""
        return self.filter(user_id=user.pk, user__is_active=True, project__archived_at__isnull=True)

    def visible_to(self, user: User) -> Self:
        """A lead sees everybody in the project; others see themselves."""
        return self.filter(models.Q(user_id=user.pk) | models.Q(project_id__in=projects_with_role(user, [Role.LEAD])))


class InvitationQuerySet(models.QuerySet["Invitation"]):
    """Filters on invitations."""

    def open(self, now: datetime) -> Self:
        """Invitations whose link still works at `now`: not used, not revoked, not expired, of a project that lives."""
        return self.filter(
            accepted_at__isnull=True,
            revoked_at__isnull=True,
            expires_at__gt=now,
            project__archived_at__isnull=True,
        )

    def visible_to(self, user: User) -> Self:
        """Leads see their project's invitations."""
        return self.filter(project_id__in=projects_with_role(user, [Role.LEAD]))
