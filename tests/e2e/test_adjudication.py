"""An adjudicator decides a case in a browser: by keyboard alone, and by mouse; two of them at once."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from corpus.models import Case, GoldenFinding
from labeling.models import Adjudication, Comparison
from labeling.selectors.pairing import Pairing
from labeling.selectors.pseudonyms import pseudonyms_of
from labeling.services.pairing import unpair
from tests.e2e.conftest import OpenPage
from tests.factories import make_case
from tests.labeling.adjudicating import GUARD, compared, lines, one, ruled
from tests.labeling.seats import DEFECT

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MILDER = replace(DEFECT, title="Charged again", severity="medium", anchors=(lines(11, 13),))
AGREED = replace(DEFECT, title="No back-off limit", anchors=(lines(14, 14),), category="resource", severity="low")


@pytest.fixture
def case(project: Any) -> Case:
    return make_case(project)


@pytest.fixture
def comparison(case: Case, people: Any) -> Comparison:
    """Severity of a pair, a label alone, and a pair that agrees."""
    return compared(case, [people.reviewer_a, people.reviewer_b], [DEFECT, GUARD, AGREED], [MILDER, AGREED])


@pytest.fixture
def address(case: Case) -> str:
    return reverse("adjudication", kwargs={"project": case.project.slug, "case_id": case.public_id})


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until an element that matches has the focus."""
    for _ in range(40):
        if page.evaluate("selector => document.activeElement?.matches(selector) ?? false", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab never reached {selector}")


def test_a_case_is_adjudicated_by_keyboard_alone(
    open_page: OpenPage, case: Case, comparison: Comparison, people: Any
) -> None:
    queue = reverse("adjudication_queue", kwargs={"project": case.project.slug})
    page = open_page(queue, user=people.adjudicator)
    press = page.keyboard.press
    press("n")
    question = page.locator("#question")
    expect(question).to_have_text(re.compile("^Both found it; A says (high|medium), B says (high|medium).$"))
    expect(question).to_be_focused()
    # Two columns of marks: one a side, on the same line where both point at it.
    both = page.locator('[data-path-new="pay/retry.py"] button.ln[data-side="new"][data-line="12"]').locator("xpath=..")
    marks = {both.get_attribute("data-mark"), both.get_attribute("data-mark2")}
    assert marks == {"high", "medium"}
    press("A")
    expect(page.locator(".agreed")).to_contain_text("Undo")
    press("a")
    expect(page.locator("#decision-title")).to_have_text("Accept A")
    expect(page.locator('input[name="reason_code"]').first).to_be_focused()
    press("3")
    expect(page.locator('input[value="severity_rule"]')).to_be_checked()
    press("Alt+r")
    page.keyboard.type("Booked twice a day at most")
    press("Control+Enter")
    expect(question).to_have_text(re.compile("^(A found it; B|B found it; A) did not.$"))
    press("p")
    expect(question).to_contain_text("Both found it")
    expect(page.locator(".decision-history")).to_contain_text("Booked twice a day at most")
    press("n")
    expect(question).to_contain_text("did not")
    press("m")
    expect(page.locator("#label-title")).to_be_focused()
    press("Control+a")
    page.keyboard.type("Orders without items raise an exception")
    tab_to(page, 'input[name="severity"]')
    press("c")
    expect(page.locator('input[name="severity"][value="critical"]')).to_be_checked()
    tab_to(page, 'input[name="reason_code"]')
    press("1")
    press("Control+Enter")
    expect(page.locator("h1")).to_contain_text("settled")
    expect(page.locator(".question")).to_have_text("Settled: it has defects.")
    page.keyboard.press("q")
    expect(page.locator("h1")).to_have_text("Adjudicate")

    names = pseudonyms_of(case.public_id)
    severity, existence = (one(comparison, kind).adjudications.get() for kind in ("severity", "existence"))
    assert severity.outcome == names.stored("accept_a")
    assert (severity.reason_code, severity.rationale) == ("severity_rule", "Booked twice a day at most")
    assert severity.golden_revision.severity == {"A": "high", "B": "medium"}[names.slot("A")]
    assert (existence.outcome, existence.reason_code) == ("merge", "missed_by_other")
    assert existence.golden_revision.title == "Orders without items raise an exception"
    assert existence.golden_revision.severity == "critical"
    found = GoldenFinding.objects.live().filter(case=case)
    assert sorted(finding.revisions.last().provenance for finding in found) == ["adjudicated", "adjudicated", "agreed"]
    case.refresh_from_db()
    assert (case.state, case.result) == ("settled", "defects")


def test_places_are_reached_and_selected_lines_become_places(
    open_page: OpenPage, case: Case, comparison: Comparison, address: str, people: Any
) -> None:
    page = open_page(f"{address}?item={one(comparison, 'existence').public_id}", user=people.adjudicator)
    page.locator(".compare a", has_text="totals.py").click()
    number = page.locator('[data-path-old="pay/totals.py"] button.ln[data-side="old"][data-line="6"]')
    expect(number).to_be_focused()
    expect(number).to_be_in_viewport()
    page.get_by_role("link", name="Edit", exact=True).click()
    expect(page.locator("#decision-title")).to_have_text("Edit")
    page.locator('[data-path-new="pay/retry.py"] button.ln[data-side="new"][data-line="9"]').click()
    page.locator('[data-take-lines="places-supporting"]').click()
    expect(page.locator("#places-supporting")).to_have_value("pay/retry.py new 9")
    page.locator("label", has_text="The other one missed it").click()
    page.get_by_role("button", name="Edit", exact=True).click()
    expect(page.locator("#question")).to_contain_text("Both found it")
    revision = Adjudication.objects.get().golden_revision
    assert revision is not None
    assert list(revision.anchors.order_by("pk").values_list("role", "side", "first_line", "last_line")) == [
        ("primary", "old", 6, 7),
        ("supporting", "new", 9, 9),
    ]


def test_two_adjudicators_at_once_see_both_versions_and_lose_nothing(
    open_page: OpenPage, comparison: Comparison, address: str, people: Any
) -> None:
    row = one(comparison, "severity")
    page = open_page(
        f"{address}?item={row.public_id}&outcome=reject", user=people.adjudicator, expected=("409 \\(Conflict\\)",)
    )
    page.get_by_label("Rationale").fill("Nobody retries")
    page.locator("label", has_text="One misread the code").click()
    ruled(row, people.lead, "accept_a", rationale="Seen in production")
    page.keyboard.press("Control+Enter")
    notice = page.get_by_role("alert")
    expect(notice).to_contain_text("yours is not stored")
    expect(notice).to_contain_text("Seen in production")
    expect(page.get_by_label("Rationale")).to_have_value("Nobody retries")
    assert Adjudication.objects.count() == 1
    page.keyboard.press("Control+Enter")
    expect(page.locator("#question")).to_contain_text("did not")
    assert list(Adjudication.objects.order_by("number").values_list("outcome", "adjudicator__name")) == [
        ("accept_a", "Lea Lead"),
        ("reject", "Jo Adjudicator"),
    ]


def test_a_pair_is_taken_apart_and_paired_again_by_keyboard_alone(
    open_page: OpenPage, comparison: Comparison, address: str, people: Any
) -> None:
    page = open_page(f"{address}?item={one(comparison, 'severity').public_id}", user=people.adjudicator)
    press = page.keyboard.press
    question = page.locator("#question")
    expect(question).to_be_focused()
    press("P")
    expect(question).to_have_text("Are these two not the same defect?")
    expect(page.get_by_role("button", name="Unpair", exact=True)).to_be_focused()
    press("Enter")
    expect(question).to_have_text(re.compile("^(A found it; B|B found it; A) did not.$"))
    expect(page.locator("#panel")).to_contain_text("Pairing, corrected")
    assert sorted(comparison.pairs.values_list("state", flat=True)) == ["proposed", "split"]
    press("P")
    expect(question).to_have_text("Which label of the other side is the same defect?")
    expect(page.locator('input[name="partner"]').first).to_be_focused()
    press("Control+Enter")
    expect(question).to_have_text(re.compile("^Both found it; A says (high|medium), B says (high|medium).$"))
    assert set(comparison.pairs.values_list("state", flat=True)) == {"proposed"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 820])
