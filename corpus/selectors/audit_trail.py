"""The audit trail as its page shows it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from django.db.models import Q

from corpus.models import AuditEntry, Case, Project, User
from corpus.querysets.audit import AuditEntryQuerySet

PAGE_SIZE = 100
# Verbs of entries that tell nothing of what anybody found in a case: who imported, edited or withdrew it.
SAFE_VERBS = ("case edited", "case imported", "case restored", "case withdrawn", "change attached", "context added")


@dataclass(frozen=True)
class AuditFilters:
    """What the address asks for; empty means any. Days are of the server's zone and both included."""

    q: str = ""
    verb: str = ""
    actor: str = ""
    since: date | None = None
    until: date | None = None

    @property
    def is_active(self) -> bool:
        """Say whether anything is filtered."""
        return any((self.q, self.verb, self.actor, self.since, self.until))


def listed_entries(user: User, project: Project, filters: AuditFilters) -> AuditEntryQuerySet:
    """Return the entries of a project that the person may see, newest first."""
    found = AuditEntry.objects.visible_to(user).filter(project=project)
    if filters.q:
        found = found.filter(Q(subject__icontains=filters.q) | Q(case__public_id=filters.q.upper()))
    if filters.verb:
        found = found.filter(verb=filters.verb)
    if filters.actor:
        found = found.filter(actor__public_id=filters.actor)
    if filters.since:
        found = found.filter(at__date__gte=filters.since)
    if filters.until:
        found = found.filter(at__date__lte=filters.until)
    return found.select_related("actor", "case").order_by("-pk")


def verbs_of(user: User, project: Project) -> list[str]:
    """Return the verbs that occur in what the person may see, by name."""
    seen = AuditEntry.objects.visible_to(user).filter(project=project)
    return list(seen.order_by("verb").values_list("verb", flat=True).distinct())


def actors_of(user: User, project: Project) -> list[User]:
    """Return who acted in what the person may see, by name."""
    seen = AuditEntry.objects.visible_to(user).filter(project=project, actor__isnull=False)
    return list(User.objects.filter(pk__in=seen.values("actor_id")).order_by("name", "pk"))


def told_of(entries: list[AuditEntry]) -> list[Case]:
    """Return the cases of whose labels or decisions the entries tell, once each (B2)."""
    told = {entry.case.pk: entry.case for entry in entries if entry.case and entry.verb not in SAFE_VERBS}
    return list(told.values())
