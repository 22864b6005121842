"""Files of public benchmarks: BC-Bench's review.json, and the candidates and evaluations of Martian's benchmark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from reviews.domain.formats import bodies
from reviews.domain.formats.fields import Fields
from reviews.domain.formats.json_records import ITEM, Element, elements, problem_record, scan
from reviews.domain.formats.records import (
    CaseReport,
    ClaimedPlace,
    FormatError,
    JudgedPair,
    LineRange,
    ParsedFile,
    ParsedRecord,
    ReadSettings,
    RecordError,
    Statement,
    capped,
    clean,
    first_words,
    rejected,
)
from reviews.domain.scored import RunState
from reviews.domain.vocabulary import RecordKind

# --- BC-Bench ---------------------------------------------------------------------------------------------------------


def read_bcbench(data: bytes, settings: ReadSettings) -> ParsedFile:
    """Read a review.json: a list of findings or `{"findings": [...]}`; an empty one says that nothing was found."""
    found = scan(data, [ITEM], {"findings": [ITEM]})
    value = found.value
    listed = value.get("findings") if isinstance(value, dict) else value
    if not isinstance(listed, list):
        raise FormatError('The file must be a list of findings, or an object with a list "findings".')
    key = ""
    if isinstance(value, dict) and isinstance(value.get("instance_id"), str):
        key = clean(value["instance_id"])[:200]
    keys = (key,) if key else ()
    about = ParsedRecord(
        "the file",
        RecordKind.META,
        b"",
        reason="The tool looked at the case.",
        case_keys=keys,
        report=CaseReport(state=RunState.REVIEWED),
    )
    records = [replace(_bc_finding(element), case_keys=keys) for element in elements(listed)]
    return capped([about, *records, *map(problem_record, found.problems)])


def _bc_finding(element: Element) -> ParsedRecord:
    try:
        if element.error:
            raise RecordError(element.error)
        fields = Fields(element.value)
        body = fields.text("body", "issue", required=True)
        path = fields.text("file", "filePath")
        first, last = fields.whole("line_start", "lineNumber", "line"), fields.whole("line_end")
        if first is not None and not path:
            raise RecordError('"file" is needed where there are lines')
        ranges: tuple[LineRange, ...] = () if first is None else ((first, first if last is None else last),)
        statement = Statement(
            body=body,
            places=(ClaimedPlace(path, ranges=ranges),),
            severity=fields.text("severity")[:100],
            scale="bcbench",
            category=fields.text("domain", "category")[:200],
            suggestion=fields.text("suggestion", "suggestedCode"),
        )
    except RecordError as error:
        return rejected(element.place, element.data, str(error))
    return ParsedRecord(element.place, RecordKind.FINDING, element.data, summary=first_words(body), statement=statement)


# --- Martian ----------------------------------------------------------------------------------------------------------

# Either {address: {tool: [...]}} or {"prs": {address: {tool: {"candidates": [...], "matches": [...]}}}}.
_BARE = {"*": {"*": [ITEM]}}
_WITH_MATCHES = {"prs": {"*": {"*": {"candidates": [ITEM]}}}}


def read_candidates(data: bytes, settings: ReadSettings) -> ParsedFile:
    """Read candidates by pull request and tool, with the matches of a judge where the file has them.

    No candidate has a place. A tool with an empty list looked at the change and said nothing.
    """
    found = scan(data, _WITH_MATCHES | _BARE)
    if not isinstance(found.value, dict):
        raise FormatError("The file must map the addresses of pull requests to tools and their candidates.")
    pulls = found.value.get("prs", found.value)
    judge = found.value.get("judge") if "prs" in found.value else ""
    if not isinstance(pulls, dict):
        raise FormatError('"prs" must map the addresses of pull requests to tools.')
    records = _candidates(pulls, judge if isinstance(judge, str) else "")
    return capped([*records, *map(problem_record, found.problems)])


def _candidates(pulls: dict[str, Any], judge: str) -> Iterator[ParsedRecord]:
    for address, tools in pulls.items():
        if not isinstance(tools, dict):
            yield rejected(first_words(clean(address), 250), b"", "an object of tools is needed under each address")
            continue
        for tool, said in tools.items():
            yield from _of_tool(clean(address), clean(tool)[:80], said, judge)


def _of_tool(address: str, tool: str, said: object, judge: str) -> Iterator[ParsedRecord]:
    place = first_words(f"{address}, {tool}", 280)
    listed, judged, whole = said, None, Fields({})
    try:
        if isinstance(said, dict):
            whole = Fields(said)
            listed = whole.members("candidates")
            judged = _judgements(whole, len(listed), judge)
        if not isinstance(listed, list):
            raise RecordError("a list of candidates is needed under each tool")
    except RecordError as error:
        yield rejected(place, b"", str(error), case_keys=(address,), tool=tool)
        return
    yield ParsedRecord(
        place,
        RecordKind.META,
        tool.encode("utf-8", "replace"),
        reason="The tool looked at the case.",
        case_keys=(address,),
        tool=tool,
        report=CaseReport(state=RunState.REVIEWED),
    )
    for number, element in enumerate(elements(listed)):
        record = _candidate(element)
        yield replace(
            record,
            case_keys=(address,),
            tool=tool,
            judged=judged.get(number, ()) if judged and record.kind is RecordKind.FINDING else (),
        )


def _judgements(whole: Fields, count: int, judge: str) -> dict[int, tuple[JudgedPair, ...]] | None:
    """Return the judge's answers by candidate. What it credited to another candidate has no answer of its own."""
    if not whole.has("matches"):
        return None
    answers: dict[int, tuple[JudgedPair, ...]] = {}
    for match in whole.members("matches"):
        if not isinstance(match, list) or len(match) != 3:
            raise RecordError('a member of "matches" must be [golden, candidate, confidence]')
        golden, candidate = match[0], match[1]
        for index in (golden, candidate):
            if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < 100_000:
                raise RecordError('a member of "matches" must name its candidate and its golden finding by number')
        if candidate >= count:
            raise RecordError(f"a match names candidate {candidate}, but there are {count}")
        confidence = Fields({"confidence": match[2]}).decimal("confidence", most=1)
        pair = JudgedPair(True, judge=judge[:120], golden_index=golden, confidence=confidence)
        answers[candidate] = (*answers.get(candidate, ()), pair)
    elsewhere = whole.members("credited_elsewhere")
    for number in range(count):
        if number not in answers and number not in elsewhere:
            answers[number] = (JudgedPair(False, judge=judge[:120]),)
    return answers


