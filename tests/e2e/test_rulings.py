"""A question is ruled on in a browser by keyboard alone, and the scorecard follows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from corpus.services.versions import freeze_version
from reviews.domain.vocabulary import CaseRunState
from reviews.models import Ruling, Run
from reviews.services.matching import propose_matches
from tests.e2e.conftest import OpenPage
from tests.factories import make_case
from tests.labeling_factories import CHARGES_TWICE, LOST_GUARD, mark_complete, settle_case_with
from tests.reviews.builders import make_case_run, make_finding, make_run

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def run(project: Any, people: Any) -> Run:
    """A run with a certain match, a near miss of the lost guard, and a finding on nothing."""
    pair = [people.reviewer_a, people.reviewer_b]
    case = mark_complete(settle_case_with(make_case(project), pair, labels=[CHARGES_TWICE, LOST_GUARD]))
    mark_complete(settle_case_with(make_case(project), pair))
    run = make_run(project, version=freeze_version(project=project, actor=people.lead))
    case_run = make_case_run(run, case, CaseRunState.REVIEWED_WITH_FINDINGS)
    make_finding(case_run, "The charge is repeated without the idempotency key.", line=11, category_key="concurrency")
    make_finding(case_run, "A retry may sleep for a very long time; cap the delay.", line=15, category_key="resource")
    propose_matches(run=run, actor=people.lead, sample_percent=0, second_percent=0)
    return run


def test_a_question_is_ruled_on_by_keyboard_and_the_scorecard_follows(
    open_page: OpenPage, run: Run, people: Any, violations: Callable[[Page], list[str]]
) -> None:
    slug = run.project.slug
    page = open_page(reverse("ruling_queue", args=[slug]), user=people.adjudicator, expected=("status of 422",))
    expect(page.locator("main")).to_contain_text("1 question waits for you")
    assert violations(page) == []
    page.keyboard.press("n")
    expect(page.locator("#question")).to_be_focused()
    expect(page.locator("#panel")).to_contain_text("cap the delay")
    assert violations(page) == []
    line = page.locator('[data-path-new="pay/retry.py"] button.ln[data-side="new"][data-line="15"]')
    expect(line.locator("xpath=..")).to_have_attribute("data-mark2", "note")
    page.keyboard.press("5")
    expect(page.locator('input[value="unsupported"]')).to_be_checked()
    page.keyboard.press("Control+Enter")
    expect(page.locator("[role=alert]")).to_contain_text("Say in a sentence why")
    page.keyboard.press("Alt+r")
    page.keyboard.type("The delay is capped by ATTEMPTS")
    page.keyboard.press("Control+Enter")
    expect(page.locator("main")).to_contain_text("Nothing waits for you")
    stored = Ruling.objects.get()
    assert (stored.value, stored.rationale) == ("unsupported", "The delay is capped by ATTEMPTS")
    for scheme, width in (("light", 1440), ("dark", 420)):
        card = open_page(
            reverse("scorecard", args=[slug, run.public_id]), user=people.analyst, scheme=scheme, width=width
        )
        expect(card.locator("h1")).to_contain_text("1.0.0")
        expect(card.locator("tr", has_text="matches of required golden findings")).to_contain_text("1 / 2")
        assert violations(card) == []
