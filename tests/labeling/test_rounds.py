"""Rounds open with the right people, and every transition of a seat leaves its rows and its trail."""

from __future__ import annotations

from datetime import timedelta

import pytest

from corpus import clock
from corpus.domain.vocabulary import CaseResult, CaseState, Channel, ExposureKind, Role, RoundKind
from corpus.models import AuditEntry, Case, CaseSeat, Expertise
from corpus.selectors.projects import texts_in_force
from corpus.services.exposures import record_exposure
from labeling.domain.assigning import draw
from labeling.domain.states import AssignmentState, DeclineReason, RoundState, SeatSource
from labeling.models import Assignment, Label, Round
from labeling.selectors.eligibility import may_sit, pool_for, remaining
from labeling.services.rounds import RoundRefused, open_claims_seat, open_round, take_next_case, withdraw_case
from labeling.services.seating import (
    SeatRefused,
    assign_seat,
    decline,
    draw_seats,
    expire_due_seats,
    extend_seat,
    reassign_seat,
    release_seat,
)
from tests.factories import make_case, make_member, make_user
from tests.labeling.helpers import submit_seat


def seats_of(round: Round) -> list[tuple[str, str, str]]:
    return list(round.assignments.order_by("pk").values_list("slot", "reviewer__name", "state"))


def is_open_for(case: Case, user) -> bool:
    return CaseSeat.objects.filter(case=case, user=user, closed_at__isnull=True).exists()


# --- Opening ------------------------------------------------------------------------------------------------------


def test_a_drawn_round_seats_two_eligible_reviewers_and_leaves_its_trail(people, project) -> None:
    case = make_case(project)
    round = open_round(case=case, actor=people.lead, seed=11)
    case.refresh_from_db()
    seats = list(round.assignments.order_by("slot"))
    assert case.state == CaseState.LABELLING
    assert [seat.slot for seat in seats] == ["A", "B"]
    assert {seat.source for seat in seats} == {SeatSource.DRAW}
    assert len({seat.reviewer_id for seat in seats}) == 2
    assert {seat.reviewer_id for seat in seats} <= {people.reviewer_a.pk, people.reviewer_b.pk, people.reviewer_c.pk}
    assert (round.number, round.seed, round.state, round.kind) == (1, 11, RoundState.OPEN, RoundKind.INITIAL)
    texts = texts_in_force(project)
    for seat in seats:
        assert is_open_for(case, seat.reviewer)
        assert seat.expires_at is None
        assert (seat.taxonomy, seat.guidelines, seat.policy) == (texts.taxonomy, texts.guidelines, texts.policy)
        assert (seat.severity_policy, seat.contract) == (texts.severity_policy, texts.contract)
        assert list(seat.events.values_list("number", "state", "actor")) == [(1, "active", people.lead.pk)]
    verbs = AuditEntry.objects.filter(case=case, verb__in=["round opened", "seat assigned"]).order_by("pk")
    assert [entry.verb for entry in verbs] == ["round opened", "seat assigned", "seat assigned"]
    assert (verbs[0].before, verbs[0].after) == ("ready", "initial round 1, seed 11")


def test_the_same_seed_draws_the_same_people(people, project) -> None:
    case = make_case(project)
    pool = pool_for(project=project, cases=[case])
    round = open_round(case=case, actor=people.lead, seed=3)
    again = draw(pool.candidates, [pool.demand(case, seats=2)], seed=3)[case.public_id]
    assert tuple(round.assignments.order_by("slot").values_list("reviewer__public_id", flat=True)) == again


def test_a_draw_prefers_those_who_know_the_language(people, project) -> None:
    for user in (people.reviewer_b, people.reviewer_c):
        Expertise.objects.create(user=user, kind=Expertise.LANGUAGE, value="python")
    for number in range(4):
        case = make_case(project)
        Case.objects.filter(pk=case.pk).update(language="Python")
        case.refresh_from_db()
        round = open_round(case=case, actor=people.lead, seed=number)
        assert set(round.assignments.values_list("reviewer", flat=True)) == {people.reviewer_b.pk, people.reviewer_c.pk}


