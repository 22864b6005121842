"""The fields of a case in `case.json` and in JSON lines, checked one by one."""

from __future__ import annotations

import base64
import binascii
from dataclasses import replace
from enum import StrEnum
from typing import Any, TypeVar

from corpus.domain.vocabulary import SourceKind, Split
from corpus.importers.records import RecordRefused
from corpus.importers.shapes import Shape, kind_of
from corpus.services.case_facts import TEXT_FIELDS, CaseFacts
from corpus.services.trees import FILE, Files

FACT_FIELDS = frozenset({*TEXT_FIELDS, "source_kind", "split", "is_private", "tags"})

Member = TypeVar("Member", bound=StrEnum)


def facts_of(shape: Shape, defaults: CaseFacts) -> CaseFacts:
    """Return the facts that a record gives, `defaults` where it is silent. Raises RecordRefused."""
    given: dict[str, Any] = {name: shape.text(name) for name in TEXT_FIELDS if shape.has(name)}
    return replace(
        defaults,
        source_kind=_member(shape, "source_kind", SourceKind, defaults.source_kind),
        split=_member(shape, "split", Split, defaults.split),
        is_private=shape.boolean("is_private", defaults.is_private),
        tags=(*defaults.tags, *shape.texts("tags")),
        **given,
    )


def _member(shape: Shape, name: str, enumeration: type[Member], default: Member) -> Member:
    value = shape.text(name)
    if not value:
        return default
    try:
        return enumeration(value)
    except ValueError as error:
        known = ", ".join(member.value for member in enumeration)
        raise RecordRefused(f'"{name}" is "{value[:40]}", which is unknown; known are {known}.') from error


def files_of(value: object, name: str) -> Files:
    """Return a tree given as an object: path to text, or to `{"mode", "text"}` or `{"mode", "base64"}`."""
    files: dict[bytes, tuple[str, bytes]] = {}
    for path, content in Shape(value, f'"{name}"').fields.items():
        files[_encoded(path, f'a path in "{name}"')] = _content(content, f'"{path[:80]}" in "{name}"')
    return files


def _content(value: object, what: str) -> tuple[str, bytes]:
    if isinstance(value, str):
        return FILE, _encoded(value, what)
    if not isinstance(value, dict):
        raise RecordRefused(f"{what} must be a text, or an object with mode and base64, not {kind_of(value)}.")
    shape = Shape(value, what)
    shape.allow_only(frozenset({"mode", "text", "base64"}))
    data = decoded(shape.text("base64"), what) if shape.has("base64") else _encoded(shape.text("text"), what)
    return shape.text("mode") or FILE, data


def decoded(text: str, what: str) -> bytes:
    """Return the bytes of a base64 text. Raises RecordRefused."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise RecordRefused(f"{what} is no base64: {error}.") from error


def _encoded(text: str, what: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise RecordRefused(f"{what} holds half of a surrogate pair; give its bytes as base64.") from error
