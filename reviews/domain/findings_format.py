"""The findings format of the product: JSON Lines, one AI finding or one case record a line.

A finding: `{"case_id", "id", "text", "path"?, "side"?, "start"?, "end"?, "ranges"?, "category"?, "severity"?}`. A case
record: `{"case_id", "state", "reason"?}` with a state of `RunState`; it is how a run says that it looked and found
nothing, or that it failed. Scoring leaves other members alone, so that tools may add their own. A bad line is rejected
with its number and reason and loses no other line. Unknown categories and severities are kept empty and noted.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from corpus.domain.places import Anchor
from corpus.domain.vocabulary import Severity, Side
from reviews.domain.scored import RunState

MAX_RECORDS = 200_000
MAX_LINE_BYTES = 1_000_000
MAX_ID = 200
MAX_RANGES = 1_000
MAX_LINE_NUMBER = 2**31 - 1


@dataclass(frozen=True)
class FindingRecord:
    """One AI finding as read; an anchor of None means that it names no place at all."""

    case_id: str
    id: str
    text: str
    anchor: Anchor
    category: str | None
    severity: Severity | None


@dataclass(frozen=True)
class LineNote:
    """A line (from 1) that was rejected, or something in it that was not kept, and why."""

    line: int
    reason: str


@dataclass(frozen=True)
class FindingsFile:
    """What one file says: findings in file order, states by case, and what was rejected or not kept."""

    findings: tuple[FindingRecord, ...]
    states: dict[str, RunState]
    rejected: tuple[LineNote, ...]
    notes: tuple[LineNote, ...]

    @property
    def accepted(self) -> int:
        """The number of lines that were accepted."""
        return len(self.findings) + len(self.states)


class LineRejected(ValueError):
    """The line cannot be used."""


def read_findings(data: bytes, case_ids: Collection[str], categories: Collection[str]) -> FindingsFile:
    """Read a findings file for a manifest with `case_ids` and `categories`."""
    findings: list[FindingRecord] = []
    states: dict[str, RunState] = {}
    rejected: list[LineNote] = []
    notes: list[LineNote] = []
    seen: set[tuple[str, str]] = set()
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            if len(findings) + len(states) >= MAX_RECORDS:
                raise LineRejected(f"more than the limit of {MAX_RECORDS} records")
            plain = _decode(line)
            case_id = _text(plain, "case_id")
            if case_id not in case_ids:
                raise LineRejected(f"the manifest has no case {case_id[:80]!r} among those that are scored")
            if "state" in plain:
                if case_id in states:
                    raise LineRejected(f"a second state for the case {case_id!r}")
                states[case_id] = _state(plain)
                continue
            finding, dropped = _finding(plain, case_id, categories)
            if (case_id, finding.id) in seen:
                raise LineRejected(f"the id {finding.id[:80]!r} stands twice in the case {case_id!r}")
            seen.add((case_id, finding.id))
            findings.append(finding)
            notes += [LineNote(number, reason) for reason in dropped]
        except LineRejected as error:
            rejected.append(LineNote(number, str(error)))
    return FindingsFile(tuple(findings), states, tuple(rejected), tuple(notes))


def _decode(line: bytes) -> dict[str, Any]:
    if len(line) > MAX_LINE_BYTES:
        raise LineRejected(f"longer than the limit of {MAX_LINE_BYTES} bytes")
    try:
        plain = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise LineRejected(f"byte {error.start} is not UTF-8") from error
    except json.JSONDecodeError as error:
        raise LineRejected(f"not JSON: {error.msg} at character {error.pos + 1}") from error
    except (RecursionError, ValueError) as error:
        raise LineRejected("not JSON that can be read: nested too deeply, or a number with too many digits") from error
    if not isinstance(plain, dict):
        raise LineRejected("an object is needed")
    return plain


def _text(plain: dict[str, Any], name: str, *, required: bool = True) -> str:
    value = plain.get(name)
    if value is None and not required:
        return ""
    if not isinstance(value, str) or (required and not value):
        raise LineRejected(f"{name!r} must be a text")
    return value


def _state(plain: dict[str, Any]) -> RunState:
    value = plain["state"]
    if not isinstance(value, str) or value not in {state.value for state in RunState}:
        raise LineRejected(f"{str(value)[:40]!r} is not one of {', '.join(RunState)}")
    return RunState(value)


def _finding(plain: dict[str, Any], case_id: str, categories: Collection[str]) -> tuple[FindingRecord, list[str]]:
    """Return the finding of one line and what of it was not kept."""
    dropped = []
    identity = _text(plain, "id")
    if len(identity) > MAX_ID:
        raise LineRejected(f"an id of {len(identity)} characters; the limit is {MAX_ID}")
    category = _text(plain, "category", required=False) or None
    if category is not None and category not in categories:
        dropped.append(f"the category {category[:80]!r} is not in the taxonomy; it was left empty")
        category = None
    severity = _text(plain, "severity", required=False) or None
    if severity is not None and severity not in {level.value for level in Severity}:
        dropped.append(f"the severity {severity[:80]!r} is not known; it was left empty")
        severity = None
    record = FindingRecord(
        case_id=case_id,
        id=identity,
        text=_text(plain, "text", required=False),
        anchor=read_anchor(plain),
        category=category,
        severity=Severity(severity) if severity else None,
    )
    return record, dropped


def read_anchor(plain: dict[str, Any]) -> Anchor:
    """Return the place that a finding names. Raises LineRejected."""
    path = _text(plain, "path", required=False) or None
    side = plain.get("side") or Side.NEW.value
    if side not in {one.value for one in Side}:
        raise LineRejected(f"the side {str(side)[:40]!r} is neither old nor new")
    ranges = _ranges(plain)
    if path is None:
        if ranges:
            raise LineRejected("lines need a path")
        return Anchor(None)
    return Anchor(path, Side(side), ranges)


def _ranges(plain: dict[str, Any]) -> tuple[tuple[int, int], ...]:
    listed = plain.get("ranges")
    start, end = plain.get("start"), plain.get("end")
    if listed is None:
        if start is None and end is None:
            return ()
        listed = [[start, start if end is None else end]]
    elif start is not None or end is not None:
        raise LineRejected("either ranges, or start and end")
    if not isinstance(listed, list) or len(listed) > MAX_RANGES:
        raise LineRejected(f"ranges must be a list of at most {MAX_RANGES} pairs of lines")
    return tuple(_range(member) for member in listed)


def _range(member: Any) -> tuple[int, int]:
    if not isinstance(member, list) or len(member) != 2:
        raise LineRejected("a range must be a pair of lines")
    first, last = member
    for line in (first, last):
        if not isinstance(line, int) or isinstance(line, bool) or not 1 <= line <= MAX_LINE_NUMBER:
            raise LineRejected(f"{str(line)[:40]!r} is not a line from 1 on")
    if first > last:
        raise LineRejected(f"the range {first}-{last} is inverted")
    return first, last
