"""Claims judged in a browser, by keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from corpus.domain.vocabulary import RoundKind
from corpus.models import WorkingPolicyVersion
from corpus.services.claims import ClaimDraft, add_claims
from corpus.services.projects import add_version
from labeling.models import Assignment, ClaimAnswer, ClaimAnswerAnchor
from labeling.services.submission import save_answer, submit
from tests.e2e.conftest import OpenPage
from tests.factories import make_case
from tests.labeling.seats import make_seat

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_claims_pass_is_judged_and_submitted_by_keyboard(
    open_page: OpenPage, violations: Callable[[Page], list[str]], project: Any, people: Any
) -> None:
    add_version(WorkingPolicyVersion(uses_claims=True), project=project, author=people.lead)
    case = make_case(project)
    drafts = [
        ClaimDraft(statement="A late answer charges twice.", path="pay/retry.py", first_line=10, last_line=14),
        ClaimDraft(statement="The README lies.", path="README.md"),
    ]
    add_claims(case=case, drafts=drafts)
    seat = make_seat(case, people.reviewer_a)
    save_answer(
        assignment=seat, reviewer=seat.reviewer, verdict="clean", missing_context="", summary="", expected_version=0
    )
    submit(assignment=seat, reviewer=seat.reviewer, expected_version=1, final=True)
    page = open_page(
        reverse("workbench", kwargs={"project": project.slug, "seat_id": seat.public_id}), user=seat.reviewer
    )
    page.get_by_role("link", name="Judge the claims").click()
    expect(page.locator("html.scripted")).to_be_attached()
    saved = re.compile("^saved [0-9]")
    press = page.keyboard.press
    for number in ("1", "2"):
        press(number)
        expect(page.locator("[data-form-heading]")).to_have_text(f"Claim {number}")
        expect(page.locator("[data-form-heading]")).to_be_focused()
        is_true = page.locator(".claim-text", has_text="charges twice").count()
        while not page.locator("[name=exists]:focus").count():
            press("Tab")
        press("y" if is_true else "i")
        expect(page.locator("[data-saved-form]")).to_have_text(saved)
        if is_true:
            press("Tab")
            press("h")
            press("Alt+c")
            press("j")
            while page.locator("tr.cursor button.ln").get_attribute("data-side") != "new":
                press("j")
            press("v")
            press("a")
            expect(page.locator("[data-places-list] li")).to_have_count(1)
    assert violations(page) == []
    press("Alt+c")
    press("Control+Enter")
    expect(page.get_by_role("button", name="Submit the claims pass")).to_be_focused()
    assert violations(page) == []
    press("Enter")
    expect(page.locator("h1")).to_contain_text("submitted")
    assert sorted(ClaimAnswer.objects.values_list("claim__statement", "exists").distinct()) == [
        ("A late answer charges twice.", "yes"),
        ("The README lies.", "no"),
    ]
    assert ClaimAnswerAnchor.objects.filter(path="pay/retry.py", side="new").exists()
    assert Assignment.objects.get(round__kind=RoundKind.CLAIMS).state == "submitted"
