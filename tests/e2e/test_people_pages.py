"""The pages of people and of a project's texts in a browser: readable by axe, wide and narrow, and usable."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.core.cache import cache
from playwright.sync_api import Page, expect

from corpus.domain.vocabulary import EditKind, Role
from corpus.models import GuidelinesVersion, Invitation, Membership, User
from corpus.selectors.project_texts import KINDS
from corpus.services.invitations import invite, proof_of
from corpus.services.people import set_expertise
from corpus.services.project_texts import Edit, edit_text
from tests.e2e.conftest import OpenPage

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def lived_in(people, project) -> None:
    """A project with expertise, open invitations and a few versions."""
    cache.clear()
    set_expertise(user=people.reviewer_a, languages=["Go", "SQL"], areas=["payments"], actor=people.reviewer_a)
    invite(project=project, email="new.person@example.org", role=Role.REVIEWER, actor=people.lead)
    text = KINDS["guidelines"].in_force(project).text
    edit_text(
        kind=KINDS["guidelines"],
        project=project,
        author=people.lead,
        base=1,
        values=text.replace("One label per defect", "One label for each defect") + "\n## Added\n\nOne more rule.\n",
        edit=Edit(EditKind.SUBSTANTIVE, "boundary", "Asked by the reviewers"),
    )


@pytest.fixture
def paths(people, project) -> dict[str, tuple[str, User | None]]:
    """Name the pages, with who opens them."""
    root = User.objects.create_superuser(email="root@example.org", password="x", name="Rut Root")
    secrets = [
        invite(project=project, email=email, role=Role.ANALYST, actor=people.lead).secret
        for email in ("someone@example.org", people.outsider.email)
    ]
    base = f"/p/{project.slug}"
    return {
        "members": (f"{base}/members/", people.lead),
        "member": (f"{base}/members/{people.reviewer_a.public_id}/", people.lead),
        "invite": (f"{base}/members/invite/", people.lead),
        "invited": (f"/invitations/{secrets[0]}/", None),
        "newcomer": (f"/invitations/{secrets[0]}/{proof_of(secrets[0])}/", None),
        "accept": (f"/invitations/{secrets[1]}/", people.outsider),
        "wrong address": (f"/invitations/{secrets[0]}/", people.outsider),
        "profile": ("/me/", people.reviewer_a),
        "accounts": ("/people/", root),
        "new project": ("/projects/new/", root),
        "no project": ("/", people.outsider),
        "first project": ("/", root),
        "settings": (f"{base}/settings/", people.lead),
        "name": (f"{base}/settings/project/", people.lead),
        "archive": (f"{base}/settings/archive/", people.lead),
        "guidelines": (f"{base}/guidelines/", people.reviewer_a),
        "edit guidelines": (f"{base}/settings/guidelines/", people.lead),
        "edit taxonomy": (f"{base}/settings/taxonomy/", people.lead),
        "edit severity": (f"{base}/settings/severity/", people.lead),
        "edit contract": (f"{base}/settings/contract/", people.lead),
        "edit policy": (f"{base}/settings/policy/", people.lead),
        "history": (f"{base}/settings/guidelines/versions/", people.lead),
        "version": (f"{base}/settings/guidelines/versions/2/", people.lead),
    }


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_nothing_and_no_page_is_wider_than_the_window(
    open_page: OpenPage, violations: Callable[[Page], list[str]], paths, scheme: str, width: int
) -> None:
    found = {}
    for name, (path, user) in paths.items():
        page = open_page(path, user=user, scheme=scheme, width=width)
        if errors := violations(page):
            found[name] = errors
        if (wide := page.evaluate("document.documentElement.scrollWidth")) > width:
            found[f"{name}, width"] = [str(wide)]
        page.context.close()
    assert found == {}


def test_a_lead_invites_and_the_newcomer_comes_in(open_page: OpenPage, people, project, mailoutbox) -> None:
    page = open_page(f"/p/{project.slug}/members/", user=people.lead)
    page.get_by_role("link", name="Invite a person").click()
    page.get_by_label("Email address").fill("nea@example.org")
    page.get_by_label(re.compile("^Adjudicator")).check()
    page.get_by_role("button", name="Make the link").click()
    link = page.locator("#link").inner_text()
    newcomer = open_page(link, expected=("status of 404",))
    newcomer.get_by_role("button", name="Send me the mail").click()
    expect(newcomer.get_by_text("A mail is on its way to nea@example.org.")).to_be_visible()
    [mailed] = re.findall(rf"{link}\w+/", mailoutbox[-1].body)
    newcomer.goto(mailed)
    newcomer.get_by_label("Your name").fill("Nea New")
    newcomer.get_by_label("Password", exact=True).fill("seven-lamps-of-tin")
    newcomer.get_by_role("button", name="Make my account and accept").click()
    expect(newcomer.get_by_text("Welcome to Payments corpus.")).to_be_visible()
    newcomer.goto(mailed)
    expect(newcomer.get_by_role("heading", name="This invitation link does not work any more")).to_be_visible()
    assert Membership.objects.get(user__email="nea@example.org").role == "adjudicator"
    page.get_by_role("link", name="Back to the members").click()
    page.get_by_role("button", name="Revoke the invitation of new.person@example.org").click()
    expect(page.get_by_text("The link for new.person@example.org no longer works.")).to_be_visible()
    assert Invitation.objects.get(email="new.person@example.org").revoked_at is not None


def test_guidelines_are_previewed_in_place_and_saved(open_page: OpenPage, people, project) -> None:
    page = open_page(f"/p/{project.slug}/settings/guidelines/", user=people.lead)
    page.get_by_label("Guidelines", exact=True).fill("# Short\n\nOne **rule** <b>here</b>.")
    page.get_by_role("button", name="Preview").click()
    preview = page.get_by_role("region", name="Preview")
    expect(preview).to_contain_text("One rule <b>here</b>.")
    expect(preview.locator("strong")).to_have_text("rule")
    page.get_by_label(re.compile("^Editorial")).check()
    page.get_by_label("Note").fill("Shorter")
    page.get_by_role("button", name="Save as version 3").last.click()
    expect(page.get_by_text("Guidelines: version 3 is in force.")).to_be_visible()
    assert GuidelinesVersion.objects.get(project=project, number=3).note == "Shorter"


def test_what_was_typed_and_not_saved_is_offered_again(open_page: OpenPage, people, project) -> None:
    path = f"/p/{project.slug}/settings/guidelines/"
    page = open_page(path, user=people.lead)
    page.get_by_label("Guidelines", exact=True).fill("# Half a thought")
    expect(page.get_by_text("not saved yet, kept in this browser")).to_be_visible()
    page.goto(f"/p/{project.slug}/settings/")
    page.goto(path)
    expect(page.get_by_label("Guidelines", exact=True)).not_to_have_value("# Half a thought")
    page.get_by_role("button", name="Put it back").click()
    expect(page.get_by_label("Guidelines", exact=True)).to_have_value("# Half a thought")


def test_an_edit_that_came_between_is_shown_and_the_typed_text_stays(open_page: OpenPage, people, project) -> None:
    page = open_page(f"/p/{project.slug}/settings/policy/", user=people.lead, expected=(r"status of 409",))
    policy = KINDS["policy"]
    values = policy.values_of(policy.in_force(project))
    edit_text(
        kind=policy,
        project=project,
        author=people.lead,
        base=1,
        values=type(values)(**{**{f: getattr(values, f) for f in values.__slots__}, "reservation_hours": 48}),
        edit=Edit(EditKind.EDITORIAL, note="Shorter reservations"),
    )
    page.get_by_label("Reservation, hours").fill("24")
    page.get_by_label(re.compile("^Editorial")).check()
    page.get_by_role("button", name="Save as version 2").last.click()
    expect(page.get_by_role("alert")).to_contain_text("Lea Lead saved version 2")
    expect(page.get_by_label("Reservation, hours")).to_have_value("24")
    page.get_by_role("button", name="Save as version 3").last.click()
    expect(page.get_by_text("Working policy: version 3 is in force.")).to_be_visible()


def test_categories_are_moved_by_keyboard_with_the_focus_on_what_moved(open_page: OpenPage, people, project) -> None:
    page = open_page(f"/p/{project.slug}/settings/taxonomy/", user=people.lead)
    first = page.locator("details.category").first
    name = first.locator("summary strong").inner_text()
    first.locator("summary").press("Enter")
    first.get_by_role("button", name="Move down").press("Enter")
    second = page.locator("details.category").nth(1)
    expect(second.locator("summary strong")).to_have_text(name)
    expect(second.locator("summary")).to_be_focused()
