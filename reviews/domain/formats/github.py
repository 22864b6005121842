"""Comments of a pull request as GitHub's REST interface gives them: review comments, reviews and issue comments.

One bundle (an object with a list of each), or the three lists in files or behind each other, also in several pages.
What is the tool's and what is somebody else's is told by the author; nobody's record is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from corpus.domain.vocabulary import Side
from reviews.domain.formats import bodies
from reviews.domain.formats.fields import Fields
from reviews.domain.formats.json_records import ITEM, Element, elements, problem_record, scan
from reviews.domain.formats.records import (
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
    first_words,
    rejected,
)
from reviews.domain.scored import RunState
from reviews.domain.vocabulary import RecordKind

BUNDLE_KEYS = ("review_comments", "comments", "reviews", "issue_comments")
_PULL = re.compile(r"^(https?://[^/\s]+/[^/\s]+/[^/\s]+)/(?:pull|issues)/(\d+)\b")
_API = re.compile(r"^https?://([^/\s]+)/(?:api/v3/)?repos/([^/\s]+/[^/\s]+)/(?:pulls|issues)/(\d+)(?:/|$)")
_HUNK = re.compile(r"^@@ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@")


@dataclass(frozen=True)
class _Comment:
    """One element of one of the three lists."""

    element: Element
    fields: Fields
    author: str
    is_bot: bool
    case_keys: tuple[str, ...]

    @property
    def body(self) -> str:
        return self.fields.text("body")

    @property
    def source_id(self) -> str:
        return f"{self.kind}:{self.fields.identity('id', 'node_id')}" if self.fields.identity("id", "node_id") else ""

    @property
    def kind(self) -> str:
        return kind_of_comment(self.fields)


def kind_of_comment(fields: Fields) -> str:
    """Say in which of the three lists an element belongs."""
    if fields.has("path") or fields.has("diff_hunk") or fields.has("in_reply_to_id"):
        return "comment"
    if fields.has("state") or fields.has("submitted_at"):
        return "review"
    return "issue_comment"


def read(data: bytes, settings: ReadSettings) -> ParsedFile:
    """Read the comments of one pull request or of many."""
    bundle = {key: [ITEM] for key in BUNDLE_KEYS}
    found = scan(data, [ITEM], bundle, many=True)
    comments: list[_Comment] = []
    unread: list[ParsedRecord] = []
    for document in found.values:
        keys = _keys_of_bundle(document)
        for element in _elements(document):
            if element.error:
                unread.append(rejected(element.place, element.data, element.error))
                continue
            try:
                comments.append(_comment(element, keys))
            except RecordError as error:
                unread.append(rejected(element.place, element.data, str(error)))
    unread += [problem_record(problem) for problem in found.problems]
    author = _author(comments, settings)
    return capped([*_records(comments, author, settings), *unread])


def _elements(document: object) -> Iterator[Element]:
    if isinstance(document, list):
        yield from elements(document)
    elif isinstance(document, dict):
        for key in BUNDLE_KEYS:
            yield from elements(document.get(key))


def _keys_of_bundle(document: object) -> tuple[str, ...]:
    if not isinstance(document, dict):
        return ()
    pull = document.get("pull_request")
    addresses = [document.get("url"), document.get("html_url"), document.get("pr_url")]
    if isinstance(pull, dict):
        addresses += [pull.get("html_url"), pull.get("url")]
    return tuple(dict.fromkeys(key for one in addresses if isinstance(one, str) for key in address_keys(one)))


def address_keys(address: str) -> tuple[str, ...]:
    """Return the address of the pull request that an address of it or of something in it names, whole."""
    pull = _PULL.match(address)
    if pull:
        return (f"{pull[1]}/pull/{pull[2]}",)
    api = _API.match(address)
    if api:
        host = api[1].removeprefix("api.")
        return (f"https://{host}/{api[2]}/pull/{api[3]}",)
    return ()


def _comment(element: Element, bundle_keys: tuple[str, ...]) -> _Comment:
    fields = Fields(element.value)
    user = fields.below("user", "author")
    login = user.text("login", "name")
    addresses = [fields.text(name) for name in ("html_url", "pull_request_url", "issue_url", "url")]
    own = tuple(dict.fromkeys(key for address in addresses for key in address_keys(address)))
    fields.text("body")
    fields.identity("id", "node_id")
    is_bot = user.text("type") == "Bot" or login.endswith("[bot]")
    return _Comment(element, fields, login[:120], is_bot, own or bundle_keys)


def plain_login(login: str) -> str:
    """Return a login as both interfaces of GitHub write it: one of them leaves `[bot]` out."""
    return login.strip().lower().removeprefix("@").removesuffix("[bot]")


def _author(comments: Sequence[_Comment], settings: ReadSettings) -> str:
    """Return whose comments are the tool's. Raises FormatError where that cannot be told."""
    logins = {plain_login(one.author): one for one in comments if one.author}
    if settings.author:
        return plain_login(settings.author)
    named = [login for login in logins if login in {plain_login(name) for name in settings.names}]
    if len(named) == 1:
        return named[0]
    bots = [login for login, one in logins.items() if one.is_bot]
    if len(bots) == 1:
        return bots[0]
    if len(logins) == 1:
        return next(iter(logins))
    if not logins:
        return ""
    listed = ", ".join(sorted(logins)[:8])
    raise FormatError(f"The comments are by {listed}; name in the settings whose are the tool's.")


