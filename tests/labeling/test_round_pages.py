"""Leads plan rounds with a preview, see who waits for what, and move seats; own open cases stay closed to them."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.urls import get_resolver, reverse

from corpus import clock
from corpus.domain.vocabulary import CaseState, Channel, ExposureKind, Role
from corpus.models import Case, Exposure
from corpus.services.exposures import record_exposure
from labeling.domain.states import AssignmentState, DeclineReason, RoundState
from labeling.models import Assignment, Label, Round
from labeling.selectors.plans import MAX_PLANNED, PlanKind, make_plan
from labeling.selectors.rounds import filtered_cases
from labeling.services.rounds import open_claims_seat, open_round, restore_case, take_next_case, withdraw_case
from labeling.services.seating import decline, expire_due_seats
from tests.factories import make_case, make_member
from tests.labeling.helpers import shown, submit_seat


@pytest.fixture
def lead(people, project, client_of):
    """A signed-in client of the project's lead."""
    return client_of(people.lead)


def address(name: str, project, *args: str) -> str:
    return reverse(name, args=[project.slug, *args])


def hidden_inputs(page, action: str) -> dict[str, list[str]]:
    """Return the hidden fields of the form that posts to `action`, as a browser would send them."""
    form = re.search(rf'<form[^>]*action="{re.escape(action)}".*?</form>', page.content.decode(), re.S)
    assert form, f"no form posts to {action}"
    found: dict[str, list[str]] = {}
    for name, value in re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form.group()):
        found.setdefault(name, []).append(value)
    found.pop("csrfmiddlewaretoken", None)
    return found


def preview(lead, project, cases, **fields):
    data = {"act": "draw", "scope": "selected", "case": [case.public_id for case in cases], **fields}
    return lead.get(address("plan_preview", project), data, follow=True)


# --- Planning -----------------------------------------------------------------------------------------------------


def test_a_draw_is_previewed_changes_nothing_and_is_carried_out_as_shown(people, project, lead) -> None:
    cases = [make_case(project) for _ in range(3)]
    blocked = make_case(project)
    for user in (people.reviewer_a, people.reviewer_b):
        record_exposure(user=user, cases=[blocked], kind=ExposureKind.PEER_LABEL, channel=Channel.PAGE)
    page = preview(lead, project, [*cases, blocked], seed="7")
    text = shown(page)
    assert "6 seats on 3 cases would be given; 1 cannot be." in text
    assert "1 eligible, 2 needed." in text
    assert "Ada Reviewer: They have already seen labels, findings or hidden fields of this case." in text
    assert not Round.objects.exists()
    plan = make_plan(project=project, viewer=people.lead, cases=[blocked, *reversed(cases)], kind=PlanKind.DRAW, seed=7)
    for one in plan.planned:
        names = ", ".join(user.name for user in one.people)
        assert f"{one.case.public_id} payments-api Python 2 files +7 −4 {names} 1" in text
    done = lead.post(address("plan_carry_out", project), hidden_inputs(page, address("plan_carry_out", project)))
    assert done.status_code == 302
    stored = {
        round.case_id: tuple(round.assignments.order_by("slot").values_list("reviewer", flat=True))
        for round in Round.objects.filter(seed=7)
    }
    assert stored == {one.case.pk: tuple(user.pk for user in one.people) for one in plan.planned}
    assert {load.after for load in plan.loads} == {2}
    assert set(Assignment.objects.values_list("source", flat=True)) == {"draw"}


def test_a_preview_has_an_address_that_shows_the_same_draw_again(people, project, lead) -> None:
    cases = [make_case(project) for _ in range(3)]
    first = preview(lead, project, cases)
    [(where, status)] = first.redirect_chain
    assert status == 302
    assert re.search(r"[?&]seed=\d+", where)
    again = lead.get(where)
    form = address("plan_carry_out", project)
    assert hidden_inputs(again, form) == hidden_inputs(first, form)
    assert lead.post(address("plan_preview", project), {"act": "draw"}).status_code == 405
    lead.post(form, hidden_inputs(first, form))
    assert "All its seats are taken." in shown(lead.get(where))


