"""GitHub comments: which are the tool's findings, where they stand, and what only a body tells."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reviews.domain.formats.github import end_of_hunk
from reviews.domain.formats.records import FormatError
from tests.unit.formats.reading import kinds, read, refused, said, statement, where

HEAD = "a" * 40
BOT = {"login": "redpen[bot]", "type": "Bot"}


def comment(**more: Any) -> dict[str, Any]:
    return {
        "id": 1,
        "pull_request_review_id": 9,
        "in_reply_to_id": None,
        "path": "src/a.py",
        "commit_id": HEAD,
        "original_commit_id": HEAD,
        "diff_hunk": "@@ -1,4 +1,5 @@\n a",
        "side": "RIGHT",
        "line": 12,
        "start_side": None,
        "start_line": None,
        "original_line": 12,
        "original_start_line": None,
        "position": 5,
        "subject_type": "line",
        "body": "It fails.",
        "user": BOT,
        "html_url": "https://github.com/o/r/pull/7#discussion_r1",
        **more,
    }


def review(body: str, **more: Any) -> dict[str, Any]:
    return {"id": 9, "user": BOT, "body": body, "state": "COMMENTED", "commit_id": HEAD, "submitted_at": "t", **more}


def issue_comment(body: str, **more: Any) -> dict[str, Any]:
    return {"id": 3, "user": BOT, "body": body, "issue_url": "https://api.github.com/repos/o/r/issues/7", **more}


def test_a_single_line_and_a_range_and_the_left_side() -> None:
    parsed = read(
        "github",
        [comment(), comment(id=2, start_line=10, line=12), comment(id=3, side="LEFT", line=12, body="It was safe.")],
    )
    assert kinds(parsed) == ["finding"] * 3
    assert where(parsed, 0) == [("src/a.py", "new", ((12, 12),))]
    assert where(parsed, 1) == [("src/a.py", "new", ((10, 12),))]
    assert where(parsed, 2) == [("src/a.py", "old", ((12, 12),))]
    assert parsed.records[0].case_keys == ("https://github.com/o/r/pull/7", HEAD)


def test_a_range_across_the_sides_names_a_line_on_each() -> None:
    parsed = read("github", [comment(start_side="LEFT", start_line=4, line=6)])
    assert where(parsed) == [("src/a.py", "old", ((4, 4),)), ("src/a.py", "new", ((6, 6),))]


def test_an_outdated_comment_keeps_where_it_was_made() -> None:
    parsed = read(
        "github",
        [comment(line=None, position=None, original_line=14, original_start_line=13, original_commit_id="b" * 40)],
    )
    made = statement(parsed)
    assert made.places is not None
    assert "outdated" in made.places[0].problem
    assert made.places[0].ranges == ()
    assert [(place.commit, place.ranges) for place in made.otherwise] == [("b" * 40, ((13, 14),))]


def test_a_comment_on_a_file_has_no_line_even_if_one_is_given() -> None:
    assert where(read("github", [comment(subject_type="file", line=1)])) == [("src/a.py", "new", ())]


def test_an_old_dump_without_lines_is_read_from_its_hunk_and_never_from_its_position() -> None:
    old = {key: value for key, value in comment().items() if key not in {"line", "subject_type", "original_line"}}
    hunk = "@@ -10,4 +10,5 @@\n a\n-b\n+B\n+C\n d"
    assert where(read("github", [{**old, "diff_hunk": hunk, "position": 5}])) == [("src/a.py", "new", ((13, 13),))]
    removed = read("github", [{**old, "diff_hunk": "@@ -10,4 +10,5 @@\n a\n-b", "position": 2}])
    assert where(removed) == [("src/a.py", "old", ((11, 11),))]
    without = read("github", [{**old, "diff_hunk": "", "position": 5}])
    made = statement(without)
    assert made.places is not None
    assert (made.places[0].position, made.places[0].ranges) == (5, ())


@pytest.mark.parametrize(
    ("hunk", "expected"),
    [
        ("@@ -10,4 +10,5 @@\n a", ("new", 10)),
        ("@@ -10,4 +10,5 @@\n a\n-b", ("old", 11)),
        ("@@ -10,4 +10,5 @@\n a\n-b\n+B", ("new", 11)),
        ("@@ -10,4 +10,5 @@\n a\n-b\n+B\n+C\n d\n\\ No newline at end of file", ("new", 13)),
        ("@@ -1 +1 @@", None),
        ("no hunk", None),
        ("", None),
    ],
)
def test_the_end_of_a_hunk(hunk: str, expected: tuple[str, int] | None) -> None:
    found = end_of_hunk(hunk)
    assert (found and (found[0].value, found[1])) == expected


def test_replies_triggers_and_other_authors_are_no_findings_and_are_counted() -> None:
    person = {"login": "ann", "type": "User"}
    parsed = read(
        "github",
        [
            comment(),
            comment(id=2, in_reply_to_id=1, user=person, body="Thanks."),
            issue_comment("@redpen review", id=4, user=person),
            issue_comment("/propel review", id=5, user=person),
            comment(id=6, user=person, body="I would rename this."),
        ],
    )
    assert kinds(parsed) == ["finding", "reply", "trigger", "trigger", "meta"]
    assert parsed.records[4].reason == "Said by ann, not by the tool."


def test_a_login_may_lack_its_bot_suffix() -> None:
    parsed = read(
        "github", [comment(user={"login": "redpen"}), comment(id=2, user={"login": "ann"})], author="redpen[bot]"
    )
    assert kinds(parsed) == ["finding", "meta"]


def test_the_tools_names_tell_whose_comments_count() -> None:
    both = [comment(), comment(id=2, user={"login": "other[bot]", "type": "Bot"})]
    assert kinds(read("github", both, names=("Redpen",))) == ["finding", "meta"]
    with pytest.raises(FormatError, match=r"by other, redpen; name in the settings"):
        read("github", both)


def test_several_pages_behind_each_other_are_one_file() -> None:
    pages = json.dumps([comment()]) + "\n" + json.dumps([comment(id=2)]) + json.dumps([])
    assert kinds(read("github", pages)) == ["finding", "finding"]


def test_a_bundle_and_three_lists_behind_each_other_say_the_same() -> None:
    lists = ([comment()], [review("**Actionable comments posted: 1**")], [issue_comment("## Walkthrough\nIt adds.")])
    bundle = {"review_comments": lists[0], "reviews": lists[1], "issue_comments": lists[2]}
    one = read("github", bundle)
    assert kinds(one) == ["finding", "summary", "summary"] == kinds(read("github", "".join(map(json.dumps, lists))))
    assert [record.notes for record in one.records] == [(), (), ()]


def test_a_bundle_names_its_pull_request() -> None:
    plain = {key: value for key, value in comment().items() if key not in {"html_url", "commit_id"}}
    parsed = read("github", {"comments": [plain], "reviews": [], "url": "https://api.github.com/repos/o/r/pulls/10"})
    assert parsed.records[0].case_keys == ("https://github.com/o/r/pull/10",)


def test_declared_and_read_inline_comments_are_compared() -> None:
    parsed = read("github", [review("**Actionable comments posted: 3**"), comment()])
    assert parsed.records[0].notes == ("the review declares 3 inline comments, 1 are in the file",)


def test_a_clean_review_that_is_only_an_issue_comment_tells_that_the_case_was_reviewed() -> None:
    parsed = read("github", [issue_comment("No issues found. :rocket:")])
    assert kinds(parsed) == ["summary"]
    report = parsed.records[0].report
    assert report is not None
    assert report.state == "reviewed"


def test_a_hidden_footer_drops_nothing_and_a_check_run_is_told_apart() -> None:
    footer = "<!-- This is an auto-generated comment by CodeRabbit -->"
    parsed = read(
        "github",
        [
            comment(body=f"_⚠️ Potential issue_ | _🟠 Major_\n\n**Leak.**\n\n{footer}"),
            issue_comment('<!-- tool-meta: {"kind":"check_run"} -->\nAll green.', id=7),
        ],
    )
    assert kinds(parsed) == ["finding", "meta"]
    assert statement(parsed).severity == "major"


def test_one_inline_body_with_several_findings_becomes_parts_of_it() -> None:
    body = "Two things:\n1. **Leak**: it is never closed.\n2. **Race**: two threads write.\n"
    parsed = read("github", [comment(id=0), comment(body=body)])
    assert kinds(parsed) == ["finding", "meta", "finding", "finding"]
    whole, first, second = parsed.records[1:]
    assert (first.parent, second.parent) == (1, 1)
    assert (first.source_id, second.source_id) == ("comment:1#1", "comment:1#2")
    assert whole.data == json.dumps(comment(body=body)).encode()
    assert [statement(parsed, 1).title, statement(parsed, 2).title] == ["Leak", "Race"]
    assert kinds(read("github", [comment(body=body)], splits_bodies=False)) == ["finding"]


def test_numbered_steps_are_no_findings() -> None:
    body = "To reproduce:\n1. Open the page.\n2. Press save.\n3. Look."
    assert kinds(read("github", [comment(body=body)])) == ["finding"]


def test_also_applies_to_makes_a_finding_for_each_place() -> None:
    parsed = read("github", [comment(body="**Leak.**\n\nAlso applies to: 567-576, 580\n")])
    assert kinds(parsed) == ["meta", "finding", "finding", "finding"]
    assert [where(parsed, index)[0][2] for index in range(3)] == [((12, 12),), ((567, 576),), ((580, 580),)]


CODERABBIT_REVIEW = """**Actionable comments posted: 2**