def _records(comments: Sequence[_Comment], author: str, settings: ReadSettings) -> Iterator[ParsedRecord]:
    inline: dict[str, int] = {}
    for one in comments:
        review = one.fields.identity("pull_request_review_id") if one.kind == "comment" else ""
        if review and plain_login(one.author) == author and not one.fields.has("in_reply_to_id"):
            inline[review] = inline.get(review, 0) + 1
    count = 0
    for one in comments:
        try:
            made = list(_of_comment(one, author, inline, settings))
        except RecordError as error:
            made = [
                rejected(one.element.place, one.element.data, str(error), author=one.author, case_keys=one.case_keys)
            ]
        yield from (record if record.parent is None else replace(record, parent=count) for record in made)
        count += len(made)


def _of_comment(one: _Comment, author: str, inline: dict[str, int], settings: ReadSettings) -> Iterator[ParsedRecord]:
    """Yield the record of one comment and, where its body holds several findings, one for each behind it."""
    body = one.body
    record = ParsedRecord(
        place=one.element.place,
        kind=RecordKind.META,
        data=one.element.data,
        summary=first_words(bodies.without_comments(body)),
        case_keys=one.case_keys + ((one.fields.text("commit_id"),) if one.fields.has("commit_id") else ()),
        author=one.author,
        source_id=one.source_id,
    )
    if one.fields.has("in_reply_to_id"):
        yield replace(record, kind=RecordKind.REPLY, reason="An answer to another comment.")
    elif bodies.is_trigger(body):
        yield replace(record, kind=RecordKind.TRIGGER, reason="It does nothing but call a tool.")
    elif author and plain_login(one.author) != author:
        yield replace(record, reason=f"Said by {one.author or 'nobody'}, not by the tool.")
    elif bodies.is_check_run(body):
        yield replace(record, reason="The output of a check run, marked as such.")
    elif one.kind == "comment":
        yield from _inline(one, record, settings)
    else:
        yield from _whole(one, record, inline, settings)


def _inline(one: _Comment, record: ParsedRecord, settings: ReadSettings) -> Iterator[ParsedRecord]:
    if not one.body.strip():
        raise RecordError('"body" must be a text that is not empty')
    parts = bodies.split_body(one.body) if settings.splits_bodies else [bodies.read_part(one.body)]
    places, otherwise = _places(one.fields)
    if len(parts) == 1:
        statement = _statement(parts[0], places, otherwise)
        summary = first_words(statement.title) or record.summary
        yield replace(record, kind=RecordKind.FINDING, statement=statement, reason="", summary=summary)
        return
    yield replace(record, reason=f"It holds {len(parts)} findings; each stands behind it as a record of its own.")
    for number, part in enumerate(parts, 1):
        own = places
        others = otherwise
        if part.ranges:
            own = tuple(replace(place, ranges=part.ranges, position=None) for place in places[-1:])
            others = tuple(replace(place, ranges=part.ranges) for place in otherwise[-1:])
        yield _part_record(record, part, number, _statement(part, own, others))


def _part_record(record: ParsedRecord, part: bodies.Part, number: int, statement: Statement) -> ParsedRecord:
    return replace(
        record,
        kind=RecordKind.SUPPRESSED if part.is_suppressed else RecordKind.FINDING,
        place=f"{record.place}, part {number}",
        data=part.text.encode("utf-8"),
        summary=first_words(part.title or part.text),
        source_id=f"{record.source_id}#{number}" if record.source_id else "",
        parent=0,
        statement=statement,
        report=None,
        reason="",
        notes=(part.note,) if part.note else (),
    )


def _statement(
    part: bodies.Part, places: tuple[ClaimedPlace, ...], otherwise: tuple[ClaimedPlace, ...] = ()
) -> Statement:
    return Statement(
        body=part.text,
        title=part.title,
        places=places,
        otherwise=otherwise,
        severity=part.severity,
        scale=part.scale,
        category=part.category,
        suggestion=part.suggestion,
    )


