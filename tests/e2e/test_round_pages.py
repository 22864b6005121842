"""Rounds, seats, queue and home in a browser: readable by axe, and done without a mouse."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from corpus import clock
from corpus.domain.vocabulary import Channel, ExposureKind
from corpus.services.exposures import record_exposure
from labeling.domain.states import DeclineReason
from labeling.models import Assignment, Label, Round
from labeling.services.rounds import open_round, take_next_case
from labeling.services.seating import decline
from tests.e2e.conftest import OpenPage
from tests.factories import make_case, make_incomplete_case
from tests.labeling.helpers import submit_seat

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def full(people, project):
    """A project in which every kind of seat and step occurs; returns the case with the most to see."""
    make_incomplete_case(project)
    for _ in range(3):
        make_case(project)
    barred = make_case(project)
    for user in (people.reviewer_a, people.reviewer_b):
        record_exposure(user=user, cases=[barred], kind=ExposureKind.PEER_LABEL, channel=Channel.PAGE)
    case = make_case(project)
    round = open_round(case=case, actor=people.lead, reviewers=[people.reviewer_a, people.reviewer_b])
    decline(assignment=round.assignments.get(slot="B"), reviewer=people.reviewer_b, reason=DeclineReason.CONFLICT)
    seat = round.assignments.get(slot="A")
    Label.objects.create(assignment=seat, number=1, created_at=clock.now(), saved_at=clock.now())
    Assignment.objects.filter(pk=seat.pk).update(first_opened_at=clock.now())
    done = open_round(case=make_case(project), actor=people.lead, reviewers=[people.reviewer_a, people.reviewer_c])
    submit_seat(done.assignments.get(slot="A"))
    open_round(case=make_case(project), actor=people.lead, queue_open=True)
    take_next_case(project=project, reviewer=people.reviewer_c)
    return case


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_nothing_on_the_pages_of_rounds(
    people, project, full, open_page: OpenPage, violations: Callable[[Page], list[str]], scheme: str, width: int
) -> None:
    def address(name: str, *args: str) -> str:
        return reverse(name, args=[project.slug, *args])

    seat = Assignment.objects.get(case=full, reviewer=people.reviewer_a)
    visits = {
        people.lead: [
            address("project_home"),
            address("round_list"),
            address("round_plan") + "?show=all",
            address("case_seats", full.public_id),
            address("case_withdraw", full.public_id),
        ],
        people.reviewer_a: [
            address("project_home"),
            address("queue"),
            address("seat_decline", seat.public_id),
        ],
        people.reviewer_b: [address("project_home")],
        people.adjudicator: [address("project_home")],
    }
    for user, paths in visits.items():
        page = open_page(paths[0], user=user, scheme=scheme, width=width)
        for path in paths:
            page.goto(path)
            assert violations(page) == [], path
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    page = open_page(address("round_plan"), user=people.lead, scheme=scheme, width=width)
    for button in ("Preview a draw", "Preview the queue", "Preview a withdrawal"):
        page.goto(address("round_plan"))
        page.get_by_label("every case that the filter finds: 4").check()
        page.get_by_role("button", name=button).click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("of the" if "withdrawal" not in button else "4")
        assert violations(page) == [], button
        assert page.evaluate("document.documentElement.scrollWidth") <= width, button


def test_a_lead_plans_a_round_by_keyboard_alone(people, project, open_page: OpenPage) -> None:
    case = make_case(project)
    make_case(project)
    page = open_page(reverse("round_plan", args=[project.slug]), user=people.lead)
    page.get_by_label(f"Choose case {case.public_id}").focus()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Preview a draw").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Preview of the draw")
    page.get_by_role("button", name="Give 2 seats").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Rounds")
    expect(page.locator("#messages")).to_contain_text("Seats drawn on 1 case.")
    assert Round.objects.get().case == case
    assert Assignment.objects.count() == 2
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Preview of the draw")
    expect(page.get_by_text("All its seats are taken.")).to_be_visible()


def test_choosing_all_on_the_page_plans_for_all_of_them(people, project, open_page: OpenPage) -> None:
    for _ in range(3):
        make_case(project)
    page = open_page(reverse("round_plan", args=[project.slug]), user=people.lead)
    page.get_by_label("Choose all on this page").check()
    page.get_by_role("button", name="Preview the queue").click()
    page.get_by_role("button", name="Offer 3 cases in the queue").click()
    expect(page.locator("#messages")).to_contain_text("Queue opened on 3 cases.")
    assert Round.objects.filter(is_queue_open=True).count() == 3


def test_a_reviewer_takes_the_next_case_with_one_key(people, project, open_page: OpenPage) -> None:
    case = make_case(project)
    open_round(case=case, actor=people.lead, queue_open=True)
    page = open_page(reverse("project_home", args=[project.slug]), user=people.reviewer_a)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("n")
    seat_address = "**/seats/*/"
    page.wait_for_url(seat_address)
    seat = Assignment.objects.get()
    assert seat.reviewer == people.reviewer_a
    assert page.url.endswith(reverse("workbench", args=[project.slug, seat.public_id]))
    page.goto(reverse("queue", args=[project.slug]))
    page.get_by_role("link", name=f"Decline case {case.public_id}").click()
    page.get_by_label("Not my expertise").check()
    page.get_by_role("button", name="Decline the case").click()
    expect(page.locator("#messages")).to_contain_text(f"You gave case {case.public_id} back.")
    seat.refresh_from_db()
    assert (seat.state, seat.decline_reason) == ("declined", "wrong_expertise")
