"""Builders of rows for tests. They go through the product's services wherever one exists."""

from __future__ import annotations

from corpus import clock
from corpus.domain.vocabulary import Role
from corpus.models import Membership, Project, User
from corpus.services.projects import create_project

PASSWORD = "correct-horse-battery"


def make_user(name: str) -> User:
    """Store a person whose address is made from the name and whose password is `PASSWORD`."""
    return User.objects.create_user(email=f"{name.lower().replace(' ', '.')}@example.org", password=PASSWORD, name=name)


def make_project(*, lead: User, name: str = "Payments corpus") -> Project:
    """Store a project with default texts."""
    return create_project(name=name, lead=lead)


def make_member(project: Project, user: User, role: Role) -> Membership:
    """Give a person a role."""
    return Membership.objects.create(
        project=project, user=user, role=role, added_by=project.created_by, added_at=clock.now()
    )
