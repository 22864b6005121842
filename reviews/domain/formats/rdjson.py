"""reviewdog's diagnostics: rdjson, one object with all of them, and rdjsonl, one on each line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reviews.domain.formats.fields import Fields
from reviews.domain.formats.json_records import ITEM, Element, elements, line_elements, problem_record, scan
from reviews.domain.formats.records import (
    CaseReport,
    ClaimedPlace,
    FormatError,
    ParsedFile,
    ParsedRecord,
    ReadSettings,
    RecordError,
    Statement,
    capped,
    first_words,
    rejected,
)
from reviews.domain.scored import RunState
from reviews.domain.vocabulary import RecordKind

# Names of the enumeration by its numbers; 0 is unknown.
SEVERITY_NAMES = {0: "", 1: "ERROR", 2: "WARNING", 3: "INFO"}


def read_object(data: bytes, settings: ReadSettings) -> ParsedFile:
    """Read rdjson. The file itself tells that its case was reviewed."""
    found = scan(data, {"diagnostics": [ITEM]})
    if not isinstance(found.value, dict) or not isinstance(found.value.get("diagnostics"), list):
        raise FormatError('The file is no rdjson: an object with a list "diagnostics" is needed.')
    try:
        top = Fields({key: value for key, value in found.value.items() if key != "diagnostics"})
        default = _severity(top)
        source = top.below("source").text("name")
    except RecordError as error:
        raise FormatError(f"The file's head cannot be read: {error}; mend it.") from error
    about = ParsedRecord(
        place="the file",
        kind=RecordKind.META,
        data=first_words(source).encode(),
        reason="The tool looked at the case.",
        report=CaseReport(state=RunState.REVIEWED),
    )
    records = [_record(element, default) for element in elements(found.value["diagnostics"])]
    return capped([about, *records, *map(problem_record, found.problems)])


def read_lines(data: bytes, settings: ReadSettings) -> ParsedFile:
    """Read rdjsonl."""
    return capped(_line_records(data))


def _line_records(data: bytes) -> Iterator[ParsedRecord]:
    for element in line_elements(data):
        yield _record(element, "")


def _record(element: Element, default: str) -> ParsedRecord:
    try:
        if element.error:
            raise RecordError(element.error)
        return _diagnostic(element, Fields(element.value), default)
    except RecordError as error:
        return rejected(element.place, element.data, str(error))


def _diagnostic(element: Element, fields: Fields, default: str) -> ParsedRecord:
    message = fields.text("message", required=True)
    location = fields.below("location")
    code = fields.below("code")
    place = _place(location) if location.value else ClaimedPlace()
    statement = Statement(
        body=message,
        places=(place,),
        related=tuple(_place(one.below("location")) for one in fields.objects("related_locations", "relatedLocations")),
        severity=_severity(fields) or default,
        scale="diagnostic",
        rule_id=code.identity("value"),
        suggestion="\n".join(one.text("text") for one in fields.objects("suggestions")),
    )
    return replace(
        ParsedRecord(element.place, RecordKind.META, element.data, summary=first_words(message)),
        kind=RecordKind.FINDING,
        statement=statement,
    )


def _severity(fields: Fields) -> str:
    value = fields.get("severity")
    if isinstance(value, int) and not isinstance(value, bool):
        return SEVERITY_NAMES.get(value, str(value)[:20])
    word = fields.text("severity")
    return "" if word in {"UNKNOWN", "UNKNOWN_SEVERITY"} else word[:100]


def _place(location: Fields) -> ClaimedPlace:
    path = location.text("path", required=True)
    span = location.below("range")
    start = span.below("start").whole("line")
    if start is None:
        return ClaimedPlace(path)
    end = span.below("end").whole("line")
    return ClaimedPlace(path, ranges=((start, start if end is None else end),))
