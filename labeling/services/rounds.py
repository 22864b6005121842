"""Rounds: opened, taken from by the queue, and closed when a case is withdrawn."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Max, Q

from corpus import clock
from corpus.access import roles_of
from corpus.domain.vocabulary import CaseResult, CaseState, Role, RoundKind
from corpus.ids import new_secret
from corpus.models import Case, CaseSeat, Exposure, Project, User
from corpus.services import audit, seats
from labeling.domain.assigning import choose, misfit, queue_order
from labeling.domain.states import LIVE, AssignmentState, RoundState, SeatSource, Slot
from labeling.models import Assignment, Round
from labeling.selectors.eligibility import candidates_of, pool_for
from labeling.selectors.queue import queue_key
from labeling.services.seating import (
    SLOTS,
    SeatRefused,
    SeatTaken,
    counted,
    end_seat,
    expire_due_seats,
    fill_slot,
    fresh_round,
    fresh_seat,
    lock_seats,
)

# From which states a round of each kind may start, and where it takes the case.
STARTS = {
    RoundKind.INITIAL: (CaseState.READY, CaseState.STALE, CaseState.SETTLED),
    RoundKind.CLAIMS: (CaseState.LABELLING,),
    RoundKind.CHALLENGE: (CaseState.SETTLED, CaseState.STALE),
}
LEADS_TO = {
    RoundKind.INITIAL: CaseState.LABELLING,
    RoundKind.CLAIMS: CaseState.CLAIMS,
    RoundKind.CHALLENGE: CaseState.CLAIMS,
}


class RoundRefused(Exception):
    """A round cannot be opened or a case not withdrawn; the message is one sentence for the lead."""


def new_seed() -> int:
    """Return 60 random bits from the source of secrets."""
    return int(new_secret()[:15], 16)


@transaction.atomic
def open_round(
    *,
    case: Case,
    actor: User,
    kind: RoundKind = RoundKind.INITIAL,
    seed: int | None = None,
    reviewers: Sequence[User] | None = None,
    queue_open: bool = False,
    seats_wanted: int = 2,
    source: SeatSource = SeatSource.LEAD,
) -> Round:
    """Open a round on `case` and seat its people.

    `reviewers` sit in the given order, each recorded with `source`. Without them two are drawn with `seed` (a fresh one
    when none is given); with `queue_open` nobody is, and reviewers take the seats from the queue. A claims round seats
    those who submitted the open pass. Opening the same round again returns it unchanged.

    Raises RoundRefused when the case is in no state for it, another round is open, or too few people are eligible;
    then nothing is changed.
    """
    lock_seats(case.project)
    case = Case.objects.select_for_update(of=("self",), no_key=True).select_related("project").get(pk=case.pk)
    standing = list(Round.objects.filter(case=case, state=RoundState.OPEN))
    if standing:
        same = next((round for round in standing if round.kind == kind), standing[0])
        return repeated(same, kind=kind, seed=seed, reviewers=reviewers)
    if case.state not in STARTS[kind] or is_settled_for_good(case, kind):
        raise RoundRefused(f"Case {case.public_id} is {case.state}; a round of kind {kind} cannot be opened on it.")
    round = store_round(
        case=case,
        kind=kind,
        seats_wanted=seats_wanted if reviewers is None else max(seats_wanted, len(reviewers)),
        seed=new_seed() if seed is None else seed,
        actor=actor,
        queue_open=queue_open,
    )
    case.state = LEADS_TO[kind]
    case.save(update_fields=["state"])
    seat_people(round=round, actor=actor, reviewers=reviewers, source=source)
    return round


def store_round(
    *, case: Case, kind: RoundKind, seats_wanted: int, seed: int, actor: User, queue_open: bool = False
) -> Round:
    """Insert the case's next round, with its audit entry."""
    number = (case.rounds.aggregate(newest=Max("number"))["newest"] or 0) + 1
    round = Round.objects.create(
        case=case,
        kind=kind,
        number=number,
        seats_wanted=seats_wanted,
        seed=seed,
        is_queue_open=queue_open,
        opened_by=actor,
        opened_at=clock.now(),
    )
    audit.record(
        actor=actor,
        verb="round opened",
        subject=f"round {round.public_id}",
        case=case,
        before=case.state,
        after=f"{kind} round {number}, seed {seed}",
    )
    return round


