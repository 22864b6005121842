from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.domain.places import Anchor
from corpus.domain.vocabulary import Severity, Side
from reviews.domain.findings_format import FindingsFile, LineNote, read_findings
from reviews.domain.scored import RunState

SCHEMA = jsonschema.Draft202012Validator(
    json.loads((Path(__file__).parents[2] / "docs" / "findings.schema.json").read_text())
)


def read(*lines: object) -> FindingsFile:
    data = b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
    return read_findings(data, {"c1", "c2"}, {"boundary"})


def line(**members: object) -> dict[str, object]:
    return {"case_id": "c1", "id": "A1", "text": "wrong", "path": "a.py", "start": 3, **members}


def test_findings_and_states_are_read() -> None:
    found = read(
        line(side="old", end=5, category="boundary", severity="high", confidence=0.9),
        line(id="A2", start=None, ranges=[[1, 2], [7, 7]]),
        line(id="A3", start=None),
        line(id="A4", start=None, path=None),
        {"case_id": "c2", "state": "timed_out", "reason": "120 s"},
        b"",
    )
    assert found.rejected == ()
    assert found.accepted == 5
    assert found.states == {"c2": RunState.TIMED_OUT}
    assert [finding.anchor for finding in found.findings] == [
        Anchor("a.py", Side.OLD, ((3, 5),)),
        Anchor("a.py", Side.NEW, ((1, 2), (7, 7))),
        Anchor("a.py", Side.NEW),
        Anchor(None),
    ]
    assert (found.findings[0].category, found.findings[0].severity) == ("boundary", Severity.HIGH)


def test_unknown_categories_and_severities_are_left_empty_and_noted() -> None:
    found = read(line(category="bug", severity="major"))
    assert (found.findings[0].category, found.findings[0].severity) == (None, None)
    assert found.notes == (
        LineNote(1, "the category 'bug' is not in the taxonomy; it was left empty"),
        LineNote(1, "the severity 'major' is not known; it was left empty"),
    )


BAD_SHAPES: list[tuple[Any, str]] = [
    ([1], "an object is needed"),
    ({"id": "A1"}, "'case_id' must be a text"),
    ({"case_id": "c1"}, "'id' must be a text"),
    ({"case_id": "c1", "state": "done"}, "'done' is not one of reviewed, failed, timed_out, not_run"),
    (line(id=""), "'id' must be a text"),
    (line(id="x" * 201), "an id of 201 characters; the limit is 200"),
    (line(text=5), "'text' must be a text"),
    (line(side="RIGHT"), "the side 'RIGHT' is neither old nor new"),
    (line(start=0), "'0' is not a line from 1 on"),
    (line(start=1.5), "'1.5' is not a line from 1 on"),
    (line(start=True), "'True' is not a line from 1 on"),
    (line(start="3"), "'3' is not a line from 1 on"),
    (line(start=None, end=4), "'None' is not a line from 1 on"),
    (line(path=None), "lines need a path"),
    (line(ranges=[[1, 2]]), "either ranges, or start and end"),
    (line(start=None, ranges=[[1]]), "a range must be a pair of lines"),
    (line(start=None, ranges="1-2"), "ranges must be a list of at most 1000 pairs of lines"),
]


@pytest.mark.parametrize(("bad", "reason"), BAD_SHAPES)
def test_a_bad_line_is_rejected_with_its_number_and_loses_no_other(bad: Any, reason: str) -> None:
    found = read(line(id="first"), bad, line(id="last"))
    assert [finding.id for finding in found.findings] == ["first", "last"]
    assert found.rejected == (LineNote(2, reason),)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        pytest.param(b"{", "not JSON: ", id="cut"),
        pytest.param(b'{"case_id":"\xff"}', "byte 12 is not UTF-8", id="bytes"),
        pytest.param(b"[" * 100_000, "not JSON that can be read: nested too deeply", id="deep"),
        pytest.param(b'{"case_id": ' + b"9" * 5_000 + b"}", "not JSON that can be read", id="digits"),
        pytest.param(b'"' + b"x" * 1_000_000, "longer than the limit of 1000000 bytes", id="long"),
        pytest.param(line(case_id="c9"), "the manifest has no case 'c9' among those that are scored", id="case"),
        pytest.param(line(id="first"), "the id 'first' stands twice in the case 'c1'", id="twice"),
        pytest.param(line(start=5, end=4), "the range 5-4 is inverted", id="inverted"),
    ],
)
def test_what_no_schema_can_say_is_rejected_too(bad: Any, reason: str) -> None:
    found = read(line(id="first"), bad, line(id="last"))
    assert [finding.id for finding in found.findings] == ["first", "last"]
    [rejected] = found.rejected
    assert rejected.line == 2
    assert rejected.reason.startswith(reason)


def test_a_second_state_for_a_case_is_rejected() -> None:
    state = {"case_id": "c1", "state": "reviewed"}
    assert read(state, state).rejected == (LineNote(2, "a second state for the case 'c1'"),)


@pytest.mark.parametrize(
    "good",
    [
        line(),
        line(side="old", end=5, extra={"a": [1]}),
        line(start=None, ranges=[[1, 2]]),
        line(start=None, path=None, text=None),
        {"case_id": "c1", "state": "failed", "reason": "500"},
    ],
)
def test_the_published_schema_takes_what_the_reader_takes(good: Any) -> None:
    assert SCHEMA.is_valid(good)
    assert read(good).rejected == ()


@pytest.mark.parametrize("bad", [bad for bad, _ in BAD_SHAPES])
def test_the_published_schema_refuses_what_the_reader_rejects(bad: Any) -> None:
    assert not SCHEMA.is_valid(bad)


@given(st.lists(st.binary(max_size=30).map(lambda data: data.replace(b"\n", b"")), max_size=6))
@settings(max_examples=100)
def test_every_line_of_any_bytes_is_accepted_or_rejected_and_none_is_lost(lines: list[bytes]) -> None:
    found = read(line(), *lines)
    filled = [text for text in lines if text.strip()]
    assert found.accepted + len(found.rejected) == 1 + len(filled)
