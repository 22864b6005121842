"""Comments of a Gerrit change, those of robots and those of people: a map from path to a list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from corpus.domain.vocabulary import Side
from reviews.domain.formats import bodies
from reviews.domain.formats.fields import Fields
from reviews.domain.formats.json_records import ITEM, Element, elements, problem_record, scan_text
from reviews.domain.formats.records import (
    ClaimedPlace,
    FormatError,
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
from reviews.domain.vocabulary import RecordKind

# What stands before the JSON of every answer, so that no page can run it as script.
GUARD = ")]}'"
PSEUDO_PATHS = frozenset({"/COMMIT_MSG", "/PATCHSET_LEVEL", "/MERGE_LIST"})


def read(data: bytes, settings: ReadSettings) -> ParsedFile:
    """Read the comments of a change. Those of other authors and answers to others are no findings."""
    text = decoded(data).lstrip().removeprefix(GUARD)
    found = scan_text(text, {"*": [ITEM]})
    if not isinstance(found.value, dict):
        raise FormatError("The file holds no comments of Gerrit: a map from path to a list is needed.")
    author = _author(found.value, settings)
    return capped([*_records(found.value, author), *map(problem_record, found.problems)])


def _name(fields: Fields) -> str:
    robot = fields.text("robot_id")
    who = fields.below("author")
    return (robot or who.text("username", "name", "email"))[:120]


def _author(paths: dict[str, object], settings: ReadSettings) -> str:
    if settings.author:
        return settings.author.strip().lower()
    names: dict[str, None] = {}
    for listed in paths.values():
        for element in elements(listed):
            try:
                name = _name(Fields(element.value))
            except RecordError:
                continue
            if name:
                names[name.lower()] = None
    wanted = {name.lower() for name in settings.names}
    known = [name for name in names if name in wanted]
    if len(known) == 1:
        return known[0]
    if len(names) > 1:
        listed_names = ", ".join(sorted(names)[:8])
        raise FormatError(f"The comments are by {listed_names}; name in the settings whose are the tool's.")
    return next(iter(names), "")


def _records(paths: dict[str, object], author: str) -> Iterator[ParsedRecord]:
    for path, listed in paths.items():
        if not isinstance(listed, list):
            yield rejected(first_words(clean(path), 200), b"", "a list of comments is needed under each path")
            continue
        for element in elements(listed):
            try:
                if element.error:
                    raise RecordError(element.error)
                yield _comment(element, Fields(element.value), clean(path), author)
            except RecordError as error:
                yield rejected(element.place, element.data, str(error))


def _comment(element: Element, fields: Fields, path: str, author: str) -> ParsedRecord:
    message = fields.text("message", required=True)
    name = _name(fields)
    record = ParsedRecord(
        place=element.place,
        kind=RecordKind.META,
        data=element.data,
        summary=first_words(message),
        case_keys=(fields.text("commit_id"),) if fields.text("commit_id") else (),
        author=name,
        source_id=fields.identity("id"),
    )
    if fields.has("in_reply_to"):
        return replace(record, kind=RecordKind.REPLY, reason="An answer to another comment.")
    if bodies.is_trigger(message):
        return replace(record, kind=RecordKind.TRIGGER, reason="It does nothing but call a tool.")
    if name and name.lower() != author:
        return replace(record, reason=f"Said by {name}, not by the tool.")
    part = bodies.read_part(message)
    fixes = [one.text("description") for one in fields.objects("fix_suggestions")]
    replaced = [
        change.text("replacement")
        for fix in fields.objects("fix_suggestions")
        for change in fix.objects("replacements")
    ]
    statement = Statement(
        body=message,
        title=part.title,
        places=(_place(fields, path),),
        severity=part.severity,
        scale=part.scale,
        category=part.category,
        suggestion="\n".join(one for one in (*fixes, *replaced, part.suggestion) if one),
    )
    return replace(record, kind=RecordKind.FINDING, statement=statement)


def _place(fields: Fields, path: str) -> ClaimedPlace:
    if path in PSEUDO_PATHS:
        return ClaimedPlace()
    word = fields.text("side")
    if word not in {"", "PARENT", "REVISION"}:
        raise RecordError(f'"side" must be PARENT or REVISION, but is "{word[:40]}"')
    side = Side.OLD if word == "PARENT" else Side.NEW
    span = fields.below("range")
    start, end = span.whole("start_line"), span.whole("end_line")
    if start is not None:
        last = start if end is None else end
        # Characters count from 0, and a range that ends before the first character of a line ends on the line before.
        if last > start and span.whole("end_character") == 0:
            last -= 1
        return ClaimedPlace(path, side, ((start, last),))
    line = fields.whole("line")
    return ClaimedPlace(path, side, ((line, line),) if line else ())