def is_settled_for_good(case: Case, kind: RoundKind) -> bool:
    """Say whether a settled case needs no fresh verdict; only one whose labels were all rejected does (T3)."""
    return case.state == CaseState.SETTLED and kind == RoundKind.INITIAL and not needs_fresh_verdict(case)


def needs_fresh_verdict(case: Case) -> bool:
    """Say whether every label of a settled case was rejected: it is clean only by a fresh blinded round (T3)."""
    return case.state == CaseState.SETTLED and case.result == CaseResult.NO_FINDING_ADJUDICATED


def repeated(round: Round, *, kind: RoundKind, seed: int | None, reviewers: Sequence[User] | None) -> Round:
    """Return the open round if the call asks for what it is; raise RoundRefused if it asks for another."""
    same = round.kind == kind and seed in (None, round.seed)
    if same and reviewers is not None:
        seated = set(round.assignments.filter(state__in=list(LIVE)).values_list("reviewer", flat=True))
        same = seated == {user.pk for user in reviewers}
    if not same:
        raise RoundRefused(f"Case {round.case.public_id} already has an open round.")
    return round


def seat_people(*, round: Round, actor: User, reviewers: Sequence[User] | None, source: SeatSource) -> None:
    """Seat the given people, those of the open pass, or people drawn; a queue round seats nobody by itself."""
    if reviewers is None and round.kind == RoundKind.CLAIMS:
        earlier = Assignment.objects.filter(
            case=round.case, round__kind=RoundKind.INITIAL, state=AssignmentState.SUBMITTED
        ).order_by("-round__number", "slot")
        newest = [seat for seat in earlier if seat.round_id == earlier[0].round_id]
        reviewers = [seat.reviewer for seat in newest]
        round.seats_wanted = len(newest)
        round.save(update_fields=["seats_wanted"])
    elif reviewers is None:
        if round.is_queue_open:
            return
        reviewers, source = drawn(round, actor), SeatSource.DRAW
    for person in reviewers:
        try:
            fill_slot(round=round, reviewer=person, source=source, actor=actor)
        except SeatRefused as error:
            raise RoundRefused(f"{person.name} cannot sit on case {round.case.public_id}: {error}") from error


def drawn(round: Round, actor: User) -> list[User]:
    """Draw the people of a new round; raise RoundRefused when too few remain."""
    pool = pool_for(project=round.case.project, cases=[round.case], viewer=actor)
    order = choose(pool.candidates, pool.demand(round.case, seats=round.seats_wanted), seed=round.seed)
    if len(order) < round.seats_wanted:
        raise RoundRefused(
            f"Case {round.case.public_id} cannot be drawn: {counted(len(order), 'eligible reviewer')} for"
            f" {counted(round.seats_wanted, 'seat')}."
        )
    people = pool.by_public_id()
    return [people[one] for one in order[: round.seats_wanted]]


@transaction.atomic
def open_claims_seat(*, assignment: Assignment) -> Assignment:
    """Give the owner of a submitted open pass the claims pass of the case, in the same slot.

    The first owner's call opens the claims round, so that nobody's claims pass tells whether the other is done (B1,
    B4). Repeating it answers the same.
    """
    lock_seats(assignment.case.project)
    seat = fresh_seat(assignment)
    first = seat.round
    if seat.state != AssignmentState.SUBMITTED or first.kind != RoundKind.INITIAL:
        raise RoundRefused("A claims pass follows a submitted open pass.")
    round = seat.case.rounds.filter(kind=RoundKind.CLAIMS, number__gt=first.number, state=RoundState.OPEN).first()
    if round is None:
        round = store_round(
            case=seat.case,
            kind=RoundKind.CLAIMS,
            seats_wanted=first.seats_wanted,
            seed=first.seed,
            actor=first.opened_by,
        )
    mine = round.assignments.filter(reviewer=seat.reviewer).first()
    if mine is None:
        mine = fill_slot(
            round=round,
            reviewer=seat.reviewer,
            source=SeatSource(seat.source),
            actor=seat.reviewer,
            slot=Slot(seat.slot),
        )
    return mine


