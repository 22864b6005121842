"""Reading a change in a browser: where keys lead, what a line says, what is copied, what is remembered."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Locator, Page, expect

from labeling.domain.label_input import AnchorInput
from labeling.models import LabelAnchor
from tests.e2e.conftest import OpenPage
from tests.e2e.gallery import BASE, HEAD, LEDGER_NOW
from tests.factories import make_case
from tests.labeling.seats import label, make_seat

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
BOOKS = "ledger/books.py"


@pytest.fixture
def seat(project: Any, people: Any) -> Any:
    many = b"".join(b"line %d\n" % number for number in range(1, 1_501))
    head = {**HEAD, b"data/rates.csv": ("100644", many)}
    return make_seat(make_case(project, base=BASE, head=head), people.reviewer_a)


def address(seat: Any) -> str:
    return reverse("workbench", kwargs={"project": seat.case.project.slug, "seat_id": seat.public_id})


def number(page: Page, path: str, side: str, line: int) -> Locator:
    return page.locator(f'[data-path-{side}="{path}"] button.ln[data-side="{side}"][data-line="{line}"]')


def position(seat: Any, path: str) -> int:
    return seat.case.files.get(new_path_text=path).position


def test_keys_lead_from_change_to_change_and_what_is_chosen_is_remembered(open_page: OpenPage, seat: Any) -> None:
    page = open_page(f"{address(seat)}?at={position(seat, BOOKS)}-new-9", user=seat.reviewer)
    press = page.keyboard.press
    expect(number(page, BOOKS, "new", 9)).to_be_focused()
    for line, side in ((13, "old"), (18, "old"), (33, "old")):
        press("J")
        expect(number(page, BOOKS, side, line)).to_be_focused()
    press("K")
    expect(number(page, BOOKS, "old", 18)).to_be_focused()
    with page.expect_response("**/me/preferences/"):
        press("w")
    expect(number(page, BOOKS, "old", 13)).to_be_hidden()
    press("K")
    expect(number(page, BOOKS, "new", 9)).to_be_focused()
    page.reload()
    expect(number(page, BOOKS, "old", 13)).to_be_hidden()
    with page.expect_navigation():
        press("L")
    expect(page.locator(f'[data-path-new="{BOOKS}"] table.split')).to_be_visible()
    page.get_by_role("link", name="moved from 34").click()
    expect(number(page, BOOKS, "old", 34)).to_be_focused()
    seat.reviewer.refresh_from_db()
    assert (seat.reviewer.layout, seat.reviewer.blank_changes) == ("split", "folded")


def test_a_link_leads_to_a_line_of_a_closed_file_and_beyond_its_first_part(open_page: OpenPage, seat: Any) -> None:
    rates = "data/rates.csv"
    page = open_page(f"{address(seat)}?at={position(seat, rates)}-new-1203", user=seat.reviewer)
    line = number(page, rates, "new", 1203)
    expect(line).to_be_focused()
    expect(line).to_have_accessible_name("1203 new, added")
    page.keyboard.press("j")
    expect(number(page, rates, "new", 1204)).to_be_focused()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.keyboard.press("y")
    expect(page.locator("#toasts")).to_contain_text("The link to the line is copied.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.endswith(f"{address(seat)}?at={position(seat, rates)}-new-1204#file-{position(seat, rates)}")


@pytest.mark.parametrize("layout", ["unified", "split"])
def test_copied_code_is_the_code_of_one_side(open_page: OpenPage, seat: Any, layout: str) -> None:
    page = open_page(f"{address(seat)}?layout={layout}&at={position(seat, BOOKS)}-new-9", user=seat.reviewer)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate(
        """([path]) => {
          const cell = (line) => {
            const row = document.querySelector(`[data-path-new="${path}"] [data-side="new"][data-line="${line}"]`);
            return [...row.closest("tr").querySelectorAll("td.c")].at(-1);
          };
          const first = cell(18), last = cell(27);
          getSelection().setBaseAndExtent(first, 0, last, last.childNodes.length);
        }""",
        [BOOKS],
    )
    page.keyboard.press("Control+c")
    wanted = LEDGER_NOW.decode().split("\n")[17:27]
    assert page.evaluate("navigator.clipboard.readText()") == "\n".join(wanted)
    access = "ledger/access.py"
    page.goto(f"{address(seat)}?layout={layout}&at={position(seat, access)}-new-2")
    expect(number(page, access, "new", 2)).to_be_focused()
    page.evaluate(
        """([path]) => {
          const button = document.querySelector(`[data-path-new="${path}"] [data-side="new"][data-line="2"]`);
          const cell = [...button.closest("tr").querySelectorAll("td.c")].at(-1);
          getSelection().setBaseAndExtent(cell, 0, cell, cell.childNodes.length);
        }""",
        [access],
    )
    page.keyboard.press("Control+c")
    assert page.evaluate("navigator.clipboard.readText()") == HEAD[access.encode()][1].decode().split("\n")[1]


def test_findings_and_places_light_each_other_and_a_place_is_taken_back(open_page: OpenPage, seat: Any) -> None:
    places = (
        AnchorInput(role="primary", path=BOOKS, side="new", first_line=26, last_line=27),
        AnchorInput(role="alternate", path=BOOKS, side="old", first_line=20, last_line=20),
    )
    label(seat, anchors=places)
    page = open_page(f"{address(seat)}?at={position(seat, BOOKS)}-new-9", user=seat.reviewer)
    expect(number(page, BOOKS, "new", 9)).to_be_focused()
    expect(number(page, BOOKS, "new", 27)).to_have_accessible_name("27 new, added, Label 1 primary")
    expect(number(page, BOOKS, "old", 20)).to_have_accessible_name("20 old, removed, Label 1 alternate")
    page.keyboard.press(">")
    expect(number(page, BOOKS, "old", 20)).to_be_focused()
    expect(page.locator("#label-list li")).to_have_class(re.compile("lit"))
    page.keyboard.press(">")
    expect(number(page, BOOKS, "new", 26)).to_be_focused()
    page.locator(".label-row").hover()
    expect(page.locator("td.n.lit")).to_have_count(2)
    page.locator(".line-mark").first.click()
    expect(page.locator("[data-form-heading]")).to_have_text("Label 1")
    expect(page.locator(".place-quote").first).to_contain_text("limit = today - datetime.timedelta(days=21)")
    number(page, BOOKS, "new", 10).click()
    page.get_by_role("button", name="Supporting").click()
    expect(page.locator(".anchor-list li")).to_have_count(3)
    page.keyboard.press("Alt+c")
    page.keyboard.press("z")
    expect(page.locator(".anchor-list li")).to_have_count(2)
    held = LabelAnchor.objects.filter(until__isnull=True)
    assert set(held.values_list("role", "first_line")) == {("primary", 26), ("alternate", 20)}


def test_a_word_is_followed_through_the_snapshot_without_a_mouse(open_page: OpenPage, seat: Any) -> None:
    page = open_page(f"{address(seat)}?at={position(seat, BOOKS)}-new-11", user=seat.reviewer)
    expect(number(page, BOOKS, "new", 11)).to_be_focused()
    page.keyboard.press("*")
    page.locator("#symbols-list").get_by_text("statement", exact=True).press("Enter")
    found = page.locator("#snapshot-found a")
    expect(found).to_have_count(3)
    expect(found.first).to_be_focused()
    found.nth(1).press("Enter")
    expect(number(page, BOOKS, "new", 32)).to_be_focused()
    page.locator("#snapshot-name").fill("readme")
    expect(page.locator("#snapshot-found")).to_contain_text("README.md")
    page.locator("#snapshot-found a").press("Enter")
    opened = page.locator("article#snapshot-file")
    expect(opened).to_be_focused()
    page.keyboard.press("Escape")
    expect(opened).to_have_count(0)
