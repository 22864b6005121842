"""Seats of a round: drawn, assigned by hand, released, reassigned, extended, expired, declined.

Every transition first takes the project's seat lock (`lock_seats`), and the database's own constraints stand behind it:
at most one live seat a slot, at most one seat a person and round. So never more people sit than a round wants.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from corpus import clock
from corpus.access import Denied
from corpus.domain.vocabulary import CaseState, RoundKind
from corpus.models import Case, Project, User
from corpus.selectors.projects import stamps_in_force, working_policy
from corpus.services import audit, seats
from labeling.domain.assigning import choose
from labeling.domain.reservation import is_over
from labeling.domain.states import AssignmentState, DeclineReason, RoundState, SeatSource, Slot
from labeling.models import Assignment, Round
from labeling.selectors.eligibility import IN_THIS_ROUND, may_sit, pool_for
from labeling.services.events import note_event

MAX_RESERVATION = timedelta(days=60)
SLOTS = list(Slot)


class SeatRefused(Exception):
    """A seat cannot be given, kept or given back; the message is one sentence for the person."""


class SeatTaken(SeatRefused):
    """The database refused a second person in one slot; another slot may still be free."""


def lock_seats(project: Project) -> None:
    """Wait until no other transition of the project's seats is under way. Call it inside a transaction.

    On SQLite the transaction itself holds the write lock; on PostgreSQL the project's row does.
    """
    Project.objects.select_for_update(no_key=True).only("pk").get(pk=project.pk)


def free_slots(round: Round) -> list[Slot]:
    """Return the round's slots in which nobody sits, in order."""
    taken = set(Assignment.objects.live().filter(round=round).values_list("slot", flat=True))
    return [slot for slot in SLOTS[: round.seats_wanted] if slot not in taken]


def fill_slot(
    *,
    round: Round,
    reviewer: User,
    source: SeatSource,
    actor: User,
    slot: Slot | None = None,
) -> Assignment:
    """Seat `reviewer` in the first free slot, or in `slot`. Call it inside a transaction that holds the seat lock.

    Raises SeatRefused with the reason when the person may not sit there or no slot is free.
    """
    if round.state != RoundState.OPEN:
        raise SeatRefused("This round is no longer open.")
    answer = may_sit(user=reviewer, case=round.case, round=round)
    if isinstance(answer, Denied):
        raise SeatRefused(answer.reason)
    free = free_slots(round)
    if not free or (slot is not None and slot not in free):
        raise SeatRefused("Every seat of this round is taken.")
    stamps = stamps_in_force(round.case.project)
    now = clock.now()
    hours = working_policy(round.case.project).reservation_hours
    expires = now + timedelta(hours=hours) if source == SeatSource.QUEUE else None
    try:
        with transaction.atomic():
            assignment = Assignment.objects.create(
                round=round,
                case=round.case,
                reviewer=reviewer,
                slot=slot or free[0],
                source=source,
                assigned_at=now,
                expires_at=expires,
                guidelines_id=stamps.guidelines_id,
                taxonomy_id=stamps.taxonomy_id,
                severity_policy_id=stamps.severity_policy_id,
                contract_id=stamps.contract_id,
                policy_id=stamps.policy_id,
            )
    except IntegrityError as error:
        raise SeatTaken("Someone else was given this seat at the same moment.") from error
    seats.open_seat(case=round.case, user=reviewer)
    settle_transition(assignment=assignment, actor=actor, verb="seat assigned", after=f"{source} {assignment.slot}")
    return assignment


def settle_transition(
    *, assignment: Assignment, actor: User | None, verb: str, before: str = "", after: str = ""
) -> None:
    """Write the seat's event and the audit entry of a transition, in the transaction of the change."""
    note_event(assignment=assignment, actor=actor)
    audit.record(
        actor=actor,
        verb=verb,
        subject=f"assignment {assignment.public_id}",
        case=assignment.case,
        before=before,
        after=after,
    )


