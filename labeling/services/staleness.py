"""Decisions that a later edit put in question, and their confirmation (N7)."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from corpus.domain.vocabulary import CaseState
from corpus.models import Case, Project, User
from corpus.services import audit
from corpus.services.staleness import finds_in_scope
from labeling.domain.states import AssignmentState, RoundState
from labeling.models import Label
from labeling.selectors.changes_since import CONFIRMED, texts_in_force
from labeling.services.adjudicable import NotAdjudicable, current_comparison, lock_case


class ConfirmationRefused(Exception):
    """A case cannot be confirmed; the message is one sentence for the person."""


@finds_in_scope
def cases_with_labels_of(project: Project, category: str) -> Iterable[int]:
    """Return the cases in which somebody used a category, also where the label was rejected or moved elsewhere."""
    rows = Label.objects.standing().filter(
        assignment__case__project=project, assignment__state=AssignmentState.SUBMITTED, category__key=category
    )
    return rows.values_list("assignment__case_id", flat=True).distinct()


@transaction.atomic
def confirm_again(*, case: Case, actor: User, stale_reason: str, texts: str | None = None) -> Case:
    """Confirm that the decisions on a stale case hold under what changed; it is settled again, with its result.

    `stale_reason` is what the person read, and `texts` the texts that the page compared with those of the decision:
    when something else put the case in question since, or another version came into force, they have to look again.
    Confirming a settled case changes nothing. Raises NotAdjudicable or ConfirmationRefused.
    """
    row = lock_case(case.pk)
    is_open = row.rounds.filter(state=RoundState.OPEN).exists()
    may = Case.objects.adjudicable_by(actor).filter(pk=row.pk).exists()
    if not may or is_open or current_comparison(row) is None:
        raise NotAdjudicable("There is nothing that you can confirm on this case.")
    if row.state == CaseState.SETTLED:
        return row
    if row.state != CaseState.STALE or not row.result:
        raise ConfirmationRefused("Only a stale case that was settled before can be confirmed.")
    if row.stale_reason != stale_reason:
        raise ConfirmationRefused(f"Something else changed since you opened the page: {row.stale_reason}")
    if texts is not None and texts != texts_in_force(row.project):
        raise ConfirmationRefused("Another version of a text came into force since you opened the page; look again.")
    row.state, row.stale_reason = CaseState.SETTLED, ""
    row.save(update_fields=["state", "stale_reason"])
    audit.record(
        actor=actor,
        verb=CONFIRMED,
        subject=f"case {row.public_id}",
        case=row,
        before=f"{CaseState.STALE}: {stale_reason}",
        after=row.result,
    )
    return row
