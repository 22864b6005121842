"""Whatever the bytes are: a reader raises its own error alone, drops nothing, and a format is told with a reason."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reviews.domain.anchoring import CaseFiles, FilePatch, SideLines, resolve
from reviews.domain.formats.bodies import read_review, split_body
from reviews.domain.formats.catalogue import FORMATS, detect_format, read_file
from reviews.domain.formats.records import MAX_DEPTH, MAX_RECORD_BYTES, STATED, FormatError, ParsedFile, ReadSettings
from reviews.domain.neutral import content_digest, neutral_text
from tests.unit.formats.reading import kinds, read, refused
from tests.unit.formats.test_github import comment, review
from tests.unit.formats.test_reports import CHECKSTYLE, diagnostic, issue, result, robot, sarif

URL = "https://github.com/o/r/pull/1"
SIX = {"id": "A", "file": "p.py", "line": 4, "category": "boundary", "severity": "high", "summary": "It fails."}
OWN = {"case_id": "K", "id": "f", "path": "a.py", "start": 1, "text": "It fails."}
PAIR = {"golden_comment": "G", "matched_candidate": "It fails.", "confidence": 0.9}
# Of each format a file with two findings: as a value for JSON, as text otherwise.
SAMPLES: dict[str, Any] = {
    "touchstone": "\n".join(json.dumps({**OWN, "id": name}) for name in ("f", "g")),
    "github": [comment(), comment(id=2)],
    "sarif": sarif(result(), result()),
    "rdjson": {"source": {"name": "x"}, "diagnostics": [diagnostic(), diagnostic()]},
    "rdjsonl": "\n".join([json.dumps(diagnostic())] * 2),
    "gitlab": [issue(), issue()],
    "codeclimate": [issue(type="issue"), issue(type="issue")],
    "checkstyle": CHECKSTYLE,
    "gerrit": ")]}'\n" + json.dumps({"a.py": [robot(), robot(id="y")]}),
    "verdict_reply": "DEFECT: yes\nLINES: 3\nEXPLANATION: It fails.",
    "json_reply": "Here:\n```json\n" + json.dumps([{"file": "a", "line": 1, "issue": "x"}] * 2) + "\n```",
    "items": {"items": [{"pr_id": "pr-1", "text": "It fails."}, {"pr_id": "pr-2", "text": "So does this."}]},
    "actual": [{"case_id": "K", "findings": [SIX, {**SIX, "id": "B"}]}],
    "bcbench": {"findings": [{"file": "a", "line": 1, "body": "x"}, {"file": "b", "line": 2, "body": "y"}]},
    "martian_candidates": {URL: {"one": [{"text": "It fails."}, {"text": "So does this."}]}},
    "martian_evaluations": {URL: {"one": {"true_positives": [PAIR], "false_positives": [{"candidate": "No."}]}}},
}


def as_bytes(value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else json.dumps(value, indent=1).encode()


def test_every_format_has_a_sample() -> None:
    assert set(SAMPLES) == set(FORMATS)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_format_is_told_by_its_bytes_with_a_reason(name: str) -> None:
    found = detect_format(as_bytes(SAMPLES[name]))
    assert (found.name, bool(found.reason)) == (name, True)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_byte_order_mark_and_other_line_ends_change_nothing(name: str) -> None:
    plain = as_bytes(SAMPLES[name])
    changed = b"\xef\xbb\xbf" + plain.replace(b"\n", b"\r\n")
    assert detect_format(changed).name == name
    assert kinds(read(name, changed)) == kinds(read(name, plain))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"hello", "neither JSON nor XML"),
        (b"<html></html>", "no <checkstyle>"),
        (b'{"a": 1}', "of no shape that is known"),
        (b"[]", "of no shape that is known"),
        (b"[1, 2]", "of no shape that is known"),
    ],
)
def test_what_cannot_be_told_is_said(data: bytes, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        detect_format(data)


JSON_FORMATS = sorted(set(SAMPLES) - {"checkstyle", "verdict_reply", "json_reply", "touchstone", "rdjsonl"})


@pytest.mark.parametrize("name", JSON_FORMATS)
def test_a_file_that_is_cut_off_previews_what_stands_before_and_names_the_place(name: str) -> None:
    data = as_bytes(SAMPLES[name])
    whole = read(name, data)
    # Inside the last finding's words.
    cut = read(name, data[: data.rindex(b'"') - 1])
    lost = [(place, reason) for place, reason in refused(cut) if "line" in place]
    assert len(lost) == 1, refused(cut)
    assert "cut off" in lost[0][1] or "nothing behind it was read" in lost[0][1]
    assert spoken(cut) == spoken(whole) - 1


def spoken(parsed: ParsedFile) -> int:
    return sum(record.kind in STATED for record in parsed.records)


def broken(name: str, bad: str) -> bytes:
    """Put a bad record before the first record of a sample."""
    text = as_bytes(SAMPLES[name]).decode()
    if name in {"touchstone", "rdjsonl"}:
        return f"{bad}\n{text}".encode()
    start = {
        "github": "[",
        "gitlab": "[",
        "codeclimate": "[",
        "sarif": '"results": [',
        "rdjson": '"diagnostics": [',
        "gerrit": '"a.py": [',
        "items": '"items": [',
        "actual": '"findings": [',
        "bcbench": '"findings": [',
        "martian_candidates": '"one": [',
        "martian_evaluations": '"true_positives": [',
    }[name]
    return text.replace(start, f"{start}{bad},", 1).encode()


BAD = {
    "a number that is none": ('{"x": NaN}', "NaN is no JSON number"),
    "infinity": ('{"x": -Infinity}', "-Infinity is no JSON number"),
    "a number with too many digits": ('{"x": ' + "9" * 5000 + "}", "digits"),
    "deep nesting": ('{"x": ' + "[" * 5000 + "]" * 5000 + "}", f"nested|{MAX_DEPTH} levels"),
    "nesting beyond the limit": ('{"x": ' + "[" * 50 + "]" * 50 + "}", f"deeper than {MAX_DEPTH} levels"),
    "a huge record": ('{"x": "' + "y" * (MAX_RECORD_BYTES + 1) + '"}', f"limit of one record is {MAX_RECORD_BYTES}"),
    "a wrong type": ("[1]", "must be an object, not a list"),
    "a text": ('"x"', "must be an object, not a text"),
    "a fault inside": ('{"x": tru}', "no JSON"),
}


@pytest.mark.parametrize("what", BAD)
@pytest.mark.parametrize("name", sorted({*JSON_FORMATS, "touchstone", "rdjsonl"}))
def test_one_bad_record_is_located_and_loses_no_other(name: str, what: str) -> None:
    bad, reason = BAD[what]
    whole, parsed = read(name, SAMPLES[name]), read(name, broken(name, bad))
    assert spoken(parsed) == spoken(whole)
    found = refused(parsed)
    assert len(found) == 1, found
    assert "line " in found[0][0]
    assert any(part in found[0][1] for part in reason.split("|")), found


def test_a_file_of_broken_records_is_given_up_soon() -> None:
    data = b'{"runs": [{"results": [' + b'{"a": ,},' * 200_000 + b"{}]}]}"
    started = time.process_time()
    parsed = read("sarif", data)
    assert time.process_time() - started < 20
    assert refused(parsed)[-1][1] == "More than 1000 records are broken; nothing behind it was read."


def test_a_file_on_one_line_costs_as_much_a_record_as_one_of_many_lines() -> None:
    """Where a record stands is told without looking back to the start of its line."""
    listed = [diagnostic(message="x" * 400) for _ in range(20_000)]
    took = []
    for indent in (None, 0):
        data = json.dumps({"diagnostics": listed}, indent=indent).encode()
        started = time.process_time()
        assert len(read("rdjson", data).records) == 20_001
        took.append(time.process_time() - started)
    assert took[0] < 5 * took[1] + 1


def test_long_bodies_emoji_and_half_a_surrogate_pair_survive() -> None:
    body = "🔴 é \ud83d " + "x" * 100_000
    parsed = read("github", json.dumps([comment(body=body)]))
    made = parsed.records[0].statement
    assert made is not None
    assert made.body == "🔴 é \ufffd " + "x" * 100_000


def test_a_file_over_the_limit_or_in_another_encoding_is_refused_with_the_remedy() -> None:
    with pytest.raises(FormatError, match="limit is 32 MiB, so split it"):
        read_file(b" " * (32 * 1024 * 1024 + 1), "github", ReadSettings())
    with pytest.raises(FormatError, match="UTF-16; save it as UTF-8"):
        read("github", "[]".encode("utf-16"))
    with pytest.raises(FormatError, match="not UTF-8 at byte 3, line 2"):
        read("github", b"[\n\xff]")


# --- Any bytes at all -----------------------------------------------------------------------------------------------

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from([URL, "RIGHT", "a.py"]),
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *(
                        "id",
                        "body",
                        "user",
                        "login",
                        "path",
                        "line",
                        "start_line",
                        "side",
                        "position",
                        "subject_type",
                        "text",
                    ),
                    *(
                        "runs",
                        "results",
                        "message",
                        "locations",
                        "physicalLocation",
                        "artifactLocation",
                        "region",
                        "rule",
                    ),
                    *("diagnostics", "location", "range", "start", "severity", "items", "pr_id", "findings", "case_id"),
                    *(
                        "prs",
                        "candidates",
                        "matches",
                        "true_positives",
                        "robot_id",
                        "comments",
                        "reviews",
                        "state",
                        "reply",
                    ),
                    *(
                        "description",
                        "lines",
                        "begin",
                        "positions",
                        "suppressions",
                        "tool",
                        "driver",
                        "rules",
                        "uri",
                        URL,
                    ),
                ]
            ),
            below,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@st.composite
def damaged(draw: st.DrawFn) -> tuple[str, bytes]:
    """A sample of some format with a piece cut out, doubled or replaced."""
    name = draw(st.sampled_from(sorted(SAMPLES)))
    data = as_bytes(SAMPLES[name])
    start = draw(st.integers(0, len(data)))
    end = draw(st.integers(start, min(len(data), start + 60)))
    filling = draw(
        st.sampled_from([b"", data[start:end] * 2, b"null", b"-1", b'"', b"[", b"}", b"\x00", b"\xff", b"1e999"])
    )
    return name, data[:start] + filling + data[end:]


def check(name: str, data: bytes) -> None:
    """Read, and see that every record has a kind, rejections a reason, parts a parent, findings a readable place."""
    try:
        parsed = read_file(data, name, ReadSettings())
    except FormatError:
        return
    counted = sum(kinds(parsed).count(kind) for kind in set(kinds(parsed)))
    assert counted == len(parsed.records) > 0
    case = CaseFiles((FilePatch("a.py", "a.py"),), "a" * 40, lines=lambda path, side: SideLines(count=20))
    for index, record in enumerate(parsed.records):
        assert record.place
        assert record.reason or record.kind != "rejected"
        assert record.parent is None or parsed.records[record.parent].parent is None
        assert record.parent is None or record.parent < index
        if record.statement is not None:
            resolution = resolve(record.statement, case, ReadSettings())
            assert resolution.note or resolution.state != "unresolved"
            text = neutral_text(record.statement.title, record.statement.body)
            content_digest("K", text, "", [])


@given(st.sampled_from(sorted(FORMATS)), st.binary(max_size=400))
@settings(max_examples=300)
def test_no_bytes_break_a_reader(name: str, data: bytes) -> None:
    check(name, data)


@given(st.sampled_from(sorted(FORMATS)), JSON_VALUES)
@settings(max_examples=600)
def test_no_json_breaks_a_reader(name: str, value: Any) -> None:
    check(name, json.dumps(value).encode())
    check(name, json.dumps([value, value]).encode())


@given(damaged())
@settings(max_examples=600)
@example(("github", as_bytes([review("<details><summary>Nitpick comments (1)</summary>" * 3)])))
def test_no_damage_breaks_a_reader(sample: tuple[str, bytes]) -> None:
    check(*sample)


@given(st.binary(max_size=300) | JSON_VALUES.map(lambda value: json.dumps(value).encode()))
@settings(max_examples=300)
def test_no_bytes_break_the_guess_of_a_format(data: bytes) -> None:
    with suppress(FormatError):
        assert detect_format(data).name in FORMATS


@given(st.text(alphabet="<>details/summary()1`*_#| \n-:PXnitpick comments", max_size=400))
@settings(max_examples=400)
def test_no_text_breaks_a_body(text: str) -> None:
    assert split_body(text)
    read_review(text)
    assert neutral_text("", neutral_text("", text)) is not None
