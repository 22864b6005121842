"""Rounds and seats, as leads run them."""

from __future__ import annotations

from tests.routes.rows import BOTH, LEAD, READ, UNKNOWN_ID, WRITE, Foreign, Own, Row, row


def ready_cases() -> tuple[Own, Foreign]:
    """A case that waits for its round."""
    return (
        lambda world, actor: {"case_id": world.ready_case().public_id},
        lambda world, actor: [{"case_id": world.ready_case(at_home=False).public_id}, {"case_id": UNKNOWN_ID}],
    )


def seated_cases() -> tuple[Own, Foreign]:
    """A case with an open round."""
    return (
        lambda world, actor: {"case_id": world.seat(world.spare).case.public_id},
        lambda world, actor: [{"case_id": world.seat(world.reviewer(False), False).case.public_id}],
    )


def managed_seats() -> tuple[Own, Foreign]:
    """Somebody's seat, as leads manage it."""
    return (
        lambda world, actor: {"seat_id": world.seat(world.spare).public_id},
        lambda world, actor: [{"seat_id": world.seat(world.reviewer(False), False).public_id}],
    )


ROWS: dict[str, Row] = {
    "round_list": row(LEAD, READ),
    "round_list_csv": row(LEAD, READ),
    "round_plan": row(LEAD, READ),
    "plan_preview": row(LEAD, READ),
    "plan_carry_out": row(LEAD, WRITE),
    "bulk_withdraw": row(LEAD, WRITE),
    "case_seats": row(LEAD, READ, ready_cases()),
    "round_open": row(LEAD, WRITE, ready_cases()),
    "seats_draw": row(LEAD, WRITE, seated_cases()),
    "seat_assign": row(LEAD, WRITE, seated_cases()),
    "round_queue": row(LEAD, WRITE, seated_cases()),
    "round_without_third": row(LEAD, WRITE, seated_cases()),
    "case_withdraw": row(LEAD, BOTH, ready_cases()),
    "case_restore": row(LEAD, WRITE, ready_cases()),
    "seat_release": row(LEAD, WRITE, managed_seats()),
    "seat_reassign": row(LEAD, WRITE, managed_seats()),
    "seat_extend": row(LEAD, WRITE, managed_seats()),
    "seat_reopen": row(LEAD, BOTH, managed_seats()),
}
