"""Which decisions a later edit puts in question (N7). A stale case cannot be frozen until it is confirmed again."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from corpus.domain.vocabulary import CaseState, EditKind
from corpus.models import (
    AuditEntry,
    Case,
    ContractVersion,
    GoldenRevision,
    GuidelinesVersion,
    Project,
    SeverityPolicyVersion,
    TaxonomyVersion,
    User,
)
from corpus.models.projects import VersionedText
from corpus.services import audit

# Texts that say what labels mean. The working policy only says how work is organised.
MEANING: dict[type[VersionedText], str] = {
    TaxonomyVersion: "taxonomy",
    SeverityPolicyVersion: "severity policy",
    GuidelinesVersion: "guidelines",
    ContractVersion: "reviewer contract",
}
# Given a project and a category key, returns ids of cases whose decisions speak of it.
Finder = Callable[[Project, str], Iterable[int]]
_finders: list[Finder] = []


def finds_in_scope(finder: Finder) -> Finder:
    """Register what an app knows of decisions about a category, beyond golden findings."""
    _finders.append(finder)
    return finder


def after_edit(*, version: VersionedText, actor: User) -> int:
    """Mark what a new version of a text puts in question and return how many cases; editorial edits do none."""
    title = MEANING.get(type(version))
    if title is None or version.edit_kind != EditKind.SUBSTANTIVE or version.number == 1:
        return 0
    about = f" for {version.scope.replace('_', ' ')}" if version.scope else ""
    reason = f"Version {version.number} of the {title} changed what labels mean{about}."
    cases = settled_in_scope(project=version.project, category=version.scope)
    return mark_stale(cases=cases, reason=reason, actor=actor)


def settled_in_scope(*, project: Project, category: str) -> QuerySet[Case]:
    """Return the settled cases with a decision about a category; all of them where none is named."""
    settled = Case.objects.filter(project=project, state=CaseState.SETTLED)
    if not category:
        return settled
    found = {pk for finder in _finders for pk in finder(project, category)}
    golden = GoldenRevision.objects.filter(finding__case=OuterRef("pk"), category__key=category)
    return settled.filter(Q(pk__in=found) | Exists(golden))


@transaction.atomic
def mark_stale(*, cases: QuerySet[Case], reason: str, actor: User | None) -> int:
    """Mark settled cases as stale with the reason, and return how many; the decisions themselves stay as they are."""
    locked = list(cases.filter(state=CaseState.SETTLED).select_for_update(no_key=True, of=("self",)).order_by("pk"))
    Case.objects.filter(pk__in=[case.pk for case in locked]).update(state=CaseState.STALE, stale_reason=reason[:300])
    AuditEntry.objects.bulk_create(
        audit.entry(
            actor=actor,
            verb="case marked stale",
            subject=f"case {case.public_id}",
            case=case,
            before=CaseState.SETTLED,
            after=reason,
        )
        for case in locked
    )
    return len(locked)
