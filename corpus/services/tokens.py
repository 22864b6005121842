"""Tokens of the programming interface: made, revoked, and recognised. A secret is shown once and kept as a hash."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction

from corpus import clock
from corpus.access import roles_of
from corpus.domain.vocabulary import Role, TokenScope
from corpus.ids import new_secret
from corpus.models import ApiToken, ApiTokenScope, Project, User
from corpus.services import audit
from corpus.services.case_facts import FactsRefused, check_text

# Scanners for leaked secrets recognise a token by how it begins.
PREFIX = "tst_"
MAX_NAME = 80
LONGEST_DAYS = 366
MOST_TOKENS = 50
# The roles whose holders could do by page what a scope lets a program do.
SCOPE_ROLES = {
    TokenScope.READ_VERSIONS: frozenset({Role.LEAD, Role.ANALYST}),
    TokenScope.EXPORT_VERSIONS: frozenset({Role.LEAD, Role.ANALYST}),
}


class TokenRefused(Exception):
    """No token was made; the message is one sentence for the person."""


@dataclass(frozen=True)
class IssuedToken:
    """A token with its secret, which exists nowhere else after this."""

    token: ApiToken
    secret: str


def digest_of(secret: str) -> str:
    """Return what is stored of a secret."""
    return hashlib.sha256(secret.encode("utf-8")).hexdigest()


@transaction.atomic
def create_token(*, project: Project, actor: User, name: str, scopes: Collection[TokenScope], days: int) -> IssuedToken:
    """Make a token of `actor` for one project that works for `days` days, and return it with its secret.

    Raises TokenRefused where the actor could not do by page what a scope allows, and for a name, number of days or
    number of tokens that will not do.
    """
    name = _checked_name(name)
    if not scopes:
        raise TokenRefused("A token without a scope opens nothing; choose at least one.")
    roles = roles_of(actor, project)
    for scope in scopes:
        if not roles & SCOPE_ROLES[scope]:
            raise TokenRefused(f"Your roles in this project do not allow the scope {scope.value.replace('_', ' ')}.")
    if not 1 <= days <= LONGEST_DAYS:
        raise TokenRefused(f"A token works for 1 to {LONGEST_DAYS} days, not {days}; choose a number between them.")
    now = clock.now()
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    if ApiToken.objects.working(now).filter(project=project, created_by=actor).count() >= MOST_TOKENS:
        raise TokenRefused(f"You have {MOST_TOKENS} working tokens in this project; revoke one you no longer use.")
    secret = PREFIX + new_secret()
    token = ApiToken.objects.create(
        project=project,
        created_by=actor,
        name=name,
        secret_sha256=digest_of(secret),
        created_at=now,
        expires_at=now + timedelta(days=days),
    )
    ApiTokenScope.objects.bulk_create(ApiTokenScope(token=token, scope=scope) for scope in sorted(set(scopes)))
    audit.record(
        actor=actor,
        verb="token created",
        subject=f"token {token.public_id}",
        project=project,
        after=f"{name}: {', '.join(sorted(set(scopes)))}, {days} days",
    )
    return IssuedToken(token, secret)


def _checked_name(name: str) -> str:
    name = name.strip()
    if not name:
        raise TokenRefused("A token needs a name, so that it can be told from others when it is revoked.")
    if len(name) > MAX_NAME:
        raise TokenRefused(f"The name has {len(name)} characters; the limit is {MAX_NAME}, so shorten it.")
    try:
        return check_text("name", name)
    except FactsRefused as error:
        raise TokenRefused(str(error)) from error


@transaction.atomic
def revoke_token(*, token: ApiToken, actor: User) -> None:
    """End a token for good; one that was revoked before stays as it is (N2)."""
    now = clock.now()
    if ApiToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=now):
        audit.record(
            actor=actor,
            verb="token revoked",
            subject=f"token {token.public_id}",
            project=token.project,
            before=token.name,
        )


def recognise(secret: str) -> ApiToken | None:
    """Return the working token that `secret` opens, with its person, project and scopes, or None.

    The first use of a day is noted.
    """
    now = clock.now()
    token = (
        ApiToken.objects.working(now)
        .filter(secret_sha256=digest_of(secret))
        .select_related("created_by", "project")
        .prefetch_related("scopes")
        .first()
    )
    if token is not None and token.last_used_on != now.date():
        ApiToken.objects.filter(pk=token.pk).update(last_used_on=now.date())
    return token
