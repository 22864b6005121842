"""The one place that asks for the time, so that tests can freeze it."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone


def now() -> datetime:
    """Return the present moment, aware, in UTC."""
    return timezone.now()
