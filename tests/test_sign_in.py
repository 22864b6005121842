"""Signing in and out: by invitation only, by POST, slowed down for guessers, and never inside a fragment."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from corpus.models import User
from tests import factories

LOGIN = "/accounts/login/"


@pytest.fixture(autouse=True)
def fresh_limits(db) -> None:
    """Let no test use up the rate limits of another."""
    cache.clear()


def sign_in(client: Client, email: str, password: str = factories.PASSWORD, **more: str):
    return client.post(LOGIN, {"login": email, "password": password, **more})


def test_a_person_signs_in_and_lands_where_they_wanted(people, project) -> None:
    client = Client()
    wanted = reverse("queue", args=[project.slug])
    asked = client.get(wanted)
    assert asked.url == f"{LOGIN}?next={wanted}"
    answer = sign_in(client, people.reviewer_a.email.upper(), next=wanted)
    assert answer.url == wanted
    assert client.get(wanted).status_code == 200


def test_the_way_after_sign_in_stays_on_this_site(people, project) -> None:
    for elsewhere in ("https://evil.example/", "//evil.example/", "javascript:alert(1)"):
        assert sign_in(Client(), people.reviewer_a.email, next=elsewhere).url == "/"


def test_a_wrong_password_an_unknown_address_and_a_closed_account_let_nobody_in(people) -> None:
    User.objects.filter(pk=people.analyst.pk).update(is_active=False)
    answers = set()
    for email, password in (
        (people.reviewer_a.email, "wrong-wrong-wrong"),
        ("nobody@example.org", factories.PASSWORD),
    ):
        client = Client()
        answer = sign_in(client, email, password)
        answers.add((answer.status_code, tuple(answer.context["form"].non_field_errors())))
        assert settings.SESSION_COOKIE_NAME not in client.cookies or "_auth_user_id" not in client.session
    assert len(answers) == 1
    closed = Client()
    sign_in(closed, people.analyst.email)
    assert "_auth_user_id" not in closed.session


def test_signing_out_takes_a_post_and_ends_the_session(people, project, client_of) -> None:
    client = client_of(people.reviewer_a)
    key = client.session.session_key
    assert client.get(reverse("account_logout")).status_code == 200
    assert Session.objects.filter(session_key=key).exists()
    assert client.post(reverse("account_logout")).url == "/"
    assert not Session.objects.filter(session_key=key).exists()
    assert client.get("/").url == f"{LOGIN}?next=/"


def test_signing_out_needs_the_token_of_the_page(people) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(people.reviewer_a)
    assert client.post(reverse("account_logout")).status_code == 403
    assert "_auth_user_id" in client.session


@pytest.mark.parametrize("verb", ["get", "post"])
def test_nobody_signs_up_without_an_invitation(db, verb) -> None:
    data = {"email": "new@example.org", "password1": "seven-lamps-of-tin", "password2": "seven-lamps-of-tin"}
    answer = getattr(Client(), verb)(reverse("account_signup"), data)
    assert "Accounts are by invitation" in answer.content.decode()
    assert not User.objects.exists()


def test_guessing_a_password_is_slowed_down_for_all_processes(people) -> None:
    """The count is in the shared cache, so another client of the same address meets the same wall."""
    for _ in range(5):
        assert sign_in(Client(), people.reviewer_a.email, "wrong-wrong-wrong").status_code == 200
    refused = sign_in(Client(), people.reviewer_a.email)
    assert "Too many attempts in a short time. Wait a few minutes" in refused.content.decode()
    assert settings.CACHES["default"]["BACKEND"].rsplit(".", 1)[-1] in {"DatabaseCache", "RedisCache"}
    cache.clear()
    assert sign_in(Client(), people.reviewer_a.email).status_code == 302


@pytest.mark.parametrize("verb", ["get", "post"])
def test_a_fragment_asked_for_with_an_expired_session_moves_the_whole_page(people, project, client_of, verb) -> None:
    client = client_of(people.reviewer_a)
    Session.objects.all().delete()
    path = reverse("queue", args=[project.slug])
    answer = getattr(client, verb)(path, headers={"HX-Request": "true"})
    assert (answer.status_code, answer.content) == (204, b"")
    assert answer["HX-Redirect"] == f"{LOGIN}?next={path}"
    assert getattr(client, verb)(path).status_code == 302


def test_a_fragment_of_a_page_that_is_not_ones_own_stays_a_404(people, project, client_of) -> None:
    answer = client_of(people.outsider).get(reverse("queue", args=[project.slug]), headers={"HX-Request": "true"})
    assert answer.status_code == 404
    assert "HX-Redirect" not in answer


def test_signed_in_pages_are_kept_by_no_cache(people, project, client_of) -> None:
    client = client_of(people.lead)
    for path in ("/me/", reverse("member_list", args=[project.slug]), reverse("guidelines", args=[project.slug])):
        assert client.get(path)["Cache-Control"] == "private, no-store"


def test_a_reset_link_is_mailed_only_where_there_is_an_account_and_the_page_does_not_tell(people, mailoutbox) -> None:
    pages = []
    for email in (people.reviewer_a.email, "nobody@example.org"):
        answer = Client().post(reverse("account_reset_password"), {"email": email}, follow=True)
        pages.append((answer.status_code, answer.request["PATH_INFO"]))
    assert len(set(pages)) == 1
    assert [mail.to for mail in mailoutbox if "/password/reset/key/" in mail.body] == [[people.reviewer_a.email]]
