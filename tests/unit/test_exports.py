from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from corpus.domain.diff import parse_patch
from corpus.domain.exports.change_only import change_only
from corpus.domain.exports.expected_findings import export_expected_findings
from corpus.domain.exports.fixtures import export_fixtures
from corpus.domain.exports.frame import Export, Selection
from corpus.domain.exports.inputs_bundle import SnapshotEntry, export_inputs_bundle
from corpus.domain.exports.keyword_dataset import export_keyword_dataset
from corpus.domain.manifest import build_manifest, digest, parse_manifest
from corpus.domain.manifest_records import Manifest, ManifestCase, YesNo
from corpus.domain.vocabulary import AnchorRole, CaseResult, Completeness, GoldenState, Side, Split
from tests.unit.manifest_samples import make_anchor, make_case, make_draft, make_finding, sha

DIFFS = [
    path
    for path in sorted((Path(__file__).parents[1] / "data" / "diffs").glob("*.patch"))
    if not json.loads(path.with_suffix(".expected.json").read_text()).get("error")
]
CHANGE = b"""diff --git a/app/pay.py b/app/pay.py
index 1111111..2222222 100644
--- a/app/pay.py
+++ b/app/pay.py
@@ -10,2 +10,3 @@ def pages(rows):
     size = 20
+    whole = len(rows) // size
     return rows
"""
MAIL = (
    b"From 1234 Mon Sep 17 00:00:00 2001\nFrom: Ann Author <ann@example.org>\nSubject: [PATCH] Break the last page\n\n"
    b"Rounds down, so that the last page is lost.\n---\n app/pay.py | 1 +\n\n" + CHANGE + b"-- \n2.39.2\n\n"
)


def make(*cases: ManifestCase) -> tuple[Manifest, str]:
    data = build_manifest(make_draft(*cases))
    return parse_manifest(data), digest(data)


def corpus() -> tuple[Manifest, str]:
    """Cases of every kind that an export treats apart."""
    old = make_anchor("app/pay.py", (9, 9), side=Side.OLD)
    alternate = make_anchor("app/view.py", (30, 31), role=AnchorRole.ALTERNATE, group=1)
    twice = [
        make_finding("G-6", keywords=("gone", "guard")),
        make_finding("G-7", keywords=("guard", "late"), claim="The guard runs too late"),
    ]
    return make(
        make_case("c1", findings=(make_finding("G-1", anchors=(make_anchor("app/pay.py", (11, 13)),)),)),
        make_case("c2", findings=()),
        make_case("c3", findings=(make_finding("G-3", anchors=(old, alternate)),)),
        make_case("c4", findings=(make_finding("G-4", anchors=(old,)),)),
        make_case("c5", completeness=Completeness.PARTIAL, findings=(make_finding("G-5"),)),
        make_case("c6", findings=tuple(twice)),
        make_case(
            "c7",
            findings=(
                make_finding("G-8", state=GoldenState.OPTIONAL),
                make_finding("G-9", state=GoldenState.DECOY),
                make_finding("G-10", keywords=()),
            ),
        ),
        make_case("c8", result=CaseResult.UNRESOLVED, findings=(make_finding("G-11", state=GoldenState.UNRESOLVED),)),
        make_case("held-out", split=Split.HOLDOUT, findings=(make_finding("G-12"),)),
        make_case("kept-private", private=YesNo.YES, findings=()),
    )


def patch_of(case_id: str) -> bytes:
    return MAIL.replace(b"whole", case_id.encode())


def files_of(export: Export) -> dict[str, bytes]:
    return dict(export.files)


def reasons(export: Export) -> list[tuple[str | None, str | None, str]]:
    return [(loss.case_id, loss.finding_id, loss.reason) for loss in export.losses]


EVERY_EXPORT = [
    lambda manifest, published, selection=None: export_fixtures(manifest, published, patch_of, selection),
    export_keyword_dataset,
    export_expected_findings,
    lambda manifest, published, selection=None: export_inputs_bundle(manifest, published, patch_of, selection),
]