@transaction.atomic
def draw_seats(*, round: Round, actor: User, seed: int | None = None) -> list[Assignment]:
    """Fill the round's free seats by a draw, with its own seed unless one is given; return the new seats.

    Raises SeatRefused when fewer eligible reviewers remain than seats are free; then nothing is changed.
    """
    lock_seats(round.case.project)
    round = Round.objects.select_related("case__project").get(pk=round.pk)
    if round.kind == RoundKind.CLAIMS:
        raise SeatRefused("Claims are judged by those who labelled the case; seat them by hand.")
    wanted = len(free_slots(round))
    pool = pool_for(project=round.case.project, cases=[round.case], viewer=actor)
    order = choose(pool.candidates, pool.demand(round.case, seats=wanted), seed=round.seed if seed is None else seed)
    if len(order) < wanted:
        raise SeatRefused(f"{counted(len(order), 'eligible reviewer')} remain for {counted(wanted, 'free seat')}.")
    people = pool.by_public_id()
    return [fill_slot(round=round, reviewer=people[one], source=SeatSource.DRAW, actor=actor) for one in order[:wanted]]


@transaction.atomic
def seat_drawn(*, round: Round, reviewers: Sequence[User], actor: User) -> list[Assignment]:
    """Seat people whom a previewed draw named in the round's free slots, all of them or nobody."""
    lock_seats(round.case.project)
    round = fresh_round(round)
    return [fill_slot(round=round, reviewer=person, source=SeatSource.DRAW, actor=actor) for person in reviewers]


@transaction.atomic
def assign_seat(*, round: Round, reviewer: User, actor: User) -> Assignment:
    """Seat a person by hand. Raises SeatRefused with the reason: exposed, author, family, already seated, no member."""
    lock_seats(round.case.project)
    return fill_slot(round=fresh_round(round), reviewer=reviewer, source=SeatSource.LEAD, actor=actor)


@transaction.atomic
def decline(*, assignment: Assignment, reviewer: User, reason: DeclineReason) -> Assignment:
    """Give one's own seat back, without details; the slot is free again. Declining twice answers the same."""
    lock_seats(assignment.case.project)
    seat = fresh_seat(assignment)
    if seat.reviewer_id != reviewer.pk:
        raise SeatRefused("This seat is not yours.")
    if seat.state == AssignmentState.DECLINED:
        return seat
    require_active(seat)
    seat.decline_reason = reason
    end_seat(assignment=seat, state=AssignmentState.DECLINED, actor=reviewer, verb="seat declined", after=reason)
    return seat


@transaction.atomic
def release_seat(*, assignment: Assignment, actor: User) -> Assignment:
    """Take a seat back. Its draft stays its owner's and unseen. Releasing twice answers the same."""
    lock_seats(assignment.case.project)
    seat = fresh_seat(assignment)
    if seat.state == AssignmentState.RELEASED:
        return seat
    require_active(seat)
    end_seat(assignment=seat, state=AssignmentState.RELEASED, actor=actor, verb="seat released")
    return seat


@transaction.atomic
def reassign_seat(*, assignment: Assignment, reviewer: User, actor: User) -> Assignment:
    """Release a seat and give its slot to another person, or change nothing and say why not."""
    lock_seats(assignment.case.project)
    seat = fresh_seat(assignment)
    if seat.reviewer_id == reviewer.pk:
        raise SeatRefused(IN_THIS_ROUND)
    require_active(seat)
    end_seat(assignment=seat, state=AssignmentState.RELEASED, actor=actor, verb="seat released", after="reassigned")
    return fill_slot(round=seat.round, reviewer=reviewer, source=SeatSource.LEAD, actor=actor, slot=Slot(seat.slot))


@transaction.atomic
def extend_seat(*, assignment: Assignment, until: datetime, actor: User) -> Assignment:
    """Let a reservation end at `until`; an expired seat is given back to its owner, with its draft, if one is free."""
    lock_seats(assignment.case.project)
    seat = fresh_seat(assignment)
    now = clock.now()
    if not now < until <= now + MAX_RESERVATION:
        raise SeatRefused(f"The new end must lie between now and {MAX_RESERVATION.days} days from now.")
    before = f"{seat.expires_at:%Y-%m-%d %H:%M}" if seat.expires_at else "no end"
    if seat.state == AssignmentState.EXPIRED:
        revive(seat)
    require_active(seat)
    seat.expires_at = until
    seat.save(update_fields=["state", "slot", "ended_at", "expires_at"])
    settle_transition(
        assignment=seat, actor=actor, verb="seat extended", before=before, after=f"{until:%Y-%m-%d %H:%M}"
    )
    return seat