# --- The queue ----------------------------------------------------------------------------------------------------


def take_next_case(*, project: Project, reviewer: User) -> Assignment | None:
    """Return a seat the reviewer has not opened yet, else take a free one from the queue; None when there is none.

    Taking is reserved for the working policy's hours. Asking again before the case was opened answers the same (N2).
    """
    if Role.REVIEWER not in roles_of(reviewer, project):
        raise SeatRefused("Only reviewers of this project take cases from its queue.")
    expire_due_seats(project=project)
    waiting = unopened_seat(project=project, reviewer=reviewer)
    if waiting is not None:
        return waiting
    for pk in queued_rounds(project=project, reviewer=reviewer):
        seat = take_from(pk, reviewer)
        if seat is not None:
            return seat
    return None


def unopened_seat(*, project: Project, reviewer: User) -> Assignment | None:
    """Return the first, in the order of their queue, of the person's active seats that they have not opened yet."""
    waiting = Assignment.objects.filter(
        case__project=project, reviewer=reviewer, state=AssignmentState.ACTIVE, first_opened_at__isnull=True
    ).select_related("case", "round")
    return min(
        waiting,
        key=lambda seat: queue_order(key=queue_key(), person=reviewer.public_id, case=seat.case.public_id),
        default=None,
    )


def queued_rounds(*, project: Project, reviewer: User) -> list[int]:
    """Return the ids of rounds with a free seat for the reviewer: known languages first, then by keyed hash (B7)."""
    rounds = (
        Round.objects.filter(
            case__project=project, case__state=CaseState.LABELLING, kind=RoundKind.INITIAL, is_queue_open=True
        )
        .with_free_seats()
        .exclude(case_id__in=barred_cases(project, reviewer))
    )
    held = CaseSeat.objects.filter(case__project=project, user=reviewer).filter(
        Q(closed_at__isnull=True) | Q(has_submitted=True)
    )
    families = {name for name in held.values_list("case__family", flat=True) if name}
    clusters = {name for name in held.values_list("case__cluster", flat=True) if name}
    rounds = rounds.exclude(case__family__in=families).exclude(case__cluster__in=clusters)
    person = candidates_of(project=project, reviewers=[reviewer], viewer=None)[0]

    def rank(row: tuple[int, str, str, str]) -> tuple[int, bytes]:
        _, case, language, area = row
        order = queue_order(key=queue_key(), person=reviewer.public_id, case=case)
        return misfit(person, language=language, area=area), order

    rows = rounds.values_list("pk", "case__public_id", "case__language", "case__area")
    return [row[0] for row in sorted(rows, key=rank)]


def barred_cases(project: Project, reviewer: User) -> set[int]:
    """Return the cases the reviewer wrote, has seen, or holds or held a seat on."""
    own = Case.objects.filter(project=project)
    return {
        *own.filter(change_author_user=reviewer).values_list("pk", flat=True),
        *Exposure.objects.filter(user=reviewer, case__project=project).values_list("case", flat=True),
        *Assignment.objects.filter(reviewer=reviewer, case__project=project).values_list("case", flat=True),
    }


def take_from(pk: int, reviewer: User) -> Assignment | None:
    """Take a seat of one round, or return None when none is left for the reviewer.

    Where the database refuses a slot because someone else got it first, the next free one is tried.
    """
    for _ in SLOTS:
        try:
            return claim_seat(pk, reviewer)
        except SeatTaken:
            continue
        except SeatRefused:
            return None
    return None


