"""A reviewer labels a case in a browser: by mouse, by keyboard, with the connection lost, in two tabs."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page, expect

from labeling.models import Assignment, FileRead, Label, LabelAnchor
from tests.e2e.conftest import OpenPage
from tests.factories import make_case
from tests.labeling.seats import label, make_seat

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def seat(project: Any, people: Any) -> Assignment:
    return make_seat(make_case(project), people.reviewer_a)


@pytest.fixture
def address(seat: Assignment) -> str:
    return reverse("workbench", kwargs={"project": seat.case.project.slug, "seat_id": seat.public_id})


def number(page: Page, path: str, side: str, line: int) -> Any:
    return page.locator(f'[data-path-{side}="{path}"] button.ln[data-side="{side}"][data-line="{line}"]')


def saved(page: Page) -> None:
    expect(page.locator("[data-saved-form]").first).to_have_text(re.compile("^saved [0-9]"))


def places() -> set[tuple[str, str, str, int | None, int | None]]:
    return set(
        LabelAnchor.objects.filter(until__isnull=True).values_list("role", "path", "side", "first_line", "last_line")
    )


WANTED = {
    ("primary", "pay/retry.py", "new", 10, 14),
    ("alternate", "pay/totals.py", "old", 6, 7),
    ("supporting", "pay/retry.py", "new", 19, 20),
}


def fill_text(page: Page) -> None:
    page.get_by_label("In a few words").fill("A time-out charges twice")
    page.get_by_label("When it happens").fill("The gateway answers after the time-out")
    page.get_by_label("Impact").fill("The customer is charged once per attempt")


def test_a_case_is_labelled_and_submitted_by_mouse(open_page: OpenPage, seat: Assignment, address: str) -> None:
    page = open_page(address, user=seat.reviewer)
    number(page, "pay/retry.py", "new", 10).hover()
    page.mouse.down()
    number(page, "pay/retry.py", "new", 14).hover()
    page.mouse.up()
    expect(page.locator("#selection-text")).to_contain_text("retry.py 10–14 new")
    page.locator("#new-label").click()
    expect(page.locator("[data-form-heading]")).to_have_text("Label 1")
    expect(page.locator(".label-row")).to_have_count(1)
    number(page, "pay/totals.py", "old", 6).click()
    number(page, "pay/totals.py", "old", 7).click(modifiers=["Shift"])
    page.get_by_role("button", name="Alternate").click()
    expect(page.locator(".anchor-list li")).to_have_count(2)
    page.locator('[data-path-new="pay/retry.py"] tr.gap button').last.click()
    number(page, "pay/retry.py", "new", 19).click()
    number(page, "pay/retry.py", "new", 20).click(modifiers=["Shift"])
    page.get_by_role("button", name="Supporting").click()
    expect(page.locator(".anchor-list li")).to_have_count(3)
    page.locator("#field-severity label", has_text="high").click()
    page.get_by_label("Category").select_option("concurrency")
    fill_text(page)
    page.locator("#field-confidence label", has_text="high").click()
    page.locator("#field-relation label", has_text="introduced").click()
    page.locator("#field-speculative label", has_text="no").click()
    saved(page)
    expect(page.locator(".label-row.incomplete")).to_have_count(0)
    expect(number(page, "pay/retry.py", "new", 12).locator("xpath=..")).to_have_attribute("data-mark", "high")
    expect(number(page, "pay/totals.py", "old", 7).locator("xpath=..")).to_have_attribute("data-mark", "alternate")
    for mark in page.locator(".read-mark button").all():
        mark.click()
    files = seat.case.files.count()
    expect(page.locator("#read-count")).to_have_text(f"read {files}/{files}")
    page.locator("[data-open-submit]").click()
    dialog = page.locator("#submit-dialog")
    expect(dialog).to_contain_text("complete")
    expect(dialog).to_contain_text("Every file is marked as read.")
    dialog.locator("label", has_text="has defects").click()
    dialog.get_by_role("button", name="Submit with defects").click()
    expect(page.locator("h1")).to_contain_text("submitted")
    row = Label.objects.get()
    assert (row.severity, row.confidence, row.relation, row.speculative) == ("high", "high", "introduced", False)
    assert row.category.key == "concurrency"
    assert row.trigger == "The gateway answers after the time-out"
    assert places() == WANTED
    assert FileRead.objects.count() == files
    assert Assignment.objects.get().state == "submitted"


def test_the_same_case_is_labelled_by_keyboard_alone_with_the_same_places(
    open_page: OpenPage, seat: Assignment, address: str
) -> None:
    page = open_page(address, user=seat.reviewer)
    press = page.keyboard.press

    def line(path: str, side: str, wanted: int) -> None:
        """Move the cursor with j until it stands on the line."""
        for _ in range(80):
            section = page.locator(".file.current")
            at = page.locator("tr.cursor button.ln:focus")
            if (
                section.count()
                and section.get_attribute(f"data-path-{side}") == path
                and at.count()
                and at.get_attribute("data-line") == str(wanted)
                and at.get_attribute("data-side") == side
            ):
                return
            press("j")
        raise AssertionError(f"{path} {side} {wanted} was not reached")

    line("pay/retry.py", "new", 10)
    press("v")
    for _ in range(4):
        press("j")
    press("v")
    press("n")
    expect(page.locator("[data-form-heading]")).to_have_text("Label 1")
    page.keyboard.type("A time-out charges twice")
    press("Tab")
    press("h")
    press("Tab")
    page.keyboard.type("Conc")
    press("Alt+c")
    line("pay/retry.py", "new", 18)
    press("e")
    expect(number(page, "pay/retry.py", "new", 19)).to_be_visible()
    line("pay/retry.py", "new", 19)
    press("Shift+ArrowDown")
    press("s")
    expect(page.locator(".anchor-list li")).to_have_count(2)
    press("Escape")
    press("]")
    line("pay/totals.py", "old", 6)
    press("Shift+ArrowDown")
    press("a")
    expect(page.locator(".anchor-list li")).to_have_count(3)
    saved(page)
    row = Label.objects.get()
    assert (row.severity, row.title) == ("high", "A time-out charges twice")
    assert row.category is not None
    assert row.category.key == "concurrency"
    assert places() == WANTED


def test_what_was_typed_without_a_connection_is_kept_and_sent_later(
    open_page: OpenPage, seat: Assignment, address: str
) -> None:
    first = label(seat)
    page = open_page(f"{address}?label={first.public_id}", user=seat.reviewer, expected=("Failed to load resource",))
    page.context.set_offline(True)
    page.get_by_label("When it happens").fill("typed while offline")
    expect(page.locator("[data-saved-form]").first).to_contain_text("no connection")
    kept = page.evaluate(
        "Object.entries(localStorage).filter(([key]) => key.includes('draft')).map(([, text]) => text)"
    )
    assert "typed while offline" in "".join(kept)
    page.context.set_offline(False)
    saved(page)
    assert Label.objects.get().trigger == "typed while offline"
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.includes('draft')).length") == 0


def test_text_that_a_closed_page_could_not_send_is_saved_by_the_next_one(
    open_page: OpenPage, seat: Assignment, address: str
) -> None:
    page = open_page(f"{address}?label=new", user=seat.reviewer, expected=("Failed to load resource",))
    page.route("**/labels/**", lambda route: route.abort())
    page.get_by_label("Impact").fill("typed before the crash")
    expect(page.locator("[data-saved-form]").first).to_contain_text("no connection")
    page.close()
    assert not Label.objects.exists()
    again = page.context.new_page()
    again.goto(address)
    expect(again.locator(".label-row")).to_have_count(1)
    assert Label.objects.get().impact == "typed before the crash"


def test_text_typed_after_the_session_ended_is_saved_once_one_is_signed_in_again(
    open_page: OpenPage, seat: Assignment, address: str
) -> None:
    first = label(seat)
    page = open_page(f"{address}?label={first.public_id}", user=seat.reviewer, expected=("status of 403",))
    context = page.context
    context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    page.get_by_label("When it happens").fill("typed while signed out")
    expect(page.locator("[data-saved-form]").first).to_contain_text("you are signed out")
    with context.expect_page() as opened:
        page.get_by_role("link", name="sign in in another tab").first.click()
    expect(opened.value.get_by_role("button", name="Sign in")).to_be_visible()
    opened.value.close()
    # Signing in makes a new session and a new CSRF secret: the token of the open page is worth nothing any more.
    context.clear_cookies(name=settings.CSRF_COOKIE_NAME)
    client = Client()
    client.force_login(seat.reviewer)
    session = client.cookies[settings.SESSION_COOKIE_NAME]
    context.add_cookies([{"name": session.key, "value": session.value, "url": page.url}])
    context.new_page().goto(page.url)
    page.bring_to_front()
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    saved(page)
    assert Label.objects.get().trigger == "typed while signed out"
    page.get_by_role("link", name="Submit").or_(page.get_by_role("button", name="Submit")).first.click()
    dialogue = page.locator("dialog[open]")
    dialogue.locator("[name=verdict][value=has_defects]").check()
    dialogue.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("submitted")


def test_two_tabs_cannot_overwrite_each_other(open_page: OpenPage, seat: Assignment, address: str) -> None:
    first = label(seat)
    page = open_page(f"{address}?label={first.public_id}", user=seat.reviewer, expected=("status of 409",))
    other = page.context.new_page()
    other.goto(f"{address}?label={first.public_id}")
    other.get_by_label("When it happens").fill("from the other tab")
    saved(other)
    expect(other.locator('[data-saved-for="trigger"]')).to_contain_text("saved")
    page.get_by_label("When it happens").fill("from this tab")
    expect(page.locator(".conflict")).to_contain_text("from the other tab")
    assert Label.objects.get().trigger == "from the other tab"
    assert page.get_by_label("When it happens").input_value() == "from this tab"
    page.get_by_role("button", name="Keep mine").click()
    saved(page)
    assert Label.objects.get().trigger == "from this tab"


def test_a_place_in_an_untouched_file_is_found_by_search_and_chosen_by_keyboard(
    open_page: OpenPage, seat: Assignment, address: str
) -> None:
    first = label(seat)
    page = open_page(f"{address}?label={first.public_id}", user=seat.reviewer)
    page.keyboard.press("Alt+c")
    page.keyboard.press("\\")
    page.keyboard.type("through the gateway")
    page.keyboard.press("Enter")
    page.locator(".found a", has_text="README.md:3").click()
    expect(page.locator("tr.cursor button.ln")).to_have_attribute("data-line", "3")
    expect(page.locator(".file.current")).to_have_attribute("data-path-new", "README.md")
    page.keyboard.press("v")
    page.keyboard.press("s")
    expect(page.locator(".anchor-list li")).to_have_count(2)
    saved(page)
    assert ("supporting", "README.md", "new", 3, 3) in places()


def test_in_split_layout_each_side_is_chosen_on_its_own(open_page: OpenPage, seat: Assignment, address: str) -> None:
    page = open_page(f"{address}?layout=split", user=seat.reviewer)
    number(page, "pay/retry.py", "old", 9).click()
    number(page, "pay/retry.py", "old", 10).click(modifiers=["Shift"])
    number(page, "pay/retry.py", "new", 12).click(modifiers=["Control"])
    expect(page.locator("#selection-text")).to_have_text("Selected: retry.py 9–10 old; retry.py 12 new")
    expect(page.locator("td.c.pick")).to_have_count(3)
    page.keyboard.press("Escape")
    expect(page.locator("td.pick")).to_have_count(0)


def test_a_label_is_withdrawn_with_what_was_just_typed_and_comes_back(
    open_page: OpenPage, seat: Assignment, address: str
) -> None:
    first = label(seat)
    page = open_page(f"{address}?label={first.public_id}", user=seat.reviewer)
    page.get_by_label("Evidence").fill("typed a moment before")
    page.get_by_role("button", name="Withdraw").click()
    expect(page.locator(".label-row")).to_have_count(0)
    page.locator(".withdrawn summary").click()
    page.get_by_role("button", name="Restore label 1").click()
    expect(page.locator(".label-row")).to_have_count(1)
    assert page.get_by_label("Evidence").input_value() == "typed a moment before"


def test_a_gap_is_reached_from_the_dialogue_by_keyboard_and_files_are_marked_with_a_key(
    open_page: OpenPage, seat: Assignment, address: str
) -> None:
    label(seat, trigger="")
    page = open_page(address, user=seat.reviewer)
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.locator("#read-count")).to_contain_text("read 1/")
    page.keyboard.press("}")
    expect(page.locator(".file.current")).not_to_have_class(re.compile(r"\bread\b"))
    page.keyboard.press("Control+Enter")
    expect(page.locator("#submit-form")).to_be_visible()
    page.keyboard.press("Alt+g")
    expect(page.get_by_label("When it happens")).to_be_focused()
    page.keyboard.type("late answers")
    saved(page)
    assert Label.objects.get().trigger == "late answers"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 820])
def test_axe_finds_nothing_on_the_workbench(
    open_page: OpenPage,
    violations: Callable[[Page], list[str]],
    seat: Assignment,
    address: str,
    scheme: str,
    width: int,
) -> None:
    first = label(seat, trigger="")
    page = open_page(f"{address}?label={first.public_id}", user=seat.reviewer, scheme=scheme, width=width)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.locator("[data-open-submit]").click()
    expect(page.locator("#submit-form")).to_be_visible()
    assert violations(page) == []