def test_axe_finds_nothing_on_the_pages_of_adjudication(
    open_page: OpenPage,
    case: Case,
    comparison: Comparison,
    address: str,
    people: Any,
    violations: Callable[[Page], list[str]],
    scheme: str,
    width: int,
) -> None:
    row = one(comparison, "severity")
    queue = reverse("adjudication_queue", kwargs={"project": case.project.slug})
    page = open_page(queue, user=people.adjudicator, scheme=scheme, width=width)
    assert violations(page) == []
    for query in ("", f"?item={row.public_id}&outcome=reject", f"?item={row.public_id}&outcome=merge"):
        page.goto(address + query)
        assert violations(page) == [], query
    apart = one(comparison, "existence").label
    paired = row.pair.label_a
    for label in (apart, paired):
        page.goto(f"{address}pairing/{comparison.compared_labels.get(label=label).public_id}/")
        assert violations(page) == [], label
    ruled(row, people.adjudicator, "reject")
    digest = Pairing(case, comparison).unpairing(paired).digest
    unpair(case=case, adjudicator=people.adjudicator, label=paired, digest=digest, reason="Two things.")
    page.goto(address)
    assert violations(page) == []
    for item in comparison.disagreements.asked():
        ruled(item, people.adjudicator, "unresolved")
    page.goto(address)
    assert violations(page) == []
