"""What a reviewer typed into one label, checked without a look at the case.

A draft may lack anything, so nothing is required here; but what is there must be storable and known: an unknown
severity, relation or confidence is refused, never defaulted (T6). What a submission still needs is said by
`labeling.domain.completeness`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from corpus.domain.vocabulary import AnchorLevel, AnchorRole, Confidence, Relation, Severity, Side

MAX_TITLE = 200
MAX_TEXT = 10_000
MAX_KEYWORDS = 400
MAX_PLACES = 60
MAX_PATH = 4096
MAX_LINE = 2_000_000_000
MAX_GROUP = 50

FIELD_NAMES = {
    "title": "title",
    "severity": "severity",
    "category": "category",
    "relation": "relation to the change",
    "speculative": "speculative",
    "trigger": "when it happens",
    "evidence": "evidence",
    "impact": "impact",
    "boundary": "boundary crossed",
    "accept_elements": "acceptable explanation elements",
    "keywords": "keywords",
    "confidence": "confidence",
    "anchors": "places",
}
ENUMS: dict[str, type[StrEnum]] = {"severity": Severity, "relation": Relation, "confidence": Confidence}

_SURROGATE = re.compile("[\ud800-\udfff]")
_KEYWORD = re.compile(r"[^\s,;]+")


class FieldRefused(Exception):
    """A field cannot be stored; `field` names it, the message is one sentence for the person."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


@dataclass(frozen=True, order=True)
class AnchorInput:
    """One range of one place, as typed. `group` numbers alternates from 1; primary and supporting places have group 0.

    Lines are given at level lines only; a path and a side at levels lines and file.
    """

    role: str
    level: str = AnchorLevel.LINES.value
    path: str = ""
    side: str = ""
    first_line: int | None = None
    last_line: int | None = None
    group: int = 0


@dataclass(frozen=True)
class LabelInput:
    """All fields of a label, as typed; an empty text or None is a field that was left open."""

    title: str = ""
    severity: str = ""
    category: str = ""
    relation: str = ""
    speculative: bool | None = None
    trigger: str = ""
    evidence: str = ""
    impact: str = ""
    boundary: str = ""
    accept_elements: str = ""
    keywords: str = ""
    confidence: str = ""
    anchors: tuple[AnchorInput, ...] = ()


def clean_text(field: str, value: str, limit: int) -> str:
    """Return `value` with newlines as LF and no blanks at its ends; FieldRefused when it cannot be stored."""
    name = FIELD_NAMES.get(field, field.replace("_", " "))
    text = value.replace("\r\n", "\n").replace("\r", "\n").strip()
    if "\0" in text or _SURROGATE.search(text):
        raise FieldRefused(field, f"The field {name} holds a character that cannot be stored; remove it.")
    if len(text) > limit:
        raise FieldRefused(field, f"The field {name} has {len(text)} characters; the limit is {limit}.")
    return text


def known(field: str, value: str, enumeration: type[StrEnum]) -> str:
    """Return `value` when it is empty or one of `enumeration`; FieldRefused otherwise (T6)."""
    if value and value not in {member.value for member in enumeration}:
        choices = ", ".join(member.value for member in enumeration)
        raise FieldRefused(field, f"{value[:40]!r} is no {FIELD_NAMES[field]}; choose one of: {choices}.")
    return value


def clean_keywords(value: str) -> str:
    """Return the single tokens of `value` in lower case, each once, in their order, separated by one blank."""
    tokens = dict.fromkeys(token.lower() for token in _KEYWORD.findall(clean_text("keywords", value, 2 * MAX_KEYWORDS)))
    text = " ".join(tokens)
    if len(text) > MAX_KEYWORDS:
        raise FieldRefused("keywords", f"The keywords have {len(text)} characters; the limit is {MAX_KEYWORDS}.")
    return text


