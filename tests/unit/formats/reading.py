"""Helpers that read a format and say what came of it."""

from __future__ import annotations

import json
from typing import Any

from reviews.domain.formats.catalogue import read_file
from reviews.domain.formats.records import ParsedFile, ParsedRecord, ReadSettings, Statement
from reviews.domain.vocabulary import RecordKind


def read(format_name: str, value: Any, **settings: Any) -> ParsedFile:
    """Read a value as JSON, or text and bytes as they are."""
    if isinstance(value, str):
        data = value.encode()
    else:
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return read_file(data, format_name, ReadSettings(**settings))


def kinds(parsed: ParsedFile) -> list[str]:
    """Return the kind of every record, in order."""
    return [record.kind.value for record in parsed.records]


def said(parsed: ParsedFile) -> list[ParsedRecord]:
    """Return the records that say something of the code."""
    return [record for record in parsed.records if record.statement is not None]


def statement(parsed: ParsedFile, index: int = 0) -> Statement:
    """Return what one of them says."""
    found = said(parsed)[index].statement
    assert found is not None
    return found


def where(parsed: ParsedFile, index: int = 0) -> list[tuple[str, str, tuple[tuple[int, int], ...]]]:
    """Return path, side and ranges of the places of one of them."""
    return [(place.path, place.side.value, place.ranges) for place in statement(parsed, index).places or ()]


def refused(parsed: ParsedFile) -> list[tuple[str, str]]:
    """Return place and reason of every rejected record."""
    return [(record.place, record.reason) for record in parsed.records if record.kind is RecordKind.REJECTED]
