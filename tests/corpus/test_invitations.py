"""An invitation is a link that works once, for one address, for two weeks, and tells nothing to others."""

from __future__ import annotations

import re
import threading
from datetime import UTC, datetime, timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import connection

from corpus import clock
from corpus.domain.vocabulary import Role
from corpus.models import AuditEntry, Invitation, Membership, User
from corpus.services.invitations import (
    InvitationClosed,
    InvitationRefused,
    accept_as,
    accept_with_new_account,
    invite,
    mail_invitation,
    mail_way_in,
    open_invitation,
    proof_of,
    revoke_invitation,
)

PASSWORD = "seven-lamps-of-tin"


@pytest.fixture
def tick(monkeypatch: pytest.MonkeyPatch):
    """Freeze the clock and return what moves it."""
    moment = [datetime(2027, 5, 1, 9, 0, tzinfo=UTC)]
    monkeypatch.setattr(clock, "now", lambda: moment[0])

    def move(**by: int) -> None:
        moment[0] += timedelta(**by)

    return move


def test_only_the_hash_of_the_secret_is_kept(people, project) -> None:
    issued = invite(project=project, email=" New@Example.org ", role=Role.REVIEWER, actor=people.lead)
    assert re.fullmatch("[0-9a-f]{64}", issued.secret)
    stored = Invitation.objects.get()
    assert stored.email == "new@example.org"
    values = [str(getattr(stored, field.attname)) for field in Invitation._meta.concrete_fields]
    values += [f"{entry.before} {entry.after} {entry.subject}" for entry in AuditEntry.objects.all()]
    assert not [value for value in values if issued.secret in value]
    assert open_invitation(issued.secret) == stored


def test_a_new_account_gets_the_role_and_the_link_is_used_up(people, project) -> None:
    issued = invite(project=project, email="new@example.org", role=Role.ADJUDICATOR, actor=people.lead)
    user = accept_with_new_account(
        secret=issued.secret, proof=proof_of(issued.secret), name="Nea New", password=PASSWORD
    )
    assert (user.email, user.name, user.is_superuser, user.check_password(PASSWORD)) == (
        "new@example.org",
        "Nea New",
        False,
        True,
    )
    membership = Membership.objects.get(user=user)
    assert (membership.project, membership.role, membership.added_by) == (project, "adjudicator", people.lead)
    for again in (
        lambda: open_invitation(issued.secret),
        lambda: accept_as(secret=issued.secret, user=user),
        lambda: accept_with_new_account(
            secret=issued.secret, proof=proof_of(issued.secret), name="Nea", password=PASSWORD
        ),
    ):
        with pytest.raises(InvitationClosed):
            again()
    verbs = set(AuditEntry.objects.filter(project=project, actor=user).values_list("verb", flat=True))
    assert verbs == {"account created", "invitation accepted"}


def test_an_address_with_an_account_must_sign_in_and_nothing_is_stored(people, project) -> None:
    issued = invite(project=project, email=people.outsider.email, role=Role.REVIEWER, actor=people.lead)
    before = User.objects.count()
    with pytest.raises(InvitationRefused, match="sign in with it"):
        accept_with_new_account(secret=issued.secret, proof=proof_of(issued.secret), name="Impostor", password=PASSWORD)
    assert User.objects.count() == before
    accept_as(secret=issued.secret, user=people.outsider)
    assert Membership.objects.get(user=people.outsider).role == "reviewer"


@pytest.mark.parametrize("proof", ["", "0" * 32, "the link's own secret", "another link's proof"])
def test_the_link_without_the_proof_from_the_mailbox_makes_no_account(people, project, proof) -> None:
    issued = invite(project=project, email="new@example.org", role=Role.REVIEWER, actor=people.lead)
    other = invite(project=project, email="other@example.org", role=Role.REVIEWER, actor=people.lead)
    given = {"the link's own secret": issued.secret, "another link's proof": proof_of(other.secret)}.get(proof, proof)
    with pytest.raises(InvitationClosed):
        accept_with_new_account(secret=issued.secret, proof=given, name="Impostor", password=PASSWORD)
    assert not User.objects.filter(email="new@example.org").exists()
    assert open_invitation(issued.secret)


def test_the_way_in_is_mailed_to_the_address_alone_and_differs_only_there(
    people, project, mailoutbox, django_assert_num_queries
) -> None:
    for email, shown in (("new@example.org", "PROVEN"), (people.outsider.email, "LINK")):
        issued = invite(project=project, email=email, role=Role.REVIEWER, actor=people.lead)
        with django_assert_num_queries(1):
            assert mail_way_in(invitation=issued.invitation, link="LINK", proven_link="PROVEN")
        assert mailoutbox[-1].to == [email]
        assert [word for word in ("LINK", "PROVEN") if word in mailoutbox[-1].body.split()] == [shown]


