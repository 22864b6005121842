"""How a person wants code and pages shown: the settings, what each may be, and the keys they gave to shortcuts."""

from __future__ import annotations

import re
from collections.abc import Mapping

# Each setting with its values; the first is what holds until the person chooses.
SETTINGS: dict[str, tuple[str, ...]] = {
    "layout": ("unified", "split"),
    "wrap": ("auto", "on", "off"),
    "blank_changes": ("shown", "folded"),
    "tab_size": ("8", "2", "4"),
    "theme": ("system", "light", "dark"),
    "code_size": ("13", "12", "14", "16"),
}
MOST_KEYS = 200

_SHORTCUT = re.compile(r"[^\x00-\x1f\x7f]{1,120}")
_KEY = re.compile(r"(?:(?:ctrl|alt|shift)\+){0,3}[^\s\x00-\x1f\x7f]{1,16}")


class PreferenceRefused(ValueError):
    """A setting or key that is not offered; the message is one sentence for the person."""


def checked_setting(name: str, value: str) -> str:
    """Return `value` if the setting may have it, else raise PreferenceRefused."""
    if name not in SETTINGS:
        raise PreferenceRefused(f"There is no setting {name[:40]!r}; choose one of {', '.join(SETTINGS)}.")
    if value not in SETTINGS[name]:
        raise PreferenceRefused(f"{name} cannot be {value[:40]!r}; choose one of {', '.join(SETTINGS[name])}.")
    return value


def with_key(keys: Mapping[str, str], shortcut: str, key: str) -> dict[str, str]:
    """Return `keys` with another key for a shortcut; raise PreferenceRefused for what cannot be a key."""
    if not _SHORTCUT.fullmatch(shortcut) or not _KEY.fullmatch(key):
        raise PreferenceRefused(f"{key[:40]!r} cannot be a key; press one key, with ctrl, alt or shift if you like.")
    changed = {**keys, shortcut: key}
    if len(changed) > MOST_KEYS:
        raise PreferenceRefused(f"You changed {MOST_KEYS} keys already; restore the default keys first.")
    return changed
