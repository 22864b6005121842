"""Roles, expertise and accounts. A person is deactivated, never deleted; every change is in the audit trail."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from corpus import clock
from corpus.domain.languages import language_named
from corpus.domain.vocabulary import Role
from corpus.models import Expertise, Membership, Project, User
from corpus.services import audit

MAX_EXPERTISE = 40
MAX_EXPERTISE_LENGTH = 60
MAX_NAME_LENGTH = 120


class PeopleRefused(Exception):
    """A change of a person or their roles is refused; the message is one sentence for the person who asked."""


@transaction.atomic
def grant_role(*, project: Project, user: User, role: Role, actor: User | None) -> Membership:
    """Give a role; a role that is held already stays as it is. Raises PeopleRefused for a deactivated account."""
    _lock(project)
    if not User.objects.filter(pk=user.pk, is_active=True).exists():
        raise PeopleRefused(f"The account of {user.name} is deactivated; ask an administrator to reactivate it first.")
    membership, created = Membership.objects.get_or_create(
        project=project, user=user, role=role, defaults={"added_by": actor, "added_at": clock.now()}
    )
    if created:
        audit.record(
            actor=actor, verb="role granted", subject=f"person {user.public_id}", project=project, after=role.value
        )
    return membership


@transaction.atomic
def withdraw_role(*, project: Project, user: User, role: Role, actor: User) -> None:
    """Take a role back; seats, drafts and decisions of the person stay as they are.

    Raises PeopleRefused for the last active lead. A role that is not held changes nothing.
    """
    _lock(project)
    held = Membership.objects.filter(project=project, user=user, role=role).first()
    if held is None:
        return
    if role == Role.LEAD and not _other_leads(project, user):
        raise PeopleRefused(f"{user.name} is the last lead of {project.name}; make another person a lead first.")
    held.delete()
    audit.record(
        actor=actor, verb="role withdrawn", subject=f"person {user.public_id}", project=project, before=role.value
    )


@transaction.atomic
def rename_person(*, user: User, name: str) -> None:
    """Change the name that others see. Raises PeopleRefused for an empty or overlong one."""
    name = checked_name(name)
    before = User.objects.select_for_update().get(pk=user.pk).name
    if name == before:
        return
    User.objects.filter(pk=user.pk).update(name=name)
    user.name = name
    audit.record(actor=user, verb="person renamed", subject=f"person {user.public_id}", before=before, after=name)


def checked_name(name: str) -> str:
    """Return a person's name without superfluous space, or raise PeopleRefused."""
    name = " ".join(name.split())
    if not name:
        raise PeopleRefused("The name is empty; write the name that the others in your projects know.")
    if len(name) > MAX_NAME_LENGTH:
        raise PeopleRefused(f"The name has {len(name)} characters; the limit is {MAX_NAME_LENGTH}.")
    return name


@transaction.atomic
def set_expertise(
    *, user: User, languages: Iterable[str], areas: Iterable[str], actor: User, project: Project | None = None
) -> None:
    """Store what a person can judge, by the person or by a lead of `project`, to which the person must belong.

    Names are compared without regard to case; a language is stored by the name that files are recognised by. Raises
    PeopleRefused, and then nothing was changed.
    """
    if actor.pk != user.pk and not _leads(actor=actor, user=user, project=project):
        raise PeopleRefused("Only the person and a lead of their project may say what they can judge.")
    User.objects.select_for_update().get(pk=user.pk)
    wanted = {
        Expertise.LANGUAGE: _checked_expertise(map(language_named, languages), "language"),
        Expertise.AREA: _checked_expertise(areas, "area"),
    }
    before = expertise_words(user)
    Expertise.objects.filter(user=user).delete()
    Expertise.objects.bulk_create(
        Expertise(user=user, kind=kind, value=value) for kind, values in wanted.items() for value in values
    )
    after = expertise_words(user)
    if before != after:
        audit.record(
            actor=actor,
            verb="expertise set",
            subject=f"person {user.public_id}",
            project=project,
            before=before,
            after=after,
        )


def expertise_words(user: User) -> str:
    """Return a person's expertise as one line, in a fixed order."""
    rows = Expertise.objects.filter(user=user).order_by("kind", "value").values_list("kind", "value")
    return ", ".join(f"{kind} {value}" for kind, value in rows)


@transaction.atomic
def deactivate_account(*, user: User, actor: User) -> None:
    """Close an account: its sessions end with their next request, everything it did stays.

    Raises PeopleRefused for one's own account, and for the only active lead of a project.
    """
    _administers(actor)
    if user.pk == actor.pk:
        raise PeopleRefused("You cannot deactivate your own account; ask another administrator.")
    led = list(
        Project.objects.select_for_update(of=("self",))
        .filter(memberships__user=user, memberships__role=Role.LEAD, archived_at__isnull=True)
        .order_by("pk")
    )
    alone = sorted(project.name for project in led if not _other_leads(project, user))
    if alone:
        raise PeopleRefused(f"{user.name} is the only lead of {', '.join(alone)}; make another person a lead first.")
    if User.objects.filter(pk=user.pk, is_active=True).update(is_active=False):
        audit.record(actor=actor, verb="account deactivated", subject=f"person {user.public_id}")
    user.is_active = False


@transaction.atomic
def reactivate_account(*, user: User, actor: User) -> None:
    """Open a deactivated account again, with the roles it had."""
    _administers(actor)
    if User.objects.filter(pk=user.pk, is_active=False).update(is_active=True):
        audit.record(actor=actor, verb="account reactivated", subject=f"person {user.public_id}")
    user.is_active = True


@transaction.atomic
def appoint_lead(*, project: Project, user: User, actor: User) -> None:
    """Make a person a lead by an administrator, for a project whose leads have gone."""
    _administers(actor)
    grant_role(project=project, user=user, role=Role.LEAD, actor=actor)


def _administers(actor: User) -> None:
    if not (actor.is_active and actor.is_superuser):
        raise PeopleRefused("Only an administrator may do this.")


def _lock(project: Project) -> None:
    """Let one change of a project's roles wait for another, so that two leads cannot remove each other at once."""
    Project.objects.select_for_update().get(pk=project.pk)


def _other_leads(project: Project, user: User) -> bool:
    leads = Membership.objects.filter(project=project, role=Role.LEAD, user__is_active=True)
    return leads.exclude(user=user).exists()


def _leads(*, actor: User, user: User, project: Project | None) -> bool:
    if project is None or not Membership.objects.filter(project=project, user=user).exists():
        return False
    return Membership.objects.filter(project=project, user=actor, role=Role.LEAD, user__is_active=True).exists()


def _checked_expertise(values: Iterable[str], kind: str) -> list[str]:
    found: dict[str, str] = {}
    for value in values:
        words = " ".join(value.split())
        if not words:
            continue
        if len(words) > MAX_EXPERTISE_LENGTH:
            raise PeopleRefused(
                f'The {kind} "{words[:40]}…" has {len(words)} characters; the limit is {MAX_EXPERTISE_LENGTH}.'
            )
        found.setdefault(words.casefold(), words)
    if len(found) > MAX_EXPERTISE:
        raise PeopleRefused(f"{len(found)} {kind}s are more than a draw can use; the limit is {MAX_EXPERTISE}.")
    return [found[key] for key in sorted(found)]
