"""The product's own findings format (`reviews.domain.findings_format`), with what an import keeps beyond scoring.

A finding may also have `title`, `suggestion` and `rule_id`. A case record also says what the review took:
`head_commit`, `tokens_in`, `tokens_out`, `cost`, `latency_ms`, `declared_findings`, and `context`, the files and parts
of files that were read.
"""

from __future__ import annotations

from collections.abc import Iterator

from corpus.domain.places import Anchor
from reviews.domain.findings_format import MAX_ID, LineRejected, read_anchor
from reviews.domain.formats.fields import Fields
from reviews.domain.formats.json_records import Element, line_elements
from reviews.domain.formats.records import (
    ClaimedPlace,
    ParsedFile,
    ParsedRecord,
    ReadSettings,
    RecordError,
    Statement,
    capped,
    first_words,
    rejected,
)
from reviews.domain.formats.reports import report_of
from reviews.domain.vocabulary import RecordKind


def read(data: bytes, settings: ReadSettings) -> ParsedFile:
    """Read findings and case records, one a line."""
    return capped(_records(data))


def _records(data: bytes) -> Iterator[ParsedRecord]:
    seen: set[tuple[str, str]] = set()
    for element in line_elements(data):
        try:
            if element.error:
                raise RecordError(element.error)
            record = _record(element, Fields(element.value))
            if record.source_id:
                key = (record.case_keys[0], record.source_id)
                if key in seen:
                    raise RecordError(f'the id "{record.source_id[:80]}" stands twice in the case')
                seen.add(key)
        except (RecordError, LineRejected) as error:
            record = rejected(element.place, element.data, str(error))
        yield record


def _record(element: Element, fields: Fields) -> ParsedRecord:
    case_id = fields.text("case_id", required=True)
    if "state" in fields.value:
        if not fields.text("state"):
            raise RecordError('"state" must be a text that is not empty')
        return ParsedRecord(
            element.place,
            RecordKind.META,
            element.data,
            reason="What became of the case.",
            case_keys=(case_id,),
            report=report_of(fields),
        )
    identity = fields.text("id", required=True)
    if len(identity) > MAX_ID:
        raise RecordError(f"an id of {len(identity)} characters; the limit is {MAX_ID}")
    text = fields.text("text")
    return ParsedRecord(
        element.place,
        RecordKind.FINDING,
        element.data,
        summary=first_words(fields.text("title") or text),
        case_keys=(case_id,),
        source_id=identity,
        statement=Statement(
            body=text,
            title=fields.text("title")[:300],
            places=(_place(read_anchor(fields.value)),),
            severity=fields.text("severity")[:100],
            scale="levels",
            category=fields.text("category")[:200],
            suggestion=fields.text("suggestion"),
            rule_id=fields.text("rule_id")[:200],
        ),
    )


def _place(anchor: Anchor) -> ClaimedPlace:
    if anchor.path is None or anchor.side is None:
        return ClaimedPlace()
    return ClaimedPlace(anchor.path, anchor.side, anchor.ranges)
