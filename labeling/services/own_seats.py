"""The lock every change of a reviewer's own work goes through: the row of their seat.

On PostgreSQL the row lock, on SQLite the write lock taken at BEGIN, puts a save, a submission and a recall of one seat
in order.
"""

from __future__ import annotations

from django.db.models import QuerySet

from corpus import clock
from corpus.models import User
from corpus.querysets.prepared import Slot, prepared
from labeling.domain.reservation import is_over
from labeling.domain.states import AssignmentState
from labeling.models import Assignment

ENDED = {
    AssignmentState.SUBMITTED: "This case was submitted and can no longer be changed.",
    AssignmentState.DECLINED: "You declined this case, so nothing more can be changed.",
    AssignmentState.EXPIRED: "Your time for this case is over; what you had saved is kept and nobody sees it.",
    AssignmentState.RELEASED: "This case was taken off your desk; what you had saved is kept and nobody sees it.",
}


class SeatClosed(Exception):
    """The seat takes no more work; the message is one sentence for its owner and tells of nobody else."""


@prepared
def locked_seats(seat: Slot, reviewer: Slot) -> QuerySet[Assignment]:
    """The seat where it is the reviewer's, with what its rules need, locked until the transaction ends."""
    rows = Assignment.objects.select_for_update(no_key=True, of=("self",)).select_related("policy", "round")
    return rows.filter(pk=seat, reviewer_id=reviewer)


def lock_own_seat(*, assignment: Assignment, reviewer: User) -> Assignment:
    """Return the seat, fresh and locked until the transaction ends. Raises SeatClosed when it is somebody else's."""
    seat = locked_seats.first(seat=assignment.pk, reviewer=reviewer.pk)
    if seat is None:
        raise SeatClosed("This is not your seat.")
    return seat


def require_open(seat: Assignment) -> None:
    """Raise SeatClosed unless the locked seat takes work. Time is over by the clock, not when somebody notices."""
    if seat.state != AssignmentState.ACTIVE:
        raise SeatClosed(ENDED[AssignmentState(seat.state)])
    if is_over(expires_at=seat.expires_at, last_active_at=seat.last_active_at, now=clock.now()):
        raise SeatClosed(ENDED[AssignmentState.EXPIRED])


def add_activity(seat: Assignment) -> None:
    """Count the time since the last sign of activity, up to the idle limit, on the locked seat and store it."""
    now = clock.now()
    if seat.last_active_at is not None:
        gap = max(0, int((now - seat.last_active_at).total_seconds()))
        if gap == 0:
            return
        seat.active_seconds += min(gap, seat.policy.idle_cutoff_seconds)
    seat.last_active_at = now
    seat.save(update_fields=["active_seconds", "last_active_at"])