def test_a_plan_that_has_changed_since_is_shown_again_and_not_carried_out(people, project, lead) -> None:
    cases = [make_case(project) for _ in range(2)]
    page = preview(lead, project, cases, seed="7")
    fields = hidden_inputs(page, address("plan_carry_out", project))
    record_exposure(user=people.reviewer_a, cases=cases, kind=ExposureKind.PEER_LABEL, channel=Channel.PAGE)
    record_exposure(user=people.reviewer_b, cases=cases[:1], kind=ExposureKind.PEER_LABEL, channel=Channel.PAGE)
    answer = lead.post(address("plan_carry_out", project), fields)
    assert answer.status_code == 409
    assert "nothing was done" in shown(answer)
    assert not Round.objects.exists()


def test_confirming_twice_opens_each_round_once(people, project, lead) -> None:
    cases = [make_case(project) for _ in range(2)]
    fields = hidden_inputs(preview(lead, project, cases), address("plan_carry_out", project))
    lead.post(address("plan_carry_out", project), fields)
    again = lead.post(address("plan_carry_out", project), fields)
    assert again.status_code == 409
    assert "All its seats are taken." in shown(again)
    assert Round.objects.count() == 2
    assert Assignment.objects.count() == 4


def test_all_that_the_filter_finds_can_be_offered_in_the_queue(people, project, lead) -> None:
    wanted = [make_case(project, language="Go") for _ in range(3)]
    other = make_case(project, language="SQL")
    page = preview(lead, project, [], act="queue", scope="all", show="ready", language="Go")
    assert "3 cases would be offered in the queue. Nothing has changed yet." in shown(page)
    lead.post(address("plan_carry_out", project), hidden_inputs(page, address("plan_carry_out", project)))
    assert set(Round.objects.filter(is_queue_open=True).values_list("case", flat=True)) == {one.pk for one in wanted}
    other.refresh_from_db()
    assert other.state == CaseState.READY
    assert take_next_case(project=project, reviewer=people.reviewer_a) is not None


def test_a_draw_fills_the_free_seats_of_open_rounds(people, project, lead) -> None:
    case = make_case(project)
    round = open_round(case=case, actor=people.lead, reviewers=[people.reviewer_a, people.reviewer_b])
    decline(assignment=round.assignments.get(slot="A"), reviewer=people.reviewer_a, reason=DeclineReason.OTHER)
    listed = lead.get(address("round_plan", project), {"show": "free"})
    assert case.public_id in listed.content.decode()
    page = preview(lead, project, [case])
    assert "1 seat on 1 case would be given" in shown(page)
    lead.post(address("plan_carry_out", project), hidden_inputs(page, address("plan_carry_out", project)))
    assert list(round.assignments.live().order_by("slot").values_list("slot", "reviewer__name")) == [
        ("A", "Cid Reviewer"),
        ("B", "Ben Reviewer"),
    ]


def test_two_cases_of_a_family_do_not_share_people_in_one_draw(people, project, lead) -> None:
    cases = [make_case(project, family="retry") for _ in range(2)]
    text = shown(preview(lead, project, cases))
    assert "2 seats on 1 case would be given; 1 cannot be." in text
    assert "some are drawn for another case of the same family" in text
    assert "retry" not in text


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"case": []}, "Choose at least one case."),
        ({"case": ["NOSUCHCASE"]}, "Choose at least one case."),
        ({"seed": "many"}, "whole number"),
        ({"seed": "-1"}, '"Seed" is -1: write a number from 0 up.'),
        ({"act": "publish"}, '"publish" is no answer to "Act"'),
    ],
)
def test_a_bad_plan_is_refused_with_a_sentence(people, project, lead, fields, says) -> None:
    page = preview(lead, project, [make_case(project)], **fields)
    assert page.status_code == 422
    assert says in shown(page)
    assert not Round.objects.exists()


