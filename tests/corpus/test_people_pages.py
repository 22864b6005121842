"""What people see of each other, and how they come in, name themselves and leave."""

from __future__ import annotations

import csv
import html
import io
import re

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from corpus import clock
from corpus.domain.vocabulary import Role
from corpus.models import AuditEntry, Expertise, Invitation, Membership, Project, User
from corpus.services.invitations import invite, revoke_invitation
from corpus.services.people import grant_role, set_expertise
from corpus.services.projects import archive_project
from tests import factories

LINK = re.compile(r"http://testserver(/invitations/[0-9a-f]{64}/)(?![0-9a-f])")
PROVEN = re.compile(r"http://testserver(/invitations/[0-9a-f]{64}/[0-9a-f]{32}/)")


def shown(page) -> str:
    """Return the words of a whole page, its messages included."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page.content.decode())).split())


@pytest.fixture(autouse=True)
def fresh_limits(db) -> None:
    """Let no test use up the rate limits of another."""
    cache.clear()


@pytest.fixture
def admin(people) -> User:
    return User.objects.create_superuser(email="root@example.org", password=factories.PASSWORD, name="Rut Root")


def link_for(project, people, email: str, role: Role = Role.REVIEWER) -> str:
    return reverse(
        "invitation_accept", args=[invite(project=project, email=email, role=role, actor=people.lead).secret]
    )


# --- Members -----------------------------------------------------------------------------------------------------


def test_a_lead_sees_members_with_roles_and_expertise_once_each(people, project, client_of) -> None:
    grant_role(project=project, user=people.reviewer_a, role=Role.ADJUDICATOR, actor=people.lead)
    set_expertise(user=people.reviewer_a, languages=["Go", "SQL"], areas=["payments"], actor=people.reviewer_a)
    text = shown(client_of(people.lead).get(reverse("member_list", args=[project.slug])))
    assert "6 members" in text
    assert "Ada Reviewer ada.reviewer@example.org reviewer adjudicator Go, SQL payments" in text
    assert text.count("ada.reviewer@example.org") == 1
    assert "otto" not in text.lower()


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("?role=analyst", ["Ann Analyst"]),
        ("?q=REVIEWER&sort=-name", ["Cid Reviewer", "Ben Reviewer", "Ada Reviewer"]),
        ("?q=cobol", ["Ben Reviewer"]),
        ("?q=ben+cobol", ["Ben Reviewer"]),
        ("?q=ada+cobol", []),
        ("?role=king", ["Ada Reviewer", "Ann Analyst", "Ben Reviewer", "Cid Reviewer", "Jo Adjudicator", "Lea Lead"]),
    ],
)
def test_members_are_filtered_and_sorted_by_the_address_and_exported_alike(
    people, project, client_of, query, names
) -> None:
    set_expertise(user=people.reviewer_b, languages=["COBOL"], areas=[], actor=people.reviewer_b)
    client = client_of(people.lead)
    page = client.get(reverse("member_list", args=[project.slug]) + query)
    assert [row.name for row in page.context["rows"]] == names
    sheet = client.get(reverse("member_export", args=[project.slug]) + query).getvalue().decode()
    assert [row["name"] for row in csv.DictReader(io.StringIO(sheet))] == names


def test_a_search_for_what_no_text_holds_is_refused_and_not_run(people, project, client_of) -> None:
    answer = client_of(people.lead).get(reverse("member_list", args=[project.slug]) + "?q=%00")
    assert answer.status_code in {400, 404}


def test_an_exported_name_is_no_formula(people, project, client_of) -> None:
    User.objects.filter(pk=people.analyst.pk).update(name="=1+1")
    sheet = client_of(people.lead).get(reverse("member_export", args=[project.slug])).getvalue().decode()
    assert "'=1+1" in sheet
    assert ",=1+1" not in sheet


def test_the_list_of_members_asks_a_constant_number_of_queries(
    people, project, client_of, django_assert_max_num_queries
) -> None:
    client = client_of(people.lead)
    address = reverse("member_list", args=[project.slug])

    def ask() -> int:
        with django_assert_max_num_queries(40) as captured:
            client.get(address)
        return len(captured.captured_queries)

    ask()  # The first page of a session notes the project in it.
    few = ask()
    for number in range(12):
        user = factories.make_user(f"More People {number}")
        factories.make_member(project, user, Role.REVIEWER)
        invite(project=project, email=f"x{number}@example.org", role=Role.ANALYST, actor=people.lead)
    assert ask() == few


def test_a_lead_gives_and_withdraws_roles_and_the_last_lead_stays(people, project, client_of) -> None:
    client = client_of(people.lead)
    address = reverse("member_role", args=[project.slug, people.analyst.public_id])
    page = client.post(address, {"role": "reviewer", "act": "grant"}, follow=True)
    assert "Ann Analyst is now reviewer in Payments corpus." in shown(page)
    client.post(address, {"role": "analyst", "act": "withdraw"})
    assert list(Membership.objects.filter(user=people.analyst).values_list("role", flat=True)) == ["reviewer"]
    own = reverse("member_role", args=[project.slug, people.lead.public_id])
    page = client.post(own, {"role": "lead", "act": "withdraw"}, follow=True)
    assert "Lea Lead is the last lead" in shown(page)
    for bad in ({"role": "king", "act": "grant"}, {"role": "lead", "act": "crown"}, {}):
        assert client.post(address, bad).status_code == 400
    grant_role(project=project, user=people.analyst, role=Role.LEAD, actor=people.lead)
    assert client.post(own, {"role": "lead", "act": "withdraw"}).url == "/"
    assert client.get(reverse("member_list", args=[project.slug])).status_code == 404


def test_a_lead_stores_expertise_of_a_member_and_not_of_others(people, project, client_of) -> None:
    client = client_of(people.lead)
    address = reverse("member_page", args=[project.slug, people.reviewer_a.public_id])
    assert client.post(address, {"languages": "go, typescript", "areas": "a\r\nb"}).status_code == 302
    assert sorted(Expertise.objects.values_list("value", flat=True)) == ["Go", "TypeScript", "a", "b"]
    page = client.post(address, {"languages": "x" * 61, "areas": "kept as typed"})
    assert page.status_code == 422
    assert "61 characters; the limit is 60" in shown(page)
    assert b"kept as typed" in page.content
    stranger = reverse("member_page", args=[project.slug, people.outsider.public_id])
    assert client.post(stranger, {"languages": "Go"}).status_code == 404


# --- Invitations -------------------------------------------------------------------------------------------------


def test_the_inviter_gets_the_same_answer_whether_the_address_exists_or_not(
    people, project, client_of, mailoutbox, monkeypatch
) -> None:
    monkeypatch.setattr("django.middleware.csrf.get_random_string", lambda length, allowed_chars="a": "a" * length)
    client = client_of(people.lead)
    address = reverse("invitation_new", args=[project.slug])
    answers = []
    for email in (people.outsider.email, people.reviewer_a.email, "nobody.knows@example.org"):
        page = client.post(address, {"email": email, "role": "analyst"})
        assert page.status_code == 200
        [link] = LINK.findall(page.content.decode())
        [mailed] = PROVEN.findall(mailoutbox[-1].body)
        assert mailed.startswith(link)
        assert mailed not in page.content.decode()
        assert mailoutbox[-1].to == [email]
        made = Invitation.objects.get(email=email)
        text = re.sub(r"\d\d:\d\d:\d\d", "TIME", page.content.decode())
        text = re.sub(r'datetime="[^"]*"', "datetime", text)
        answers.append((page.status_code, text.replace(link, "LINK").replace(email, "EMAIL"), made.role))
    assert answers[0] == answers[1] == answers[2]


def test_pending_invitations_are_listed_without_their_links_and_revoked(people, project, client_of) -> None:
    client = client_of(people.lead)
    link = link_for(project, people, "new@example.org")
    page = client.get(reverse("member_list", args=[project.slug]))
    made = Invitation.objects.get()
    assert f"new@example.org reviewer Lea Lead just now {made.expires_at:%Y-%m-%d} Revoke" in shown(page)
    assert link not in page.content.decode()
    client.post(reverse("invitation_revoke", args=[project.slug, made.public_id]))
    assert "No link is waiting to be used." in shown(client.get(reverse("member_list", args=[project.slug])))
    assert Client().get(link).status_code == 404


def mailed_link(client: Client, link: str, mailoutbox) -> str:
    """Ask for the way in, and return the link in the mail that comes."""
    client.post(link)
    found = [*PROVEN.findall(mailoutbox[-1].body), *LINK.findall(mailoutbox[-1].body)]
    return found[0]


def test_a_newcomer_makes_an_account_and_lands_in_the_project(people, project, mailoutbox) -> None:
    client = Client()
    link = link_for(project, people, "new@example.org")
    page = client.get(link)
    assert "Lea Lead invites new@example.org as reviewer ." in shown(page)
    assert page["Cache-Control"].startswith("max-age=0")
    assert "A mail is on its way to new@example.org." in shown(client.post(link, follow=True))
    mailed = mailed_link(client, link, mailoutbox)
    assert client.get(mailed)["Cache-Control"].startswith("max-age=0")
    weak = client.post(mailed, {"name": "Nea New", "password": "short"})
    assert weak.status_code == 422
    assert "too short" in shown(weak)
    assert b"short" not in re.findall(rb'<input[^>]*name="password"[^>]*>', weak.content)[0]
    done = client.post(mailed, {"name": "Nea New", "password": "seven-lamps-of-tin"}, follow=True)
    assert "Welcome to Payments corpus. You are reviewer here." in shown(done)
    assert done.context["user"].email == "new@example.org"
    assert (
        Client()
        .post(reverse("account_login"), {"login": "new@example.org", "password": "seven-lamps-of-tin"})
        .status_code
        == 302
    )


def test_a_person_with_an_account_signs_in_first_and_accepts(people, project, mailoutbox) -> None:
    client = Client()
    link = link_for(project, people, people.outsider.email, Role.ANALYST)
    assert mailed_link(client, link, mailoutbox) == link
    assert "This address has an account." in mailoutbox[-1].body
    signed_in = client.post(
        f"{reverse('account_login')}?next={link}",
        {"login": people.outsider.email, "password": factories.PASSWORD, "next": link},
    )
    assert signed_in.url == link
    assert "Accept the invitation" in shown(client.get(link))
    assert not Membership.objects.filter(user=people.outsider).exists()
    assert client.post(link, follow=True).redirect_chain[-1][0] == reverse("project_home", args=[project.slug])
    assert Membership.objects.get(user=people.outsider).role == "analyst"


def test_who_holds_the_link_never_learns_whether_the_address_has_an_account(
    people, project, mailoutbox, monkeypatch
) -> None:
    """The issuer has the link: every verb and every form answers the same, after the same queries, in both worlds."""
    monkeypatch.setattr("django.middleware.csrf.get_random_string", lambda length, allowed_chars="a": "a" * length)
    moment = clock.now()
    monkeypatch.setattr(clock, "now", lambda: moment)
    fields = {"name": "Lea Lead", "password": "seven-lamps-of-tin"}
    worlds = []
    for email in (people.outsider.email, "nobody.knows@example.org"):
        link = link_for(project, people, email)
        client = Client()
        answers = []
        for verb, path, data in (
            ("get", link, None),
            ("post", link, fields),
            ("get", link, None),
            ("post", link, {}),
            ("get", f"{link}{'0' * 32}/", None),
            ("post", f"{link}{'0' * 32}/", fields),
            ("put", link, None),
        ):
            with CaptureQueriesContext(connection) as queries:
                page = getattr(client, verb)(path, data)
            body = page.content.decode().replace(link, "LINK").replace(email, "EMAIL")
            location = page.get("Location", "").replace(link, "LINK")
            answers.append((page.status_code, body, location, len(queries)))
        worlds.append(answers)
        cache.clear()
    assert worlds[0] == worlds[1]
    assert [answer[0] for answer in worlds[0]] == [200, 302, 200, 302, 404, 404, 404]
    assert not User.objects.filter(email="nobody.knows@example.org").exists()
    assert "A mail is on its way to EMAIL." in worlds[0][2][1]


def test_a_link_sends_few_mails_in_an_hour_whoever_asks(people, project, mailoutbox) -> None:
    link = link_for(project, people, "new@example.org")
    answers = [Client(REMOTE_ADDR=f"192.0.2.{number}").post(link).status_code for number in range(8)]
    assert answers == [302] * 6 + [429] * 2
    assert len(mailoutbox) == 6


def test_a_mail_that_cannot_be_sent_is_no_success(people, project, settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    page = Client().post(link_for(project, people, "new@example.org"), follow=True)
    assert "The mail server did not take the mail. Try again later, or tell Lea Lead." in shown(page)


def test_a_server_that_prints_its_mails_says_where_they_are(people, project, client_of, settings, capsys) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    issued = client_of(people.lead).post(
        reverse("invitation_new", args=[project.slug]), {"email": "new@example.org", "role": "analyst"}
    )
    assert "the mail was printed to its log" in shown(issued)
    [printed] = PROVEN.findall(capsys.readouterr().out.replace("=\n", ""))
    assert "Ask whoever runs it for the link." in shown(Client().get(LINK.findall(issued.content.decode())[0]))
    assert "Make my account" in shown(Client().get(printed))


def test_a_person_with_another_address_is_told_to_change_and_gets_no_role(people, project, client_of) -> None:
    link = link_for(project, people, "new@example.org", Role.LEAD)
    client = client_of(people.outsider)
    page = client.get(link)
    assert "for another address" in shown(page)
    assert "new@example.org" not in page.content.decode()
    assert client.post(link).status_code == 422
    assert not Membership.objects.filter(user=people.outsider).exists()


def test_guessed_used_revoked_and_expired_links_give_one_and_the_same_page_that_says_what_to_do(
    people, project, client_of, monkeypatch
) -> None:
    monkeypatch.setattr("django.middleware.csrf.get_random_string", lambda length, allowed_chars="a": "a" * length)
    used = link_for(project, people, people.outsider.email)
    client_of(people.outsider).post(used)
    expired = link_for(project, people, "late@example.org")
    Invitation.objects.filter(email="late@example.org").update(expires_at="2001-01-01T00:00:00Z")
    revoked = link_for(project, people, "gone@example.org")
    revoke_invitation(invitation=Invitation.objects.get(email="gone@example.org"), actor=people.lead)
    archived_project = factories.make_project(lead=people.lead, name="Old")
    archived = link_for(archived_project, people, "old@example.org")
    archive_project(project=archived_project, actor=people.lead)
    guessed = reverse("invitation_accept", args=["0" * 64])
    nonsense = reverse("invitation_accept", args=["nothing"])
    answers = set()
    for link in (guessed, nonsense, used, expired, revoked, archived):
        for address in (link, f"{link}{'0' * 32}/"):
            for ask in ("get", "post", "put", "delete"):
                page = getattr(Client(), ask)(address)
                answers.add((page.status_code, page.content if ask in {"get", "post"} else b""))
        cache.clear()
    assert {status for status, _ in answers} == {404}
    assert len(answers) == 2
    text = shown(Client().get(used))
    assert "This invitation link does not work any more" in text
    assert "If you have accepted already, you are in: sign in" in text
    assert "ask the person who invited you for a new link" in text
    assert people.outsider.email not in text
    assert f'href="{reverse("account_login")}"' in Client().get(used).content.decode()


def test_too_many_attempts_at_links_are_refused_for_a_while(people, project, mailoutbox) -> None:
    client = Client()
    for _ in range(30):
        assert client.get(reverse("invitation_accept", args=["0" * 64])).status_code == 404
    link = link_for(project, people, "new@example.org")
    page = client.post(link)
    assert page.status_code == 429
    assert "Too many requests in a short time" in shown(page)
    assert mailoutbox == []
    assert Client(REMOTE_ADDR="192.0.2.7").get(link).status_code == 200


# --- Own profile, accounts, projects -----------------------------------------------------------------------------


def test_a_person_edits_their_own_profile(people, project, client_of) -> None:
    client = client_of(people.reviewer_a)
    page = client.get(reverse("me"))
    for route in ("account_change_password", "mfa_index", "account_email"):
        assert f'href="{reverse(route)}"' in page.content.decode()
    client.post(reverse("me"), {"name": "Ada R.", "languages": "python", "areas": ""})
    people.reviewer_a.refresh_from_db()
    assert people.reviewer_a.name == "Ada R."
    assert Expertise.objects.get().value == "Python"
    refused = client.post(reverse("me"), {"name": "  ", "languages": "Go"})
    assert refused.status_code == 422
    assert Expertise.objects.get().value == "Python"


def test_the_second_step_can_be_set_up_after_a_password(people, project, client_of) -> None:
    client = client_of(people.reviewer_a)
    page = client.get(reverse("mfa_activate_totp"), follow=True)
    page = client.post(page.redirect_chain[-1][0], {"password": factories.PASSWORD}, follow=True)
    assert page.status_code == 200
    assert page.request["PATH_INFO"] == reverse("mfa_activate_totp")


def test_accounts_are_for_administrators_alone(people, project, admin, client_of) -> None:
    state = reverse("account_state", args=[people.reviewer_a.public_id])
    for user in (people.lead, people.outsider):
        client = client_of(user)
        assert client.get(reverse("account_list")).status_code == 404
        assert client.post(state, {"act": "deactivate"}).status_code == 404
    client = client_of(admin)
    assert "Ada Reviewer" in shown(client.get(f"{reverse('account_list')}?q=ada"))
    client.post(state, {"act": "deactivate"})
    people.reviewer_a.refresh_from_db()
    assert not people.reviewer_a.is_active
    assert client.post(state, {"act": "explode"}).status_code == 400
    page = client.post(reverse("account_state", args=[people.lead.public_id]), {"act": "deactivate"}, follow=True)
    assert "only lead of Payments corpus" in shown(page)
    client.post(reverse("account_lead"), {"email": people.analyst.email, "project": project.public_id})
    assert Membership.objects.filter(project=project, user=people.analyst, role="lead").exists()
    for bad in ({}, {"email": "x\x00@example.org", "project": "\x00"}):
        assert client.post(reverse("account_lead"), bad).status_code == 400
    # Administration opens no project.
    assert client.get(reverse("project_home", args=[project.slug])).status_code == 404


def test_the_first_administrator_is_led_to_their_first_project(admin, client_of) -> None:
    client = client_of(admin)
    page = client.get("/")
    assert "Start the first project" in shown(page)
    assert f'href="{reverse("project_new")}"' in page.content.decode()
    done = client.post(reverse("project_new"), {"name": "Ledger corpus", "description": "Bookings."}, follow=True)
    assert "Ledger corpus is there" in shown(done)
    made = Project.objects.get()
    assert (made.slug, made.description, made.created_by) == ("ledger-corpus", "Bookings.", admin)


def test_people_without_a_project_are_told_whom_to_ask_and_cannot_start_one(people, client_of) -> None:
    client = client_of(people.outsider)
    assert "A lead lets you in by a link" in shown(client.get("/"))
    assert client.get(reverse("project_new")).status_code == 404
    assert client.post(reverse("project_new"), {"name": "Mine"}).status_code == 404
    assert not Project.objects.exists()


def test_a_lead_starts_another_project_and_a_reviewer_does_not(people, project, client_of) -> None:
    assert client_of(people.lead).post(reverse("project_new"), {"name": "Second"}).status_code == 302
    assert client_of(people.reviewer_a).get(reverse("project_new")).status_code == 404
    assert client_of(people.lead).post(reverse("project_new"), {"name": " "}).status_code == 422


def test_a_project_is_described_archived_by_name_and_restored(people, project, client_of) -> None:
    client = client_of(people.lead)
    client.post(reverse("project_edit", args=[project.slug]), {"name": " Pay  corpus ", "description": "For pay."})
    project.refresh_from_db()
    assert (project.name, project.description, project.slug) == ("Pay corpus", "For pay.", "payments-corpus")
    archive = reverse("project_archive", args=[project.slug])
    refused = client.post(archive, {"name": "Payments corpus"})
    assert refused.status_code == 422
    assert "Nothing was archived" in shown(refused)
    page = client.post(archive, {"name": "Pay corpus"}, follow=True)
    assert "Pay corpus is archived" in shown(page)
    assert client.get(reverse("project_home", args=[project.slug])).status_code == 404
    restore = reverse("project_restore", args=[project.slug])
    for user in (people.reviewer_a, people.outsider):
        assert client_of(user).post(restore).status_code == 404
    assert client.post(restore).status_code == 302
    assert client.get(reverse("project_home", args=[project.slug])).status_code == 200
    verbs = list(AuditEntry.objects.filter(verb__startswith="project ").order_by("pk").values_list("verb", flat=True))
    assert verbs == ["project created", "project described", "project archived", "project restored"]


def test_nobody_takes_an_address_that_they_have_not_proven(people, project, mailoutbox) -> None:
    client = Client()
    client.post(reverse("account_login"), {"login": people.reviewer_a.email, "password": factories.PASSWORD})
    for wanted in ("boss@example.org", people.lead.email):
        client.post(reverse("account_email"), {"email": wanted, "action_add": ""})
        page = client.post(reverse("account_email"), {"email": wanted, "action_primary": ""}, follow=True)
        assert page.status_code == 200
        assert "Primary email address set." not in shown(page)
        people.reviewer_a.refresh_from_db()
        assert people.reviewer_a.email == "ada.reviewer@example.org"
    link = link_for(project, people, "boss@example.org", Role.LEAD)
    assert "for another address" in shown(client.get(link))
