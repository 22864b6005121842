"""Who acts, and where, as commands are told."""

from __future__ import annotations

from collections.abc import Iterable

from django.core.management.base import CommandError

from corpus.access import roles_of
from corpus.domain.vocabulary import Role
from corpus.models import Project, User


def project_named(slug: str) -> Project:
    """Return the project of that name in addresses. Raises CommandError."""
    project = Project.objects.filter(slug=slug, archived_at__isnull=True).first()
    if project is None:
        raise CommandError(f"There is no project {slug!r}; give its name as in its address, /p/NAME/.")
    return project


def member_named(project: Project, email: str, roles: Iterable[Role]) -> User:
    """Return the active member of that address who holds one of `roles`. Raises CommandError."""
    wanted = list(roles)
    user = User.objects.filter(email=email.lower(), is_active=True).first()
    if user is None or not roles_of(user, project) & set(wanted):
        raise CommandError(f"{email} is no {' or '.join(wanted)} of this project; name one with --as.")
    return user


def lead_named(project: Project, email: str) -> User:
    """Return the lead of that address, or the project's founder when none is given. Raises CommandError."""
    return member_named(project, email or project.created_by.email, [Role.LEAD])
