"""Formatting for templates: times, stacked bars, intervals and segmented fields. No queries, no rules."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from django import template
from django.forms.boundfield import BoundField
from django.template.loader_tags import BlockNode
from django.utils.html import format_html
from django.utils.safestring import SafeString

from corpus import clock

register = template.Library()

STEPS = (
    (60, 1, "second"),
    (3600, 60, "minute"),
    (86400, 3600, "hour"),
    (7 * 86400, 86400, "day"),
)


class OnceNode(template.Node):
    """A part of a template that is rendered once in each process."""

    # Nothing in it extends or is extended, so nobody need look into it while a page is put together.
    child_nodelists = ()

    def __init__(self, nodelist: template.NodeList) -> None:
        self.nodelist = nodelist
        self.text: SafeString | None = None

    def render(self, context: template.Context) -> SafeString:
        """Render it without any value of the page, so that nothing of one request can reach another."""
        if self.text is None:
            self.text = self.nodelist.render(context.new())
        return self.text


@register.tag
def once(parser: template.base.Parser, token: template.base.Token) -> OnceNode:
    """Render what stands between `{% once %}` and `{% endonce %}` once in each process; it sees no variables."""
    nodelist = parser.parse(("endonce",))
    parser.delete_first_token()
    assert not nodelist.get_nodes_by_type(BlockNode), "a block inside {% once %} could not be overridden"
    return OnceNode(nodelist)


class Segment(Protocol):
    """A part of a stacked bar: a stored state, the word shown, how many, and where they are listed."""

    @property
    def state(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def count(self) -> int: ...
    @property
    def url(self) -> str: ...


@dataclass(frozen=True)
class DrawnSegment:
    """A segment with its place on the bar in percent, written for an SVG attribute."""

    state: str
    label: str
    count: int
    url: str
    start: str
    share: str


def relative_words(moment: datetime, now: datetime) -> str:
    """Return how long `moment` is from `now` in words; from a week on, the date (UTC)."""
    seconds = (now - moment).total_seconds()
    distance = abs(seconds)
    if distance < 5:
        return "just now"
    for limit, unit, name in STEPS:
        if distance < limit:
            amount = int(distance // unit)
            words = f"{amount} {name}{'' if amount == 1 else 's'}"
            return f"{words} ago" if seconds > 0 else f"in {words}"
    return f"{moment.astimezone(UTC):%Y-%m-%d}"


@register.filter
def as_json(value: object) -> str:
    """Return a value as JSON, to be escaped like any text: for `data-` attributes."""
    return json.dumps(value, ensure_ascii=True)


@register.filter
def ago(moment: datetime | None) -> str | SafeString:
    """Return a <time> with the relative time as text and the exact one on hover; "never" for nothing."""
    if moment is None:
        return "never"
    exact = moment.astimezone(UTC)
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        exact.isoformat(timespec="seconds"),
        f"{exact:%Y-%m-%d %H:%M:%S} UTC",
        relative_words(moment, clock.now()),
    )


@register.filter
def at(moment: datetime | None) -> str | SafeString:
    """Return a <time> with the exact UTC time as text, for receipts and logs; "never" for nothing."""
    if moment is None:
        return "never"
    exact = moment.astimezone(UTC)
    return format_html(
        '<time datetime="{}">{}</time>', exact.isoformat(timespec="seconds"), f"{exact:%Y-%m-%d %H:%M:%S} UTC"
    )


def draw(segments: Iterable[Segment]) -> list[DrawnSegment]:
    """Return the segments with starts and shares in percent of their sum; empty ones keep no width."""
    parts = list(segments)
    total = sum(part.count for part in parts)
    drawn: list[DrawnSegment] = []
    before = 0
    for part in parts:
        start, share = (100 * before / total, 100 * part.count / total) if total else (0.0, 0.0)
        drawn.append(DrawnSegment(part.state, part.label, part.count, part.url, f"{start:.3f}", f"{share:.3f}"))
        before += part.count
    return drawn


@register.inclusion_tag("_state_bar.html")
def state_bar(segments: Iterable[Segment], name: str) -> dict[str, Any]:
    """Draw a stacked bar whose parts link, with a legend that says the same in words and numbers."""
    drawn = draw(segments)
    return {"segments": drawn, "name": name, "total": sum(part.count for part in drawn)}


def percent(value: float | None) -> str | None:
    """Return a share from 0 to 1 as a percentage for an SVG attribute; None stays None."""
    return None if value is None else f"{100 * min(max(value, 0.0), 1.0):.3f}%"


@register.inclusion_tag("_interval.html")
def interval(value: float | None, low: float | None, high: float | None, floor: float | None = None) -> dict[str, Any]:
    """Draw a rate with its interval on a scale from 0 to 1; the text beside it says the numbers."""
    return {"value": percent(value), "low": percent(low), "high": percent(high), "floor": percent(floor)}


@register.inclusion_tag("_segmented.html")
def segmented(field: BoundField, keys: str = "", optional: bool = False) -> dict[str, Any]:
    """Render a radio field as a segmented group; `keys` are its shortcuts in order, e.g. "c h m l o".

    The keys act while the focus is inside the group. An empty choice (value "") gets no key.
    """
    remaining = iter(keys.split())
    choices: list[tuple[Any, str]] = []
    for choice in field.subwidgets:
        key = next(remaining, "") if choice.data["value"] not in ("", None) else ""
        if key:
            choice.data["attrs"] |= {
                "data-shortcut": key,
                "data-shortcut-label": str(choice.choice_label),
                "data-shortcut-group": str(field.label),
                "aria-keyshortcuts": key,
            }
        choices.append((choice, key))
    return {"field": field, "choices": choices, "optional": optional}