def revive(seat: Assignment) -> None:
    """Make an expired seat active again in a free slot; the caller saves it."""
    if seat.round.state != RoundState.OPEN:
        raise SeatRefused("This round is no longer open.")
    answer = seats.may_label(user=seat.reviewer, case=seat.case)
    if isinstance(answer, Denied):
        raise SeatRefused(answer.reason)
    free = free_slots(seat.round)
    if not free:
        raise SeatRefused("Every seat of this round is taken.")
    seat.state = AssignmentState.ACTIVE
    seat.slot = seat.slot if seat.slot in free else free[0]
    seat.ended_at = None
    seats.open_seat(case=seat.case, user=seat.reviewer)


def expire_due_seats(
    now: datetime | None = None, *, project: Project | None = None, reviewer: User | None = None
) -> int:
    """End every reservation that is over at `now`; return how many. Their owners keep their drafts.

    `project` and `reviewer` narrow the sweep. It may run at any time, from any number of processes.
    """
    moment = now or clock.now()
    due = Assignment.objects.filter(state=AssignmentState.ACTIVE, expires_at__lte=moment)
    if project is not None:
        due = due.filter(case__project=project)
    if reviewer is not None:
        due = due.filter(reviewer=reviewer)
    ended = 0
    for pk in due.values_list("pk", flat=True):
        ended += expire_one(pk, moment)
    return ended


@transaction.atomic
def expire_one(pk: int, now: datetime) -> int:
    """End one reservation if it is still active and over; return 1 if it was ended."""
    assignment = Assignment.objects.select_related("case__project").get(pk=pk)
    lock_seats(assignment.case.project)
    seat = fresh_seat(assignment)
    over = is_over(expires_at=seat.expires_at, last_active_at=seat.last_active_at, now=now)
    if seat.state != AssignmentState.ACTIVE or not over:
        return 0
    end_seat(assignment=seat, state=AssignmentState.EXPIRED, actor=None, verb="seat expired")
    return 1


def end_seat(*, assignment: Assignment, state: AssignmentState, actor: User | None, verb: str, after: str = "") -> None:
    """End an active seat that the caller has locked; its slot is free from now on."""
    assignment.state = state
    assignment.ended_at = clock.now()
    assignment.save(update_fields=["state", "ended_at", "decline_reason"])
    if not is_still_seated(assignment.case, assignment.reviewer):
        seats.close_seat(case=assignment.case, user=assignment.reviewer)
    settle_transition(
        assignment=assignment, actor=actor, verb=verb, before=AssignmentState.ACTIVE, after=after or state
    )


def is_still_seated(case: Case, reviewer: User) -> bool:
    """Say whether another seat, such as a submitted open pass, blinds the person until the case settles (B1)."""
    if case.state in (CaseState.SETTLED, CaseState.WITHDRAWN):
        return False
    return Assignment.objects.live().filter(case=case, reviewer=reviewer).exists()


def fresh_seat(assignment: Assignment) -> Assignment:
    """Read a seat again and lock its row until the end of the transaction."""
    return (
        Assignment.objects.select_for_update(of=("self",), no_key=True)
        .select_related("round__case__project", "case__project", "reviewer")
        .get(pk=assignment.pk)
    )


def fresh_round(round: Round) -> Round:
    """Read a round again, with its case."""
    return Round.objects.select_related("case__project").get(pk=round.pk)


def require_active(seat: Assignment) -> None:
    """Raise SeatRefused unless the seat is still being worked on."""
    if seat.state != AssignmentState.ACTIVE:
        raise SeatRefused(f"This seat is {AssignmentState(seat.state).value}; only an active seat can be changed.")


def counted(number: int, noun: str) -> str:
    """Return "1 seat", "2 seats", "0 seats"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