@transaction.atomic
def claim_seat(pk: int, reviewer: User) -> Assignment:
    """Reserve a seat of one round, or raise SeatRefused. A seat pulled meanwhile in another tab is returned instead."""
    round = Round.objects.select_related("case__project").get(pk=pk)
    lock_seats(round.case.project)
    waiting = unopened_seat(project=round.case.project, reviewer=reviewer)
    if waiting is not None:
        return waiting
    return fill_slot(round=fresh_round(round), reviewer=reviewer, source=SeatSource.QUEUE, actor=reviewer)


@transaction.atomic
def set_queue_open(*, round: Round, is_open: bool, actor: User) -> Round:
    """Let reviewers take the round's free seats from the queue, or no longer. Repeating it changes nothing."""
    lock_seats(round.case.project)
    round = fresh_round(round)
    if round.state != RoundState.OPEN or round.kind != RoundKind.INITIAL:
        raise RoundRefused("Only open rounds of the first pass are offered in the queue.")
    if round.is_queue_open != is_open:
        round.is_queue_open = is_open
        round.save(update_fields=["is_queue_open"])
        audit.record(
            actor=actor,
            verb="queue opened" if is_open else "queue closed",
            subject=f"round {round.public_id}",
            case=round.case,
        )
    return round


# --- Withdrawal ---------------------------------------------------------------------------------------------------


@transaction.atomic
def withdraw_case(*, case: Case, actor: User, reason: str) -> Case:
    """Take a case out of the corpus: its rounds and seats close, its work is kept. Repeating it changes nothing."""
    reason = reason.strip()
    if not reason:
        raise RoundRefused("Say why the case is withdrawn.")
    lock_seats(case.project)
    case = Case.objects.select_for_update(of=("self",), no_key=True).select_related("project").get(pk=case.pk)
    if case.state == CaseState.WITHDRAWN:
        return case
    before = case.state
    case.state = CaseState.WITHDRAWN
    case.withdrawn_reason = reason[:300]
    case.save(update_fields=["state", "withdrawn_reason"])
    for seat in Assignment.objects.filter(case=case, state=AssignmentState.ACTIVE):
        end_seat(
            assignment=fresh_seat(seat),
            state=AssignmentState.RELEASED,
            actor=actor,
            verb="seat released",
            after="case withdrawn",
        )
    case.rounds.exclude(state=RoundState.CLOSED).update(state=RoundState.CLOSED, closed_at=clock.now())
    seats.close_all_seats(case=case)
    audit.record(
        actor=actor, verb="case withdrawn", subject=f"case {case.public_id}", case=case, before=before, after=reason
    )
    return case


@transaction.atomic
def restore_case(*, case: Case, actor: User) -> Case:
    """Take a withdrawal back. Rounds stay closed; what was settled is stale until it is confirmed again.

    Raises RoundRefused when its bytes were destroyed; a case that is not withdrawn is returned as it is.
    """
    lock_seats(case.project)
    case = Case.objects.select_for_update(of=("self",), no_key=True).select_related("project").get(pk=case.pk)
    if case.state != CaseState.WITHDRAWN:
        return case
    if Case.objects.filter(pk=case.pk, patch__withdrawn_at__isnull=False).exists():
        raise RoundRefused("The bytes of this case were destroyed; import the change again.")
    if case.result:
        case.state, case.stale_reason = CaseState.STALE, "Restored after a withdrawal."
    else:
        case.state = CaseState.INCOMPLETE if case.missing else CaseState.READY
    case.withdrawn_reason = ""
    case.save(update_fields=["state", "stale_reason", "withdrawn_reason"])
    audit.record(
        actor=actor,
        verb="case restored",
        subject=f"case {case.public_id}",
        case=case,
        before=CaseState.WITHDRAWN,
        after=case.state,
    )
    return case