def test_opening_the_same_round_again_answers_the_same(people, project) -> None:
    case = make_case(project)
    pair = [people.reviewer_a, people.reviewer_b]
    first = open_round(case=case, actor=people.lead, reviewers=pair)
    rows = AuditEntry.objects.count()
    assert open_round(case=case, actor=people.lead, reviewers=pair) == first
    assert AuditEntry.objects.count() == rows
    assert Assignment.objects.filter(case=case).count() == 2
    with pytest.raises(RoundRefused, match="already has an open round"):
        open_round(case=case, actor=people.lead, reviewers=[people.reviewer_a, people.reviewer_c])


@pytest.mark.parametrize(
    "state", [CaseState.INCOMPLETE, CaseState.ADJUDICATING, CaseState.SETTLED, CaseState.WITHDRAWN]
)
def test_a_round_opens_on_no_case_that_is_not_ready(people, project, state) -> None:
    case = make_case(project)
    Case.objects.filter(pk=case.pk).update(state=state)
    with pytest.raises(RoundRefused, match=f"is {state}"):
        open_round(case=case, actor=people.lead)
    assert not Round.objects.exists()


def test_a_case_whose_labels_were_all_rejected_may_get_a_fresh_verdict(people, project) -> None:
    case = make_case(project)
    Case.objects.filter(pk=case.pk).update(state=CaseState.SETTLED, result=CaseResult.NO_FINDING_ADJUDICATED)
    assert open_round(case=case, actor=people.lead).number == 1


def test_too_few_eligible_reviewers_open_no_round_at_all(people, project) -> None:
    case = make_case(project)
    for user in (people.reviewer_a, people.reviewer_b):
        record_exposure(user=user, cases=[case], kind=ExposureKind.PEER_LABEL, channel=Channel.PAGE)
    with pytest.raises(RoundRefused, match="1 eligible reviewer for 2 seats"):
        open_round(case=case, actor=people.lead)
    case.refresh_from_db()
    assert case.state == CaseState.READY
    assert not Round.objects.exists()
    assert not CaseSeat.objects.exists()


def test_a_refused_reviewer_opens_no_round_and_the_reason_names_them(people, project) -> None:
    case = make_case(project)
    record_exposure(user=people.reviewer_b, cases=[case], kind=ExposureKind.AI_OUTPUT, channel=Channel.TOKEN)
    with pytest.raises(RoundRefused, match=r"Ben Reviewer cannot sit .* already seen"):
        open_round(case=case, actor=people.lead, reviewers=[people.reviewer_a, people.reviewer_b])
    assert not Assignment.objects.exists()


def test_a_claims_round_seats_those_of_the_open_pass_and_keeps_them_blinded(people, project) -> None:
    case = make_case(project)
    pair = [people.reviewer_b, people.reviewer_a]
    first = open_round(case=case, actor=people.lead, reviewers=pair)
    for seat in first.assignments.all():
        submit_seat(seat)
    Round.objects.filter(pk=first.pk).update(state=RoundState.CLOSED)
    second = open_round(case=case, actor=people.lead, kind=RoundKind.CLAIMS)
    case.refresh_from_db()
    assert (second.number, second.kind, case.state) == (2, "claims", CaseState.CLAIMS)
    assert seats_of(second) == [("A", "Ben Reviewer", "active"), ("B", "Ada Reviewer", "active")]
    Round.objects.filter(pk=second.pk).update(seats_wanted=3)
    with pytest.raises(SeatRefused, match="open pass"):
        assign_seat(round=second, reviewer=people.reviewer_c, actor=people.lead)
    # One who gives the claims seat back stays blinded: their open pass is in and the case has not settled.
    decline(assignment=second.assignments.get(slot="A"), reviewer=people.reviewer_b, reason=DeclineReason.OTHER)
    assert is_open_for(case, people.reviewer_b)


# --- Who may sit --------------------------------------------------------------------------------------------------


