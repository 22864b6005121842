"""Limits per address or person, counted by django-allauth in the cache that all processes share."""

from __future__ import annotations

from allauth.core.internal.ratelimit import consume, respond_429
from django.http import HttpRequest, HttpResponse

RATES = {
    # Looking at and answering invitations: far above what a person does, far below what a guess would need.
    "invitation": "30/m/ip",
    # Each sends a mail.
    "invite": "60/h/user",
    # Each sends a mail to the one address of an invitation, whoever asks.
    "way_in": "6/h/key",
    "token": "30/h/user",
}


def refused(request: HttpRequest, action: str, key: str | None = None) -> HttpResponse | None:
    """Count a request of any verb; return the 429 page once there are too many, else None.

    `key` is what a rate "per key" counts by.
    """
    if consume(request, app="corpus", action=action, config=RATES, key=key, limit_get=True):
        return None
    answer: HttpResponse = respond_429(request)
    return answer
