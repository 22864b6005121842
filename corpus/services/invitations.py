"""Invitations by link. The link's secret is known to the one who got it; here only its SHA-256 is kept.

Whoever issued an invitation knows its link too. So the link alone makes no account: that takes a second part, the
proof, which is only ever mailed to the invited address. Without it the issuer could make an account in somebody else's
name, or learn from the refusal that the address has one.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from smtplib import SMTPException

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.mail import send_mail
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.utils.crypto import constant_time_compare, salted_hmac

from corpus import clock
from corpus.domain.vocabulary import Role
from corpus.ids import new_secret
from corpus.models import Invitation, Project, User
from corpus.services import audit
from corpus.services.people import PeopleRefused, checked_name, grant_role

LIFETIME = timedelta(days=14)
logger = logging.getLogger(__name__)


class InvitationClosed(Exception):
    """The secret opens nothing: it was never given out, or is used, revoked or expired. One answer for all of these."""


class InvitationRefused(Exception):
    """The invitation stands, but not like this; the message is one sentence for the person."""


@dataclass(frozen=True)
class IssuedInvitation:
    """An invitation with its secret, which exists nowhere else after this."""

    invitation: Invitation
    secret: str


def digest_of(secret: str) -> str:
    """Return what is stored of a secret."""
    return hashlib.sha256(secret.encode("utf-8")).hexdigest()


def proof_of(secret: str) -> str:
    """Return what proves that its holder reads the invited mailbox; it cannot be told from the link."""
    return salted_hmac("corpus.invitations.proof", secret, algorithm="sha256").hexdigest()[:32]


def prints_mail() -> bool:
    """Say whether mail only goes to the server's log, as it does where no mail server is named."""
    return settings.EMAIL_BACKEND.endswith(".console.EmailBackend")


def checked_address(email: str) -> str:
    """Return an e-mail address in lower case, or raise InvitationRefused."""
    email = email.strip().lower()
    try:
        validate_email(email)
    except ValidationError:
        raise InvitationRefused(f'"{email[:80]}" is no e-mail address; write it like name@example.org.') from None
    if len(email) > 254:
        raise InvitationRefused("The e-mail address has more than 254 characters.")
    return email


@transaction.atomic
def invite(*, project: Project, email: str, role: Role, actor: User) -> IssuedInvitation:
    """Offer a role. An open offer of the same role to the same address ends: the newest link is the one that works.

    Nothing here asks whether the address has an account, so neither the answer nor its time can tell.
    """
    email = checked_address(email)
    Project.objects.select_for_update().get(pk=project.pk)
    now = clock.now()
    same = Invitation.objects.filter(project=project, email=email, role=role, accepted_at__isnull=True)
    for earlier in same.filter(revoked_at__isnull=True):
        if _hold(earlier, now):
            Invitation.objects.filter(pk=earlier.pk).update(revoked_at=now)
    secret = new_secret()
    invitation = Invitation.objects.create(
        project=project,
        email=email,
        role=role,
        secret_sha256=digest_of(secret),
        invited_by=actor,
        invited_at=now,
        expires_at=now + LIFETIME,
    )
    audit.record(
        actor=actor,
        verb="invitation issued",
        subject=f"invitation {invitation.public_id}",
        project=project,
        after=f"{email} as {role}",
    )
    return IssuedInvitation(invitation, secret)


def mail_invitation(*, invitation: Invitation, link: str) -> bool:
    """Mail the link, with its proof, to the invited address; return whether the mail was handed over."""
    text = (
        f"{invitation.invited_by.name} invites you to the project {invitation.project.name} on Touchstone "
        f"as {invitation.role}.\n\n"
        f"Open this link to accept:\n{link}\n\n"
        f"It works once, until {invitation.expires_at:%Y-%m-%d %H:%M} UTC. If you did not expect it, ignore it: "
        "nothing happens without you.\n"
    )
    return _mail(invitation, text)


def mail_way_in(*, invitation: Invitation, link: str, proven_link: str) -> bool:
    """Mail the invited address how to come in: by making an account, or with the one it has.

    Return whether the mail was handed over. Which of the two it says is seen in the mailbox alone: whoever asks gets
    one and the same answer after the same work.
    """
    has_account = User.objects.filter(email=invitation.email).exists()
    way = (
        f"This address has an account. Sign in with it and accept:\n{link}\n\n"
        if has_account
        else f"Open this link to make your account and accept:\n{proven_link}\n\n"
    )
    text = (
        f"Somebody who has your invitation to the project {invitation.project.name} on Touchstone asked how to come in "
        f"as {invitation.email}.\n\n{way}"
        "If it was not you, ignore this mail: nothing happens without you.\n"
    )
    return _mail(invitation, text)


