"""Comparing two versions: what is told, with which values, offline and byte for byte the same."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from config.cli import main
from corpus.domain.manifest import build_manifest, digest, parse_manifest
from corpus.domain.manifest_records import ChangeKind
from corpus.domain.version_compare import Comparison, compare_versions, comparison_markdown, comparison_plain
from corpus.domain.vocabulary import Severity, Split
from tests.unit.manifest_samples import make_case, make_draft, make_finding, make_label, sha

pytestmark = pytest.mark.pure

FIRST = build_manifest(make_draft())


def compared(before: bytes, after: bytes) -> Comparison:
    return compare_versions(parse_manifest(before), digest(before), parse_manifest(after), digest(after))


def after_with(*cases, **reasons) -> bytes:
    return build_manifest(make_draft(*cases), parent=FIRST, reasons=reasons.pop("reasons", None))


def test_a_version_does_not_differ_from_itself() -> None:
    found = compared(FIRST, FIRST)
    assert (found.step, found.changes, found.unchanged_cases) == ("same", (), ("case-a", "case-b"))


def test_fresh_pseudonyms_are_no_difference() -> None:
    labels = (make_label("x-7"), make_label("x-8", severity=Severity.MEDIUM))
    finding = make_finding("G-case-a", labels=labels)
    other = build_manifest(make_draft(make_case("case-a", findings=(finding,)), make_case("case-b", findings=())))
    found = compared(FIRST, other)
    assert found.step == "same"


def test_an_edited_finding_is_told_with_both_values_and_its_reason() -> None:
    finding = make_finding("G-case-a", severity=Severity.CRITICAL, keywords=("page",))
    after = after_with(
        make_case("case-a", findings=(finding,)),
        make_case("case-b", findings=()),
        reasons={"G-case-a": "money is lost"},
    )
    found = compared(FIRST, after)
    [change] = found.changes
    assert (change.kind, change.case_id, change.finding_id) == (ChangeKind.FINDING_EDITED, "case-a", "G-case-a")
    assert [(edit.name, edit.before, edit.after) for edit in change.edits] == [
        ("keywords", ["page", "rounding"], ["page"]),
        ("severity", "high", "critical"),
    ]
    assert change.reason == "money is lost"
    assert found.step == "major"
    assert found.unchanged_cases == ("case-b",)
    changed = {
        (count.group, count.name): (count.before, count.after) for count in found.counts if count.before != count.after
    }
    assert changed == {("required_by_severity", "critical"): (0, 1), ("required_by_severity", "high"): (1, 0)}
    # Backwards there is no version that states a reason.
    assert compared(after, FIRST).changes[0].reason is None


@pytest.mark.parametrize(
    ("cases", "step", "kind"),
    [
        ([make_case("case-a"), make_case("case-b", findings=()), make_case("case-c")], "minor", ChangeKind.CASE_ADDED),
        ([make_case("case-a")], "major", ChangeKind.CASE_REMOVED),
        (
            [make_case("case-a", split=Split.TEST), make_case("case-b", findings=())],
            "major",
            ChangeKind.CASE_MOVED,
        ),
        ([make_case("case-a", tier="hard"), make_case("case-b", findings=())], "major", ChangeKind.CASE_EDITED),
    ],
)
def test_the_step_follows_from_what_changed(cases, step, kind) -> None:
    found = compared(FIRST, build_manifest(make_draft(*cases)))
    assert (found.step, [change.kind for change in found.changes]) == (step, [kind])


def test_a_reworded_text_is_a_patch() -> None:
    draft = make_draft()
    reworded = build_manifest(replace(draft, guidelines=replace(draft.guidelines, version=2, sha256=sha("new words"))))
    found = compared(FIRST, reworded)
    assert found.step == "patch"
    assert [(edit.name, edit.before, edit.after) for edit in found.changes[0].edits] == [
        ("sha256", draft.guidelines.sha256, sha("new words")),
        ("version", 1, 2),
    ]
    assert found.unchanged_cases == ("case-a", "case-b")


def test_words_of_people_mean_nothing_in_the_markdown() -> None:
    finding = make_finding("G-case-a", claim="a | b\n# <img src=x> [x](javascript:y) `z`")
    text = comparison_markdown(compared(FIRST, after_with(make_case("case-a", findings=(finding,)))))
    row = next(line for line in text.splitlines() if "finding edited" in line)
    assert r"a \| b \# \<img src=x\> \[x\](javascript:y) \`z\`" in row
    assert row.count(" | ") == 4


# --- The command ----------------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    after = after_with(make_case("case-a", tier="hard"), make_case("case-b", findings=()))
    for name, data in (("a.json", FIRST), ("b.json", after)):
        (tmp_path / name).write_bytes(data)
    return [str(tmp_path / "a.json"), str(tmp_path / "b.json")]


def test_the_command_prints_json_or_markdown(files, capsys) -> None:
    assert main(["diff-versions", *files]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["format"] == "touchstone-version-comparison"
    assert (told["before"]["version"], told["after"]["version"], told["step"]) == ("1.0.0", "2.0.0", "major")
    assert told["changes"] == [
        {
            "kind": "case_edited",
            "case_id": "case-a",
            "finding_id": None,
            "document": None,
            "edits": [{"name": "tier", "before": None, "after": "hard"}],
            "reason": None,
        }
    ]
    assert main(["diff-versions", "--markdown", *files]) == 0
    text = capsys.readouterr().out
    assert text.startswith("# shop-reviews: 1.0.0 to 2.0.0\n")
    assert "| case edited | case-a |  | tier: none → hard |  |" in text
    assert main(["diff-versions", files[0], files[0]]) == 0
    assert json.loads(capsys.readouterr().out)["step"] == "same"


def test_what_was_tampered_with_is_not_compared(files, capsys) -> None:
    path = Path(files[1])
    path.write_bytes(path.read_bytes().replace(b'"tier":"hard"', b'"tier":"easy"'))
    assert main(["diff-versions", *files]) == 2
    told = capsys.readouterr().err
    assert "b.json: the manifest is not intact: cases[0] (case-a): the case is not what its sha256 says" in told
    assert main(["diff-versions", files[0], str(path.parent / "none.json")]) == 2
    assert "No such file" in capsys.readouterr().err
    assert main(["diff-versions", "-", "-"]) == 2


def test_the_same_two_give_the_same_bytes() -> None:
    after = after_with(make_case("case-a", tier="hard"))
    one, two = (json.dumps(comparison_plain(compared(FIRST, after))) for _ in range(2))
    assert one == two
