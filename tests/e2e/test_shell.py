"""The shell and the components in a browser: readable by axe, usable by keyboard, honest about errors."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests import factories
from tests.e2e.conftest import OpenPage

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.urls("tests.e2e.styleguide_urls"),
]
STYLEGUIDE = "/sample-styleguide/"
SIGN_IN = "/accounts/login/"
ADD = """([html]) => {
  const box = document.createElement("div");
  box.innerHTML = html;
  document.getElementById("main").append(box);
  window.htmx?.process(box);
}"""


def add(page: Page, html: str) -> None:
    """Put markup on the page as a fragment would."""
    page.evaluate(ADD, [html])


def leave_fields(page: Page) -> None:
    """Take the focus out of any field, so that keys act."""
    page.evaluate("document.activeElement.blur()")


@pytest.fixture
def styleguide(open_page: OpenPage) -> Page:
    page = open_page(
        STYLEGUIDE, user=factories.make_user("Ada Reviewer"), expected=(r"status of (422|503)", "Status Error Code 503")
    )
    leave_fields(page)
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_nothing_on_any_component(
    open_page: OpenPage, violations: Callable[[Page], list[str]], scheme: str, width: int
) -> None:
    page = open_page(STYLEGUIDE, user=factories.make_user("Ada Reviewer"), scheme=scheme, width=width)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    leave_fields(page)
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    assert violations(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", [SIGN_IN, "/accounts/password/reset/", "/accounts/signup/"])
def test_axe_finds_nothing_where_people_come_in(
    open_page: OpenPage, violations: Callable[[Page], list[str]], scheme: str, path: str
) -> None:
    assert violations(open_page(path, scheme=scheme, width=390)) == []


def test_a_key_acts_outside_fields_and_is_typed_inside_them(styleguide: Page) -> None:
    pressed = "document.querySelector('[data-shortcut=n]').addEventListener('click', () => window.pressed = 1)"
    styleguide.evaluate(pressed)
    field = styleguide.get_by_label("Find", exact=True)
    field.focus()
    styleguide.keyboard.press("n")
    expect(field).to_have_value("n")
    assert styleguide.evaluate("window.pressed") is None
    leave_fields(styleguide)
    styleguide.keyboard.press("n")
    assert styleguide.evaluate("window.pressed") == 1


def test_severity_keys_act_only_inside_the_severity_field(styleguide: Page) -> None:
    chosen = styleguide.locator("[name=severity]:checked")
    styleguide.keyboard.press("m")
    expect(chosen).to_have_value("high")
    chosen.focus()
    styleguide.keyboard.press("m")
    expect(chosen).to_have_value("medium")


def test_a_person_can_change_a_key_but_not_take_one_in_use(styleguide: Page) -> None:
    styleguide.keyboard.press("?")
    change = styleguide.get_by_role("button", name="New label. Change this key")
    change.click()
    styleguide.keyboard.press("?")
    expect(styleguide.get_by_text('? is already used for "Show this sheet"')).to_be_visible()
    change.click()
    with styleguide.expect_response("**/me/preferences/"):
        styleguide.keyboard.press("q")
    expect(change).to_have_text("q")
    styleguide.reload()
    leave_fields(styleguide)
    styleguide.evaluate(
        "document.querySelector('[data-shortcut=n]').addEventListener('click', () => window.pressed = 1)"
    )
    styleguide.keyboard.press("n")
    assert styleguide.evaluate("window.pressed") is None
    styleguide.keyboard.press("q")
    assert styleguide.evaluate("window.pressed") == 1


def test_two_shortcuts_on_one_key_are_reported(open_page: OpenPage) -> None:
    page = open_page(STYLEGUIDE, user=factories.make_user("Ada Reviewer"), expected=("declared twice",))
    with page.expect_console_message(lambda message: 'Shortcut "n" is declared twice' in message.text):
        add(page, '<button type="button" data-shortcut="n">Next</button>')
        page.evaluate("document.dispatchEvent(new Event('htmx:afterSettle', {bubbles: true}))")


def test_the_chosen_scheme_outlives_the_page_and_the_system(open_page: OpenPage) -> None:
    page = open_page(SIGN_IN, scheme="light")
    page.get_by_text("Display", exact=True).click()
    page.get_by_label("Dark").check()
    page.reload()
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"
    page.get_by_text("Display", exact=True).click()
    expect(page.get_by_label("Dark")).to_be_checked()
    page.get_by_label("System").check()
    assert page.evaluate("document.documentElement.dataset.theme ?? null") is None


def test_a_refused_form_is_swapped_and_its_first_invalid_field_gets_the_focus(styleguide: Page) -> None:
    answer = '<form id="sample"><input id="one"><input id="two" aria-invalid="true"></form>'
    styleguide.route("**/refuse/", lambda route: route.fulfill(status=422, content_type="text/html", body=answer))
    add(styleguide, '<form id="sample" hx-post="/refuse/" hx-swap="outerHTML"><button>Send</button></form>')
    styleguide.get_by_role("button", name="Send", exact=True).click()
    expect(styleguide.locator("#two")).to_be_focused()


@pytest.mark.parametrize(
    ("content_type", "body", "shown"),
    [
        ("text/html", "<h1>gateway</h1>", "The server is busy or being updated."),
        (
            "text/plain; charset=utf-8",
            "The queue is <b>full</b>. Try at noon.",
            "The queue is <b>full</b>. Try at noon.",
        ),
    ],
)
def test_an_error_says_what_happened_as_text(styleguide: Page, content_type: str, body: str, shown: str) -> None:
    def fail(route: Route) -> None:
        route.fulfill(status=503, content_type=content_type, body=body)

    styleguide.route("**/busy/", fail)
    add(styleguide, '<button type="button" hx-get="/busy/">Ask</button>')
    styleguide.get_by_role("button", name="Ask", exact=True).click()
    expect(styleguide.locator("#toasts")).to_contain_text(shown)
    assert styleguide.locator("#toasts b").count() == 0


def test_an_error_under_an_open_dialog_can_be_read_and_dismissed(styleguide: Page) -> None:
    styleguide.get_by_role("button", name="Open a dialog").click()
    styleguide.evaluate(
        "document.dispatchEvent(new CustomEvent('touchstone:notice', {detail: {text: 'Not saved.', tone: 'error'}}))"
    )
    notice = styleguide.locator("#toasts")
    expect(notice).to_contain_text("Not saved.")
    notice.get_by_role("button", name="Dismiss").click()
    expect(notice).to_be_empty()
    styleguide.keyboard.press("Escape")
    # The region moves once the dialog says that it is closed, which is after the key.
    styleguide.wait_for_function("document.getElementById('toasts').parentElement === document.body")


def test_a_double_click_submits_a_plain_form_once(styleguide: Page) -> None:
    seen: list[str] = []

    def count(route: Route) -> None:
        seen.append(route.request.url)
        route.fulfill(status=204)

    styleguide.route("**/once/", count)
    add(styleguide, '<form method="post" action="/once/"><button>Once</button></form>')
    styleguide.evaluate(
        "const form = document.querySelector('[action=\"/once/\"]'); form.requestSubmit(); form.requestSubmit();"
    )
    styleguide.wait_for_timeout(200)
    assert len(seen) == 1


def test_registered_shortcuts_run_and_are_listed(styleguide: Page) -> None:
    styleguide.evaluate(
        """document.dispatchEvent(new CustomEvent("touchstone:shortcut", {detail: {
          id: "line-next", keys: "j arrowdown", label: "Next line", group: "Lines",
          run() { window.ran = (window.ran ?? 0) + 1; }}}))"""
    )
    styleguide.keyboard.press("j")
    styleguide.keyboard.press("ArrowDown")
    assert styleguide.evaluate("window.ran") == 2
    styleguide.keyboard.press("?")
    expect(styleguide.locator("#shortcut-sheet")).to_contain_text("Next line")
    styleguide.keyboard.press("j")
    assert styleguide.evaluate("window.ran") == 2


def test_keys_kept_in_the_browser_may_be_broken(open_page: OpenPage) -> None:
    page = open_page(SIGN_IN)
    for broken in ("not json", json.dumps([1]), json.dumps({"Everywhere/Show this sheet": 7})):
        page.evaluate("([text]) => localStorage.setItem('touchstone.keys', text)", [broken])
        page.reload()
        leave_fields(page)
        page.keyboard.press("?")
        expect(page.locator("#help")).to_be_visible()
