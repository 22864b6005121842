"""Replies that scripts ask for, files of benchmarks, and the product's own format."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from reviews.domain.formats.records import FormatError
from tests.unit.formats.reading import kinds, read, refused, said, statement, where

DATA = Path(__file__).parents[2] / "data"

# --- A verdict in three lines --------------------------------------------------------------------------------------


def test_a_verdict_with_lines_and_explanation() -> None:
    parsed = read("verdict_reply", "DEFECT: yes\nLINES: 3, 5-6\nEXPLANATION: The last element is skipped.")
    assert kinds(parsed) == ["finding"]
    assert where(parsed) == [("", "new", ((3, 3), (5, 6)))]
    assert statement(parsed).body == "The last element is skipped."


def test_no_defect_is_silence_and_no_verdict_is_a_failure() -> None:
    [silent] = read("verdict_reply", "**DEFECT:** no\nLINES:\nEXPLANATION: Fine.").records
    assert (silent.kind, silent.report and silent.report.state) == ("meta", "reviewed")
    [failed] = read("verdict_reply", "I think that it is fine.").records
    assert (failed.kind, failed.report and failed.report.state) == ("rejected", "failed")
    assert failed.reason == 'The reply cannot be read: there is no line "DEFECT: yes" or "DEFECT: no".'


def test_the_last_verdict_counts_and_a_change_of_mind_is_told() -> None:
    reply = "Perhaps:\nDEFECT: yes\nLINES: 9\nNo, on a second look:\nDEFECT: no\nLINES:\nEXPLANATION: It is right."
    [record] = read("verdict_reply", reply).records
    assert (record.kind, record.notes) == (
        "meta",
        ('the first verdict is "yes", the last "no"; the last counts',),
    )


def test_replies_to_many_cases_are_json_lines() -> None:
    lines = [
        {"item": "RP-001", "variant": "disguised", "answer": "DEFECT: yes\nLINES: 4\nEXPLANATION: Off by one."},
        {
            "case_id": "C2",
            "reply": "DEFECT: no",
            "tokens_in": 900,
            "tokens_out": 12,
            "cost": "0.0004",
            "latency_ms": 800,
        },
        {"case_id": "C3", "reply": "no idea"},
        {"case_id": "C4", "state": "timed_out", "reason": "no answer within 120 s"},
        {"reply": "DEFECT: no"},
        {"case_id": "C5"},
    ]
    parsed = read("verdict_reply", "\n".join(map(json.dumps, lines)))
    assert kinds(parsed) == ["finding", "meta", "rejected", "meta", "rejected", "rejected"]
    assert parsed.records[0].case_keys == ("RP-001/disguised", "RP-001-disguised")
    took = parsed.records[1].report
    assert took is not None
    assert (took.tokens_in, took.tokens_out, took.cost, took.latency_ms) == (900, 12, Decimal("0.0004"), 800)
    states = [record.report and record.report.state for record in parsed.records]
    assert states == ["reviewed", "reviewed", "failed", "timed_out", None, None]


# --- A JSON list ---------------------------------------------------------------------------------------------------


def test_a_list_in_a_fence_or_without_one() -> None:
    listed = '[{"file": "app.py", "line": 12, "severity": "error", "issue": "None has no strip"}]'
    for reply in (listed, f"Here it is:\n```json\n{listed}\n```\nThat is all."):
        parsed = read("json_reply", reply)
        assert kinds(parsed) == ["meta", "finding"]
        assert where(parsed) == [("app.py", "new", ((12, 12),))]
    [silent] = read("json_reply", "[]").records
    assert (silent.kind, silent.report and silent.report.state) == ("meta", "reviewed")


def test_a_bad_reply_is_a_failed_case_and_a_bad_finding_only_itself() -> None:
    [failed] = read("json_reply", "Looks good, the null check is handled.").records
    assert (failed.kind, failed.report and failed.report.state) == ("rejected", "failed")
    mixed = read(
        "json_reply",
        '[{"file": "a", "line": 1, "issue": "x"}, {"line": 2, "issue": "y"}, {"file": "a", "line": "3", "issue": "z"}]',
    )
    assert kinds(mixed) == ["meta", "finding", "rejected", "rejected"]
    assert [reason for _, reason in refused(mixed)] == [
        '"file" is needed where there is a "line".',
        '"line" must be a whole number, but is a text.',
    ]
    cut = read("json_reply", '[{"file": "a", "line": 1, "issue": "x"}, {"file": "b", "li')
    assert kinds(cut) == ["meta", "finding", "rejected"]


def test_lists_in_many_replies_stand_behind_their_reply() -> None:
    lines = [{"case_id": name, "reply": '[{"file": "a", "line": 1, "issue": "x"}]'} for name in ("C1", "C2")]
    parsed = read("json_reply", "\n".join(map(json.dumps, lines)))
    assert kinds(parsed) == ["meta", "finding", "meta", "finding"]
    assert [record.parent for record in parsed.records] == [None, 0, None, 2]
    assert parsed.records[3].case_keys == ("C2",)


# --- Items, six keys, BC-Bench -------------------------------------------------------------------------------------


def test_items_have_no_place_at_all() -> None:
    parsed = read("items", {"items": [{"pr_id": "pr-1", "text": "possible null"}, {"pr_id": "pr-1"}, {"text": "x"}]})
    assert kinds(parsed) == ["finding", "rejected", "rejected"]
    assert statement(parsed).places is None
    assert parsed.records[0].case_keys == ("pr-1",)


def test_six_keys_by_case_with_silence() -> None:
    finding = {"id": "A-7", "file": "p.py", "line": 43, "category": "idempotency", "severity": "high", "summary": "Key"}
    value = [
        {"case_id": "retry-1", "findings": [finding, {**finding, "id": "A-8", "line": None}]},
        {"case_id": "retry-2", "findings": []},
        {"case_id": "retry-3"},
        {"findings": []},
    ]
    parsed = read("actual", value)
    assert kinds(parsed) == ["meta", "finding", "finding", "meta", "rejected", "rejected"]
    assert parsed.records[3].case_keys == ("retry-2",)
    assert where(parsed, 1) == [("p.py", "new", ())]
    made = statement(parsed)
    assert (made.severity, made.category, parsed.records[1].source_id) == ("high", "idempotency", "A-7")


@pytest.mark.parametrize("wrap", [lambda found: found, lambda found: {"findings": found, "instance_id": "x__style-01"}])
def test_bc_bench_takes_aliases(wrap: Any) -> None:
    found = [
        {"file": "src/A.al", "line_start": 3, "line_end": 5, "severity": "medium", "domain": "style", "body": "One"},
        {"filePath": "src/B.al", "lineNumber": 7, "severity": "major", "issue": "Two"},
        {"file": "src/C.al", "line": 9, "body": "Three"},
        {"file": "src/D.al", "line_start": "x", "body": "Four"},
    ]
    parsed = read("bcbench", wrap(found))
    assert kinds(parsed) == ["meta", "finding", "finding", "finding", "rejected"]
    assert [where(parsed, index)[0][2] for index in range(3)] == [((3, 5),), ((7, 7),), ((9, 9),)]


# --- Martian -------------------------------------------------------------------------------------------------------

PER_TOOL = {
    "copilot": 280,
    "coderabbit": 228,
    "qodo": 196,
    "augment": 178,
    "gemini": 172,
    "claude": 147,
    "greptile": 141,
    "bugbot": 130,
    "propel": 110,
    "baz": 89,
    "kg": 48,
    "graphite": 16,
}


def test_the_public_candidates_come_out_exactly() -> None:
    parsed = read("martian_candidates", (DATA / "martian-candidates.json").read_bytes())
    spoken = [record for record in parsed.records if record.kind in {"finding", "trigger"}]
    counted = {tool: sum(record.tool == tool for record in spoken) for tool in parsed.tools}
    assert counted == PER_TOOL
    assert len(spoken) == 1735
    assert sum(record.kind == "trigger" for record in spoken) == 21
    assert sum(record.kind == "meta" for record in parsed.records) == 600
    assert len({record.case_keys for record in parsed.records}) == 50
    assert sum(judged.is_match for record in parsed.records for judged in record.judged) == 613
    # 27 candidates were credited to another one: the judge says nothing of their own.
    assert sum(not record.judged for record in said(parsed)) == 27
    assert all(record.statement and record.statement.places is None for record in said(parsed))


def test_candidates_without_matches() -> None:
    url = "https://github.com/o/r/pull/1"
    value = {url: {"one": [{"text": "It fails.", "path": None, "line": None, "source": "extracted"}], "two": []}}
    parsed = read("martian_candidates", value)
    assert kinds(parsed) == ["meta", "finding", "meta"]
    assert [record.tool for record in parsed.records] == ["one", "one", "two"]
    assert parsed.records[1].judged == ()
    with_place = read("martian_candidates", {url: {"one": [{"text": "x", "path": "a.py", "line": 3}]}})
    assert where(with_place) == [("a.py", "new", ((3, 3),))]


@pytest.mark.parametrize(
    ("matches", "reason"),
    [
        ([[0, 5, 0.9]], "A match names candidate 5, but there are 1."),
        ([[0, 0]], 'A member of "matches" must be [golden, candidate, confidence].'),
        ([[0, 0, 2]], '"confidence" must be a number from 0 to 1.'),
        ([[0, -1, 1]], 'A member of "matches" must name its candidate and its golden finding by number.'),
    ],
)
def test_matches_that_name_nothing_are_refused(matches: Any, reason: str) -> None:
    said_by_one = {"candidates": [{"text": "x"}], "matches": matches}
    parsed = read("martian_candidates", {"prs": {"https://x/o/r/pull/1": {"one": said_by_one}}})
    assert [found for _, found in refused(parsed)] == [reason]


def test_verdicts_of_evaluations_are_suggestions_and_one_candidate_is_one_finding() -> None:
    entry = {
        "tp": 2,
        "fp": 1,
        "fn": 1,
        "true_positives": [
            {"golden_comment": "G1", "matched_candidate": "It fails.", "confidence": 0.9, "reasoning": "Same."},
            {"golden_comment": "G2", "matched_candidate": "It fails.", "confidence": 0.8, "reasoning": "Also."},
        ],
        "false_positives": [{"candidate": "Rename it."}, {"candidate": "@greptile"}],
        "false_negatives": [{"golden_comment": "G3"}],
    }
    parsed = read("martian_evaluations", {"https://github.com/o/r/pull/1": {"one": entry}})
    assert kinds(parsed) == ["meta", "finding", "meta", "finding", "trigger", "meta"]
    first = parsed.records[1]
    assert [(judged.is_match, judged.golden_text) for judged in first.judged] == [(True, "G1"), (True, "G2")]
    assert [judged.is_match for judged in parsed.records[3].judged] == [False]


# --- The product's own ---------------------------------------------------------------------------------------------


def test_own_lines_with_what_the_review_took() -> None:
    lines = [
        {"case_id": "K7", "id": "f-1", "path": "a.py", "side": "old", "start": 12, "end": 14, "text": "Lost."},
        {"case_id": "K7", "id": "f-2", "ranges": [[1, 2], [5, 5]], "path": "a.py", "text": "Two places."},
        {"case_id": "K7", "id": "f-3", "text": "All of it."},
        {
            "case_id": "K8",
            "state": "reviewed",
            "head_commit": "c" * 40,
            "tokens_in": 5,
            "cost": 0.02,
            "declared_findings": 0,
            "context": [{"kind": "chunk", "path": "b.py", "start": 3, "end": 9}, {"path": "c.py"}],
        },
        {"case_id": "K7", "id": "f-1", "text": "again"},
        {"case_id": "K7", "id": "f-4", "path": "a.py", "start": 9, "end": 3, "text": "Inverted."},
        {"case_id": "K9", "state": "tired"},
        {"case_id": "K9", "state": "failed", "cost": -1},
    ]
    parsed = read("touchstone", "\n".join(map(json.dumps, lines)))
    assert kinds(parsed) == ["finding", "finding", "finding", "meta", "rejected", "rejected", "rejected", "rejected"]
    assert where(parsed, 0) == [("a.py", "old", ((12, 14),))]
    assert where(parsed, 1) == [("a.py", "new", ((1, 2), (5, 5)))]
    assert where(parsed, 2) == [("", "new", ())]
    report = parsed.records[3].report
    assert report is not None
    assert (report.cost, report.tokens_in, report.head_commit) == (Decimal("0.02"), 5, "c" * 40)
    assert [(seen.kind, seen.path, seen.first_line, seen.last_line) for seen in report.context] == [
        ("chunk", "b.py", 3, 9),
        ("file", "c.py", None, None),
    ]
    assert refused(parsed) == [
        ("line 5", 'The id "f-1" stands twice in the case.'),
        ("line 6", "The range 9-3 is inverted."),
        ("line 7", '"state" must be one of reviewed, failed, timed_out, not_run, but is "tired".'),
        ("line 8", '"cost" must be a number from 0 to 10000000.'),
    ]


def test_an_unknown_format_is_refused_with_the_known_ones() -> None:
    with pytest.raises(FormatError, match="known are touchstone, github, sarif"):
        read("word", "x")
