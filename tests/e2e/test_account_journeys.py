"""Whole journeys of accounts and of a lead's pages that no other test makes: two steps, addresses, and keys alone."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.core.cache import cache
from playwright.sync_api import Page, expect

from corpus.domain.vocabulary import Role
from corpus.models import GuidelinesVersion, Invitation, Membership, Project
from tests import factories
from tests.e2e.conftest import OpenPage
from tests.e2e.hands import Keyboard

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
Violations = Callable[[Page], list[str]]


@pytest.fixture(autouse=True)
def fresh_limits(people, project) -> None:
    """Let no test use up the rate limits of another."""
    cache.clear()


def code_of(secret: str) -> str:
    """Return what an authenticator app shows for a secret now."""
    return str(format_hotp_value(hotp_value(secret, int(time.time()) // 30)))


def sign_in(page: Page, email: str) -> None:
    page.goto("/accounts/login/")
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password", exact=True).fill(factories.PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def heading(page: Page, words: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(words)


def test_a_second_step_is_set_up_used_and_turned_off(open_page: OpenPage, violations: Violations, people) -> None:
    person = people.reviewer_a
    page = open_page("/accounts/login/", width=390)
    found = {}

    def looked(words: str) -> None:
        heading(page, words)
        found[words] = violations(page)
        assert page.evaluate("document.documentElement.scrollWidth") == 390

    sign_in(page, person.email)
    page.goto("/accounts/2fa/")
    looked("Two-factor sign-in")
    page.get_by_role("link", name="Set up").click()
    looked("Confirm that it is you")
    page.get_by_label("Password").fill(factories.PASSWORD)
    page.get_by_role("button", name="Confirm").click()
    looked("Set up an authenticator app")
    page.get_by_label("Authenticator code").fill("000000")
    page.get_by_role("button", name="Turn on").click()
    expect(page.get_by_text("The code is wrong or too old.")).to_be_visible()
    secret = page.get_by_role("textbox", name="Secret").input_value()
    page.get_by_label("Authenticator code").fill(code_of(secret))
    page.get_by_role("button", name="Turn on").click()
    looked("Recovery codes")
    codes = page.locator("#recovery-codes").inner_text().split()
    assert len(codes) == 10
    page.get_by_role("link", name="Done").click()
    expect(page.get_by_text("Signing in asks for a code from your app.")).to_be_visible()
    page.goto("/accounts/logout/")
    looked("Sign out")
    page.locator("main").get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("You have signed out.")).to_be_visible()
    sign_in(page, person.email)
    looked("Second step")
    page.goto("/me/")
    heading(page, "Second step")
    page.get_by_label("Code").fill("123456")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("The code is wrong or too old.")).to_be_visible()
    page.get_by_label("Code").fill(codes[0])
    page.get_by_role("button", name="Sign in").click()
    heading(page, "Payments corpus")
    page.goto("/accounts/2fa/")
    expect(page.get_by_text("9 unused.")).to_be_visible()
    page.get_by_role("link", name="Turn off").click()
    heading(page, "Confirm that it is you")
    page.get_by_role("link", name="Use authenticator app or code").click()
    heading(page, "Confirm that it is you")
    page.get_by_label("Code").fill(codes[1])
    page.get_by_role("button", name="Confirm").click()
    looked("Turn off the second step")
    page.get_by_role("button", name="Turn off").click()
    expect(page.get_by_text("Signing in needs your password only.")).to_be_visible()
    assert {words: errors for words, errors in found.items() if errors} == {}


def test_an_address_becomes_the_accounts_once_its_mailbox_has_proven_it(
    open_page: OpenPage, violations: Violations, people, mailoutbox
) -> None:
    person = people.reviewer_a
    page = open_page("/accounts/login/")
    sign_in(page, person.email)
    page.goto("/accounts/email/")
    page.get_by_label("Email").fill("ada@elsewhere.example")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_label(re.compile("ada@elsewhere.example")).check()
    page.get_by_role("button", name="Make primary").click()
    expect(page.get_by_text("An address becomes primary once it is confirmed.")).to_be_visible()
    person.refresh_from_db()
    assert person.email == "ada.reviewer@example.org"
    assert violations(page) == []
    [link] = re.findall(r"http\S+", mailoutbox[-1].body)[:1]
    assert mailoutbox[-1].subject == "Confirm your address for Touchstone"
    page.goto(link)
    heading(page, "Confirm an address")
    assert violations(page) == []
    page.get_by_role("button", name="Confirm").click()
    page.goto("/accounts/email/")
    page.get_by_label(re.compile("ada@elsewhere.example")).check()
    page.get_by_role("button", name="Make primary").click()
    expect(page.get_by_text("Primary email address set.")).to_be_visible()
    person.refresh_from_db()
    assert person.email == "ada@elsewhere.example"


def test_a_lead_archives_and_restores_a_project_by_keyboard(
    open_page: OpenPage, violations: Violations, people, project
) -> None:
    page = open_page(f"/p/{project.slug}/settings/", user=people.lead, expected=("status of 422",))
    hands = Keyboard(page)
    hands.go(page.get_by_role("link", name="Archive"))
    heading(page, "Archive Payments corpus")
    hands.write(page.get_by_label(re.compile("Write the project's name")), "Payments")
    hands.go(page.get_by_role("button", name="Archive the project"))
    expect(page.get_by_text("This is not the name of the project.")).to_be_visible()
    expect(page.get_by_label(re.compile("Write the project's name"))).to_be_focused()
    assert violations(page) == []
    hands.write(page.get_by_label(re.compile("Write the project's name")), "Payments corpus")
    hands.go(page.get_by_role("button", name="Archive the project"))
    expect(page.locator("#messages")).to_contain_text("Payments corpus is archived.")
    assert Project.objects.get().archived_at is not None
    page.goto("/me/")
    hands.go(page.get_by_role("button", name="Restore Payments corpus"))
    expect(page.locator("#messages")).to_contain_text("Payments corpus")
    assert Project.objects.get().archived_at is None


def test_a_lead_keeps_members_by_keyboard(open_page: OpenPage, people, project) -> None:
    page = open_page(f"/p/{project.slug}/members/", user=people.lead)
    hands = Keyboard(page)
    hands.go(page.get_by_role("link", name="Invite a person"))
    hands.write(page.get_by_label("Email address"), "nea@example.org")
    hands.tick(page.get_by_label(re.compile("^Analyst")))
    hands.go(page.get_by_role("button", name="Make the link"))
    heading(page, "The link for nea@example.org")
    hands.go(page.get_by_role("link", name="Back to the members"))
    hands.go(page.get_by_role("button", name="Revoke the invitation of nea@example.org"))
    expect(page.get_by_text("The link for nea@example.org no longer works.")).to_be_visible()
    assert Invitation.objects.get().revoked_at is not None
    hands.go(page.get_by_role("link", name="Ann Analyst"))
    hands.go(page.get_by_role("button", name=re.compile("adjudicator", re.I)))
    expect(page.locator("#messages")).to_contain_text("Ann Analyst is now adjudicator")
    assert Membership.objects.filter(user=people.analyst, role=Role.ADJUDICATOR).exists()
    hands.write(page.get_by_label("Languages"), "bash")
    hands.go(page.get_by_role("button", name=re.compile("Save")))
    expect(page.locator("#messages")).to_be_visible()
    assert list(people.analyst.expertise.values_list("value", flat=True)) == ["Shell"]


def test_a_lead_edits_a_text_by_keyboard(open_page: OpenPage, people, project) -> None:
    page = open_page(f"/p/{project.slug}/settings/", user=people.lead)
    hands = Keyboard(page)
    hands.go(page.locator(f"a[href='/p/{project.slug}/settings/guidelines/']").first)
    hands.write(page.get_by_label("Guidelines", exact=True), "# Short and clear")
    hands.tick(page.get_by_label(re.compile("^Editorial")))
    hands.write(page.get_by_label("Note"), "Shorter")
    hands.go(page.get_by_role("button", name="Save as version 2").last)
    expect(page.get_by_text("Guidelines: version 2 is in force.")).to_be_visible()
    assert GuidelinesVersion.objects.get(project=project, number=2).text.strip() == "# Short and clear"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_nothing_where_bytes_are_withdrawn(
    open_page: OpenPage, violations: Violations, people, project, scheme: str, width: int
) -> None:
    case = factories.make_case(project)
    address = f"/p/{project.slug}/cases/{case.public_id}/withdraw-bytes/"
    page = open_page(address, user=people.lead, scheme=scheme, width=width, expected=("status of 422",))
    assert violations(page) == []
    page.get_by_label("pay/retry.py").check()
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("heading", name="2. Look at what is destroyed")).to_be_focused()
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    if width == 1440 and scheme == "light":
        page.get_by_label("Reason").fill("A key leaked")
        page.get_by_role("button", name=re.compile("for good$")).click()
        expect(page.get_by_text("Withdrawn: Bytes withdrawn: A key leaked")).to_be_visible()
        page.go_back()
        page.go_back()
        assert violations(page) == []