def _mail(invitation: Invitation, text: str) -> bool:
    # A name with a line break would be a header of its own.
    subject = " ".join(f"Invitation to {invitation.project.name} on Touchstone".split())
    try:
        send_mail(subject, text, None, [invitation.email])
    except (OSError, SMTPException) as error:
        logger.warning("Invitation %s could not be mailed: %s", invitation.public_id, type(error).__name__)
        return False
    return True


@transaction.atomic
def revoke_invitation(*, invitation: Invitation, actor: User) -> None:
    """End an open invitation; one that is used or over stays as it is."""
    now = clock.now()
    if _hold(invitation, now):
        Invitation.objects.filter(pk=invitation.pk).update(revoked_at=now)
        audit.record(
            actor=actor,
            verb="invitation revoked",
            subject=f"invitation {invitation.public_id}",
            project=invitation.project,
            before=f"{invitation.email} as {invitation.role}",
        )


def open_invitation(secret: str) -> Invitation:
    """Return the open invitation of a secret, or raise InvitationClosed."""
    found = (
        Invitation.objects.open(clock.now())
        .filter(secret_sha256=digest_of(secret))
        .select_related("project", "invited_by")
        .first()
    )
    if found is None:
        raise InvitationClosed
    return found


def proven_invitation(secret: str, proof: str) -> Invitation:
    """Return the open invitation of a link from its own mail, or raise InvitationClosed."""
    invitation = open_invitation(secret)
    if not constant_time_compare(proof, proof_of(secret)):
        raise InvitationClosed
    return invitation


@transaction.atomic
def accept_as(*, secret: str, user: User) -> Invitation:
    """Accept as a person who has an account. Raises InvitationClosed, or InvitationRefused for another's address."""
    invitation = open_invitation(secret)
    if user.email.lower() != invitation.email:
        raise InvitationRefused(
            f"You are signed in as {user.email}, and this invitation is for another address; sign out and use that one."
        )
    return _accepted(invitation, user)


@transaction.atomic
def accept_with_new_account(*, secret: str, proof: str, name: str, password: str) -> User:
    """Make the account of the invited address and accept with it.

    Raises InvitationClosed, InvitationRefused where the address has an account or the name will not do, and Django's
    ValidationError for a password that is too weak. Then nothing was stored.
    """
    invitation = proven_invitation(secret, proof)
    try:
        name = checked_name(name)
    except PeopleRefused as refused:
        raise InvitationRefused(str(refused)) from refused
    validate_password(password, User(email=invitation.email, name=name))
    taken = InvitationRefused("This address has an account already; sign in with it to accept.")
    if User.objects.filter(email=invitation.email).exists():
        raise taken
    try:
        with transaction.atomic():
            user = User.objects.create_user(email=invitation.email, password=password, name=name)
    except IntegrityError:
        raise taken from None
    audit.record(actor=user, verb="account created", subject=f"person {user.public_id}", project=invitation.project)
    _accepted(invitation, user)
    return user


def _accepted(invitation: Invitation, user: User) -> Invitation:
    """Use the invitation up, once, and give its role."""
    now = clock.now()
    if not _hold(invitation, now):
        raise InvitationClosed
    Invitation.objects.filter(pk=invitation.pk).update(accepted_by=user, accepted_at=now)
    audit.record(
        actor=user,
        verb="invitation accepted",
        subject=f"invitation {invitation.public_id}",
        project=invitation.project,
        after=f"{invitation.email} as {invitation.role}",
    )
    grant_role(project=invitation.project, user=user, role=Role(invitation.role), actor=invitation.invited_by)
    return invitation


def _hold(invitation: Invitation, now: datetime) -> bool:
    """Lock the row until the transaction ends, and say whether its link still works then.

    The lock comes before the question: a conditional update across tables would judge by what was true before it
    waited for the row, and two people could use one link.
    """
    Invitation.objects.select_for_update().get(pk=invitation.pk)
    return Invitation.objects.open(now).filter(pk=invitation.pk).exists()