def test_another_address_cannot_accept(people, project) -> None:
    issued = invite(project=project, email="new@example.org", role=Role.LEAD, actor=people.lead)
    with pytest.raises(InvitationRefused, match=r"signed in as otto\.outsider@example\.org"):
        accept_as(secret=issued.secret, user=people.outsider)
    assert not Membership.objects.filter(user=people.outsider).exists()
    assert open_invitation(issued.secret).accepted_at is None


def test_a_weak_password_or_an_empty_name_leaves_the_link_open(people, project) -> None:
    issued = invite(project=project, email="new@example.org", role=Role.REVIEWER, actor=people.lead)
    with pytest.raises(ValidationError):
        accept_with_new_account(secret=issued.secret, proof=proof_of(issued.secret), name="Nea", password="short")
    with pytest.raises(InvitationRefused, match="name is empty"):
        accept_with_new_account(secret=issued.secret, proof=proof_of(issued.secret), name=" ", password=PASSWORD)
    assert not User.objects.filter(email="new@example.org").exists()
    assert open_invitation(issued.secret)


def test_guessed_revoked_and_expired_secrets_are_one_and_the_same(people, project, tick) -> None:
    revoked = invite(project=project, email="a@example.org", role=Role.REVIEWER, actor=people.lead)
    expired = invite(project=project, email="b@example.org", role=Role.REVIEWER, actor=people.lead)
    revoke_invitation(invitation=revoked.invitation, actor=people.lead)
    tick(days=14)
    late = invite(project=project, email="c@example.org", role=Role.REVIEWER, actor=people.lead)
    tick(days=13, hours=23)
    assert open_invitation(late.secret)
    for secret in ("0" * 64, "", revoked.secret, expired.secret, late.invitation.secret_sha256):
        with pytest.raises(InvitationClosed) as closed:
            open_invitation(secret)
        assert closed.value.args == ()


def test_a_newer_link_for_the_same_role_replaces_the_older_one(people, project) -> None:
    first = invite(project=project, email="new@example.org", role=Role.REVIEWER, actor=people.lead)
    other_role = invite(project=project, email="new@example.org", role=Role.ANALYST, actor=people.lead)
    second = invite(project=project, email="new@example.org", role=Role.REVIEWER, actor=people.lead)
    with pytest.raises(InvitationClosed):
        open_invitation(first.secret)
    assert open_invitation(second.secret)
    assert open_invitation(other_role.secret)


@pytest.mark.parametrize("email", ["", "nobody", "a@b", "two@example.org, three@example.org", "x" * 250 + "@e.org"])
def test_what_is_no_address_is_refused(people, project, email) -> None:
    with pytest.raises(InvitationRefused, match="address"):
        invite(project=project, email=email, role=Role.REVIEWER, actor=people.lead)
    assert not Invitation.objects.exists()


def test_the_mail_names_project_role_and_link_and_a_dead_mail_server_is_no_error(
    people, project, mailoutbox, settings
) -> None:
    issued = invite(project=project, email="new@example.org", role=Role.REVIEWER, actor=people.lead)
    project.name = "Pay\r\nBcc: all@example.org"
    issued.invitation.project = project
    link = f"https://touchstone.example/invitations/{issued.secret}/"
    assert mail_invitation(invitation=issued.invitation, link=link)
    [mail] = mailoutbox
    assert (mail.to, mail.subject) == (["new@example.org"], "Invitation to Pay Bcc: all@example.org on Touchstone")
    assert link in mail.body
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    assert not mail_invitation(invitation=issued.invitation, link=link)


@pytest.mark.django_db(transaction=True)
def test_two_who_accept_at_once_use_a_link_once(people, project) -> None:
    issued = invite(project=project, email=people.outsider.email, role=Role.REVIEWER, actor=people.lead)
    start = threading.Barrier(4)
    outcomes: list[str] = []

    def accept() -> None:
        try:
            start.wait()
            accept_as(secret=issued.secret, user=people.outsider)
            outcomes.append("accepted")
        except InvitationClosed:
            outcomes.append("closed")
        finally:
            connection.close()

    threads = [threading.Thread(target=accept) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["accepted", "closed", "closed", "closed"]
    assert AuditEntry.objects.filter(verb="invitation accepted").count() == 1
