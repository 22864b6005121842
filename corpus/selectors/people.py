"""People as pages show them. Nothing here counts or dates anybody's work (B1, B8)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Min, Prefetch, Q, QuerySet

from corpus import clock
from corpus.domain.vocabulary import Role
from corpus.models import Expertise, Invitation, Membership, Project, User


@dataclass(frozen=True)
class MemberRow:
    """A member of one project."""

    person_id: str
    name: str
    email: str
    is_active: bool
    roles: tuple[str, ...]
    languages: tuple[str, ...]
    areas: tuple[str, ...]
    since: datetime


@dataclass(frozen=True)
class OwnRole:
    """A project of a person, with their roles there."""

    project: Project
    roles: tuple[str, ...]


def members(
    *, project: Project, viewer: User, find: str = "", role: str = "", sort: str = "name"
) -> QuerySet[User, User]:
    """Return the members that `viewer` may see; `sort` is name or since, with a minus for the other direction."""
    shown = Membership.objects.visible_to(viewer).filter(project=project)
    if role:
        shown = shown.filter(role=role)
    people = User.objects.filter(pk__in=shown.values("user"))
    for word in find.split():
        knows = Expertise.objects.filter(value__icontains=word).values("user")
        people = people.filter(Q(name__icontains=word) | Q(email__icontains=word) | Q(pk__in=knows))
    people = people.annotate(since=Min("memberships__added_at", filter=Q(memberships__project=project)))
    return people.order_by(sort, "name", "pk").prefetch_related(
        Prefetch("memberships", Membership.objects.filter(project=project), to_attr="roles_here"),
        Prefetch("expertise", Expertise.objects.order_by("value")),
    )


def member_rows(people: Iterable[User]) -> list[MemberRow]:
    """Return rows of people that `members` found; no query is left to do."""
    rows = []
    for user in people:
        held = {membership.role for membership in user.roles_here}  # type: ignore[attr-defined]
        known = list(user.expertise.all())
        rows.append(
            MemberRow(
                person_id=user.public_id,
                name=user.name,
                email=user.email,
                is_active=user.is_active,
                roles=tuple(role.value for role in Role if role.value in held),
                languages=tuple(row.value for row in known if row.kind == Expertise.LANGUAGE),
                areas=tuple(row.value for row in known if row.kind == Expertise.AREA),
                since=user.since,  # type: ignore[attr-defined]
            )
        )
    return rows


def expertise_initial(user: User) -> dict[str, str]:
    """Return a person's expertise as the form shows it."""
    rows = list(Expertise.objects.filter(user=user).order_by("value"))
    return {
        "languages": ", ".join(row.value for row in rows if row.kind == Expertise.LANGUAGE),
        "areas": ", ".join(row.value for row in rows if row.kind == Expertise.AREA),
    }


def pending_invitations(*, project: Project, viewer: User) -> QuerySet[Invitation, Invitation]:
    """Return the invitations whose links still work, the ones that end first at the top."""
    pending = Invitation.objects.visible_to(viewer).open(clock.now()).filter(project=project)
    return pending.select_related("invited_by").order_by("expires_at", "pk")


def own_roles(user: User) -> list[OwnRole]:
    """Return the projects of a person, by name, with their roles."""
    found: dict[Project, set[str]] = {}
    mine = Membership.objects.filter(user=user, project__in=Project.objects.visible_to(user))
    for membership in mine.select_related("project").order_by("project__name", "pk"):
        found.setdefault(membership.project, set()).add(membership.role)
    return [
        OwnRole(project, tuple(role.value for role in Role if role.value in held)) for project, held in found.items()
    ]