def test_too_many_cases_at_once_are_refused_with_the_limit(people, project, lead, monkeypatch) -> None:
    monkeypatch.setattr("labeling.views.rounds.MAX_PLANNED", 2)
    for _ in range(3):
        make_case(project)
    page = preview(lead, project, [], scope="all")
    assert page.status_code == 422
    assert "3 cases match; at most 2 are planned at once." in shown(page)


def test_looking_at_plans_and_seats_exposes_nobody(people, project, lead) -> None:
    case = make_case(project, title="Loses the key", message="secret message", family="retry-family", split="holdout")
    open_round(case=case, actor=people.lead)
    pages = [
        lead.get(address("round_plan", project), {"show": "all"}),
        preview(lead, project, [make_case(project)]),
        lead.get(address("round_list", project)),
        lead.get(address("case_seats", project, case.public_id)),
    ]
    for page in pages:
        assert page.status_code == 200
        for hidden in ("Loses the key", "secret message", "retry-family", "holdout"):
            assert hidden not in page.content.decode()
    assert not Exposure.objects.exists()


def test_the_planning_page_asks_a_constant_number_of_queries(
    people, project, lead, django_assert_max_num_queries
) -> None:
    def count() -> int:
        with django_assert_max_num_queries(60) as captured:
            lead.get(address("round_plan", project))
            lead.get(address("round_list", project))
        return len(captured.captured_queries)

    for _ in range(2):
        make_case(project)
    open_round(case=make_case(project), actor=people.lead)
    lead.get(address("round_plan", project))  # the first page of a session notes the project in it
    # The first page of a session notes in it which project was looked at.
    count()
    few = count()
    for _ in range(8):
        make_case(project)
        open_round(case=make_case(project), actor=people.lead)
    assert count() == few


# --- The seats of a case ------------------------------------------------------------------------------------------


def test_the_seats_page_says_how_far_each_is_and_nothing_of_what_they_wrote(people, project, lead) -> None:
    case = make_case(project)
    round = open_round(case=case, actor=people.lead, reviewers=[people.reviewer_a, people.reviewer_b])
    ada, ben = round.assignments.order_by("slot")
    Label.objects.create(assignment=ada, number=1, title="Double charge", created_at=clock.now(), saved_at=clock.now())
    submit_seat(ada)
    text = shown(lead.get(address("case_seats", project, case.public_id)))
    assert "A Ada Reviewer submitted" in text
    assert "B Ben Reviewer not opened, assigned" in text
    assert "Double charge" not in text
    assert "label" not in text.replace("labelling", "")
    decline(assignment=ben, reviewer=people.reviewer_b, reason=DeclineReason.CONFLICT)
    text = shown(lead.get(address("case_seats", project, case.public_id)))
    assert "Ben Reviewer declined: conflict of interest" in text
    assert "B free" in text
    assert "Draw 1 more 1 eligible" in text
    assert "Ada Reviewer They have or had a seat in this round." in text


def test_a_round_opens_by_draw_by_queue_and_by_hand(people, project, lead) -> None:
    by_draw, by_queue, by_hand = (make_case(project) for _ in range(3))
    lead.post(address("round_open", project, by_draw.public_id), {"how": "draw"})
    lead.post(address("round_open", project, by_queue.public_id), {"how": "queue"})
    pair = {"reviewer_a": people.reviewer_b.public_id, "reviewer_b": people.adjudicator.public_id}
    page = lead.post(address("round_open", project, by_hand.public_id), {"how": "hand", **pair}, follow=True)
    assert "Seated: Ben Reviewer and Jo Adjudicator." in page.content.decode()
    assert Round.objects.get(case=by_draw).assignments.count() == 2
    assert Round.objects.get(case=by_queue).is_queue_open
    assert list(
        Round.objects.get(case=by_hand).assignments.order_by("slot").values_list("reviewer__name", "source")
    ) == [("Ben Reviewer", "lead"), ("Jo Adjudicator", "lead")]
    nowhere = make_case(project)
    page = lead.post(address("round_open", project, nowhere.public_id), {"how": "magic"}, follow=True)
    assert "Choose how the seats are filled" in page.content.decode()
    twice = {"how": "hand", "reviewer_a": people.reviewer_a.public_id, "reviewer_b": people.reviewer_a.public_id}
    lead.post(address("round_open", project, nowhere.public_id), twice)
    assert not Round.objects.filter(case=nowhere).exists()


