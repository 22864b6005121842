"""Pages around decisions in a browser: stale, compared again, of three people, and as reviewers see them afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from corpus.models import Case, GuidelinesVersion, WorkingPolicyVersion
from corpus.services.projects import add_version
from labeling.models import Assignment, Comparison, Label
from labeling.services.labels import save_label
from labeling.services.submission import reopen
from tests.e2e.conftest import OpenPage
from tests.factories import make_case
from tests.labeling.adjudicating import compared, hand_in, lines, one, ruled, seats_of
from tests.labeling.seats import DEFECT

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MILDER = replace(DEFECT, title="Charged again", severity="medium", anchors=(lines(11, 13),))


def page_of(case: Case) -> str:
    return reverse("adjudication", args=[case.project.slug, case.public_id])


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 820)])
def test_axe_finds_nothing_on_what_became_of_decisions(
    open_page: OpenPage,
    project: Any,
    people: Any,
    violations: Callable[[Page], list[str]],
    scheme: str,
    width: int,
) -> None:
    policy = WorkingPolicyVersion(
        third_seat_on_verdict=True, third_seat_share=5, shows_labels_after_settlement=True, severity_tolerance=0
    )
    add_version(policy, project=project, author=people.lead)
    of_three = make_case(project)
    first, second = seats_of(of_three, [people.reviewer_a, people.reviewer_b])
    hand_in(first, [DEFECT])
    hand_in(second, verdict="clean")
    hand_in(Assignment.objects.get(case=of_three, slot="C"), [MILDER])
    add_version(WorkingPolicyVersion(shows_labels_after_settlement=True), project=project, author=people.lead)

    page = open_page(page_of(of_three), user=people.adjudicator, scheme=scheme, width=width)
    expect(page.get_by_text("two against one").first).to_be_visible()
    assert violations(page) == []
    for row in Comparison.objects.get(round__case=of_three).disagreements.order_by("pk"):
        ruled(row, people.adjudicator, "accept_a")

    again = make_case(project)
    severity = one(compared(again, [people.reviewer_a, people.reviewer_b], [DEFECT], [MILDER]), "severity")
    ruled(severity, people.adjudicator, "accept_a", rationale="Every day.")
    seat = Assignment.objects.get(case=again, slot="B")
    reopen(assignment=seat, lead=people.lead, reason="The wrong tree was shown.")
    seat.refresh_from_db()
    label = Label.objects.get(assignment=seat)
    save_label(
        assignment=seat,
        reviewer=seat.reviewer,
        label=label.public_id,
        fields=replace(MILDER, severity="low"),
        expected_version=label.version,
    )
    hand_in(seat)
    page.goto(page_of(again))
    expect(page.get_by_role("heading", name="Changed since it was compared before")).to_be_visible()
    assert violations(page) == []

    text = GuidelinesVersion.objects.get(project=project).text + "\nAlways name the trigger.\n"
    add_version(GuidelinesVersion(text=text), project=project, author=people.lead, edit_kind="substantive")
    page.goto(page_of(of_three))
    expect(page.get_by_role("heading", name="What changed since")).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("C")
    expect(page.locator("h1")).to_contain_text("settled")

    page = open_page(
        reverse("seat_outcome", args=[project.slug, first.public_id]),
        user=people.reviewer_a,
        scheme=scheme,
        width=width,
    )
    page.locator("summary", has_text="What each wrote").first.click()
    assert violations(page) == []
