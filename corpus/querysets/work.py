"""Filters on jobs and imports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.db import models

from corpus.domain.vocabulary import Role
from corpus.querysets.people import projects_with_role

if TYPE_CHECKING:
    from corpus.models import ImportBatch, ImportRecord, Job, User  # noqa: F401 - type parameters


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


class ImportRecordQuerySet(models.QuerySet["ImportRecord"]):
    """Filters on the records of imports."""

    def visible_to(self, user: User) -> Self:
        """Leads see the records of their imports, less those of cases that they may not see whole at present (B1)."""
        from corpus.models import Case

        return self.filter(batch__project_id__in=projects_with_role(user, [Role.LEAD])).filter(
            models.Q(case__isnull=True) | models.Q(case_id__in=Case.objects.managed_by(user).values("pk"))
        )
