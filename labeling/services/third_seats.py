"""Calling a third seat, and going on without one. Nobody is told why it was called before the case is adjudicated."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction

from corpus.domain.vocabulary import RoundKind, Verdict
from corpus.models import User, WorkingPolicyVersion
from corpus.services import audit
from labeling.domain.alignment import Alignment, AskPolicy
from labeling.domain.assigning import choose
from labeling.domain.states import RoundState, SeatSource, Slot, ThirdSeat
from labeling.domain.third_seat import CALLED, Group, ThirdSeatPolicy, agreement_percent, third_seat
from labeling.models import Assignment, Round
from labeling.selectors.eligibility import pool_for
from labeling.services.seating import fill_slot, free_slots, lock_seats

SEATS_WITH_THIRD = 3


class ThirdSeatRefused(Exception):
    """The round cannot go on without its third seat; the message is one sentence for the lead."""


@dataclass(frozen=True)
class Compared:
    """The alignment of the first two seats' labels, and the groups that all seats' labels make."""

    alignment: Alignment
    groups: Sequence[Group]


def third_seat_policy(policy: WorkingPolicyVersion) -> ThirdSeatPolicy:
    """Return when a working policy calls a third seat."""
    return ThirdSeatPolicy(policy.third_seat_below, policy.third_seat_on_verdict, policy.third_seat_share)


def is_sampled(round_: Round, share: int) -> bool:
    """Say whether a round calls a third seat whatever its labels say.

    The draw is keyed by the server's secret: nobody who knows the round can tell whether it was drawn (B4).
    """
    key = f"third seats {settings.SECRET_KEY}".encode()
    digest = hmac.new(key, round_.public_id.encode(), hashlib.sha256).digest()
    return int.from_bytes(digest[:8], "big") % 100 < share


def call_third_seat(
    *, round_: Round, seats: Sequence[Assignment], compared: Compared, calls: ThirdSeatPolicy, asks: AskPolicy
) -> bool:
    """Call a third seat on a round whose first two are final, if the policy says so; True if the round goes on for it.

    The question is asked once for each round. The seat is drawn like the others, or offered in the queue where these
    were. The caller holds the project's seat lock and the case's lock.
    """
    if round_.third_seat or round_.kind != RoundKind.INITIAL or round_.seats_wanted != 2 or len(seats) != 2:
        return False
    answer = third_seat(
        calls,
        verdicts=(Verdict(seats[0].verdict), Verdict(seats[1].verdict)),
        agreement=agreement_percent(compared.alignment, asks),
        is_sampled=is_sampled(round_, calls.share),
    )
    reviewer = _drawn(round_) if answer in CALLED else None
    if answer in CALLED and reviewer is None:
        answer = ThirdSeat.NOBODY
    round_.third_seat = answer
    if answer not in CALLED:
        round_.save(update_fields=["third_seat"])
        return False
    round_.seats_wanted = SEATS_WITH_THIRD
    round_.save(update_fields=["third_seat", "seats_wanted"])
    claims = round_.case.rounds.filter(kind=RoundKind.CLAIMS, number__gt=round_.number, state=RoundState.OPEN)
    claims.update(seats_wanted=SEATS_WITH_THIRD)
    # Without the reason: leads read the trail.
    audit.record(actor=None, verb="third seat called", subject=f"round {round_.public_id}", case=round_.case)
    if not round_.is_queue_open and reviewer is not None:
        fill_slot(round=round_, reviewer=reviewer, source=SeatSource.DRAW, actor=round_.opened_by, slot=Slot.C)
    return True


def _drawn(round_: Round) -> User | None:
    """Return the person whom a draw of one seat gives, or None where nobody may sit there."""
    pool = pool_for(project=round_.case.project, cases=[round_.case])
    order = choose(pool.candidates, pool.demand(round_.case, seats=1), seed=round_.seed)
    return pool.by_public_id()[order[0]] if order else None


@transaction.atomic
def go_on_without_third(*, round_: Round, lead: User) -> Round:
    """Let a round whose third seat nobody holds be compared with two. Repeating it changes nothing.

    Raises ThirdSeatRefused while somebody sits there.
    """
    lock_seats(round_.case.project)
    round_ = Round.objects.select_related("case__project").get(pk=round_.pk)
    if round_.third_seat == ThirdSeat.WAIVED:
        return round_
    if round_.third_seat not in CALLED or round_.state != RoundState.OPEN:
        raise ThirdSeatRefused("No third seat is called on this round.")
    if Slot.C not in free_slots(round_):
        raise ThirdSeatRefused("Somebody sits in the third seat; release it first.")
    round_.third_seat, round_.seats_wanted = ThirdSeat.WAIVED, 2
    round_.save(update_fields=["third_seat", "seats_wanted"])
    round_.case.rounds.filter(kind=RoundKind.CLAIMS, number__gt=round_.number, state=RoundState.OPEN).update(
        seats_wanted=2
    )
    audit.record(actor=lead, verb="third seat waived", subject=f"round {round_.public_id}", case=round_.case)
    return round_
