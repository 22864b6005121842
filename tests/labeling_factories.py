"""Builders of labelled and settled cases, through the product's own services."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from corpus.domain.vocabulary import CaseState, Completeness, Verdict
from corpus.models import Case, User
from labeling.domain.label_input import AnchorInput, LabelInput
from labeling.models import Assignment
from labeling.services.labels import save_label
from labeling.services.reading import mark_file
from labeling.services.rounds import open_round
from labeling.services.submission import save_answer, submit
from tests.labeling.seats import DEFECT

# The guard that `tests.factories` drops: it is seen on the old side alone.
GUARD = AnchorInput(role="primary", path="pay/totals.py", side="old", first_line=6, last_line=7)
LOST_GUARD = replace(
    DEFECT,
    title="An order without items fails",
    severity="medium",
    category="boundary",
    trigger="When an order has no items",
    evidence="The old code returned early on `order.items is None`",
    impact="the total raises instead of being zero",
    keywords="guard none",
    anchors=(GUARD,),
)
CHARGES_TWICE = replace(
    DEFECT,
    evidence="The call `return gateway.charge(order.total)` is made again without the key",
    keywords="retry idempotency",
    accept_elements="the second charge\nthe missing key",
)


def answer_seat(
    seat: Assignment, *, labels: Sequence[LabelInput] = (), verdict: Verdict | None = None, missing_context: str = ""
) -> None:
    """Write labels, read all files, give the verdict (told by the labels when not given), and submit for good."""
    for position in seat.case.files.values_list("position", flat=True):
        mark_file(assignment=seat, reviewer=seat.reviewer, position=position, is_read=True)
    for fields in labels:
        save_label(assignment=seat, reviewer=seat.reviewer, label=None, fields=fields, expected_version=0)
    given = verdict or (Verdict.HAS_DEFECTS if labels else Verdict.CLEAN)
    answer = save_answer(
        assignment=seat,
        reviewer=seat.reviewer,
        verdict=given,
        missing_context=missing_context,
        summary="",
        expected_version=0,
    )
    submit(assignment=seat, reviewer=seat.reviewer, expected_version=answer.version, final=True)


def settle_case_with(
    case: Case, reviewers: Sequence[User], *, labels: Sequence[LabelInput] = (), **answer: Any
) -> Case:
    """Settle a case by two reviewers who say the same: these labels, or clean when there are none."""
    round = open_round(case=case, actor=case.project.created_by, reviewers=list(reviewers))
    for seat in round.assignments.select_related("case__project", "reviewer", "policy").order_by("slot"):
        answer_seat(seat, labels=labels, **answer)
    case.refresh_from_db()
    assert case.state == CaseState.SETTLED, f"the case is {case.state}"
    return case


def mark_complete(case: Case) -> Case:
    """Note that the labels of a case are known to cover all its defects."""
    Case.objects.filter(pk=case.pk).update(
        completeness=Completeness.COMPLETE,
        completeness_set_by=case.project.created_by,
        completeness_set_at=case.settled_at,
    )
    case.refresh_from_db()
    return case
