"""The controls of a person's settings, for the account menu and the viewer's own menu."""

from __future__ import annotations

from typing import Any

from django import template
from django.template import RequestContext

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


@register.inclusion_tag("_settings.html", takes_context=True)
def settings_form(context: RequestContext, names: str, prefix: str) -> dict[str, Any]:
    """Draw a form with a row of radios for each setting in `names`; ids begin with `prefix`."""
    user = context.get("user")
    request = context.get("request")
    groups = []
    for name in names.split():
        title, words = WORDS[name]
        now = getattr(user, name, SETTINGS[name][0])
        choices = list(zip(SETTINGS[name], words, strict=True))
        if name in ORDERED:
            choices.sort(key=lambda choice: int(choice[0]))
        groups.append((name, title, [(value, text, value == now) for value, text in choices]))
    return {
        "groups": groups,
        "prefix": prefix,
        "is_kept": getattr(user, "is_authenticated", False),
        "back": request.get_full_path() if request is not None else "",
        "csrf_token": context.get("csrf_token"),
    }
