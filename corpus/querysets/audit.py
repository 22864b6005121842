"""Who sees which entries of the audit trail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.db import models
from django.db.models import Exists, OuterRef, Q

from corpus.domain.vocabulary import Role
from corpus.querysets.people import projects_with_role

if TYPE_CHECKING:
    from corpus.models import AuditEntry, User  # noqa: F401 - type parameters

# Entries of no case whose text depends on nobody's labelling and on no tool's output.
ABOUT_PEOPLE_AND_TEXTS = ("account ", "expertise ", "invitation ", "person ", "project ", "role ", "text ", "token ")


class AuditEntryQuerySet(models.QuerySet["AuditEntry"]):
    """Filters on the audit trail."""

    def visible_to(self, user: User) -> Self:
        """A lead's projects, without cases on which the lead holds an open seat (B1, B8).

        While they hold one, entries of no case are left out too unless they are about people and texts: the number of
        a version or the counts of an import may depend on that case.
        """
        from corpus.models import Case, CaseSeat

        seated = CaseSeat.objects.filter(
            case__project_id=OuterRef("project_id"), user_id=user.pk, closed_at__isnull=True
        )
        harmless = Q()
        for words in ABOUT_PEOPLE_AND_TEXTS:
            harmless |= Q(verb__startswith=words)
        return self.filter(project_id__in=projects_with_role(user, [Role.LEAD])).filter(
            Q(case_id__in=Case.objects.managed_by(user).values("pk"))
            | Q(case__isnull=True) & (harmless | ~Exists(seated))
        )

    def unsealed(self) -> Self:
        """Entries that no seal covers yet, oldest first."""
        return self.filter(sealed__isnull=True).order_by("pk")
