"""Formatting of stored words."""

from __future__ import annotations

from django import template

register = template.Library()


@register.filter
def spaced(value: str) -> str:
    """Return a stored word as text: underscores are blanks, an empty one is "none"."""
    return value.replace("_", " ") or "none"
