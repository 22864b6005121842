"""Severity, titles and parts of comment bodies, in the shapes that tools were seen to write."""

from __future__ import annotations

import time

import pytest

from reviews.domain.formats.bodies import is_trigger, read_part, read_review, severity_of, split_body
from reviews.domain.neutral import neutral_text


@pytest.mark.parametrize(
    ("body", "severity", "scale", "category"),
    [
        ("_⚠️ Potential issue_ | _🟠 Major_\n\n**Leak.**", "major", "coderabbit", "Potential issue"),
        (
            "_🎯 Functional Correctness_ | _🟠 Major_ | _⚡ Quick win_\n\nText",
            "major",
            "coderabbit",
            "Functional Correctness",
        ),
        ("_🧹 Nitpick_\n\nText", "nitpick", "coderabbit", ""),
        ("_🟡 Minor_ | _🛠️ Refactor suggestion_\n\nText", "minor", "coderabbit", "Refactor suggestion"),
        ("> _⚠️ Potential issue_ | _🔴 Critical_\n>\n> Text", "critical", "coderabbit", "Potential issue"),
        ("![critical](https://www.gstatic.com/codereviewagent/critical.svg)\n\nText", "critical", "levels", ""),
        ("![high](https://www.gstatic.com/codereviewagent/high-priority.svg) Text", "high", "levels", ""),
        ("![medium](https://x/medium-priority.svg)", "medium", "levels", ""),
        ("![low](https://x/low-priority.svg)", "low", "levels", ""),
        (
            "**<sub><sub>![P2 Badge](https://img.shields.io/badge/P2-yellow?style=flat)</sub></sub>  Text**",
            "P2",
            "priority",
            "",
        ),
        ('<img alt="P1" src="https://greptile.example/badges/p1.svg" align="top"> **Text**', "P1", "priority", ""),
        ("**Severity**: High\n\nText", "high", "levels", ""),
        ("### 🔴 Critical: text", "critical", "levels", ""),
        ("**Severity:** show stopper\n\nText", "show stopper", "levels", ""),
        ("Severity: it depends on who calls it.", "", "", ""),
        # Words in running text are no severity.
        ("This is a major rewrite with high risk.", "", "", ""),
        ("_Note that this is critical._ It is prose.", "", "", ""),
        ("![diagram](https://x/overview.png)", "", "", ""),
        ("", "", "", ""),
    ],
)
def test_severity_is_found_by_vocabulary(body: str, severity: str, scale: str, category: str) -> None:
    assert severity_of(body) == (severity, scale, category)


def test_a_suggestion_is_part_of_its_finding() -> None:
    part = read_part("**Use a constant.**\n\n```suggestion\nA = 1\nB = 2\n```\n\n```python\nold = 0\n```\n")
    assert (part.title, part.suggestion) == ("Use a constant.", "A = 1\nB = 2")


def test_headings_with_a_severity_part_a_body() -> None:
    parts = split_body("Intro\n\n### Critical: the key is logged\nSee here.\n\n### Low: a typo\nThere.\n")
    assert [(part.severity, "See" in part.text) for part in parts] == [("critical", True), ("low", False)]


def test_lists_in_code_part_nothing() -> None:
    assert len(split_body("Do this:\n```md\n1. **One**\n2. **Two**\n```\n")) == 1


@pytest.mark.parametrize(
    "text",
    [
        "@greptile",
        "/propel review",
        "Bugbot review",
        "@coderabbitai full review",
        "bugbot run",
        "Baz review",
        "@claude review please",
    ],
)
def test_what_only_calls_a_tool_is_a_trigger(text: str) -> None:
    assert is_trigger(text)


@pytest.mark.parametrize("text", ["@greptile this loop never ends", "The review fails.", "/ is wrong here", "", "null"])
def test_what_says_something_is_no_trigger(text: str) -> None:
    assert not is_trigger(text)


@pytest.mark.parametrize(
    "body",
    [
        "<!--" * 100_000,
        "<details>" * 60_000,
        "<details><summary>a (1)</summary>" * 20_000,
        "```suggestion\n" * 40_000,
        "\n" * 500_000,
        "> " * 250_000,
        "_" * 500_000,
        " " * 500_000 + "x",
        "**" * 200_000,
        "Nitpick comments (1)\n" * 20_000,
        "<details>\nNitpick comments (1)</details>\n" * 15_000,
        "1. **a\n" * 60_000,
        "[" * 300_000,
        "![" * 200_000,
        "a@" * 200_000,
    ],
    ids=lambda body: body[:20].encode().hex()[:12],
)
def test_no_body_takes_long(body: str) -> None:
    started = time.process_time()
    split_body(body)
    read_review(body)
    neutral_text("", body)
    assert time.process_time() - started < 10