@pytest.mark.parametrize("export", EVERY_EXPORT)
def test_equal_input_gives_equal_bytes_and_every_file_is_listed_with_its_digest(export: Any) -> None:
    first, second = export(*corpus()), export(*corpus())
    assert first == second
    *others, (name, listing) = first.files
    assert name == "MANIFEST.json"
    plain = json.loads(listing)
    assert plain["files"] == [{"path": path, "sha256": hashlib.sha256(data).hexdigest()} for path, data in others]
    assert plain["manifest_sha256"] == corpus()[1]
    assert plain["version"] == "1.0.0"
    for path, data in first.files:
        if path.endswith(".json"):
            assert data.endswith(b"\n")
            assert b"\r" not in data


@pytest.mark.parametrize("export", EVERY_EXPORT)
def test_the_holdout_leaves_only_when_it_is_named(export: Any) -> None:
    manifest, published = corpus()

    def exported(selection: Selection) -> bytes:
        return b"".join(path.encode() + data for path, data in export(manifest, published, selection).files)

    assert b"held-out" not in exported(Selection())
    assert b"held-out" in exported(Selection(splits=frozenset(Split)))
    assert b"kept-private" in exported(Selection())
    assert b"kept-private" not in exported(Selection(with_private=False))


def test_fixtures_hold_a_case_a_folder_and_nothing_else() -> None:
    export = export_fixtures(*corpus(), patch_of)
    files = files_of(export)
    names = {path.split("/")[1] for path in files if path.startswith("fixtures/")}
    assert names == {"01-c1", "02-c2", "03-c3", "04-c6", "05-c7", "06-kept-private"}
    assert json.loads(files["fixtures/01-c1/bugs.json"]) == [
        {"file": "app/pay.py", "line": 11, "issue": "The last page can never be opened"}
    ]
    assert json.loads(files["fixtures/02-c2/bugs.json"]) == []
    assert json.loads(files["fixtures/03-c3/bugs.json"])[0]["file"] == "app/view.py"
    assert len(json.loads(files["fixtures/04-c6/bugs.json"])) == 2
    assert files["fixtures/01-c1/diff.patch"] == CHANGE.replace(b"whole", b"c1")


def test_what_fixtures_cannot_express_is_listed_and_never_bent() -> None:
    export = export_fixtures(*corpus(), patch_of)
    partial = "left out: its labels are not complete, so a comment without a golden finding is not wrong"
    assert reasons(export) == [
        ("c1", "G-1", "only the first line of its place is kept"),
        ("c3", "G-3", "its primary place is not a line of the new side; an alternate place stands for it"),
        ("c3", "G-3", "only the first line of its place is kept"),
        ("c4", "G-4", "has no line on the new side that the format could name"),
        ("c4", None, "left out: not all of its findings can be expressed"),
        ("c5", None, partial),
        ("c7", "G-8", "optional: left out, so a comment on it counts as wrong"),
        ("c7", "G-9", "decoy: left out, the format has no known wrong findings"),
        ("c8", None, "left out: it is unresolved, and what is unresolved counts in no score"),
        ("c6", "G-7", "stands on the line of another finding; the format counts the two as one"),
    ]
    assert json.loads(files_of(export)["MANIFEST.json"])["losses"] == [vars(loss) for loss in export.losses]


@pytest.mark.parametrize(
    ("patch", "reason"),
    [
        (None, "left out: the bytes of its patch were withdrawn"),
        (
            CHANGE.replace(b"whole", b"wh\xf6le"),
            f"left out: byte {CHANGE.index(b'whole') + 2} of its patch is not UTF-8",
        ),
        (b"nothing", "left out: its patch cannot be read: line 1: no file found: this is no unified diff"),
    ],
)
def test_a_case_whose_patch_the_scripts_cannot_read_is_left_out(patch: bytes | None, reason: str) -> None:
    export = export_fixtures(*make(make_case("c1")), lambda case_id: patch)
    assert reasons(export) == [
        ("c1", None, reason),
        (None, None, "0 fixtures; the format asks for at least 5"),
    ]


def test_the_keyword_dataset_names_defects_by_keywords() -> None:
    export = export_keyword_dataset(*corpus())
    dataset = json.loads(files_of(export)["dataset.json"])
    assert [entry["pr_id"] for entry in dataset] == ["c1", "c2", "c3", "c4", "c6", "kept-private"]
    assert dataset[0] == {"pr_id": "c1", "defects": [{"id": "G-1", "keywords": ["page", "rounding"]}]}
    assert dataset[1]["defects"] == []
    ids = [defect["id"] for entry in dataset for defect in entry["defects"]]
    assert len(ids) == len(set(ids))
    assert ("c7", "G-10", "has no keywords, so no comment could ever match it") in reasons(export)
    assert ("c6", "G-7", "shares keywords with G-6; one comment may match both") in reasons(export)