def test_a_lead_releases_reassigns_and_extends(people, project, lead) -> None:
    case = make_case(project)
    round = open_round(case=case, actor=people.lead, queue_open=True)
    seat = take_next_case(project=project, reviewer=people.reviewer_a)
    page = lead.post(address("seat_extend", project, seat.public_id), {"days": "7"}, follow=True)
    assert "Ada Reviewer has time until" in page.content.decode()
    seat.refresh_from_db()
    assert timedelta(days=6, hours=23) < seat.expires_at - clock.now() <= timedelta(days=7)
    page = lead.post(address("seat_extend", project, seat.public_id), {"days": "900"}, follow=True)
    assert "Choose by how many days" in page.content.decode()
    page = lead.post(
        address("seat_reassign", project, seat.public_id), {"reviewer": people.reviewer_b.public_id}, follow=True
    )
    assert "Ben Reviewer sits in slot A instead of Ada Reviewer." in page.content.decode()
    fresh = round.assignments.get(reviewer=people.reviewer_b)
    page = lead.post(address("seat_release", project, fresh.public_id), follow=True)
    assert "Their draft stays theirs and unseen." in page.content.decode()
    page = lead.post(
        address("seat_assign", project, case.public_id), {"reviewer": people.reviewer_b.public_id}, follow=True
    )
    assert "They have or had a seat in this round." in page.content.decode()
    page = lead.post(
        address("seat_assign", project, case.public_id), {"reviewer": people.outsider.public_id}, follow=True
    )
    assert "Choose a person of this project." in page.content.decode()
    lead.post(address("seat_assign", project, case.public_id), {"reviewer": people.reviewer_c.public_id})
    lead.post(address("round_queue", project, case.public_id), {"open": "0"})
    round.refresh_from_db()
    assert not round.is_queue_open
    assert [(seat.slot, seat.reviewer.name) for seat in round.assignments.live()] == [("A", "Cid Reviewer")]


def test_beside_a_claims_round_the_open_pass_still_gets_its_second_reviewer(people, project, lead) -> None:
    case = make_case(project)
    round = open_round(case=case, actor=people.lead, reviewers=[people.reviewer_a, people.reviewer_b])
    decline(assignment=round.assignments.get(slot="B"), reviewer=people.reviewer_b, reason=DeclineReason.OTHER)
    ada = round.assignments.get(slot="A")
    submit_seat(ada)
    claims = open_claims_seat(assignment=ada).round
    where = address("seats_draw", project, case.public_id)
    page = lead.post(where, {"round": claims.public_id}, follow=True)
    assert "Claims are judged by those who labelled the case" in page.content.decode()
    lead.post(where, {"round": round.public_id})
    assert round.assignments.live().get(slot="B").reviewer == people.reviewer_c
    assert lead.post(where, {"round": "NOSUCHROUND"}).status_code == 404


def test_an_expired_seat_is_given_back_from_the_page(people, project, lead) -> None:
    open_round(case=make_case(project), actor=people.lead, queue_open=True)
    seat = take_next_case(project=project, reviewer=people.reviewer_a)
    expire_due_seats(clock.now() + timedelta(days=4))
    assert "Give back" in shown(lead.get(address("case_seats", project, seat.case.public_id)))
    lead.post(address("seat_extend", project, seat.public_id), {"days": "1"})
    seat.refresh_from_db()
    assert seat.state == AssignmentState.ACTIVE


