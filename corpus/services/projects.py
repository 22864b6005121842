"""Projects and their versioned texts. A text is never changed: each edit inserts a new version."""

from __future__ import annotations

from typing import TypeVar

from django.db import transaction
from django.db.models import Max
from django.utils.text import slugify

from corpus import clock
from corpus.defaults import CategoryDefault, load_defaults
from corpus.domain.vocabulary import EditKind, Role
from corpus.ids import new_public_id
from corpus.models import (
    Category,
    ContractVersion,
    GuidelinesVersion,
    Membership,
    Project,
    SeverityLevel,
    SeverityPolicyVersion,
    TaxonomyVersion,
    User,
    WorkingPolicyVersion,
)
from corpus.models.projects import VersionedText
from corpus.services import audit, staleness

Text = TypeVar("Text", bound=VersionedText)
MAX_NAME = 120


class ProjectRefused(Exception):
    """A project or one of its texts cannot be stored; the message is one sentence for the person."""


@transaction.atomic
def create_project(*, name: str, lead: User, description: str = "") -> Project:
    """Store a project with default texts and its creator as lead."""
    name = checked_name(name)
    slug = slugify(name)[:50] or new_public_id().lower()
    if Project.objects.filter(slug=slug).exists():
        slug = f"{slug[:40]}-{new_public_id().lower()[:6]}"
    now = clock.now()
    project = Project.objects.create(
        name=name, slug=slug, description=description.strip(), created_by=lead, created_at=now
    )
    Membership.objects.create(project=project, user=lead, role=Role.LEAD, added_by=lead, added_at=now)
    defaults = load_defaults()
    store_taxonomy(project=project, author=lead, categories=list(defaults.categories), note="Defaults")
    policy = add_version(
        SeverityPolicyVersion(rules="\n".join(defaults.severity_policy.rules)),
        project=project,
        author=lead,
        note="Defaults",
    )
    SeverityLevel.objects.bulk_create(
        [
            SeverityLevel(
                policy=policy,
                severity=level.severity,
                name=level.name,
                impact=level.impact,
                reach=level.reach,
                examples="\n".join(level.examples),
                weight=level.weight,
            )
            for level in defaults.severity_policy.levels
        ]
    )
    add_version(GuidelinesVersion(text=defaults.guidelines), project=project, author=lead, note="Defaults")
    contract = defaults.contract
    add_version(
        ContractVersion(
            bounded_claim=contract.bounded_claim,
            context_allowed=contract.context_allowed,
            context_note=contract.context_note,
            changed_lines_only=contract.changed_lines_only,
            changed_lines_note=contract.changed_lines_note,
            pre_existing=contract.pre_existing,
            pre_existing_note=contract.pre_existing_note,
            speculative=contract.speculative,
            speculative_note=contract.speculative_note,
            intended_authority=contract.intended_authority,
            intended_authority_note=contract.intended_authority_note,
            exclusions="\n".join(contract.exclusions),
            owner=contract.owner,
        ),
        project=project,
        author=lead,
        note="Defaults",
    )
    add_version(WorkingPolicyVersion(), project=project, author=lead, note="Defaults")
    audit.record(
        actor=lead,
        verb="project created",
        subject=f"project {project.public_id}",
        project=project,
        after=name,
    )
    return project


def checked_name(name: str) -> str:
    """Return a project's name without superfluous space, or raise ProjectRefused."""
    name = " ".join(name.split())
    if not name:
        raise ProjectRefused("The project needs a name.")
    if len(name) > MAX_NAME:
        raise ProjectRefused(f"The name has {len(name)} characters; the limit is {MAX_NAME}.")
    return name


@transaction.atomic
def describe_project(*, project: Project, actor: User, name: str, description: str) -> None:
    """Change name and description; the address stays, since links to it are out there."""
    name, description = checked_name(name), description.strip()
    held = Project.objects.select_for_update().get(pk=project.pk)
    if (held.name, held.description) == (name, description):
        return
    before = held.name
    held.name, held.description = name, description
    held.save(update_fields=["name", "description"])
    project.name, project.description = name, description
    audit.record(
        actor=actor,
        verb="project described",
        subject=f"project {project.public_id}",
        project=project,
        before=before,
        after=f"{name}: {description}" if description else name,
    )


@transaction.atomic
def archive_project(*, project: Project, actor: User) -> None:
    """Take a project out of everybody's sight; nothing of it is lost, and a lead can restore it."""
    if Project.objects.filter(pk=project.pk, archived_at__isnull=True).update(archived_at=clock.now()):
        audit.record(actor=actor, verb="project archived", subject=f"project {project.public_id}", project=project)


@transaction.atomic
def restore_project(*, project: Project, actor: User) -> None:
    """Bring an archived project back as it was."""
    if Project.objects.filter(pk=project.pk, archived_at__isnull=False).update(archived_at=None):
        audit.record(actor=actor, verb="project restored", subject=f"project {project.public_id}", project=project)


def add_version(
    version: Text,
    *,
    project: Project,
    author: User,
    note: str = "",
    edit_kind: EditKind = EditKind.SUBSTANTIVE,
    scope: str = "",
) -> Text:
    """Insert `version` as the next of its kind in the project. Call it inside a transaction.

    A substantive edit makes the decisions in its scope stale (N7).
    """
    newest = type(version)._default_manager.filter(project=project).aggregate(newest=Max("number"))["newest"] or 0
    version.project = project
    version.number = newest + 1
    version.created_by = author
    version.created_at = clock.now()
    version.note = note
    version.edit_kind = edit_kind
    version.scope = scope
    version.save(force_insert=True)
    audit.record(
        actor=author,
        verb="text version added",
        subject=f"{version._meta.verbose_name} {version.number}",
        project=project,
        before=str(newest),
        after=f"{version.number} ({edit_kind}{f', {scope}' if scope else ''})",
    )
    staleness.after_edit(version=version, actor=author)
    return version


def store_taxonomy(
    *,
    project: Project,
    author: User,
    categories: list[CategoryDefault],
    note: str = "",
    edit_kind: EditKind = EditKind.SUBSTANTIVE,
    scope: str = "",
) -> TaxonomyVersion:
    """Insert a taxonomy version with its categories in the given order."""
    version = add_version(
        TaxonomyVersion(), project=project, author=author, note=note, edit_kind=edit_kind, scope=scope
    )
    Category.objects.bulk_create(
        [
            Category(
                taxonomy=version,
                position=position,
                key=category.key,
                name=category.name,
                description=category.description,
                belongs="\n".join(category.belongs),
                excludes="\n".join(category.excludes),
                examples="\n".join(category.examples),
                in_scope=category.in_scope,
                names_boundary=category.names_boundary,
            )
            for position, category in enumerate(categories)
        ]
    )
    return version
