"""Importing and looking at cases in a browser: by mouse and keyboard, found without fault by axe."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from corpus.domain.vocabulary import Role
from corpus.models import Case, ImportBatch
from corpus.services.claims import ClaimDraft, add_claims
from tests import factories
from tests.corpus.test_imports import PATCH, lines_of
from tests.e2e.conftest import OpenPage

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def lead():
    return factories.make_user("Lea Lead")


@pytest.fixture
def corpus(lead):
    project = factories.make_project(lead=lead)
    case = factories.make_case(
        project, message="Why\nit changed", tags=("slow",), change_author="Ann <ann@example.org>"
    )
    draft = ClaimDraft(statement="Charges twice", path="pay/retry.py", first_line=12, last_line=12)
    add_claims(case=case, drafts=[draft])
    factories.make_incomplete_case(project)
    return project


def test_a_file_is_imported_by_mouse(open_page: OpenPage, corpus, lead, tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_bytes(lines_of({"patch": PATCH.decode(), "title": "Second line"}, {"patch": 5}))
    page = open_page(reverse("case_list", args=[corpus.slug]), user=lead)
    page.get_by_role("link", name="Import cases").click()
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_label("Repository").fill("ledger")
    page.get_by_role("button", name="Read the file").click()
    expect(page.get_by_text('"patch" must be a text, but is 5')).to_be_visible()
    assert Case.objects.count() == 2
    page.get_by_role("button", name="Import 1 record").click()
    expect(page.get_by_text("Imported", exact=False).first).to_be_visible()
    case = Case.objects.get(title="Second line")
    page.get_by_role("link", name=case.public_id).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Case {case.public_id}")
    assert case.repository == "ledger"


def test_a_file_is_imported_by_keyboard(open_page: OpenPage, corpus, lead, tmp_path: Path) -> None:
    file = tmp_path / "change.patch"
    file.write_bytes(PATCH)
    page = open_page(reverse("case_list", args=[corpus.slug]), user=lead)
    page.keyboard.press("i")
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_label("Licence").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Import 1 record")).to_be_visible()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Imported", exact=False).first).to_be_visible()
    assert ImportBatch.objects.get().state == ImportBatch.COMMITTED


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_axe_finds_nothing_on_the_pages_of_cases_and_imports(
    open_page: OpenPage, violations: Callable[[Page], list[str]], corpus, lead, tmp_path: Path, scheme: str, width: int
) -> None:
    ready, waiting = Case.objects.order_by("pk")
    file = tmp_path / "cases.jsonl"
    file.write_bytes(lines_of({"patch": PATCH.decode()}, {"patch": 5}))
    page = open_page(reverse("import_new", args=[corpus.slug]), user=lead, scheme=scheme, width=width)
    assert violations(page) == []
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_role("button", name="Read the file").click()
    expect(page.get_by_role("button", name="Import 1 record")).to_be_visible()
    assert violations(page) == []
    for address in (
        reverse("import_list", args=[corpus.slug]),
        reverse("case_list", args=[corpus.slug]),
        reverse("case_list", args=[corpus.slug]) + "?q=nothing",
        reverse("case_page", args=[corpus.slug, ready.public_id]),
        reverse("case_page", args=[corpus.slug, waiting.public_id]),
        reverse("case_edit", args=[corpus.slug, ready.public_id]),
        reverse("case_files", args=[corpus.slug, ready.public_id]),
    ):
        page.goto(address)
        assert violations(page) == [], address
        assert page.evaluate("document.documentElement.scrollWidth") <= width, address


def test_a_refused_file_says_why_and_keeps_the_form(open_page: OpenPage, corpus, lead, tmp_path: Path) -> None:
    file = tmp_path / "words.patch"
    file.write_bytes(b"no diff\n")
    page = open_page(reverse("import_new", args=[corpus.slug]), user=lead, expected=(r"status of 422",))
    page.get_by_label("Repository").fill("ledger")
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_role("button", name="Read the file").click()
    expect(page.get_by_text("no file found")).to_be_visible()
    expect(page.get_by_label("Repository")).to_have_value("ledger")
    assert not ImportBatch.objects.exists()


def test_a_lead_who_reviews_too_is_told_why_columns_are_missing(open_page: OpenPage, corpus, lead) -> None:
    factories.make_member(corpus, lead, Role.REVIEWER)
    page = open_page(reverse("case_list", args=[corpus.slug]), user=lead)
    expect(page.get_by_text("You also review in this project")).to_be_visible()
    expect(page.get_by_role("columnheader", name="Title")).to_have_count(0)
