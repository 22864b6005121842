"""Tokens as their page shows them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from corpus import clock
from corpus.domain.vocabulary import TokenScope
from corpus.models import ApiToken, Project, User


@dataclass(frozen=True)
class TokenRow:
    """One token; `standing` is working, revoked, or over."""

    token_id: str
    name: str
    creator: str
    is_own: bool
    scopes: tuple[str, ...]
    standing: str
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    last_used_on: date | None


def token_rows(*, project: Project, viewer: User) -> tuple[TokenRow, ...]:
    """Return the tokens that `viewer` may see, working ones first, then the newest."""
    now = clock.now()
    tokens = ApiToken.objects.visible_to(viewer).filter(project=project).select_related("created_by")
    rows = [
        TokenRow(
            token_id=token.public_id,
            name=token.name,
            creator=token.created_by.name,
            is_own=token.created_by_id == viewer.pk,
            scopes=tuple(sorted(TokenScope(row.scope).value.replace("_", " ") for row in token.scopes.all())),
            standing=_standing(token, now),
            created_at=token.created_at,
            expires_at=token.expires_at,
            revoked_at=token.revoked_at,
            last_used_on=token.last_used_on,
        )
        for token in tokens.prefetch_related("scopes").order_by("-created_at", "-pk")
    ]
    return tuple(sorted(rows, key=lambda row: row.standing != "working"))


def _standing(token: ApiToken, now: datetime) -> str:
    if token.revoked_at is not None:
        return "revoked"
    return "working" if token.is_live(now) else "over"
