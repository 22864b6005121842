"""Who asks: the token of a request, within its limits."""

from __future__ import annotations

from typing import cast

from allauth.core.internal.ratelimit import consume
from django.http import HttpRequest
from ninja.security import HttpBearer

from config.api.faults import Refused, TooMany
from corpus.domain.vocabulary import TokenScope
from corpus.models import ApiToken
from corpus.services.tokens import recognise

RATES = {
    # One run of a scorer asks a handful of times.
    "request": "300/m/key",
    # Whoever guesses is stopped long before a guess could be right.
    "unknown": "60/m/ip",
}


class TokenAuth(HttpBearer):
    """Let a request in that carries a working token, as the person who made it."""

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken | None:
        """Return the token, or None for one that opens nothing; too many of either kind raise TooMany."""
        found = recognise(token)
        action, key = ("unknown", None) if found is None else ("request", found.public_id)
        if not consume(request, app="api", action=action, config=RATES, key=key, limit_get=True):
            raise TooMany
        return found


def token_of(request: HttpRequest) -> ApiToken:
    """Return the token of a request that was let in."""
    return cast(ApiToken, request.auth)  # type: ignore[attr-defined]


def holder_with(request: HttpRequest, scope: TokenScope) -> ApiToken:
    """Return the token of the request where it has `scope`, else raise Refused."""
    token = token_of(request)
    if scope not in {row.scope for row in token.scopes.all()}:
        words = scope.value.replace("_", " ")
        raise Refused(403, f"This token may not {words}; make one with that scope on the project's page of tokens.")
    return token
