"""Filters on jobs and imports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.db import models

from corpus.domain.vocabulary import Role
from corpus.querysets.people import projects_with_role

if TYPE_CHECKING:
    from corpus.models import ImportBatch, Job, User  # noqa: F401 - type parameters


class JobQuerySet(models.QuerySet["Job"]):
    """Filters on jobs."""

    def visible_to(self, user: User) -> Self:
        """Leads see their project's jobs."""
        return self.filter(project_id__in=projects_with_role(user, [Role.LEAD]))


class ImportBatchQuerySet(models.QuerySet["ImportBatch"]):
    """Filters on import batches."""

    def visible_to(self, user: User) -> Self:
        """Leads see their project's imports."""
        return self.filter(project_id__in=projects_with_role(user, [Role.LEAD]))