def bar(how: str, case: Case, user, people, project) -> None:
    """Make `user` ineligible for `case` in the way that `how` names."""
    if how == "exposed":
        record_exposure(user=user, cases=[case], kind=ExposureKind.GOLDEN_FINDING, channel=Channel.DOWNLOAD)
    elif how == "author":
        Case.objects.filter(pk=case.pk).update(change_author_user=user)
    elif how in ("family", "cluster"):
        sibling = make_case(project)
        Case.objects.filter(pk__in=[case.pk, sibling.pk]).update(**{how: "retry"})
        sibling.refresh_from_db()
        open_round(case=sibling, actor=people.lead, reviewers=[user], seats_wanted=1)
    elif how == "declined":
        round = open_round(case=case, actor=people.lead, reviewers=[user], seats_wanted=2)
        decline(assignment=round.assignments.get(), reviewer=user, reason=DeclineReason.CONFLICT)
        Round.objects.filter(pk=round.pk).update(state=RoundState.CLOSED)
        Case.objects.filter(pk=case.pk).update(state=CaseState.STALE)
    elif how == "labelled":
        round = open_round(case=case, actor=people.lead, reviewers=[user], seats_wanted=1)
        submit_seat(round.assignments.get())
        Round.objects.filter(pk=round.pk).update(state=RoundState.COMPARED)
        Case.objects.filter(pk=case.pk).update(state=CaseState.STALE)
    elif how == "seated":
        open_round(case=case, actor=people.lead, reviewers=[user], seats_wanted=2)
    case.refresh_from_db()


REASONS = {
    "exposed": "already seen",
    "author": "wrote this change",
    "family": "same family",
    "cluster": "same family",
    "declined": "declined",
    "labelled": "earlier round",
    "seated": "seat in this round",
}


@pytest.mark.parametrize("how", list(REASONS))
def test_the_barred_are_refused_by_hand_and_never_drawn(people, project, how) -> None:
    case = make_case(project)
    bar(how, case, people.reviewer_a, people, project)
    round = Round.objects.filter(case=case, state=RoundState.OPEN).first()
    answer = may_sit(user=people.reviewer_a, case=case, round=round)
    assert not answer
    assert REASONS[how] in answer.reason
    # The bulk answer that draws use says the same as the single one.
    pool = pool_for(project=project, cases=[case])
    assert pool.refusal(people.reviewer_a, case) == answer.reason
    assert [user.name for user in pool.eligible(case)] == ["Ben Reviewer", "Cid Reviewer"]
    assert remaining(project=project, cases=[case]) == {case.public_id: 2}
    if round is None:
        round = open_round(case=case, actor=people.lead, queue_open=True)
    with pytest.raises(SeatRefused, match=REASONS[how]):
        assign_seat(round=round, reviewer=people.reviewer_a, actor=people.lead)


def test_only_members_who_label_can_be_seated_by_hand(people, project) -> None:
    case = make_case(project)
    round = open_round(case=case, actor=people.lead, queue_open=True)
    for user in (people.analyst, people.outsider):
        with pytest.raises(SeatRefused, match="not an active reviewer"):
            assign_seat(round=round, reviewer=user, actor=people.lead)
    people.reviewer_a.is_active = False
    people.reviewer_a.save()
    with pytest.raises(SeatRefused, match="not an active reviewer"):
        assign_seat(round=round, reviewer=people.reviewer_a, actor=people.lead)
    assert assign_seat(round=round, reviewer=people.adjudicator, actor=people.lead).slot == "A"
    assert assign_seat(round=round, reviewer=people.lead, actor=people.lead).slot == "B"
    with pytest.raises(SeatRefused, match="Every seat"):
        assign_seat(round=round, reviewer=people.reviewer_b, actor=people.lead)


def test_the_number_of_queries_of_a_pool_does_not_grow_with_its_cases(
    people, project, django_assert_num_queries
) -> None:
    cases = [make_case(project, family=f"f{number}") for number in range(6)]
    open_round(case=cases[0], actor=people.lead)
    with django_assert_num_queries(8):
        pool_for(project=project, cases=cases[:2])
    with django_assert_num_queries(8):
        pool = pool_for(project=project, cases=cases)
        assert len(pool.eligible(cases[5])) == 3


def test_loads_leave_out_cases_on_which_the_viewer_holds_an_open_seat(people, project) -> None:
    case, other = make_case(project), make_case(project)
    open_round(case=case, actor=people.lead, reviewers=[people.lead, people.reviewer_a])
    open_round(case=other, actor=people.lead, reviewers=[people.reviewer_a, people.reviewer_b])

    def loads(viewer) -> dict[str, int]:
        pool = pool_for(project=project, cases=[case], viewer=viewer)
        return {pool.by_public_id()[one.id].name: one.load for one in pool.candidates}

    assert loads(None) == {"Ada Reviewer": 2, "Ben Reviewer": 1, "Cid Reviewer": 0}
    assert loads(people.lead) == {"Ada Reviewer": 1, "Ben Reviewer": 1, "Cid Reviewer": 0}


