"""Text that people typed, for pages that show it beside its changes."""

from __future__ import annotations

from django import template
from django.utils.safestring import SafeString

from corpus.rendering.text import code_html

register = template.Library()


@register.filter
def seen(text: str) -> SafeString:
    """Escape a line of text and make what is invisible in it visible."""
    return SafeString(code_html(text))
