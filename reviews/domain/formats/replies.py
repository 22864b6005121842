"""Replies of a model, as scripts ask for them: a verdict in three lines, a JSON list, items by keyword, or six keys.

A reply is text. Where a file holds replies to many cases it is JSON lines, `{"case_id": ..., "reply": "..."}`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from reviews.domain.formats import bodies
from reviews.domain.formats.fields import Fields
from reviews.domain.formats.json_records import ITEM, Element, elements, line_elements, problem_record, scan, scan_text
from reviews.domain.formats.records import (
    MAX_RECORD_BYTES,
    CaseReport,
    ClaimedPlace,
    FormatError,
    LineRange,
    ParsedFile,
    ParsedRecord,
    ReadSettings,
    RecordError,
    Statement,
    capped,
    clean,
    decoded,
    first_words,
    rejected,
)
from reviews.domain.formats.reports import REPORT_NAMES, report_of
from reviews.domain.scored import RunState
from reviews.domain.vocabulary import RecordKind

REPLY_NAMES = ("reply", "answer", "response", "output")
CASE_NAMES = ("case_id", "instance_id", "pr_id", "item_id", "item", "id", "case")
_VERDICT = re.compile(r"^[ \t>*_#`-]*DEFECT[*_` \t]*:[*_` \t]*(yes|no)\b", re.IGNORECASE | re.MULTILINE)
_LINES = re.compile(r"^[ \t>*_#`-]*LINES?[*_` \t]*:(.*)$", re.IGNORECASE | re.MULTILINE)
_EXPLANATION = re.compile(r"^[ \t>*_#`-]*EXPLANATION[*_` \t]*:", re.IGNORECASE | re.MULTILINE)
_NUMBERS = re.compile(r"(?<![\w.])(-?\d{1,9})(?:\s*[-–]\s*(\d{1,9}))?(?![\w.])")


def read_verdicts(data: bytes, settings: ReadSettings) -> ParsedFile:
    """Read replies with `DEFECT: yes|no`, `LINES: 3, 4` and `EXPLANATION: ...`; the last verdict of a reply counts."""
    return _read_replies(data, lambda reply, record: iter([_verdict(reply, record)]))


def read_json(data: bytes, settings: ReadSettings) -> ParsedFile:
    """Read replies that are a list of `{file, line, severity, issue}`, in a fence or not."""
    return _read_replies(data, _listed)


ReadReply = Callable[[str, ParsedRecord], Iterator[ParsedRecord]]


def _read_replies(data: bytes, read_reply: ReadReply) -> ParsedFile:
    text = decoded(data)
    first = text.lstrip()[:1]
    if first == "{" and any(f'"{name}"' in text for name in REPLY_NAMES):
        return capped(_with_parents(_wrapped(data, read_reply)))
    if len(data) > MAX_RECORD_BYTES:
        raise FormatError(f"The reply has {len(data)} bytes; the limit of one is {MAX_RECORD_BYTES}.")
    record = ParsedRecord("the reply", RecordKind.META, data, summary=first_words(clean(text)))
    return capped(_with_parents(iter([list(_guarded(text, record, read_reply))])))


def _with_parents(groups: Iterator[list[ParsedRecord]]) -> Iterator[ParsedRecord]:
    count = 0
    for group in groups:
        yield from (one if one.parent is None else replace(one, parent=count) for one in group)
        count += len(group)


def _wrapped(data: bytes, read_reply: ReadReply) -> Iterator[list[ParsedRecord]]:
    for element in line_elements(data):
        try:
            if element.error:
                raise RecordError(element.error)
            fields = Fields(element.value)
            key = fields.identity(*CASE_NAMES)
            if not key:
                raise RecordError('"case_id" must name the case')
            variant = fields.text("variant")
            report = report_of(fields) if any(fields.has(name) for name in REPORT_NAMES) else None
            record = ParsedRecord(
                element.place,
                RecordKind.META,
                element.data,
                case_keys=(f"{key}/{variant}", f"{key}-{variant}") if variant else (key,),
                report=report,
            )
            if not any(fields.has(name) for name in REPLY_NAMES):
                if report is None or report.state is None:
                    raise RecordError('"reply" must be a text, or "state" say why there is none')
                yield [replace(record, reason="What became of the case.")]
                continue
            reply = fields.text(*REPLY_NAMES)
        except RecordError as error:
            yield [rejected(element.place, element.data, str(error))]
            continue
        yield list(_guarded(reply, replace(record, summary=first_words(reply)), read_reply))


def _guarded(reply: str, record: ParsedRecord, read_reply: ReadReply) -> Iterator[ParsedRecord]:
    """Yield what a reply holds. One that cannot be read is rejected, and its case counts as failed, never as silent."""
    try:
        yield from read_reply(reply, record)
    except (RecordError, FormatError) as error:
        reason = str(error).rstrip(".")
        yield replace(
            record,
            kind=RecordKind.REJECTED,
            reason=f"The reply cannot be read: {reason}.",
            report=replace(record.report or CaseReport(), state=RunState.FAILED, detail="The reply cannot be read."),
        )


def _reviewed(record: ParsedRecord) -> CaseReport:
    report = record.report or CaseReport()
    return report if report.state else replace(report, state=RunState.REVIEWED)


def _verdict(reply: str, record: ParsedRecord) -> ParsedRecord:
    verdicts = list(_VERDICT.finditer(reply))
    if not verdicts:
        raise RecordError('there is no line "DEFECT: yes" or "DEFECT: no"')
    last = verdicts[-1]
    notes = []
    if verdicts[0][1].lower() != last[1].lower():
        notes.append(f'the first verdict is "{verdicts[0][1].lower()}", the last "{last[1].lower()}"; the last counts')
    named = [found for found in _LINES.finditer(reply) if found.start() > last.start()] or list(_LINES.finditer(reply))
    ranges = _ranges(named[-1][1]) if named else ()
    words = [found.end() for found in _EXPLANATION.finditer(reply)]
    explanation = clean(reply[words[-1] :].strip() if words else reply[last.end() :].strip())
    record = replace(record, report=_reviewed(record), notes=tuple(notes))
    if last[1].lower() == "no":
        return replace(record, reason="The reply says that there is no defect.")
    return replace(
        record,
        kind=RecordKind.FINDING,
        # The file is the case's only one; without one it stays open which.
        statement=Statement(body=explanation or "A defect.", places=(ClaimedPlace(ranges=ranges),)),
        summary=first_words(explanation),
    )


def _ranges(text: str) -> tuple[LineRange, ...]:
    return tuple((int(found[1]), int(found[2] or found[1])) for found in _NUMBERS.finditer(text[:2000]))[:200]


def _listed(reply: str, record: ParsedRecord) -> Iterator[ParsedRecord]:
    """Yield the reply itself and behind it each of its findings."""
    text = next((content for word, content in bodies.fenced(reply) if word in {"json", ""}), reply)
    start = text.find("[")
    if start < 0:
        raise RecordError("it holds no JSON list")
    found = scan_text(text[start:], [ITEM], many=True)
    yield replace(record, report=_reviewed(record), reason="The reply as a whole; its findings stand behind it.")
    for element in elements(found.value):
        try:
            if element.error:
                raise RecordError(element.error)
            child = _issue(Fields(element.value))
        except RecordError as error:
            yield replace(
                rejected(f"{record.place}, {_inside(element)}", element.data, str(error)),
                case_keys=record.case_keys,
                parent=0,
            )
            continue
        yield ParsedRecord(
            place=f"{record.place}, {_inside(element)}",
            kind=RecordKind.FINDING,
            data=element.data,
            summary=first_words(child.body),
            case_keys=record.case_keys,
            parent=0,
            statement=child,
        )
    cut = next((problem for problem in found.problems if "cut off" in problem.reason), None)
    if cut is not None:
        yield replace(problem_record(cut), case_keys=record.case_keys, parent=0)


def _inside(element: Element) -> str:
    return element.place.rpartition(", ")[2]


def _issue(fields: Fields) -> Statement:
    body = fields.text("issue", "body", "message", "text", required=True)
    path = fields.text("file", "path")
    line, end = fields.whole("line"), fields.whole("end_line", "line_end")
    if line is not None and not path:
        raise RecordError('"file" is needed where there is a "line"')
    ranges: tuple[LineRange, ...] = () if line is None else ((line, line if end is None else end),)
    return Statement(
        body=body,
        places=(ClaimedPlace(path, ranges=ranges),),
        severity=fields.text("severity")[:100],
        scale="reply",
        category=fields.text("category")[:200],
    )


# --- Lists of items ---------------------------------------------------------------------------------------------------


def read_items(data: bytes, settings: ReadSettings) -> ParsedFile:
    """Read `{"items": [{"pr_id", "text"}]}`; nothing in it has a place."""
    found = scan(data, {"items": [ITEM]})
    if not isinstance(found.value, dict) or not isinstance(found.value.get("items"), list):
        raise FormatError('The file must be an object with a list "items".')
    records = []
    for element in elements(found.value["items"]):
        try:
            if element.error:
                raise RecordError(element.error)
            fields = Fields(element.value)
            text = fields.text("text", required=True)
            key = fields.identity("pr_id", "case_id")
            if not key:
                raise RecordError('"pr_id" must name the case')
            records.append(_plain(element, text, key))
        except RecordError as error:
            records.append(rejected(element.place, element.data, str(error)))
    return capped([*records, *map(problem_record, found.problems)])


def _plain(element: Element, text: str, key: str) -> ParsedRecord:
    record = ParsedRecord(element.place, RecordKind.META, element.data, summary=first_words(text), case_keys=(key,))
    if bodies.is_trigger(text):
        return replace(record, kind=RecordKind.TRIGGER, reason="It does nothing but call a tool.")
    return replace(record, kind=RecordKind.FINDING, statement=Statement(body=text, places=None))


def read_actual(data: bytes, settings: ReadSettings) -> ParsedFile:
    """Read `[{"case_id", "findings": [{id, file, line, category, severity, summary}]}]`; no findings is silence."""
    found = scan(data, [{"findings": [ITEM]}])
    if not isinstance(found.value, list):
        raise FormatError("The file must be a list of cases with their findings.")
    records: list[ParsedRecord] = []
    for number, case in enumerate(found.value):
        place = f"[{number}]"
        try:
            fields = Fields(case, "the case")
            key = fields.identity("case_id")
            if not key:
                raise RecordError('"case_id" must name the case')
            if not isinstance(fields.value.get("findings"), list):
                raise RecordError('"findings" must be a list')
        except RecordError as error:
            records.append(rejected(place, b"", str(error)))
            continue
        records.append(
            ParsedRecord(
                place,
                RecordKind.META,
                key.encode("utf-8", "replace"),
                reason="The tool looked at the case.",
                case_keys=(key,),
                report=CaseReport(state=RunState.REVIEWED),
            )
        )
        records += [_six_keys(element, key) for element in elements(fields.value["findings"])]
    return capped([*records, *map(problem_record, found.problems)])


def _six_keys(element: Element, key: str) -> ParsedRecord:
    try:
        if element.error:
            raise RecordError(element.error)
        fields = Fields(element.value)
        summary = fields.text("summary", required=True)
        path, line = fields.text("file"), fields.whole("line")
        if line is not None and not path:
            raise RecordError('"file" is needed where there is a "line"')
        return ParsedRecord(
            element.place,
            RecordKind.FINDING,
            element.data,
            summary=first_words(summary),
            case_keys=(key,),
            source_id=fields.identity("id"),
            statement=Statement(
                body=summary,
                places=(ClaimedPlace(path, ranges=() if line is None else ((line, line),)),),
                severity=fields.text("severity")[:100],
                scale="levels",
                category=fields.text("category")[:200],
            ),
        )
    except RecordError as error:
        return rejected(element.place, element.data, str(error), case_keys=(key,))
