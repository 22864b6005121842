"""Filters on corpus versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.db import models
from django.db.models import Exists, OuterRef

from corpus.domain.vocabulary import Role
from corpus.querysets.people import projects_with_role

if TYPE_CHECKING:
    from corpus.models import CorpusVersion, User  # noqa: F401 - type parameters


class CorpusVersionQuerySet(models.QuerySet["CorpusVersion"]):
    """Filters on corpus versions."""

    def visible_to(self, user: User) -> Self:
        """Leads and analysts see versions, unless one holds a case on which they have an unsettled seat."""
        from corpus.models import CaseSeat

        held = CaseSeat.objects.filter(
            case__version_cases__version_id=OuterRef("pk"), user_id=user.pk, closed_at__isnull=True
        )
        return self.filter(project_id__in=projects_with_role(user, [Role.LEAD, Role.ANALYST])).filter(~Exists(held))
