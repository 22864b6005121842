"""However many people pull at the same moment, no case gets more people than it wants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection, connections

from corpus.domain.vocabulary import Role
from corpus.models import CaseSeat, Project, User
from labeling.domain.states import DeclineReason
from labeling.models import Assignment
from labeling.services import rounds, seating
from labeling.services.rounds import open_round, take_next_case
from labeling.services.seating import SeatRefused, assign_seat, decline
from tests.factories import make_case, make_member, make_project, make_user

PULLERS = 20


@pytest.fixture
def crowd(transactional_db: None) -> tuple[Project, User, list[User]]:
    """A project whose rows every connection sees, its lead and twenty reviewers."""
    lead = make_user("Lea Lead")
    project = make_project(lead=lead)
    reviewers = [make_user(f"Reviewer {number}") for number in range(PULLERS)]
    for user in reviewers:
        make_member(project, user, Role.REVIEWER)
    return project, lead, reviewers


def at_once(calls: list[Callable[[], object]]) -> list[object]:
    """Run `calls` in threads of their own, released together, each over a connection of its own."""
    gate = Barrier(len(calls))

    def run(call: Callable[[], object]) -> object:
        try:
            gate.wait(timeout=30)
            return call()
        except SeatRefused as refused:
            return refused
        finally:
            connections.close_all()

    with ThreadPoolExecutor(max_workers=len(calls)) as pool:
        return list(pool.map(run, calls))


def pulls(project: Project, reviewers: list[User]) -> list[Callable[[], object]]:
    return [lambda user=user: take_next_case(project=project, reviewer=user) for user in reviewers]


@pytest.mark.parametrize("locked", [True, False], ids=["with the seat lock", "by the constraints alone"])
def test_twenty_pulls_at_once_fill_every_seat_once_and_no_more(crowd, locked, monkeypatch) -> None:
    project, lead, reviewers = crowd
    for _ in range(4):
        open_round(case=make_case(project), actor=lead, queue_open=True)
    if not locked:
        monkeypatch.setattr(seating, "lock_seats", lambda project: None)
        monkeypatch.setattr(rounds, "lock_seats", lambda project: None)
    seats = [seat for seat in at_once(pulls(project, reviewers)) if seat is not None]
    assert len(seats) == 8
    live = list(Assignment.objects.live().values_list("case", "slot"))
    assert Counter(case for case, _ in live) == Counter({seat.case_id: 2 for seat in seats})
    assert len(set(live)) == len(live) == 8
    assert CaseSeat.objects.filter(closed_at__isnull=True).count() == 8


def test_one_person_pulling_from_many_tabs_gets_one_case(crowd) -> None:
    project, lead, reviewers = crowd
    for _ in range(3):
        open_round(case=make_case(project), actor=lead, queue_open=True)
    taken = at_once(pulls(project, [reviewers[0]] * 6))
    assert len({seat.pk for seat in taken if isinstance(seat, Assignment)}) == 1
    assert Assignment.objects.count() == 1


def test_one_person_never_gets_two_cases_of_a_family_however_fast_they_are_seated(crowd) -> None:
    project, lead, reviewers = crowd
    opened = [open_round(case=make_case(project, family="retry"), actor=lead, queue_open=True) for _ in range(4)]
    person = reviewers[0]
    at_once([lambda one=one: assign_seat(round=one, reviewer=person, actor=lead) for one in opened])
    assert Assignment.objects.live().filter(reviewer=person).count() == 1


def test_a_decline_and_pulls_at_the_same_moment_leave_no_case_overfull(crowd) -> None:
    project, lead, reviewers = crowd
    round = open_round(case=make_case(project), actor=lead, reviewers=reviewers[:2], queue_open=True)
    seat = round.assignments.get(slot="A")
    at_once(
        [
            lambda: decline(assignment=seat, reviewer=reviewers[0], reason=DeclineReason.OTHER),
            *pulls(project, reviewers[2:8]),
        ]
    )
    take_next_case(project=project, reviewer=reviewers[8])
    assert sorted(round.assignments.live().values_list("slot", flat=True)) == ["A", "B"]


def test_the_test_database_really_has_several_connections(crowd) -> None:
    names = at_once([lambda: connections["default"].settings_dict["NAME"]] * 2)
    assert names == [connection.settings_dict["NAME"]] * 2
    assert ":memory:" not in str(names[0])
