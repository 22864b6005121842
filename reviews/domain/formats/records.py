"""What every reader returns: records with kind and place, and what they say in terms that no format has of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from corpus.domain.limits import MIB, in_words
from corpus.domain.vocabulary import Severity, Side
from reviews.domain.scored import RunState
from reviews.domain.vocabulary import ContextKind, RecordKind

MAX_BYTES = 32 * MIB
MAX_RECORDS = 200_000
MAX_RECORD_BYTES = MIB
MAX_DEPTH = 40

LineRange = tuple[int, int]


class FormatError(ValueError):
    """Nothing of the file can be read; the message is one sentence with the place, the reason and the remedy."""


class RecordError(ValueError):
    """One record cannot be read; the message is the reason, in words that end without a full stop."""


@dataclass(frozen=True)
class ReadSettings:
    """How files of one source are read. Severity words are in lower case."""

    # Whose records are the tool's, where a file holds those of many; empty: told by the tool's names.
    author: str = ""
    names: tuple[str, ...] = ()
    first_line_is_zero: bool = False
    path_prefix: str = ""
    splits_bodies: bool = True
    severities: Mapping[str, Severity] = field(default_factory=dict)


@dataclass(frozen=True)
class ClaimedPlace:
    """A place as the source names it, unchecked: no path is the whole change, no ranges the whole file.

    Lines may be inverted, zero, or beyond the file. They count in `commit` where the source names one.
    """

    path: str = ""
    side: Side = Side.NEW
    ranges: tuple[LineRange, ...] = ()
    commit: str = ""
    # The line counted in the file's patch from its first hunk header, where that is all the source says.
    position: int | None = None
    # Why there are no lines although the source means some.
    problem: str = ""


@dataclass(frozen=True)
class Statement:
    """What a finding says. `places` name one place together; `options` stand for it in order of preference."""

    body: str
    title: str = ""
    # None: the format has no room for a place.
    places: tuple[ClaimedPlace, ...] | None = ()
    # Further ways to count the same place, such as the commit that a comment was first made on.
    otherwise: tuple[ClaimedPlace, ...] = ()
    related: tuple[ClaimedPlace, ...] = ()
    severity: str = ""
    # Which map of severity words the word belongs to.
    scale: str = ""
    category: str = ""
    rule_id: str = ""
    suggestion: str = ""
    confidence: str = ""


@dataclass(frozen=True)
class SeenFile:
    """A file, or a part of one, that the tool read."""

    kind: ContextKind
    path: str
    first_line: int | None = None
    last_line: int | None = None
    sha256: str = ""


@dataclass(frozen=True)
class CaseReport:
    """What a source says of a case as a whole. `state` is None where it says only what the review took."""

    state: RunState | None = None
    detail: str = ""
    head_commit: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: Decimal | None = None
    latency_ms: int | None = None
    declared_findings: int | None = None
    context: tuple[SeenFile, ...] = ()


@dataclass(frozen=True)
class JudgedPair:
    """A foreign judge's answer on a finding: which golden statement it speaks of, or that it speaks of none."""

    is_match: bool
    judge: str = ""
    golden_text: str = ""
    golden_index: int | None = None
    confidence: Decimal | None = None
    reasoning: str = ""


@dataclass(frozen=True)
class ParsedRecord:
    """One record of a file. `parent` is the index of the record whose body this one was split off.

    `case_keys` are names of its case, the surest first; without any the file as a whole is about one case. `reason`
    says why it was rejected, or why it is of its kind.
    """

    place: str
    kind: RecordKind
    data: bytes
    reason: str = ""
    summary: str = ""
    case_keys: tuple[str, ...] = ()
    tool: str = ""
    author: str = ""
    source_id: str = ""
    parent: int | None = None
    statement: Statement | None = None
    report: CaseReport | None = None
    judged: tuple[JudgedPair, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a record that does not hold what its kind needs."""
        if (self.kind in STATED) != (self.statement is not None):
            raise ValueError(f"a {self.kind} record {'needs' if self.kind in STATED else 'has no'} statement")
        if self.kind is RecordKind.REJECTED and not self.reason:
            raise ValueError("a rejection needs a reason")


STATED = frozenset({RecordKind.FINDING, RecordKind.SUPPRESSED})


@dataclass(frozen=True)
class ParsedFile:
    """Everything that a file holds, in its order."""

    records: tuple[ParsedRecord, ...]

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that the records name, in order of appearance."""
        return tuple(dict.fromkeys(record.tool for record in self.records if record.tool))

    def count(self, kind: RecordKind) -> int:
        """Return the number of records of a kind, parts of split bodies included."""
        return sum(record.kind is kind for record in self.records)


def rejected(place: str, data: bytes, reason: str, **more: object) -> ParsedRecord:
    """Return a rejected record; the reason becomes a sentence."""
    return ParsedRecord(place, RecordKind.REJECTED, data, reason=sentence(reason), **more)  # type: ignore[arg-type]


def sentence(words: str) -> str:
    """Return words as a sentence."""
    words = words.strip()
    if not words:
        return ""
    words = words[0].upper() + words[1:]
    return words if words[-1] in ".!?" else words + "."


def check_size(data: bytes, what: str = "The file") -> None:
    """Raise FormatError for a file that is empty or over the limit."""
    if len(data) > MAX_BYTES:
        raise FormatError(f"{what} has {len(data)} bytes; the limit is {in_words(MAX_BYTES)}, so split it.")
    if not data.strip(b"\xef\xbb\xbf \t\r\n"):
        raise FormatError(f"{what} is empty; give what the tool wrote.")


def decoded(data: bytes, what: str = "The file") -> str:
    """Return the text of a file that is UTF-8, with or without a byte order mark. Raises FormatError."""
    check_size(data, what)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FormatError(f"{what} is UTF-16; save it as UTF-8.")
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(f"{what} is not UTF-8 at byte {error.start + 1}, line {line}; save it as UTF-8.") from error


_UNFIT = re.compile("[\x00\ud800-\udfff]")


def clean(text: str) -> str:
    """Return text that every database holds: NUL is shown as its picture, half a surrogate pair as unreadable."""
    return _UNFIT.sub(lambda found: "\u2400" if found[0] == "\0" else "\ufffd", text)


def first_words(text: str, limit: int = 300) -> str:
    """Return the beginning of a text on one line."""
    flat = " ".join(text[: limit * 4].split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def capped(records: Iterable[ParsedRecord]) -> ParsedFile:
    """Return the records as a file. Raises FormatError where there are more than the limit."""
    found: list[ParsedRecord] = []
    for record in records:
        if len(found) >= MAX_RECORDS:
            raise FormatError(f"The file holds more than the limit of {MAX_RECORDS} records; split it.")
        found.append(record)
    return ParsedFile(tuple(found))
