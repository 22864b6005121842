"""Pages of agreement in a browser: clean to axe in both schemes, narrow and wide, and each cell leads to its cases."""

from __future__ import annotations

import random

import pytest
from django.urls import reverse

from corpus.models import GuidelinesVersion
from corpus.services.projects import add_version
from labeling.models import Tally
from tests.labeling.tallied import Tallied, alone, both, kind

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PAGES = (
    "agreement",
    "agreement_breakdown",
    "agreement_time",
    "agreement_confusion",
    "agreement_missed",
    "agreement_guidelines",
    "agreement_reviewers",
    "agreement_planning",
)


@pytest.fixture
def labelled(project, people):
    """Forty cases, half of them under a second version of the guidelines, some of them being adjudicated."""
    source = random.Random(2)
    tallied = Tallied(project, [people.reviewer_a, people.reviewer_b])
    names, levels = ["concurrency", "boundary", "security"], ["low", "medium", "high"]
    for number in range(40):
        if number == 20:
            newer = add_version(GuidelinesVersion(text="# Two"), project=project, author=people.lead)
            at = Tally.objects.latest("labelled_at").labelled_at
            GuidelinesVersion.objects.filter(pk=newer.pk).update(created_at=at)
        pair = both((source.choice(names), source.choice(names)), (source.choice(levels), source.choice(levels)))
        tally = tallied.add(
            kind(pair, alone("first", source.choice(names))),
            guidelines=1 if number < 20 else 2,
            state="settled" if number % 4 else "adjudicating",
            language=["Go", "Python"][number % 2],
        )
        tallied.golden(tally, [tallied.label(tally, slot, "high") for slot in ("A", "AB", "B")[number % 3]])
    return tallied


def test_every_page_is_clean_to_axe(labelled, project, people, open_page, violations) -> None:
    for scheme, width in (("light", 1440), ("dark", 420)):
        page = open_page("/", user=people.lead, scheme=scheme, width=width)
        for name in PAGES:
            page.goto(reverse(name, args=[project.slug]))
            page.get_by_role("navigation", name="Pages of agreement").wait_for()
            assert violations(page) == [], name
            # Tables scroll in their frames; the page never does.
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name


def test_a_cell_leads_to_its_cases_and_a_group_to_its_figures(labelled, project, people, open_page, violations) -> None:
    page = open_page(reverse("agreement_confusion", args=[project.slug]), user=people.lead)
    cell = page.get_by_role("link", name="concurrency with boundary").or_(
        page.get_by_role("link", name="boundary with concurrency")
    )
    cell.first.focus()
    page.keyboard.press("Enter")
    page.get_by_role("heading", level=1, name="Category").wait_for()
    assert page.get_by_role("table").get_by_role("row").count() > 1
    assert violations(page) == []
    page.goto(reverse("agreement_breakdown", args=[project.slug]) + "?by=language")
    page.get_by_role("link", name="Go", exact=True).click()
    page.get_by_text("Only cases of language Go").wait_for()
    page.get_by_role("link", name="Over time").click()
    page.get_by_role("img").wait_for()
    assert "language=Go" in page.url
