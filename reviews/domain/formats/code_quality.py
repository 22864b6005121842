"""GitLab Code Quality reports, and Code Climate's, from which they come."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reviews.domain.formats.fields import Fields
from reviews.domain.formats.json_records import ITEM, Element, elements, problem_record, scan, scan_text
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
    decoded,
    first_words,
    rejected,
)
from reviews.domain.scored import RunState
from reviews.domain.vocabulary import RecordKind


def read_gitlab(data: bytes, settings: ReadSettings) -> ParsedFile:
    """Read a GitLab report: one list. An empty list says that the case was reviewed and nothing was found."""
    found = scan(data, [ITEM])
    if not isinstance(found.value, list):
        raise FormatError("The file is no Code Quality report: a list is needed at the top.")
    records = [_record(element) for element in elements(found.value)]
    return capped([_about(), *records, *map(problem_record, found.problems)])


def read_climate(data: bytes, settings: ReadSettings) -> ParsedFile:
    """Read a Code Climate report: one list, or the engine's own output, issues that NUL characters part."""
    if b"\0" not in data:
        found = scan(data, [ITEM], ITEM, many=True)
        records = [_record(element) for value in found.values for element in _of_value(value)]
        return capped([_about(), *records, *map(problem_record, found.problems)])
    return capped([_about(), *_parted(decoded(data))])


def _of_value(value: object) -> Iterator[Element]:
    if isinstance(value, Element):
        yield value
    else:
        yield from elements(value)


def _parted(text: str) -> Iterator[ParsedRecord]:
    for number, piece in enumerate((one for one in text.split("\0") if one.strip()), 1):
        place = f"issue {number}"
        try:
            found = scan_text(piece, ITEM)
        except FormatError as error:
            yield rejected(place, piece.encode("utf-8"), str(error))
            continue
        yield from (replace(_record(element), place=place) for element in _of_value(found.value))
        yield from (replace(problem_record(problem), place=place) for problem in found.problems)


def _about() -> ParsedRecord:
    return ParsedRecord(
        place="the file",
        kind=RecordKind.META,
        data=b"",
        reason="The tool looked at the case.",
        report=CaseReport(state=RunState.REVIEWED),
    )


def _record(element: Element) -> ParsedRecord:
    try:
        if element.error:
            raise RecordError(element.error)
        return _issue(element, Fields(element.value))
    except RecordError as error:
        return rejected(element.place, element.data, str(error))


def _issue(element: Element, fields: Fields) -> ParsedRecord:
    record = ParsedRecord(element.place, RecordKind.META, element.data)
    kind = fields.text("type")
    if kind and kind.lower() != "issue":
        return replace(record, reason=f'A "{kind[:40]}", which is no finding.')
    description = fields.text("description", required=True)
    details = fields.below("content").text("body")
    categories = [one for one in fields.members("categories") if isinstance(one, str)]
    statement = Statement(
        body=f"{description}\n\n{details}" if details else description,
        title=description[:300] if details else "",
        places=(_place(fields.below("location")),),
        related=tuple(_place(one) for one in fields.objects("other_locations")),
        severity=fields.text("severity")[:100],
        scale="code_quality",
        category=categories[0][:200] if categories else "",
        rule_id=fields.text("check_name")[:200],
    )
    return replace(record, kind=RecordKind.FINDING, statement=statement, summary=first_words(description))


def _place(location: Fields) -> ClaimedPlace:
    path = location.text("path", required=True)
    lines, positions = location.below("lines"), location.below("positions")
    begin, end = lines.whole("begin"), lines.whole("end")
    if begin is None:
        begin, end = positions.below("begin").whole("line"), positions.below("end").whole("line")
    if begin is None:
        if positions.below("begin").has("offset"):
            return ClaimedPlace(path, problem="it is told by an offset into the file, not by a line")
        return ClaimedPlace(path)
    return ClaimedPlace(path, ranges=((begin, begin if end is None else end),))
