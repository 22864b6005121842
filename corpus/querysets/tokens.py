"""Filters on tokens of the programming interface."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Self

from django.db import models

from corpus.domain.vocabulary import Role
from corpus.querysets.people import projects_with_role

if TYPE_CHECKING:
    from corpus.models import ApiToken, User  # noqa: F401 - type parameters


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    """Filters on tokens of the programming interface."""

    def visible_to(self, user: User) -> Self:
        """A person sees their own tokens; a lead sees every token of the project."""
        return self.filter(
            models.Q(created_by_id=user.pk) | models.Q(project_id__in=projects_with_role(user, [Role.LEAD]))
        )

    def working(self, now: datetime) -> Self:
        """Tokens that open something at `now`: not revoked, not over, of an active person and a living project."""
        return self.filter(
            revoked_at__isnull=True,
            expires_at__gt=now,
            created_by__is_active=True,
            project__archived_at__isnull=True,
        )