def test_each_reviewers_claims_pass_opens_by_their_own_submission_alone(people, project) -> None:
    case = make_case(project)
    round = open_round(case=case, actor=people.lead, reviewers=[people.reviewer_a, people.reviewer_b])
    ada, ben = round.assignments.order_by("slot")
    with pytest.raises(RoundRefused, match="follows a submitted open pass"):
        open_claims_seat(assignment=ada)
    submit_seat(ben)
    claims = open_claims_seat(assignment=ben)
    assert (claims.slot, claims.round.kind, claims.round.number) == ("B", RoundKind.CLAIMS, 2)
    assert open_claims_seat(assignment=ben) == claims
    assert not Assignment.objects.filter(reviewer=people.reviewer_a, round__kind=RoundKind.CLAIMS).exists()
    submit_seat(ada)
    assert open_claims_seat(assignment=ada).round == claims.round
    assert [(slot, name) for slot, name, _ in seats_of(claims.round)] == [("B", "Ben Reviewer"), ("A", "Ada Reviewer")]


# --- Giving back --------------------------------------------------------------------------------------------------


def test_declining_frees_the_slot_keeps_the_draft_and_answers_twice_the_same(people, project) -> None:
    case = make_case(project)
    round = open_round(case=case, actor=people.lead, reviewers=[people.reviewer_a, people.reviewer_b])
    seat = round.assignments.get(slot="A")
    Label.objects.create(assignment=seat, number=1, title="draft", created_at=clock.now(), saved_at=clock.now())
    decline(assignment=seat, reviewer=people.reviewer_a, reason=DeclineReason.CONFLICT)
    rows = AuditEntry.objects.count()
    again = decline(assignment=seat, reviewer=people.reviewer_a, reason=DeclineReason.CONFLICT)
    assert AuditEntry.objects.count() == rows
    assert (again.state, again.decline_reason) == (AssignmentState.DECLINED, DeclineReason.CONFLICT)
    assert again.ended_at is not None
    assert list(seat.events.order_by("number").values_list("state", flat=True)) == ["active", "declined"]
    assert Label.objects.visible_to(people.reviewer_a).get().title == "draft"
    assert not is_open_for(case, people.reviewer_a)
    assert is_open_for(case, people.reviewer_b)
    assert [seat.slot for seat in draw_seats(round=round, actor=people.lead)] == ["A"]
    assert seats_of(round) == [
        ("A", "Ada Reviewer", "declined"),
        ("B", "Ben Reviewer", "active"),
        ("A", "Cid Reviewer", "active"),
    ]


def test_nobody_declines_for_another_and_a_submitted_seat_stays(people, project) -> None:
    round = open_round(case=make_case(project), actor=people.lead, reviewers=[people.reviewer_a, people.reviewer_b])
    seat = round.assignments.get(slot="A")
    with pytest.raises(SeatRefused, match="not yours"):
        decline(assignment=seat, reviewer=people.reviewer_b, reason=DeclineReason.OTHER)
    submit_seat(seat)
    for act in (
        lambda: decline(assignment=seat, reviewer=people.reviewer_a, reason=DeclineReason.OTHER),
        lambda: release_seat(assignment=seat, actor=people.lead),
        lambda: reassign_seat(assignment=seat, reviewer=people.reviewer_c, actor=people.lead),
        lambda: extend_seat(assignment=seat, until=clock.now() + timedelta(hours=1), actor=people.lead),
    ):
        with pytest.raises(SeatRefused, match="is submitted"):
            act()
    assert seats_of(round)[0] == ("A", "Ada Reviewer", "submitted")
    assert seat.events.count() == 1


def test_a_reassigned_seat_keeps_its_slot_and_the_draft_its_owner(people, project) -> None:
    case = make_case(project)
    round = open_round(case=case, actor=people.lead, reviewers=[people.reviewer_a, people.reviewer_b])
    seat = round.assignments.get(slot="A")
    Label.objects.create(assignment=seat, number=1, title="draft", created_at=clock.now(), saved_at=clock.now())
    fresh = reassign_seat(assignment=seat, reviewer=people.reviewer_c, actor=people.lead)
    assert (fresh.slot, fresh.source, fresh.labels.count()) == ("A", SeatSource.LEAD, 0)
    assert Label.objects.visible_to(people.reviewer_c).count() == 0
    assert Label.objects.get().assignment == seat
    with pytest.raises(SeatRefused, match="seat in this round"):
        reassign_seat(assignment=fresh, reviewer=people.reviewer_b, actor=people.lead)
    assert seats_of(round)[-1] == ("A", "Cid Reviewer", "active")
    assert not is_open_for(case, people.reviewer_a)