def _candidate(element: Element) -> ParsedRecord:
    try:
        if element.error:
            raise RecordError(element.error)
        fields = Fields(element.value)
        text = fields.text("text", required=True)
        path, line = fields.text("path"), fields.whole("line")
    except RecordError as error:
        return rejected(element.place, element.data, str(error))
    record = ParsedRecord(element.place, RecordKind.META, element.data, summary=first_words(text))
    if bodies.is_trigger(text):
        return replace(record, kind=RecordKind.TRIGGER, reason="It does nothing but call a tool.")
    place = ClaimedPlace(path, ranges=() if line is None else ((line, line),))
    statement = Statement(body=text, places=(place,) if path else None)
    return replace(record, kind=RecordKind.FINDING, statement=statement)


def read_evaluations(data: bytes, settings: ReadSettings) -> ParsedFile:
    """Read evaluations by pull request and tool: each candidate with the judge's answer, which only suggests.

    A golden finding that the judge found missed says nothing of a candidate; it is counted as a remark.
    """
    entry = {"true_positives": [ITEM], "false_positives": [ITEM], "false_negatives": [ITEM]}
    found = scan(data, {"*": {"*": entry}})
    if not isinstance(found.value, dict):
        raise FormatError("The file must map the addresses of pull requests to tools and their evaluation.")
    return capped([*_evaluations(found.value), *map(problem_record, found.problems)])


def _evaluations(pulls: dict[str, Any]) -> Iterator[ParsedRecord]:
    for address, tools in pulls.items():
        if not isinstance(tools, dict):
            yield rejected(first_words(clean(address), 250), b"", "an object of tools is needed under each address")
            continue
        for tool, entry in tools.items():
            yield from _evaluation(clean(address), clean(tool)[:80], entry)


def _evaluation(address: str, tool: str, entry: object) -> Iterator[ParsedRecord]:
    place = first_words(f"{address}, {tool}", 280)
    if not isinstance(entry, dict):
        yield rejected(place, b"", "an object is needed under each tool", case_keys=(address,), tool=tool)
        return
    yield ParsedRecord(
        place,
        RecordKind.META,
        tool.encode("utf-8", "replace"),
        reason="The tool looked at the case.",
        case_keys=(address,),
        tool=tool,
        report=CaseReport(state=RunState.REVIEWED),
    )
    records = [
        replace(_judged(element, key), case_keys=(address,), tool=tool)
        for key in ("true_positives", "false_positives", "false_negatives")
        for element in elements(entry.get(key))
    ]
    yield from _credited_once(records)


def _credited_once(records: list[ParsedRecord]) -> list[ParsedRecord]:
    """Return the records so that a candidate with several golden findings is one finding with several answers.

    The format knows candidates by their words alone, and repeats them for each golden finding they are credited for.
    """
    first: dict[str, int] = {}
    for index, record in enumerate(records):
        if record.statement is None or not record.judged[0].is_match:
            continue
        earlier = first.setdefault(record.statement.body, index)
        if earlier != index:
            records[earlier] = replace(records[earlier], judged=(*records[earlier].judged, *record.judged))
            records[index] = replace(
                record,
                kind=RecordKind.META,
                statement=None,
                judged=(),
                reason="The same candidate again, credited for a further golden finding.",
            )
    return records


def _judged(element: Element, key: str) -> ParsedRecord:
    try:
        if element.error:
            raise RecordError(element.error)
        fields = Fields(element.value)
        if key == "false_negatives":
            golden = fields.text("golden_comment", required=True)
            return ParsedRecord(
                element.place,
                RecordKind.META,
                element.data,
                summary=first_words(golden),
                reason="A golden finding that the judge found missed.",
            )
        text = fields.text("matched_candidate", "candidate", required=True)
        record = ParsedRecord(element.place, RecordKind.META, element.data, summary=first_words(text))
        if bodies.is_trigger(text):
            return replace(record, kind=RecordKind.TRIGGER, reason="It does nothing but call a tool.")
        pair = JudgedPair(
            is_match=key == "true_positives",
            golden_text=fields.text("golden_comment"),
            confidence=fields.decimal("confidence", most=1),
            reasoning=fields.text("reasoning"),
        )
    except RecordError as error:
        return rejected(element.place, element.data, str(error))
    return replace(record, kind=RecordKind.FINDING, statement=Statement(body=text, places=None), judged=(pair,))
