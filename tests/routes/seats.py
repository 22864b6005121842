"""The reviewer's own work."""

from __future__ import annotations

from typing import Any

from corpus.models import User
from labeling.models import Assignment
from tests.route_world import Actor, RouteWorld
from tests.routes.rows import BOTH, LABELLERS, READ, REVIEWER, WRITE, Foreign, Own, Params, Row, row, viewer_rows


def labeller(world: RouteWorld, actor: Actor) -> User:
    """The person themselves where they may hold a seat at home, else somebody who does."""
    return actor.user if actor.user is not None and actor.is_signed_in and actor.at_home & LABELLERS else world.spare


def own_seats(**more: Any) -> tuple[Own, Foreign]:
    """The person's own seat; a peer's, and one of another project, even the person's own there, are foreign."""

    def foreign(world: RouteWorld, actor: Actor) -> list[Params]:
        there = actor.user if actor.user is not None and actor.elsewhere & LABELLERS else world.reviewer(False)
        return [
            {"seat_id": world.seat(world.spare).public_id, **more},
            {"seat_id": world.seat(there, False).public_id, **more},
        ]

    return lambda world, actor: {"seat_id": world.seat(labeller(world, actor)).public_id, **more}, foreign


def settled_seats() -> tuple[Own, Foreign]:
    """The person's own seat on a settled case, of which the project shows what became; a peer's is foreign."""
    return (
        lambda world, actor: {"seat_id": world.settled_seat(labeller(world, actor)).public_id},
        lambda world, actor: [{"seat_id": world.settled_seat(world.spare).public_id}],
    )


def own_labels() -> tuple[Own, Foreign]:
    """A label in the person's own seat; a peer's label is foreign under the peer's seat and under one's own."""

    def own(world: RouteWorld, actor: Actor) -> Params:
        seat = world.seat(labeller(world, actor))
        return {"seat_id": seat.public_id, "label_id": world.label(seat).public_id}

    def foreign(world: RouteWorld, actor: Actor) -> list[Params]:
        peers = world.seat(world.spare)
        label = world.label(peers).public_id
        found = [{"seat_id": peers.public_id, "label_id": label}]
        if labeller(world, actor) == actor.user:
            found.append({"seat_id": world.seat(labeller(world, actor)).public_id, "label_id": label})
        return found

    return own, foreign


def own_claims() -> tuple[Own, Foreign]:
    """A claim in the person's own claims pass; a peer's pass is foreign, and so is a claim of another case."""

    def params(seat: Assignment, claim: str) -> Params:
        return {"seat_id": seat.public_id, "claim_id": claim}

    def foreign(world: RouteWorld, actor: Actor) -> list[Params]:
        seat, claim = world.claims_pass(world.spare)
        found = [params(seat, claim)]
        if labeller(world, actor) == actor.user:
            found.append(params(world.seat(labeller(world, actor)), claim))
        return found

    return lambda world, actor: params(*world.claims_pass(labeller(world, actor))), foreign


ROWS: dict[str, Row] = {
    "queue": row(LABELLERS, READ),
    "queue_next": row(REVIEWER, WRITE),
    "seat_decline": row(LABELLERS, BOTH, own_seats()),
    "workbench": row(LABELLERS, READ, own_seats()),
    "seat_file_read": row(LABELLERS, WRITE, own_seats(position=0)),
    "seat_outcome": row(LABELLERS, READ, settled_seats()),
    "seat_guidelines": row(LABELLERS, READ, own_seats()),
    "seat_activity": row(LABELLERS, WRITE, own_seats()),
    "label_create": row(LABELLERS, WRITE, own_seats()),
    "label_new": row(LABELLERS, READ, own_seats()),
    "label_page": row(LABELLERS, BOTH, own_labels()),
    "label_withdraw": row(LABELLERS, WRITE, own_labels()),
    "label_restore": row(LABELLERS, WRITE, own_labels()),
    "seat_answer": row(LABELLERS, WRITE, own_seats()),
    "seat_submit": row(LABELLERS, BOTH, own_seats()),
    "seat_recall": row(LABELLERS, WRITE, own_seats()),
    "seat_finish": row(LABELLERS, WRITE, own_seats()),
    "claim_page": row(LABELLERS, BOTH, own_claims()),
    **viewer_rows("seat", LABELLERS, own_seats),
}