def test_a_lead_who_seats_themselves_loses_the_cases_pages_at_once(people, project, lead) -> None:
    case = make_case(project)
    open_round(case=case, actor=people.lead, queue_open=True)
    page = lead.post(address("seat_assign", project, case.public_id), {"reviewer": people.lead.public_id}, follow=True)
    assert "its pages are closed to you until it settles" in page.content.decode()
    assert lead.get(address("case_seats", project, case.public_id)).status_code == 404
    assert case.public_id not in shown(lead.get(address("round_list", project)))
    assert case.public_id not in lead.get(address("round_plan", project), {"show": "all"}).content.decode()
    assert shown(preview(lead, project, [case])).count("Choose at least one case.") == 1


def test_withdrawing_asks_for_a_reason_says_what_ends_and_can_be_taken_back(people, project, lead) -> None:
    cases = [make_case(project) for _ in range(2)]
    round = open_round(case=cases[0], actor=people.lead)
    submit_seat(round.assignments.get(slot="A"))
    page = preview(lead, project, cases, act="withdraw")
    text = shown(page)
    assert "Withdraw 2 cases" in text
    assert "1 seat in work. 1 submitted." in text
    fields = hidden_inputs(page, address("bulk_withdraw", project))
    assert sorted(fields["case"]) == sorted(case.public_id for case in cases)
    refused = lead.post(address("bulk_withdraw", project), {**fields, "reason": " "})
    assert refused.status_code == 422
    assert "Say why" in shown(refused)
    assert not Case.objects.filter(state=CaseState.WITHDRAWN).exists()
    lead.post(address("bulk_withdraw", project), {**fields, "reason": "Licence forbids it"})
    assert Case.objects.filter(state=CaseState.WITHDRAWN, withdrawn_reason="Licence forbids it").count() == 2
    assert "Withdrawn: Licence forbids it" in shown(lead.get(address("case_seats", project, cases[1].public_id)))
    for case in cases:
        lead.post(address("case_restore", project, case.public_id))
    assert set(Case.objects.values_list("state", flat=True)) == {CaseState.READY}
    assert Round.objects.get().state == RoundState.CLOSED


def test_one_case_is_withdrawn_from_its_own_page(people, project, lead) -> None:
    case = make_case(project)
    where = address("case_withdraw", project, case.public_id)
    assert lead.get(where).status_code == 200
    assert lead.post(where, {"reason": ""}).status_code == 422
    lead.post(where, {"reason": "Holds a customer's token"})
    case.refresh_from_db()
    assert case.state == CaseState.WITHDRAWN


def test_a_restored_case_that_was_settled_is_stale(people, project) -> None:
    case = make_case(project)
    Case.objects.filter(pk=case.pk).update(state=CaseState.SETTLED, result="clean")
    withdraw_case(case=case, actor=people.lead, reason="Mistake")
    restored = restore_case(case=case, actor=people.lead)
    assert (restored.state, restored.withdrawn_reason) == (CaseState.STALE, "")


# --- Who waits for what -------------------------------------------------------------------------------------------


def test_open_rounds_are_filtered_by_what_they_wait_for(people, project, lead) -> None:
    pair = [people.reviewer_a, people.reviewer_b]
    missing = open_round(case=make_case(project), actor=people.lead, queue_open=True)
    working = open_round(case=make_case(project), actor=people.lead, reviewers=pair)
    ready = open_round(case=make_case(project), actor=people.lead, reviewers=[people.reviewer_b, people.reviewer_c])
    for seat in ready.assignments.all():
        submit_seat(seat)
    found = {}
    for seats in ("", "free", "working", "submitted"):
        text = shown(lead.get(address("round_list", project), {"seats": seats}))
        found[seats] = {round.pk for round in (missing, working, ready) if round.case.public_id in text}
    everything = {missing.pk, working.pk, ready.pk}
    assert found == {"": everything, "free": {missing.pk}, "working": {working.pk}, "submitted": {ready.pk}}
    text = shown(lead.get(address("round_list", project), {"person": people.reviewer_c.public_id}))
    assert ready.case.public_id in text
    assert working.case.public_id not in text


