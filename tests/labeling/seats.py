"""Seats and labels for tests of labelling."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from corpus.models import Case, User
from labeling.domain.label_input import AnchorInput, LabelInput
from labeling.domain.states import RoundState
from labeling.models import Assignment, Round
from labeling.services.labels import SavedLabel, save_label
from labeling.services.rounds import open_round
from labeling.services.seating import assign_seat

LINES = AnchorInput(role="primary", path="pay/retry.py", side="new", first_line=10, last_line=14)
# What a defect needs, and nothing else.
DEFECT = LabelInput(
    title="A time-out charges twice",
    severity="high",
    category="concurrency",
    relation="introduced",
    speculative=False,
    trigger="When the gateway answers after the time-out",
    impact="the customer is charged once per attempt",
    confidence="high",
    anchors=(LINES,),
)
NOTE = LabelInput(
    title="The name hides the retry",
    severity="note",
    category="error_handling",
    relation="introduced",
    speculative=False,
    impact="Readers look for the retry elsewhere",
    confidence="medium",
    anchors=(LINES,),
)


def make_seat(case: Case, reviewer: User) -> Assignment:
    """Give `reviewer` a seat in the open round of `case`, which is opened if it has none."""
    lead = case.project.created_by
    opened = Round.objects.filter(case=case, state=RoundState.OPEN).first()
    if opened is None:
        opened = open_round(case=case, actor=lead, reviewers=[reviewer])
        return Assignment.objects.get(round=opened, reviewer=reviewer)
    return assign_seat(round=opened, reviewer=reviewer, actor=lead)


def label(seat: Assignment, fields: LabelInput = DEFECT, **changes: Any) -> SavedLabel:
    """Save a new label on a seat through the service."""
    return save_label(
        assignment=seat, reviewer=seat.reviewer, label=None, fields=replace(fields, **changes), expected_version=0
    )
