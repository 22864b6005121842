"""Edits of what is said about a case. Each one is in the audit trail with its value before and after."""

from __future__ import annotations

from django.db import transaction

from corpus import clock
from corpus.domain.vocabulary import CaseState, Completeness
from corpus.models import Case, CaseTag, User
from corpus.services import audit
from corpus.services.case_facts import CaseFacts, checked_facts, columns_of, facts_of_case


class EditStale(Exception):
    """Somebody else has edited the case meanwhile; `stored` is what stands there now."""

    def __init__(self, stored: CaseFacts) -> None:
        super().__init__("Somebody else has edited this case meanwhile; compare both versions and save again.")
        self.stored = stored


class EditRefused(Exception):
    """The case cannot be edited; the message is one sentence for the person."""


@transaction.atomic
def set_completeness(*, case: Case, completeness: Completeness, actor: User) -> Case:
    """Say whether the labels of a case cover all its defects, and who said so when. Saying it again changes nothing."""
    case = _locked(case)
    before = case.completeness
    if before == completeness and case.completeness_set_by_id is not None:
        return case
    case.completeness = completeness
    case.completeness_set_by = actor
    case.completeness_set_at = clock.now()
    case.save(update_fields=["completeness", "completeness_set_by", "completeness_set_at"])
    audit.record(
        actor=actor,
        verb="completeness set",
        subject=f"case {case.public_id}",
        case=case,
        before=before,
        after=completeness,
    )
    return case


@transaction.atomic
def edit_facts(*, case: Case, facts: CaseFacts, seen: str, actor: User) -> Case:
    """Store edited facts. `seen` is the digest of the facts that the person edited.

    Raises FactsRefused, EditRefused for a withdrawn case, and EditStale if another edit came between; saving what is
    stored already changes nothing.
    """
    facts = checked_facts(facts)
    case = _locked(case)
    stored = facts_of_case(case)
    if stored == facts:
        return case
    if stored.digest() != seen:
        raise EditStale(stored)
    if case.state == CaseState.WITHDRAWN:
        raise EditRefused("This case was withdrawn and is not edited any more.")
    columns = columns_of(facts)
    for name, value in columns.items():
        setattr(case, name, value)
    case.save(update_fields=list(columns))
    kept = set(facts.tags)
    CaseTag.objects.filter(case=case).exclude(name__in=kept).delete()
    CaseTag.objects.bulk_create([CaseTag(case=case, name=name) for name in facts.tags], ignore_conflicts=True)
    for name, before, after in stored.differences(facts):
        audit.record(
            actor=actor,
            verb="case edited",
            subject=f"case {case.public_id}, {name}",
            case=case,
            before=before,
            after=after,
        )
    return case


@transaction.atomic
def declare_ready(*, case: Case, actor: User) -> Case:
    """Make a case ready again whose reviewers lacked context, once its lead has added it. Repeating changes nothing.

    Raises EditRefused for a case that waits for its change, or for nothing.
    """
    case = _locked(case)
    if case.state == CaseState.READY:
        return case
    if case.state != CaseState.INCOMPLETE:
        raise EditRefused(f"This case is {case.state}; only a case that lacks context is made ready by hand.")
    if not case.files.exists():
        raise EditRefused("This case waits for its change; attach its patch, or its base and head, first.")
    before = case.missing
    case.state, case.missing = CaseState.READY, ""
    case.save(update_fields=["state", "missing"])
    audit.record(
        actor=actor,
        verb="context added",
        subject=f"case {case.public_id}",
        case=case,
        before=before,
        after=CaseState.READY,
    )
    return case


def _locked(case: Case) -> Case:
    return Case.objects.select_for_update().get(pk=case.pk)
