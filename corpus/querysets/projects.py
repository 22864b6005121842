"""Filters on projects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.db import models

from corpus.domain.vocabulary import Role
from corpus.querysets.people import projects_with_role

if TYPE_CHECKING:
    from corpus.models import Project, User  # noqa: F401 - type parameters


class ProjectQuerySet(models.QuerySet["Project"]):
    """Filters on projects."""

    def visible_to(self, user: User) -> Self:
        """Members see their projects; nobody else learns that one exists."""
        return self.filter(archived_at__isnull=True, pk__in=projects_with_role(user, Role))

    def restorable_by(self, user: User) -> Self:
        """Archived projects that the user leads; they see nothing of them but the name."""
        return self.filter(archived_at__isnull=False, pk__in=projects_with_role(user, [Role.LEAD]))