def test_releasing_twice_answers_the_same(people, project) -> None:
    round = open_round(case=make_case(project), actor=people.lead)
    seat = round.assignments.get(slot="B")
    release_seat(assignment=seat, actor=people.lead)
    rows = AuditEntry.objects.count()
    assert release_seat(assignment=seat, actor=people.lead).state == AssignmentState.RELEASED
    assert AuditEntry.objects.count() == rows


# --- The queue ----------------------------------------------------------------------------------------------------


def test_a_pull_reserves_for_the_policys_hours_and_repeats_until_the_case_is_opened(people, project) -> None:
    cases = [make_case(project) for _ in range(3)]
    for case in cases:
        open_round(case=case, actor=people.lead, queue_open=True)
    first = take_next_case(project=project, reviewer=people.reviewer_a)
    assert first is not None
    assert first.source == SeatSource.QUEUE
    assert first.expires_at - first.assigned_at == timedelta(hours=72)
    assert take_next_case(project=project, reviewer=people.reviewer_a) == first
    assert Assignment.objects.count() == 1
    Assignment.objects.filter(pk=first.pk).update(first_opened_at=clock.now())
    second = take_next_case(project=project, reviewer=people.reviewer_a)
    assert second is not None
    assert second.case_id != first.case_id


def test_a_queue_gives_each_person_every_case_once_and_ends(people, project) -> None:
    cases = [make_case(project) for _ in range(4)]
    for case in cases:
        open_round(case=case, actor=people.lead, queue_open=True)
    orders = {}
    for user in (people.reviewer_a, people.reviewer_b):
        orders[user.pk] = []
        while (seat := take_next_case(project=project, reviewer=user)) is not None:
            orders[user.pk].append(seat.case_id)
            Assignment.objects.filter(pk=seat.pk).update(first_opened_at=clock.now())
    assert all(sorted(order) == sorted(case.pk for case in cases) for order in orders.values())
    assert take_next_case(project=project, reviewer=people.reviewer_c) is None
    assert Assignment.objects.live().count() == 8


def test_a_queue_never_gives_two_cases_of_a_family(people, project) -> None:
    for _ in range(3):
        open_round(case=make_case(project, family="retry"), actor=people.lead, queue_open=True)
    seat = take_next_case(project=project, reviewer=people.reviewer_a)
    Assignment.objects.filter(pk=seat.pk).update(first_opened_at=clock.now())
    assert take_next_case(project=project, reviewer=people.reviewer_a) is None


def test_only_reviewers_pull(people, project) -> None:
    open_round(case=make_case(project), actor=people.lead, queue_open=True)
    for user in (people.lead, people.adjudicator, people.outsider):
        with pytest.raises(SeatRefused, match="Only reviewers"):
            take_next_case(project=project, reviewer=user)


def test_an_expired_seat_frees_its_slot_and_keeps_its_owners_draft(people, project, monkeypatch) -> None:
    case = make_case(project)
    round = open_round(case=case, actor=people.lead, queue_open=True, seats_wanted=1)
    seat = take_next_case(project=project, reviewer=people.reviewer_a)
    Label.objects.create(assignment=seat, number=1, title="draft", created_at=clock.now(), saved_at=clock.now())
    assert take_next_case(project=project, reviewer=people.reviewer_b) is None
    start = clock.now()
    assert expire_due_seats(start + timedelta(hours=71)) == 0
    monkeypatch.setattr(clock, "now", lambda: start + timedelta(hours=73))
    taken = take_next_case(project=project, reviewer=people.reviewer_b)
    assert taken is not None
    assert seats_of(round) == [("A", "Ada Reviewer", "expired"), ("A", "Ben Reviewer", "active")]
    assert Label.objects.visible_to(people.reviewer_a).get().title == "draft"
    assert not is_open_for(case, people.reviewer_a)
    # The case does not come back to its former holder by the queue, and no seat is free to give back to them.
    assert take_next_case(project=project, reviewer=people.reviewer_a) is None
    with pytest.raises(SeatRefused, match="Every seat"):
        extend_seat(assignment=seat, until=clock.now() + timedelta(hours=5), actor=people.lead)