def test_expected_findings_have_exactly_six_members() -> None:
    export = export_expected_findings(*corpus())
    expected = json.loads(files_of(export)["expected.json"])
    assert [entry["case_id"] for entry in expected] == ["c1", "c2", "c3", "c6", "c7", "kept-private"]
    assert expected[0]["findings"] == [
        {
            "id": "G-1",
            "file": "app/pay.py",
            "line": 11,
            "category": "boundary",
            "severity": "high",
            "summary": "The last page can never be opened",
        }
    ]
    assert expected[1] == {"case_id": "c2", "findings": []}


def texts(value: Any) -> Iterable[str]:
    """Every text that a finding, a label or an adjudication of the plain manifest holds."""
    if isinstance(value, dict):
        for member in value.values():
            yield from texts(member)
    elif isinstance(value, list):
        for member in value:
            yield from texts(member)
    elif isinstance(value, str):
        yield value


def test_the_inputs_hold_no_finding_no_id_or_wording_of_one_and_nothing_people_wrote_around_the_change() -> None:
    data = build_manifest(make_draft(*corpus()[0].cases))
    trees = {Side.OLD: [SnapshotEntry(b"app/pay.py", "100644", "b1")], Side.NEW: []}
    export = export_inputs_bundle(
        parse_manifest(data),
        digest(data),
        patch_of,
        snapshot_of=lambda case_id, side: trees[side],
        blob_of=lambda blob: b"size = 20\n",
    )
    whole = b"\n".join(path.encode() + b"\n" + data for path, data in export.files).decode()
    words = re.compile(r"[\w.-]+").findall(whole)
    oracle = set()
    for case in json.loads(data)["cases"]:
        for member in ("findings", "verdicts", "adjudications", "base_revision", "head_revision", "result"):
            oracle |= {text for text in texts(case[member]) if text != "app/pay.py"}
        oracle |= {case["source_kind"], case["split"]}
    for text in oracle:
        assert text not in words, text
        assert " " not in text or text not in whole, text
    for told in ("Ann Author", "Break the last page", "Rounds down"):
        assert told not in whole
    assert files_of(export)["cases/c1/base/app/pay.py"] == b"size = 20\n"
    assert json.loads(files_of(export)["cases.json"])[0] == {
        "case_id": "c1",
        "repository": "shop",
        "language": "Python",
        "language_versions": "Python 3.11",
        "build": None,
        "context_allowed": "repository",
        "licence": "MIT",
        "changed_files": 1,
    }


@pytest.mark.parametrize(
    ("path", "mode"),
    [
        (b"../up", "100644"),
        (b"/etc/passwd", "100644"),
        (b"a//b", "100644"),
        (b".git/config", "100644"),
        (b"sub/.GIT/hooks/x", "100755"),
        (b"a\\b", "100644"),
        (b"c:x", "100644"),
        (b"new\nline", "100644"),
        (b"\xff", "100644"),
        (b"link", "120000"),
        (b"module", "160000"),
    ],
)
def test_an_unsafe_entry_of_a_snapshot_is_listed_and_never_written(path: bytes, mode: str) -> None:
    export = export_inputs_bundle(
        *make(make_case("c1")),
        patch_of,
        snapshot_of=lambda case_id, side: [SnapshotEntry(path, mode, sha("x"))],
        blob_of=lambda blob: b"x",
    )
    assert set(files_of(export)) == {"cases.json", "cases/c1/diff.patch", "MANIFEST.json"}
    assert len(export.losses) == 2


@pytest.mark.parametrize("path", DIFFS, ids=lambda path: path.stem)
def test_the_change_alone_parses_to_the_same_files(path: Path) -> None:
    patch = path.read_bytes()
    expected = json.loads(path.with_suffix(".expected.json").read_text())
    around = b"Subject: tells all\n\nIt tells.\n\n" if expected["format"] == "git" else b""
    kept = change_only(around + patch + (b"-- \n2.39.2\n" if around and patch.endswith(b"\n") else b""))
    assert b"tells" not in kept

    def shape(data: bytes) -> list[Any]:
        return [
            (file.old_path, file.new_path, file.status, file.binary, file.hunks) for file in parse_patch(data).files
        ]

    assert shape(kept) == shape(patch)
