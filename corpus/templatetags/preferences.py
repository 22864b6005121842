"""The controls of a person's settings, for the account menu and the viewer's own menu."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from django import template
from django.template import RequestContext
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from corpus.domain.preferences import SETTINGS

register = template.Library()

WORDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "layout": ("Layout", ("Unified", "Split")),
    "wrap": ("Long lines", ("Wrap if split", "Wrap", "Scroll")),
    "blank_changes": ("Changes of white space alone", ("Show", "Fold")),
    "tab_size": ("Tab stops", ("8", "2", "4")),
    "theme": ("Colours", ("System", "Light", "Dark")),
    "code_size": ("Code size", ("13", "12", "14", "16")),
}
ORDERED = frozenset({"tab_size", "code_size"})


@lru_cache(maxsize=256)
def drawn_rows(chosen: tuple[tuple[str, str], ...], prefix: str) -> SafeString:
    """Return the rows of radios with what is chosen in each. Every page has them, and few choices differ, so they are
    drawn once.
    """
    groups = []
    for name, now in chosen:
        title, words = WORDS[name]
        choices = list(zip(SETTINGS[name], words, strict=True))
        if name in ORDERED:
            choices.sort(key=lambda choice: int(choice[0]))
        groups.append((name, title, [(value, text, value == now) for value, text in choices]))
    return render_to_string("_settings_rows.html", {"groups": groups, "prefix": prefix})


@register.inclusion_tag("_settings.html", takes_context=True)
def settings_form(context: RequestContext, names: str, prefix: str) -> dict[str, Any]:
    """Draw a form with a row of radios for each setting in `names`; ids begin with `prefix`."""
    user = context.get("user")
    request = context.get("request")
    chosen = tuple((name, str(getattr(user, name, SETTINGS[name][0]))) for name in names.split())
    return {
        "rows": drawn_rows(chosen, prefix),
        "is_kept": getattr(user, "is_authenticated", False),
        "back": request.get_full_path() if request is not None else "",
        "csrf_token": context.get("csrf_token"),
    }
