"""Limits per address or person, counted by django-allauth in the cache that all processes share."""

from __future__ import annotations

from allauth.core.internal.ratelimit import consume, respond_429
from django.http import HttpRequest, HttpResponse

RATES = {
    # Looking at and answering invitations: far above what a person does, far below what a guess would need.
    "invitation": "30/m/ip",
    # Each sends a mail.
    "invite": "60/h/user",
}


def refused(request: HttpRequest, action: str) -> HttpResponse | None:
    """Count a request of any verb; return the 429 page once there are too many, else None."""
    if consume(request, app="corpus", action=action, config=RATES, limit_get=True):
        return None
    answer: HttpResponse = respond_429(request)
    return answer
