"""What a draw or an opened queue would do to some cases, before anybody does it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from corpus.domain.vocabulary import CaseState, RoundKind
from corpus.models import Case, Project, User
from labeling.domain.assigning import draw
from labeling.domain.states import LIVE, RoundState
from labeling.models import Round
from labeling.selectors.eligibility import Pool, pool_for

SEATS = 2
# A plan is read by a person and carried out in one request.
MAX_PLANNED = 200


class PlanKind(StrEnum):
    """Whether people are drawn, or take the seats from the queue."""

    DRAW = "draw"
    QUEUE = "queue"


@dataclass(frozen=True)
class PlannedCase:
    """A case that would get seats: for whom (nobody yet, for a queue), and how many eligible people then remain."""

    case: Case
    round: Round | None
    people: tuple[User, ...]
    seats: int
    remaining: int


@dataclass(frozen=True)
class LeftOut:
    """A case that would get none: why, and what bars whom."""

    case: Case
    reason: str
    barred: tuple[tuple[User, str], ...] = ()


@dataclass(frozen=True)
class PersonLoad:
    """How many unsettled cases a reviewer holds and would get."""

    user: User
    before: int
    new: int

    @property
    def after(self) -> int:
        """How many they would hold."""
        return self.before + self.new


@dataclass(frozen=True)
class Plan:
    """What would happen. `digest` is equal for equal plans: what was confirmed is what was shown."""

    kind: PlanKind
    seed: int
    planned: tuple[PlannedCase, ...]
    left_out: tuple[LeftOut, ...]
    loads: tuple[PersonLoad, ...]

    @property
    def digest(self) -> str:
        """SHA-256 over kind, seed, cases and people."""
        lines = [f"{self.kind} {self.seed}"]
        for one in sorted(self.planned, key=lambda planned: planned.case.public_id):
            lines.append(" ".join([one.case.public_id, *(person.public_id for person in one.people)]))
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    @property
    def cases(self) -> tuple[Case, ...]:
        """Every case the plan was asked for."""
        return (*(one.case for one in self.planned), *(one.case for one in self.left_out))

    @property
    def new_seats(self) -> int:
        """How many seats would be given."""
        return sum(len(one.people) for one in self.planned)


def make_plan(*, project: Project, viewer: User, cases: Sequence[Case], kind: PlanKind, seed: int) -> Plan:
    """Plan seats for `cases`, which the viewer manages: new rounds for ready and stale ones, free seats of open ones.

    The same cases, people and seed give the same plan, in whatever order the cases come.
    """
    rounds = {
        round.case_id: round
        for round in Round.objects.filter(
            case__in=[case.pk for case in cases], state=RoundState.OPEN, kind=RoundKind.INITIAL
        ).prefetch_related("assignments")
    }
    pool = pool_for(project=project, cases=cases, viewer=viewer)
    open_seats: dict[str, int] = {}
    left_out: list[LeftOut] = []
    for case in cases:
        seats, reason = seats_to_fill(case, rounds.get(case.pk), kind)
        if reason:
            left_out.append(LeftOut(case=case, reason=reason))
        else:
            open_seats[case.public_id] = seats
    wanted = [case for case in cases if case.public_id in open_seats]
    if kind == PlanKind.QUEUE:
        planned = [
            PlannedCase(case, rounds.get(case.pk), (), open_seats[case.public_id], len(pool.eligible(case)))
            for case in wanted
        ]
    else:
        planned, short = drawn_cases(pool, wanted, open_seats, rounds, seed)
        left_out += short
    new = [person.public_id for one in planned for person in one.people]
    held = {candidate.id: candidate.load for candidate in pool.candidates}
    return Plan(
        kind=kind,
        seed=seed,
        planned=tuple(planned),
        left_out=tuple(left_out),
        loads=tuple(
            PersonLoad(user=user, before=held[user.public_id], new=new.count(user.public_id)) for user in pool.reviewers
        ),
    )


def seats_to_fill(case: Case, round: Round | None, kind: PlanKind) -> tuple[int, str]:
    """Return how many seats a case can get, or why it gets none."""
    if round is None:
        if case.state in (CaseState.READY, CaseState.STALE):
            return SEATS, ""
        return 0, f"It is {case.state}: a round opens on ready and stale cases."
    free = round.seats_wanted - sum(seat.state in LIVE for seat in round.assignments.all())
    if free <= 0:
        return 0, "All its seats are taken."
    if kind == PlanKind.QUEUE and round.is_queue_open:
        return 0, "Its free seats are already in the queue."
    return free, ""


def drawn_cases(
    pool: Pool, cases: Sequence[Case], seats: dict[str, int], rounds: dict[int, Round], seed: int
) -> tuple[list[PlannedCase], list[LeftOut]]:
    """Draw people for `cases`; return what was drawn and what could not be, with the reason."""
    demands = {case.public_id: pool.demand(case, seats=seats[case.public_id]) for case in cases}
    drawn = draw(pool.candidates, demands.values(), seed=seed)
    people = pool.by_public_id()
    planned, short = [], []
    for case in cases:
        eligible = len(demands[case.public_id].eligible)
        if case.public_id in drawn:
            chosen = tuple(people[one] for one in drawn[case.public_id])
            planned.append(
                PlannedCase(case, rounds.get(case.pk), chosen, seats[case.public_id], eligible - len(chosen))
            )
            continue
        needed = seats[case.public_id]
        reason = f"{eligible} eligible, {needed} needed."
        if eligible >= needed:
            reason = f"{eligible} eligible, {needed} needed, but some are drawn for another case of the same family."
        short.append(LeftOut(case=case, reason=reason, barred=pool.refusals(case)))
    return planned, short