def test_withdrawn_cases_are_in_no_plan(people, project) -> None:
    case = make_case(project)
    withdraw_case(case=case, actor=people.lead, reason="Mistake")
    for show in ("ready", "free", "open", "settled", "all"):
        assert not filtered_cases(project=project, viewer=people.lead, show=show).exists()


# --- Rights -------------------------------------------------------------------------------------------------------


def test_lead_pages_answer_404_to_everybody_else_on_every_verb(people, project, client_of) -> None:
    make_member(project, people.outsider, Role.LEAD)
    other_lead = people.outsider
    case = make_case(project)
    seat = open_round(case=case, actor=people.lead, reviewers=[people.reviewer_a, other_lead]).assignments.first()
    patterns = [name for name in get_resolver().reverse_dict if isinstance(name, str)]
    names = [name for name in patterns if name.startswith(("round_", "plan_", "bulk_", "seats_", "case_seats"))]
    names += ["seat_assign", "seat_release", "seat_reassign", "seat_extend", "case_withdraw", "case_restore"]
    assert len(names) >= 14
    for name in names:
        takes = get_resolver().reverse_dict[name][0][0][1]
        arguments = {"project": project.slug, "case_id": case.public_id, "seat_id": seat.public_id}
        where = reverse(name, kwargs={key: arguments[key] for key in takes})
        for user in (people.reviewer_a, people.adjudicator, people.analyst):
            client = client_of(user)
            assert {client.get(where).status_code, client.post(where, {"reason": "x"}).status_code} == {404}, name
        # A lead with an open seat on the case is a stranger to it, and so is the lead of another project.
        if "case_id" in takes or "seat_id" in takes:
            client = client_of(other_lead)
            assert {client.get(where).status_code, client.post(where, {"reason": "x"}).status_code} <= {404, 405}, name
    case.refresh_from_db()
    assert case.state == CaseState.LABELLING
    assert set(case.assignments.values_list("state", flat=True)) == {"active"}


# --- The command --------------------------------------------------------------------------------------------------


def test_the_command_draws_like_a_lead_with_the_same_seed(people, project, capsys) -> None:
    cases = [make_case(project) for _ in range(3)]
    call_command("assign", project=project.slug, seed=9, dry_run=True)
    planned = capsys.readouterr().out
    assert not Round.objects.exists()
    call_command("assign", project=project.slug, seed=9)
    assert capsys.readouterr().out == planned
    assert planned.startswith("seed 9, 3 cases to draw, 0 left out\n")
    for case in cases:
        names = Assignment.objects.filter(case=case).order_by("slot").values_list("reviewer__name", flat=True)
        assert f"{case.public_id}: {', '.join(names)}; 1 still eligible" in planned
    assert set(Round.objects.values_list("opened_by", flat=True)) == {people.lead.pk}
    call_command("assign", project=project.slug)
    assert ", 0 cases to draw, 0 left out" in capsys.readouterr().out


def test_the_commands_limit_and_refusals(people, project, capsys) -> None:
    for _ in range(3):
        make_case(project)
    call_command("assign", project=project.slug, limit=1)
    assert Round.objects.count() == 1
    capsys.readouterr()
    for options, says in (
        ({"project": "nowhere"}, "no project 'nowhere'"),
        ({"project": project.slug, "limit": MAX_PLANNED + 1}, "--limit"),
        ({"project": project.slug, "seed": -4}, "--seed -4"),
        ({"project": project.slug, "by": "ada.reviewer@example.org"}, "no such lead"),
    ):
        with pytest.raises(CommandError, match=says):
            call_command("assign", **options)
