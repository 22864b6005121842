"""What a reviewer has read, and for how long they were at work."""

from __future__ import annotations

from django.db import transaction

from corpus import clock
from corpus.models import CaseFile, User
from labeling.models import Assignment, FileRead
from labeling.services.own_seats import add_activity, lock_own_seat, require_open


class NoSuchFile(Exception):
    """The change has no file at this position."""


@transaction.atomic
def mark_file(*, assignment: Assignment, reviewer: User, position: int, is_read: bool) -> bool:
    """Mark the file at `position` of the change as read or unread and return what holds. Repeating changes nothing."""
    seat = lock_own_seat(assignment=assignment, reviewer=reviewer)
    require_open(seat)
    file = CaseFile.objects.filter(case_id=seat.case_id, position=position).first()
    if file is None:
        raise NoSuchFile("The change has no such file.")
    if is_read:
        FileRead.objects.get_or_create(assignment=seat, case_file=file, defaults={"read_at": clock.now()})
    else:
        FileRead.objects.filter(assignment=seat, case_file=file).delete()
    add_activity(seat)
    return is_read


@transaction.atomic
def note_activity(*, assignment: Assignment, reviewer: User) -> int:
    """Count a sign of activity on an open seat and return its active seconds.

    Signs further apart than the policy's idle limit count as that limit.
    """
    seat = lock_own_seat(assignment=assignment, reviewer=reviewer)
    require_open(seat)
    add_activity(seat)
    return seat.active_seconds


def note_opened(*, assignment: Assignment, reviewer: User) -> None:
    """Keep when the reviewer first opened the case. Later looks write nothing, so that they wait for no writer."""
    if assignment.first_opened_at is not None:
        return
    Assignment.objects.filter(pk=assignment.pk, reviewer=reviewer, first_opened_at__isnull=True).update(
        first_opened_at=clock.now()
    )