def _whole(
    one: _Comment, record: ParsedRecord, inline: dict[str, int], settings: ReadSettings
) -> Iterator[ParsedRecord]:
    """Yield a review or issue comment as a summary, and behind it the findings that only its body holds."""
    review = bodies.read_review(one.body)
    notes = list(review.notes)
    identity = one.fields.identity("id")
    if review.declared_inline is not None and one.kind == "review" and identity:
        read = inline.get(identity, 0)
        if read != review.declared_inline:
            notes.append(f"the review declares {review.declared_inline} inline comments, {read} are in the file")
    parts = list(review.parts)
    if not parts and settings.splits_bodies and one.kind == "issue_comment":
        listed = bodies.split_body(one.body)
        parts = listed if len(listed) > 1 else []
    declared = None
    if review.declared_inline is not None:
        declared = review.declared_inline + sum(section.declared for section in review.sections)
    yield replace(
        record,
        kind=RecordKind.SUMMARY,
        reason="Words about the change as a whole.",
        # A clean review may exist as such a comment only, so it tells that the case was reviewed.
        report=CaseReport(state=RunState.REVIEWED, declared_findings=declared),
        notes=tuple(notes),
    )
    commit = one.fields.text("commit_id")
    for number, part in enumerate(parts, 1):
        place = ClaimedPlace(path=part.path, ranges=part.ranges, commit=commit) if part.path else ClaimedPlace()
        yield _part_record(record, part, number, _statement(part, (place,)))


# --- Places ---------------------------------------------------------------------------------------------------------


def _side(word: str) -> Side:
    if word not in {"", "LEFT", "RIGHT", "old", "new"}:
        raise RecordError(f'"side" must be LEFT or RIGHT, but is "{word[:40]}"')
    return Side.OLD if word in {"LEFT", "old"} else Side.NEW


def _places(fields: Fields) -> tuple[tuple[ClaimedPlace, ...], tuple[ClaimedPlace, ...]]:
    """Return where a comment stands at the latest commit, and where it stood at the one it was made on."""
    path = fields.text("path", required=True)
    if fields.text("subject_type") == "file":
        return (ClaimedPlace(path, _side(fields.text("side"))),), ()
    side = _side(fields.text("side"))
    commit, original = fields.text("commit_id"), fields.text("original_commit_id")
    line, start = fields.whole("line"), fields.whole("start_line")
    otherwise: tuple[ClaimedPlace, ...] = ()
    original_line = fields.whole("original_line")
    if original_line is not None:
        first = fields.whole("original_start_line")
        otherwise = (ClaimedPlace(path, side, (_lines(first, original_line),), original),)
    if line is not None:
        start_side = _side(fields.text("start_side")) if fields.has("start_side") else side
        if start is not None and start_side is not side:
            crossing = (
                ClaimedPlace(path, start_side, ((start, start),), commit),
                ClaimedPlace(path, side, ((line, line),), commit),
            )
            return crossing, ()
        return (ClaimedPlace(path, side, (_lines(start, line),), commit),), otherwise
    if "line" not in fields.value and fields.has("position"):
        return (_by_position(fields, path, side, commit),), otherwise
    outdated = "it is outdated: the lines it was made on are no longer part of the change"
    return (ClaimedPlace(path, side, commit=commit, problem=outdated),), otherwise


def _lines(first: int | None, last: int) -> LineRange:
    return (last if first is None else first, last)


def _by_position(fields: Fields, path: str, side: Side, commit: str) -> ClaimedPlace:
    """Return the place of an old dump without lines; its `diff_hunk` ends at the line that was commented on."""
    found = end_of_hunk(fields.text("diff_hunk"))
    if found is None:
        return ClaimedPlace(path, side, commit=commit, position=fields.whole("position"))
    return ClaimedPlace(path, found[0], ((found[1], found[1]),), commit)


def end_of_hunk(hunk: str) -> tuple[Side, int] | None:
    """Return side and number of the last line of a hunk's text; None where it is no hunk."""
    lines = hunk.splitlines()
    head = _HUNK.match(lines[0]) if lines else None
    if head is None or len(lines) < 2:
        return None
    old, new = int(head[1]) - 1, int(head[2]) - 1
    side = Side.NEW
    for line in lines[1:]:
        if line.startswith("\\"):
            continue
        old += not line.startswith("+")
        new += not line.startswith("-")
        side = Side.OLD if line.startswith("-") else Side.NEW
    return side, old if side is Side.OLD else new
