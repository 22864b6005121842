"""Cases that two people labelled and that were compared, for tests of comparison and adjudication."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from corpus.models import Case, User
from labeling.domain.label_input import AnchorInput, LabelInput
from labeling.models import Assignment, Comparison, Disagreement
from labeling.services.adjudication import decide
from labeling.services.labels import save_label
from labeling.services.rounds import open_round
from labeling.services.submission import save_answer, submit
from tests.labeling.seats import DEFECT

GUARD = replace(
    DEFECT,
    title="Orders without items raise",
    severity="medium",
    category="compatibility",
    trigger="When an order has no items",
    impact="the caller gets an exception instead of 0",
    anchors=(AnchorInput(role="primary", path="pay/totals.py", side="old", first_line=6, last_line=7),),
)


def lines(first: int, last: int, **other: Any) -> AnchorInput:
    """A place in the retry file of the standard case, new side unless told otherwise."""
    return AnchorInput(
        **{"role": "primary", "path": "pay/retry.py", "side": "new", "first_line": first, "last_line": last, **other}
    )


def hand_in(
    seat: Assignment, labels: Sequence[LabelInput] = (), verdict: str = "has_defects", missing: str = ""
) -> None:
    """Write labels and the answer on a seat and submit it for good."""
    for fields in labels:
        save_label(assignment=seat, reviewer=seat.reviewer, label=None, fields=fields, expected_version=0)
    fresh = Assignment.objects.get(pk=seat.pk)
    saved = save_answer(
        assignment=seat,
        reviewer=seat.reviewer,
        verdict=verdict,
        missing_context=missing,
        summary="",
        expected_version=fresh.version,
    )
    submit(assignment=seat, reviewer=seat.reviewer, expected_version=saved.version, final=True)


def seats_of(case: Case, reviewers: Sequence[User]) -> list[Assignment]:
    """Open a round for two people, who sit in slots A and B in this order."""
    opened = open_round(case=case, actor=case.project.created_by, reviewers=list(reviewers))
    return [Assignment.objects.get(round=opened, reviewer=reviewer) for reviewer in reviewers]


def compared(
    case: Case,
    reviewers: Sequence[User],
    a: Sequence[LabelInput] = (),
    b: Sequence[LabelInput] = (),
    *,
    verdicts: tuple[str, str] = ("has_defects", "has_defects"),
    missing: tuple[str, str] = ("", ""),
) -> Comparison:
    """Let two people label and submit a case and return the comparison of their seats."""
    seat_a, seat_b = seats_of(case, reviewers)
    hand_in(seat_a, a, verdicts[0], missing[0])
    hand_in(seat_b, b, verdicts[1], missing[1])
    case.refresh_from_db()
    return Comparison.objects.current().get(round=seat_a.round)


def kinds(comparison: Comparison) -> list[str]:
    """The kinds of a comparison's disagreements, sorted."""
    return sorted(comparison.disagreements.values_list("kind", flat=True))


def one(comparison: Comparison, kind: str) -> Disagreement:
    """The only disagreement of a kind."""
    return comparison.disagreements.get(kind=kind)


def ruled(row: Disagreement, adjudicator: User, outcome: str, **other: Any) -> Any:
    """Decide on a disagreement as it stands, for the reason that one misread the code unless told otherwise."""
    fresh = Disagreement.objects.get(pk=row.pk)
    values = {"reason_code": "misread_code", "expected_version": fresh.version, **other}
    return decide(disagreement=fresh, adjudicator=adjudicator, outcome=outcome, **values)
