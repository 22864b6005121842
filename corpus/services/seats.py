"""The gate that knows open seats. `labeling` opens and closes them; every `visible_to` asks them."""

from __future__ import annotations

from django.db.models import Q

from corpus import clock
from corpus.access import Allowed, Answer, Denied
from corpus.models import Case, CaseSeat, Exposure, User


def open_seat(*, case: Case, user: User) -> CaseSeat:
    """Open the seat of `user` on `case`, again if it was closed before (a later round)."""
    seat, created = CaseSeat.objects.get_or_create(case=case, user=user, defaults={"opened_at": clock.now()})
    if not created and seat.closed_at is not None:
        seat.closed_at = None
        seat.save(update_fields=["closed_at"])
    return seat


def mark_submitted(*, case: Case, user: User) -> None:
    """Note that the person has submitted work on the case: from now on they may never adjudicate it (B3)."""
    CaseSeat.objects.filter(case=case, user=user).update(has_submitted=True)


def close_seat(*, case: Case, user: User) -> None:
    """Close the seat of a person who gave it back or lost it."""
    CaseSeat.objects.filter(case=case, user=user, closed_at__isnull=True).update(closed_at=clock.now())


def close_all_seats(*, case: Case) -> None:
    """Close every seat of a case that settled or was withdrawn."""
    CaseSeat.objects.filter(case=case, closed_at__isnull=True).update(closed_at=clock.now())


def may_label(*, user: User, case: Case) -> Answer:
    """Say whether `user` may be given a seat on `case`: unexposed, not the author, one case per family or cluster."""
    if case.change_author_user_id == user.pk:
        return Denied("They wrote this change.")
    if Exposure.objects.filter(case=case, user=user).exists():
        return Denied("They have already seen labels, findings or hidden fields of this case.")
    if sibling_seats(user=user, case=case):
        return Denied("They label or labelled another case of the same family.")
    return Allowed()


def sibling_seats(*, user: User, case: Case) -> bool:
    """Say whether `user` holds or held a seat, with work in it, on a case of the same family or cluster (B7)."""
    same = Q()
    if case.family:
        same |= Q(case__family=case.family)
    if case.cluster:
        same |= Q(case__cluster=case.cluster)
    if not same:
        return False
    return (
        CaseSeat.objects.filter(same, user=user, case__project_id=case.project_id)
        .filter(Q(closed_at__isnull=True) | Q(has_submitted=True))
        .exclude(case=case)
        .exists()
    )
