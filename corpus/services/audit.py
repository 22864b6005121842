"""The audit trail. Called by services, inside the transaction of the change."""

from __future__ import annotations

from corpus import clock
from corpus.models import AuditEntry, Case, Project, User
from corpus.origin import origin


def record(
    *,
    actor: User | None,
    verb: str,
    subject: str,
    project: Project | None = None,
    case: Case | None = None,
    before: str = "",
    after: str = "",
) -> AuditEntry:
    """Add one entry; long values are cut to the column. `case` implies its project."""
    added = entry(actor=actor, verb=verb, subject=subject, project=project, case=case, before=before, after=after)
    added.save(force_insert=True)
    return added


def entry(
    *,
    actor: User | None,
    verb: str,
    subject: str,
    project: Project | None = None,
    case: Case | None = None,
    before: str = "",
    after: str = "",
) -> AuditEntry:
    """Return an entry that is not stored yet, for services that store many at once."""
    return AuditEntry(
        project_id=project.pk if project else (case.project_id if case else None),
        case=case,
        actor=actor,
        verb=verb,
        subject=subject[:120],
        before=before[:500],
        after=after[:500],
        origin=origin()[:60],
        at=clock.now(),
    )