def test_a_seat_does_not_expire_under_typing_hands(people, project) -> None:
    open_round(case=make_case(project), actor=people.lead, queue_open=True)
    seat = take_next_case(project=project, reviewer=people.reviewer_a)
    end = seat.expires_at
    Assignment.objects.filter(pk=seat.pk).update(last_active_at=end - timedelta(minutes=1))
    assert expire_due_seats(end + timedelta(minutes=10)) == 0
    assert expire_due_seats(end + timedelta(minutes=14)) == 1
    assert expire_due_seats(end + timedelta(minutes=14)) == 0


def test_extending_gives_an_expired_seat_back_with_its_draft(people, project) -> None:
    case = make_case(project)
    open_round(case=case, actor=people.lead, queue_open=True)
    seat = take_next_case(project=project, reviewer=people.reviewer_a)
    expire_due_seats(clock.now() + timedelta(hours=73))
    until = clock.now() + timedelta(days=3)
    back = extend_seat(assignment=seat, until=until, actor=people.lead)
    assert (back.pk, back.state, back.expires_at, back.ended_at) == (seat.pk, AssignmentState.ACTIVE, until, None)
    assert is_open_for(case, people.reviewer_a)
    assert list(seat.events.order_by("number").values_list("state", flat=True)) == ["active", "expired", "active"]
    with pytest.raises(SeatRefused, match="60 days"):
        extend_seat(assignment=seat, until=clock.now() + timedelta(days=61), actor=people.lead)


def test_one_who_has_seen_the_case_since_gets_no_expired_seat_back(people, project) -> None:
    make_member(project, people.reviewer_a, Role.LEAD)
    case = make_case(project)
    open_round(case=case, actor=people.lead, queue_open=True)
    seat = take_next_case(project=project, reviewer=people.reviewer_a)
    expire_due_seats(clock.now() + timedelta(hours=73))
    record_exposure(user=people.reviewer_a, cases=[case], kind=ExposureKind.PEER_LABEL, channel=Channel.PAGE)
    with pytest.raises(SeatRefused, match="already seen"):
        extend_seat(assignment=seat, until=clock.now() + timedelta(hours=5), actor=people.lead)


# --- Withdrawal ---------------------------------------------------------------------------------------------------


def test_withdrawing_a_case_closes_its_seats_and_keeps_its_work(people, project) -> None:
    case = make_case(project)
    round = open_round(case=case, actor=people.lead, reviewers=[people.reviewer_a, people.reviewer_b])
    submit_seat(round.assignments.get(slot="A"))
    with pytest.raises(RoundRefused, match="Say why"):
        withdraw_case(case=case, actor=people.lead, reason="  ")
    withdraw_case(case=case, actor=people.lead, reason="The licence forbids it.")
    rows = AuditEntry.objects.count()
    withdraw_case(case=case, actor=people.lead, reason="Again")
    assert AuditEntry.objects.count() == rows
    case.refresh_from_db()
    round.refresh_from_db()
    assert (case.state, case.withdrawn_reason) == (CaseState.WITHDRAWN, "The licence forbids it.")
    assert round.state == RoundState.CLOSED
    assert seats_of(round) == [("A", "Ada Reviewer", "submitted"), ("B", "Ben Reviewer", "released")]
    assert not CaseSeat.objects.filter(case=case, closed_at__isnull=True).exists()
    entry = AuditEntry.objects.get(case=case, verb="case withdrawn")
    assert (entry.before, entry.after) == ("labelling", "The licence forbids it.")


def test_a_new_reviewer_can_be_drawn_as_soon_as_they_join(people, project) -> None:
    case = make_case(project)
    for user in (people.reviewer_a, people.reviewer_b):
        record_exposure(user=user, cases=[case], kind=ExposureKind.PEER_LABEL, channel=Channel.PAGE)
    make_member(project, make_user("New Person"), Role.REVIEWER)
    round = open_round(case=case, actor=people.lead)
    assert sorted(name for _, name, _ in seats_of(round)) == ["Cid Reviewer", "New Person"]
