"""The history of a seat (N4). Called by services, inside the transaction of the change."""

from __future__ import annotations

from django.db.models import Max

from corpus import clock
from corpus.models import User
from labeling.models import Assignment, AssignmentEvent


def note_event(*, assignment: Assignment, actor: User | None) -> AssignmentEvent:
    """Keep the seat's present state, verdict and summary as the next event of its history."""
    newest = assignment.events.aggregate(newest=Max("number"))["newest"] or 0
    return AssignmentEvent.objects.create(
        assignment=assignment,
        number=newest + 1,
        state=assignment.state,
        verdict=assignment.verdict,
        missing_context=assignment.missing_context,
        summary=assignment.summary,
        actor=actor,
        at=clock.now(),
    )
