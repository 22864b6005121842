"""Parts of pages that stand there once for each file, drawn by their template once in each process.

The template engine needs longer for the header of one file than the database for the whole page. A mould is what a
template makes of a context in which every text is a place; it is cast by putting the texts, escaped, into the places.
Only what the template asks about has to be real when the mould is made.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

# A control character, which no template holds.
_PLACE = re.compile("\x1a([a-z_]+)\x1a")


def place(name: str) -> SafeString:
    """Return what stands in the context of a mould for the text called `name`, which has lower-case letters and _."""
    return mark_safe(f"\x1a{name}\x1a")  # noqa: S308 - a mark of this module's own


@dataclass(frozen=True)
class Mould:
    """What a template makes of places: `pieces` with a text between each and the next, by `names`."""

    pieces: tuple[str, ...]
    names: tuple[str, ...]

    def cast(self, texts: Mapping[str, object]) -> SafeString:
        """Return the part with the texts in their places; what is not safe already is escaped."""
        safe = {name: text if isinstance(text, SafeString) else escape(str(text)) for name, text in texts.items()}
        parts = [self.pieces[0]]
        for name, piece in zip(self.names, self.pieces[1:], strict=True):
            parts.append(safe[name])
            parts.append(piece)
        return mark_safe("".join(parts))  # noqa: S308 - drawn by a template; each text was escaped


def mould_of(template: str, context: Mapping[str, Any]) -> Mould:
    """Draw `template` once, with places for its texts. Callers keep what they get, by what the template asks about."""
    drawn = _PLACE.split(render_to_string(template, dict(context)))
    return Mould(tuple(drawn[::2]), tuple(drawn[1::2]))