> [!CAUTION]
> Some comments are outside the diff range.
>
> <details>
> <summary>⚠️ Outside diff range comments (1)</summary><blockquote>
>
> <details>
> <summary>src/pay.py (1)</summary><blockquote>
>
> `88-96`: _⚠️ Potential issue_ | _🔴 Critical_
>
> **Money is charged twice.**
>
> The retry has no key.
>
> </blockquote></details>
> </blockquote></details>

<details>
<summary>🧹 Nitpick comments (3)</summary><blockquote>

<details>
<summary>src/a.py (2)</summary><blockquote>

`12`: **Rename it.**

```python
`13`: not an item
```

---

`20-22`: **Say why.**

</blockquote></details>
<details>
<summary>docs/b.md (1)</summary><blockquote>

no lines here

</blockquote></details>

</blockquote></details>
"""


def test_findings_that_only_the_body_of_a_review_holds() -> None:
    parsed = read("github", [review(CODERABBIT_REVIEW), comment(), comment(id=2)])
    assert kinds(parsed) == ["summary", "finding", "finding", "finding", "finding", "finding"]
    assert [record.parent for record in parsed.records] == [None, 0, 0, 0, None, None]
    assert where(parsed, 0) == [("src/pay.py", "new", ((88, 96),))]
    assert where(parsed, 1) == [("src/a.py", "new", ((12, 12),))]
    assert where(parsed, 2) == [("src/a.py", "new", ((20, 22),))]
    assert [statement(parsed, index).severity for index in range(3)] == ["critical", "nitpick", "nitpick"]
    assert statement(parsed, 0).title == "Money is charged twice."
    # The item without lines could not be read, and the difference is told.
    assert parsed.records[0].notes == ("nitpick comments declares 3, 2 were read",)


def test_what_copilot_holds_back_is_kept_as_suppressed() -> None:
    body = (
        "## Pull request overview\nIt adds retries.\n\n<details>\n"
        "<summary>Comments suppressed due to low confidence (2)</summary>\n\n"
        "**src/pay.py:65**\n* The loop may never end.\n```suggestion\nbreak\n```\n\n"
        "**src/a.py:3-4**\n* A typo.\n</details>"
    )
    parsed = read("github", [review(body)])
    assert kinds(parsed) == ["summary", "suppressed", "suppressed"]
    assert where(parsed, 0) == [("src/pay.py", "new", ((65, 65),))]
    assert where(parsed, 1) == [("src/a.py", "new", ((3, 4),))]
    assert statement(parsed).suggestion == "break"
    assert parsed.records[0].notes == ()


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("a wrong type", comment(line="12"), '"line" must be a whole number, but is a text.'),
        ("an unknown side", comment(side="MIDDLE"), '"side" must be LEFT or RIGHT, but is "MIDDLE".'),
        ("no body", comment(body=None), '"body" must be a text that is not empty.'),
        ("no object", "just text", "The record must be an object, not a text."),
        ("a path of a wrong type", comment(path=7), '"path" must be a text that is not empty, but is 7.'),
        ("a huge number", comment(line=10**30), '"line" is a number of 31 digits, which nothing here can be.'),
    ],
)
def test_one_bad_comment_loses_no_other(name: str, value: Any, reason: str) -> None:
    parsed = read("github", [comment(id=5), value, comment(id=6)])
    assert sorted(kinds(parsed)) == ["finding", "finding", "rejected"]
    assert [found[1] for found in refused(parsed)] == [reason], name


def test_a_file_that_is_cut_off_keeps_what_stands_before() -> None:
    whole = json.dumps([comment(), comment(id=2, body="x" * 300)])
    parsed = read("github", whole[:-200])
    assert kinds(parsed)[0] == "finding"
    assert len(said(parsed)) == 1
    assert any("cut off" in reason for _, reason in refused(parsed))