def clean_anchor(anchor: AnchorInput) -> AnchorInput:
    """Return the place with only the parts its level has; FieldRefused when a part is unknown or missing."""
    if anchor.role not in {role.value for role in AnchorRole}:
        raise FieldRefused(
            "anchors", f"{anchor.role[:40]!r} is no role of a place; use primary, alternate, supporting."
        )
    if anchor.level not in {level.value for level in AnchorLevel}:
        raise FieldRefused("anchors", f"{anchor.level[:40]!r} is no kind of place; use lines, file or repository.")
    group = anchor.group if anchor.role == AnchorRole.ALTERNATE else 0
    if not 0 <= group <= MAX_GROUP:
        raise FieldRefused("anchors", f"A label takes at most {MAX_GROUP} alternates.")
    if anchor.level == AnchorLevel.REPOSITORY:
        return AnchorInput(role=anchor.role, level=anchor.level, group=group)
    path = anchor.path
    if not path or len(path) > MAX_PATH or "\0" in path or _SURROGATE.search(path):
        raise FieldRefused("anchors", "A place needs the path of a file.")
    if anchor.side not in {side.value for side in Side}:
        raise FieldRefused("anchors", f"{anchor.side[:40]!r} is no side of {path}; use old or new.")
    if anchor.level == AnchorLevel.FILE:
        return AnchorInput(role=anchor.role, level=anchor.level, path=path, side=anchor.side, group=group)
    first, last = anchor.first_line, anchor.last_line
    if first is None or last is None or not 1 <= first <= last <= MAX_LINE:
        raise FieldRefused("anchors", f"The lines of a place in {path} need a first and a last number, from 1 upwards.")
    return replace(anchor, group=group)


def clean_anchors(anchors: Iterable[AnchorInput]) -> tuple[AnchorInput, ...]:
    """Return the places in a fixed order; ranges that touch or overlap become one, alternates are numbered from 1."""
    checked = [clean_anchor(anchor) for anchor in anchors]
    groups = {group: number for number, group in enumerate(dict.fromkeys(_groups(checked)), 1)}
    numbered = [replace(a, group=groups[a.group]) if a.role == AnchorRole.ALTERNATE else a for a in checked]
    kept: list[AnchorInput] = []
    for anchor in sorted(set(numbered), key=_order):
        before = kept[-1] if kept else None
        if before is not None and _touch(before, anchor):
            kept[-1] = replace(before, last_line=max(before.last_line or 0, anchor.last_line or 0))
        else:
            kept.append(anchor)
    if len(kept) > MAX_PLACES:
        raise FieldRefused("anchors", f"The label names {len(kept)} places; the limit is {MAX_PLACES}.")
    return tuple(kept)


def _groups(anchors: Iterable[AnchorInput]) -> list[int]:
    return sorted(anchor.group for anchor in anchors if anchor.role == AnchorRole.ALTERNATE)


def _order(anchor: AnchorInput) -> tuple[int, int, int, str, str, int, int]:
    roles = list(AnchorRole)
    levels = list(AnchorLevel)
    return (
        roles.index(AnchorRole(anchor.role)),
        anchor.group,
        levels.index(AnchorLevel(anchor.level)),
        anchor.path,
        anchor.side,
        anchor.first_line or 0,
        anchor.last_line or 0,
    )


def _touch(before: AnchorInput, after: AnchorInput) -> bool:
    same = (before.role, before.group, before.level, before.path, before.side) == (
        after.role,
        after.group,
        after.level,
        after.path,
        after.side,
    )
    return (
        same
        and before.last_line is not None
        and after.first_line is not None
        and after.first_line <= before.last_line + 1
    )


def clean_label(fields: LabelInput) -> LabelInput:
    """Return the fields as they are stored; FieldRefused names the first one that cannot be."""
    title = clean_text("title", fields.title, MAX_TITLE)
    if "\n" in title:
        title = " ".join(title.split())
    for field, enumeration in ENUMS.items():
        known(field, getattr(fields, field), enumeration)
    return replace(
        fields,
        title=title,
        category=clean_text("category", fields.category, 60),
        trigger=clean_text("trigger", fields.trigger, MAX_TEXT),
        evidence=clean_text("evidence", fields.evidence, MAX_TEXT),
        impact=clean_text("impact", fields.impact, MAX_TEXT),
        boundary=clean_text("boundary", fields.boundary, MAX_TEXT),
        accept_elements=clean_text("accept_elements", fields.accept_elements, MAX_TEXT),
        keywords=clean_keywords(fields.keywords),
        anchors=clean_anchors(fields.anchors),
    )
