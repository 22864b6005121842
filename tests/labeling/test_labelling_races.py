"""What happens when a person's tabs and two people act at the same moment; on both databases."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection

from labeling.domain.states import AssignmentState
from labeling.models import Assignment, AssignmentEvent, Label, LabelRevision
from labeling.services.labels import StaleSave, save_label
from labeling.services.own_seats import SeatClosed
from labeling.services.submission import Submitted, save_answer, submit
from tests.factories import make_case
from tests.labeling.seats import DEFECT, make_seat

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(acts: list[Callable[[], Any]]) -> list[Any]:
    """Run every act in its own thread and connection at the same moment; return results or exceptions in order."""
    results: list[Any] = [None] * len(acts)
    barrier = threading.Barrier(len(acts))

    def run(index: int) -> None:
        try:
            barrier.wait(timeout=20)
            results[index] = acts[index]()
        except Exception as error:
            results[index] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(index,)) for index in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    return results


def ready(seat: Assignment) -> Assignment:
    save_answer(
        assignment=seat, reviewer=seat.reviewer, verdict="clean", missing_context="", summary="", expected_version=0
    )
    return Assignment.objects.get(pk=seat.pk)


def test_the_same_submission_sent_many_times_is_one(project, people) -> None:
    seat = ready(make_seat(make_case(project), people.reviewer_a))
    results = at_once([lambda: submit(assignment=seat, reviewer=seat.reviewer, expected_version=1)] * 6)
    assert all(isinstance(result, Submitted) for result in results), results
    assert len({(result.submitted_at, result.final_at) for result in results}) == 1
    assert sum(not result.is_repeat for result in results) == 1
    assert AssignmentEvent.objects.filter(state=AssignmentState.SUBMITTED).count() == 1


def test_two_people_submit_at_the_same_moment(project, people) -> None:
    case = make_case(project)
    a = ready(make_seat(case, people.reviewer_a))
    b = ready(make_seat(case, people.reviewer_b))
    results = at_once(
        [
            lambda: submit(assignment=a, reviewer=a.reviewer, expected_version=1, final=True),
            lambda: submit(assignment=b, reviewer=b.reviewer, expected_version=1, final=True),
        ]
    )
    assert all(isinstance(result, Submitted) for result in results), results
    assert set(Assignment.objects.values_list("state", flat=True)) == {AssignmentState.SUBMITTED}


def test_an_autosave_beside_a_submission_is_stored_before_it_or_refused(project, people) -> None:
    for _ in range(4):
        seat = ready(make_seat(make_case(project), people.reviewer_a))

        def autosave(seat: Assignment = seat) -> Any:
            return save_label(
                assignment=seat, reviewer=seat.reviewer, label=None, fields=DEFECT, expected_version=0, save_key="w.1"
            )

        def hand_in(seat: Assignment = seat) -> Any:
            return submit(assignment=seat, reviewer=seat.reviewer, expected_version=1)

        saved, submitted = at_once([autosave, hand_in])
        stored = Label.objects.filter(assignment=seat).count()
        state = Assignment.objects.get(pk=seat.pk).state
        if isinstance(saved, SeatClosed):
            assert (stored, state) == (0, AssignmentState.SUBMITTED)
        else:
            # The defect came first, so the clean verdict that would contradict it was refused.
            assert (stored, state) == (1, AssignmentState.ACTIVE)
            assert [gap.field for gap in submitted.gaps] == ["verdict"]


def test_parallel_saves_from_many_tabs_lose_nothing_that_was_acknowledged(project, people) -> None:
    seat = make_seat(make_case(project), people.reviewer_a)
    first = save_label(
        assignment=seat, reviewer=seat.reviewer, label=None, fields=DEFECT, expected_version=0, save_key="t.1"
    )

    def tab(number: int) -> Callable[[], Any]:
        return lambda: save_label(
            assignment=seat,
            reviewer=seat.reviewer,
            label=first.public_id,
            fields=replace(DEFECT, trigger=f"tab {number}"),
            expected_version=1,
            save_key=f"tab{number}.1",
        )

    results = at_once([tab(number) for number in range(8)])
    acknowledged = [result for result in results if not isinstance(result, Exception)]
    assert len(acknowledged) == 1
    assert all(isinstance(result, StaleSave) for result in results if isinstance(result, Exception)), results
    assert LabelRevision.objects.filter(label__public_id=first.public_id).count() == 2


def test_new_labels_made_at_the_same_moment_get_different_numbers(project, people) -> None:
    seat = make_seat(make_case(project), people.reviewer_a)

    def make(key: str) -> Callable[[], Any]:
        return lambda: save_label(
            assignment=seat, reviewer=seat.reviewer, label=None, fields=DEFECT, expected_version=0, save_key=key
        )

    results = at_once([make("a.1"), make("b.1"), make("a.1"), make("c.1")])
    assert not [result for result in results if isinstance(result, Exception)]
    assert sorted(Label.objects.values_list("number", flat=True)) == [1, 2, 3]
    assert results[0].public_id == results[2].public_id
