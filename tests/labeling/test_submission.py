"""The answer on a case, its submission, recall and reopening."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from corpus import clock
from corpus.models import AuditEntry, Case, CaseSeat, Exposure
from corpus.selectors.projects import texts_in_force
from labeling.domain.states import AssignmentState, RoundState
from labeling.models import Assignment, AssignmentEvent, FileRead, Round
from labeling.services import submission
from labeling.services.labels import save_label, withdraw_label
from labeling.services.own_seats import SeatClosed
from labeling.services.reading import NoSuchFile, mark_file, note_activity
from labeling.services.submission import (
    AnswerRefused,
    RecallRefused,
    ReopenRefused,
    StaleAnswer,
    SubmissionRefused,
    gaps,
    give_up_recall,
    recall,
    reopen,
    save_answer,
    submit,
)
from tests.factories import make_case
from tests.labeling.seats import DEFECT, NOTE, label, make_seat


@pytest.fixture
def seat(project, people) -> Assignment:
    return make_seat(make_case(project), people.reviewer_a)


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_time(self, **parts: float) -> None:
        self.now += timedelta(**parts)


@pytest.fixture
def time(monkeypatch) -> Clock:
    frozen = Clock()
    monkeypatch.setattr(clock, "now", frozen)
    return frozen


def answer(seat: Assignment, verdict: str, missing_context: str = "", summary: str = "") -> int:
    fresh = Assignment.objects.get(pk=seat.pk)
    return save_answer(
        assignment=seat,
        reviewer=seat.reviewer,
        verdict=verdict,
        missing_context=missing_context,
        summary=summary,
        expected_version=fresh.version,
    ).version


def hand_in(seat: Assignment, *, final: bool = False) -> submission.Submitted:
    fresh = Assignment.objects.get(pk=seat.pk)
    return submit(assignment=fresh, reviewer=seat.reviewer, expected_version=fresh.version, final=final)


def test_an_answer_is_stored_with_each_of_its_versions(seat) -> None:
    assert answer(seat, "clean") == 1
    assert answer(seat, "insufficient_context", "the schema of orders", "one open question") == 2
    events = AssignmentEvent.objects.filter(assignment=seat, number__gt=1).order_by("number")
    assert [(e.verdict, e.missing_context, e.summary) for e in events] == [
        ("clean", "", ""),
        ("insufficient_context", "the schema of orders", "one open question"),
    ]


def test_an_unknown_verdict_is_refused(seat) -> None:
    with pytest.raises(AnswerRefused, match="'fine' is no verdict"):
        answer(seat, "fine")
    assert Assignment.objects.get(pk=seat.pk).verdict == ""


def test_a_stale_answer_is_refused_and_a_repeated_one_is_not(seat) -> None:
    answer(seat, "clean")
    again = save_answer(
        assignment=seat, reviewer=seat.reviewer, verdict="clean", missing_context="", summary="", expected_version=0
    )
    assert again.version == 1
    with pytest.raises(StaleAnswer) as refusal:
        save_answer(
            assignment=seat,
            reviewer=seat.reviewer,
            verdict="uncertain",
            missing_context="",
            summary="",
            expected_version=0,
        )
    assert refusal.value.stored.verdict == "clean"


def test_submitting_stamps_the_versions_in_force_and_marks_the_labeller(seat, project, time) -> None:
    label(seat)
    answer(seat, "has_defects")
    done = hand_in(seat)
    row = Assignment.objects.get(pk=seat.pk)
    texts = texts_in_force(project)
    assert (row.guidelines, row.taxonomy, row.severity_policy, row.contract, row.policy) == (
        texts.guidelines,
        texts.taxonomy,
        texts.severity_policy,
        texts.contract,
        texts.policy,
    )
    assert (row.state, row.submitted_at) == (AssignmentState.SUBMITTED, time.now)
    assert row.final_at == time.now + timedelta(minutes=10) == done.final_at
    assert CaseSeat.objects.get(case=seat.case, user=seat.reviewer).has_submitted
    assert not Case.objects.adjudicable_by(seat.reviewer).exists()
    assert AuditEntry.objects.filter(verb="seat submitted", case=seat.case, actor=seat.reviewer).count() == 1


def test_an_incomplete_label_keeps_the_case_from_being_submitted_and_the_gap_is_named(seat) -> None:
    label(seat, trigger="", impact="")
    answer(seat, "has_defects")
    with pytest.raises(SubmissionRefused) as refusal:
        hand_in(seat)
    assert [(gap.label, gap.field) for gap in refusal.value.gaps] == [(1, "trigger"), (1, "impact")]
    assert Assignment.objects.get(pk=seat.pk).state == AssignmentState.ACTIVE


def test_a_security_label_without_the_boundary_is_refused(seat) -> None:
    label(seat, category="authorization")
    answer(seat, "has_defects")
    assert [(gap.label, gap.field) for gap in gaps(Assignment.objects.get(pk=seat.pk))] == [(1, "boundary")]


def test_a_withdrawn_label_counts_for_nothing(seat) -> None:
    saved = label(seat, trigger="")
    withdraw_label(assignment=seat, reviewer=seat.reviewer, label=saved.public_id)
    answer(seat, "has_defects")
    with pytest.raises(SubmissionRefused) as refusal:
        hand_in(seat)
    assert [gap.field for gap in refusal.value.gaps] == ["verdict"]
    answer(seat, "clean")
    hand_in(seat)


def test_clean_allows_notes_and_nothing_above(seat) -> None:
    label(seat, NOTE)
    answer(seat, "clean")
    second = label(seat, DEFECT)
    with pytest.raises(SubmissionRefused):
        hand_in(seat)
    withdraw_label(assignment=seat, reviewer=seat.reviewer, label=second.public_id)
    assert hand_in(seat).verdict == "clean"


def test_without_a_verdict_nothing_can_be_submitted(seat) -> None:
    with pytest.raises(SubmissionRefused):
        hand_in(seat)


def test_submitting_again_answers_the_same_and_changes_nothing(seat, time) -> None:
    answer(seat, "clean")
    first = hand_in(seat)
    time.pass_time(minutes=3)
    again = submit(assignment=seat, reviewer=seat.reviewer, expected_version=0, final=True)
    assert again.is_repeat
    assert (again.submitted_at, again.final_at) == (first.submitted_at, first.final_at)
    assert AssignmentEvent.objects.filter(assignment=seat).count() == 3


def test_a_submission_of_an_answer_the_person_did_not_see_is_refused(seat) -> None:
    answer(seat, "clean")
    with pytest.raises(StaleAnswer):
        submit(assignment=seat, reviewer=seat.reviewer, expected_version=0)


def test_after_submission_nothing_can_be_changed(seat) -> None:
    saved = label(seat)
    answer(seat, "has_defects")
    hand_in(seat)
    acts = [
        lambda: label(seat),
        lambda: save_label(
            assignment=seat, reviewer=seat.reviewer, label=saved.public_id, fields=NOTE, expected_version=1
        ),
        lambda: withdraw_label(assignment=seat, reviewer=seat.reviewer, label=saved.public_id),
        lambda: answer(seat, "clean"),
        lambda: mark_file(assignment=seat, reviewer=seat.reviewer, position=0, is_read=True),
        lambda: note_activity(assignment=seat, reviewer=seat.reviewer),
    ]
    for act in acts:
        with pytest.raises(SeatClosed, match="was submitted"):
            act()


def test_a_submission_can_be_recalled_until_its_time_and_not_after(seat, time) -> None:
    answer(seat, "clean")
    hand_in(seat)
    time.pass_time(minutes=9, seconds=59)
    recall(assignment=seat, reviewer=seat.reviewer)
    row = Assignment.objects.get(pk=seat.pk)
    assert (row.state, row.submitted_at, row.final_at, row.verdict) == (AssignmentState.ACTIVE, None, None, "clean")
    label(seat)
    answer(seat, "has_defects")
    hand_in(seat)
    time.pass_time(minutes=10)
    with pytest.raises(RecallRefused, match="time to recall this submission is over"):
        recall(assignment=seat, reviewer=seat.reviewer)


def test_whether_a_recall_is_possible_does_not_depend_on_the_other_seat(seat, people, time) -> None:
    other = make_seat(seat.case, people.reviewer_b)
    answer(seat, "clean")
    hand_in(seat)
    answer(other, "clean")
    hand_in(other, final=True)
    recall(assignment=seat, reviewer=seat.reviewer)
    assert Assignment.objects.get(pk=seat.pk).state == AssignmentState.ACTIVE


def test_giving_up_the_recall_makes_the_submission_final_at_once(seat, time) -> None:
    answer(seat, "clean")
    hand_in(seat)
    done = give_up_recall(assignment=seat, reviewer=seat.reviewer)
    assert done.final_at == time.now
    assert give_up_recall(assignment=seat, reviewer=seat.reviewer).is_repeat
    with pytest.raises(RecallRefused):
        recall(assignment=seat, reviewer=seat.reviewer)


def test_a_final_submission_is_final_at_once_and_what_is_due_is_compared(seat, time, monkeypatch) -> None:
    asked = []
    monkeypatch.setattr(
        submission, "compare_due_rounds", lambda *, rounds: asked.extend(one.case.public_id for one in rounds)
    )
    answer(seat, "clean")
    assert hand_in(seat, final=True).final_at == time.now
    hand_in(seat)
    assert asked == [seat.case.public_id]


def test_a_lead_reopens_a_submitted_seat_which_then_leaves_agreement(seat, people, time) -> None:
    answer(seat, "clean")
    hand_in(seat, final=True)
    with pytest.raises(ReopenRefused, match="Say why"):
        reopen(assignment=seat, lead=people.lead, reason=" ")
    reopen(assignment=seat, lead=people.lead, reason="submitted by mistake")
    row = Assignment.objects.get(pk=seat.pk)
    assert (row.state, row.is_excluded_from_agreement) == (AssignmentState.ACTIVE, True)
    assert AuditEntry.objects.get(verb="seat reopened").after == "active: submitted by mistake"
    assert list(Exposure.objects.values_list("user", "case", "kind")) == [(people.lead.pk, row.case_id, "peer_label")]
    label(seat)
    answer(seat, "has_defects")
    hand_in(seat)
    assert Assignment.objects.get(pk=seat.pk).is_excluded_from_agreement


def test_only_a_lead_without_a_seat_on_the_case_reopens_one(seat, people) -> None:
    answer(seat, "clean")
    hand_in(seat)
    make_seat(seat.case, people.lead)
    for person in (people.lead, people.reviewer_a, people.adjudicator, people.outsider):
        with pytest.raises(ReopenRefused, match="Only a lead"):
            reopen(assignment=seat, lead=person, reason="please")


def test_a_compared_round_is_not_reopened(seat, people) -> None:
    answer(seat, "clean")
    hand_in(seat, final=True)
    Round.objects.filter(pk=seat.round_id).update(state=RoundState.COMPARED)
    with pytest.raises(ReopenRefused, match="has been compared; open a new round"):
        reopen(assignment=seat, lead=people.lead, reason="please")


def test_files_are_marked_as_read_and_unread(seat) -> None:
    for _ in range(2):
        mark_file(assignment=seat, reviewer=seat.reviewer, position=1, is_read=True)
    assert [read.case_file.position for read in FileRead.objects.filter(assignment=seat)] == [1]
    mark_file(assignment=seat, reviewer=seat.reviewer, position=1, is_read=False)
    assert not FileRead.objects.exists()
    with pytest.raises(NoSuchFile):
        mark_file(assignment=seat, reviewer=seat.reviewer, position=99, is_read=True)


def test_active_time_counts_the_gaps_up_to_the_idle_limit(seat, time) -> None:
    def sign() -> int:
        return note_activity(assignment=seat, reviewer=seat.reviewer)

    assert sign() == 0
    time.pass_time(seconds=30)
    assert sign() == 30
    time.pass_time(hours=5)
    assert sign() == 150
    time.pass_time(seconds=10)
    label(seat)
    assert Assignment.objects.get(pk=seat.pk).active_seconds == 160
