"""Tokens for tests, also of people whose roles do not allow them any more."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta

from corpus import clock
from corpus.domain.vocabulary import TokenScope
from corpus.ids import new_secret
from corpus.models import ApiToken, ApiTokenScope, Project, User
from corpus.services.tokens import PREFIX, digest_of


def make_token(
    project: Project, user: User, scopes: Collection[TokenScope] = tuple(TokenScope), *, days: float = 1
) -> tuple[ApiToken, str]:
    """Store a token of `user` that ends in `days` days, and return it with its secret."""
    secret = PREFIX + new_secret()
    now = clock.now()
    token = ApiToken.objects.create(
        project=project,
        created_by=user,
        name="scorer",
        secret_sha256=digest_of(secret),
        created_at=min(now, now + timedelta(days=days - 1)),
        expires_at=now + timedelta(days=days),
    )
    ApiTokenScope.objects.bulk_create(ApiTokenScope(token=token, scope=scope) for scope in scopes)
    return token, secret
