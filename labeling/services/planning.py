"""Carrying out a plan that a lead has seen and confirmed."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.models import User
from labeling.domain.states import SeatSource
from labeling.selectors.plans import Plan, PlanKind, PlannedCase
from labeling.services.rounds import RoundRefused, open_round, set_queue_open
from labeling.services.seating import SeatRefused, seat_drawn


@dataclass(frozen=True)
class Outcome:
    """Which cases got their round or seats, and which did not, with the reason."""

    done: tuple[str, ...]
    refused: tuple[tuple[str, str], ...]


def carry_out(*, plan: Plan, actor: User) -> Outcome:
    """Do what `plan` says, each case in a transaction of its own; what has become impossible is named."""
    done: list[str] = []
    refused: list[tuple[str, str]] = []
    for one in plan.planned:
        try:
            carry_out_case(one, plan=plan, actor=actor)
        except (RoundRefused, SeatRefused) as error:
            refused.append((one.case.public_id, str(error)))
        else:
            done.append(one.case.public_id)
    return Outcome(done=tuple(done), refused=tuple(refused))


def carry_out_case(one: PlannedCase, *, plan: Plan, actor: User) -> None:
    """Open the round of one planned case, or fill the free seats of the one it has."""
    if plan.kind == PlanKind.QUEUE:
        if one.round is None:
            open_round(case=one.case, actor=actor, seed=plan.seed, queue_open=True)
        else:
            set_queue_open(round=one.round, is_open=True, actor=actor)
    elif one.round is None:
        open_round(case=one.case, actor=actor, seed=plan.seed, reviewers=one.people, source=SeatSource.DRAW)
    else:
        seat_drawn(round=one.round, reviewers=one.people, actor=actor)
