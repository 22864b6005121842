"""The page after sign-in tells each role what to do next, and a reviewer nothing of others' work."""

from __future__ import annotations

import pytest
from django.urls import reverse

from corpus import clock
from corpus.domain.vocabulary import CaseState, DisagreementKind, Role
from corpus.models import Case, Membership
from labeling.domain.states import DeclineReason
from labeling.models import Assignment, Comparison, Disagreement
from labeling.services.rounds import open_round, take_next_case
from labeling.services.seating import decline
from tests.factories import make_case, make_incomplete_case, make_member
from tests.labeling.helpers import shown, submit_seat


@pytest.fixture
def home_of(project, client_of):
    """Return a function that gives the text of a person's home page."""

    def ask(user) -> str:
        page = client_of(user).get(reverse("project_home", args=[project.slug]))
        assert page.status_code == 200
        return shown(page)

    return ask


def pair_on(case: Case, people) -> list[Assignment]:
    round = open_round(case=case, actor=people.lead, reviewers=[people.reviewer_a, people.reviewer_b])
    return list(round.assignments.order_by("slot"))


def disagree(case: Case, kind: DisagreementKind) -> None:
    """Store an open disagreement on a case that waits for its decision."""
    comparison = Comparison.objects.create(
        round=case.rounds.get(),
        aligner="test",
        window=5,
        no_match_cost=1,
        category_cost=1,
        compared_at=clock.now(),
    )
    Disagreement.objects.create(comparison=comparison, kind=kind, created_at=clock.now())
    Case.objects.filter(pk=case.pk).update(state=CaseState.ADJUDICATING)


# --- Reviewer -----------------------------------------------------------------------------------------------------


def test_a_new_reviewer_reads_how_it_goes_and_has_one_button(people, project, home_of) -> None:
    text = home_of(people.reviewer_a)
    assert "Next case" in text
    assert "No case is in your hands." in text
    assert "Read the guidelines" in text
    assert "Neither of you sees the other’s work" in text
    assert "What to do next" not in text
    assert "Where the corpus stands" not in text


def test_a_reviewer_sees_their_drafts_and_how_many_are_left(people, project, home_of, client_of) -> None:
    seats = [pair_on(make_case(project, title="Hidden title"), people)[0] for _ in range(3)]
    Assignment.objects.filter(pk=seats[0].pk).update(first_opened_at=clock.now())
    text = home_of(people.reviewer_a)
    assert "3 left: 1 started, 2 not opened yet." in text
    assert f"Continue {seats[0].case.public_id} payments-api · Python" in text
    assert "How it goes" not in text
    assert "Hidden title" not in text
    assert seats[1].case.public_id not in text


def test_a_reviewers_home_counts_nothing_of_the_project(people, project, home_of) -> None:
    for _ in range(5):
        make_case(project)
    text = home_of(people.reviewer_a)
    assert not any(number in text for number in "123456789")


# --- Lead ---------------------------------------------------------------------------------------------------------


def test_an_empty_project_says_import_cases(people, project, home_of) -> None:
    text = home_of(people.lead)
    assert "What to do next The project has no cases yet." in text
    assert "every case needs two" not in text
    assert "Where the corpus stands" not in text


def test_a_project_without_reviewers_says_invite_them(people, project, home_of) -> None:
    Membership.objects.filter(project=project, role=Role.REVIEWER).exclude(user=people.reviewer_a).delete()
    assert "The project has one reviewer; every case needs two." in home_of(people.lead)
    people.reviewer_a.is_active = False
    people.reviewer_a.save()
    assert "The project has no reviewer; every case needs two." in home_of(people.lead)


def test_the_lead_sees_where_the_corpus_stands_and_what_is_next(people, project, home_of) -> None:
    make_incomplete_case(project)
    for _ in range(2):
        make_case(project)
    pair_on(make_case(project), people)
    lacking = pair_on(make_case(project), people)
    decline(assignment=lacking[0], reviewer=people.reviewer_a, reason=DeclineReason.OTHER)
    open_round(case=make_case(project), actor=people.lead, queue_open=True)
    disputed = make_case(project)
    for seat in pair_on(disputed, people):
        submit_seat(seat)
    disagree(disputed, DisagreementKind.SEVERITY)
    settled = make_case(project)
    Case.objects.filter(pk=settled.pk).update(state=CaseState.SETTLED, result="clean")
    text = home_of(people.lead)
    steps = (
        "2 cases are ready for two blinded reviewers. Plan a round",
        "1 open round lacks a reviewer, with nothing offered in the queue. Fill the seats",
        "1 case is waiting for a decision on what the reviewers see differently.",
        "1 case is incomplete: something is missing before anybody can label.",
        "1 case is settled and in no version yet.",
    )
    places = [text.find(step) for step in steps]
    assert -1 not in places
    assert places == sorted(places)
    for words in ("1 incomplete", "2 ready", "3 labelling", "0 claims", "1 adjudicating", "1 settled", "0 stale"):
        assert words in text
    assert "8 cases." in text
    assert "2 free seats in the queue, on 1 round ." in text
    assert "Ben Reviewer 2" in text
    assert "Ada Reviewer 1" in text


def test_the_leads_figures_leave_out_cases_on_which_they_hold_an_open_seat(people, project, home_of) -> None:
    make_case(project)
    case = make_case(project)
    open_round(case=case, actor=people.lead, reviewers=[people.lead, people.reviewer_a])
    text = home_of(people.lead)
    assert "0 labelling" in text
    assert "1 case." in text
    assert "Ada Reviewer" not in text
    assert "1 left: 0 started, 1 not opened yet." in text


def test_when_all_is_in_hand_the_lead_is_told_so(people, project, home_of) -> None:
    pair_on(make_case(project), people)
    assert "Nothing waits for you" in home_of(people.lead)


# --- Adjudicator and analyst --------------------------------------------------------------------------------------


def test_an_adjudicator_sees_what_they_may_decide_and_not_what_they_labelled(people, project, home_of) -> None:
    assert "Nothing waits for your decision." in home_of(people.adjudicator)
    make_member(project, people.reviewer_a, Role.ADJUDICATOR)
    case = make_case(project)
    for seat in pair_on(case, people):
        submit_seat(seat)
    disagree(case, DisagreementKind.ANCHORS_DISJOINT)
    assert "1 case with 1 open disagreement: 1 on the place." in home_of(people.adjudicator)
    assert "Nothing waits for your decision." in home_of(people.reviewer_a)


def test_an_analyst_sees_versions_alone(people, project, home_of) -> None:
    make_case(project)
    text = home_of(people.analyst)
    assert "No version is frozen yet." in text
    assert "Your cases" not in text
    assert "ready" not in text


def test_the_home_page_asks_a_constant_number_of_queries(
    people, project, client_of, django_assert_max_num_queries
) -> None:
    address = reverse("project_home", args=[project.slug])

    def count(user) -> int:
        client = client_of(user)
        with django_assert_max_num_queries(60) as captured:
            client.get(address)
        return len(captured.captured_queries)

    pair_on(make_case(project), people)
    few = count(people.lead), count(people.reviewer_a)
    for _ in range(6):
        make_case(project)
        pair_on(make_case(project), people)
        open_round(case=make_case(project), actor=people.lead, queue_open=True)
    take_next_case(project=project, reviewer=people.reviewer_c)
    assert (count(people.lead), count(people.reviewer_a)) == few
