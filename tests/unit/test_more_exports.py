"""Formats of other benchmarks and frameworks: the shape each asks for, what is in it, and what is told as lost."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from corpus.domain.exports.aacr import export_aacr
from corpus.domain.exports.bc_bench import export_bc_bench
from corpus.domain.exports.evaluators import export_deepeval, export_inspect, export_promptfoo
from corpus.domain.exports.frame import Export
from corpus.domain.exports.martian import export_martian
from corpus.domain.exports.promptfoo_scorer import SCORER
from corpus.domain.exports.tables import export_croissant, export_huggingface
from corpus.domain.exports.variants import export_variants
from corpus.domain.manifest_records import FileStatus, ManifestFile
from corpus.domain.vocabulary import AnchorRole, GoldenState, Severity, Side, Split
from tests.unit.manifest_samples import make_anchor, make_case, make_finding, make_repository_anchor, sha
from tests.unit.test_exports import CHANGE, make

pytestmark = pytest.mark.pure

TEXT = {"type": "string", "minLength": 1}
LEVEL = {"enum": ["low", "medium", "high", "critical"]}


def record(required: dict[str, Any], **optional: Any) -> dict[str, Any]:
    """A JSON Schema of an object with these members and no other."""
    return {
        "type": "object",
        "properties": required | optional,
        "required": list(required),
        "additionalProperties": False,
    }


def listed(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": schema}


SCHEMAS = {
    "martian": listed(
        record(
            {
                "pr_title": TEXT,
                "url": TEXT,
                "comments": listed(
                    record({"comment": TEXT, "severity": {"enum": ["Low", "Medium", "High", "Critical"]}})
                ),
            }
        )
    ),
    "bc-bench": record(
        {
            "instance_id": TEXT,
            "repo": TEXT,
            "base_commit": {"type": "string", "pattern": "^[0-9a-f]{40}$"},
            "patch": {"type": "string", "pattern": "^diff --git"},
            **{
                name: listed(
                    record(
                        {"file": TEXT, "line_start": {"type": "integer", "minimum": 1}, "body": TEXT},
                        line_end={"type": "integer"},
                        severity=LEVEL,
                        domain=TEXT,
                    )
                )
                for name in ("expected_comments", "ignored_comments")
            },
            "expect_findings": {"type": "boolean"},
            "metadata": {"type": "object"},
        }
    ),
    "aacr": listed(
        record(
            {
                "githubPrUrl": TEXT,
                "source_commit": {"type": "string"},
                "target_commit": {"type": "string"},
                "change_line_count": {"type": "integer"},
                "project_main_language": {"type": "string"},
                "comments": listed(
                    record(
                        {
                            "note": TEXT,
                            "path": TEXT,
                            "side": {"enum": ["left", "right"]},
                            "from_line": {"type": "integer", "minimum": 1},
                            "to_line": {"type": "integer", "minimum": 1},
                            "category": {"type": "string"},
                            "context": {"enum": ["Diff Level", "File Level", "Repo Level"]},
                            "is_ai_comment": {"const": False},
                            "source_model": {"const": ""},
                        }
                    )
                ),
            }
        )
    ),
    "inspect": record(
        {
            "id": TEXT,
            "input": TEXT,
            "target": listed(TEXT),
            "metadata": {"type": "object"},
            "files": {"type": "object", "additionalProperties": TEXT},
        }
    ),
    "deepeval": listed(
        record(
            {
                "input": TEXT,
                "expected_output": TEXT,
                "context": listed(TEXT),
                "additional_metadata": {"type": "object"},
            }
        )
    ),
    "promptfoo": record(
        {
            "description": TEXT,
            "vars": {"type": "object", "additionalProperties": {"type": "string", "pattern": "^file://"}},
            "assert": listed({"type": "object", "required": ["type"]}),
            "metadata": {"type": "object"},
        }
    ),
    "variants": record(
        {
            "item": TEXT,
            "tier": {"type": ["string", "null"]},
            "variant": {"enum": ["original", "disguised", "fixed", "clean"]},
            "language": {"type": ["string", "null"]},
            "code": TEXT,
            "defective": {"type": "boolean"},
            "fault_lines": listed({"type": "integer"}),
            "keywords": listed(TEXT),
            "operator": {"type": ["string", "null"]},
            "domain": {"type": ["string", "null"]},
        }
    ),
}


def check(name: str, value: Any) -> None:
    Draft202012Validator(SCHEMAS[name]).validate(value)


WHOLE = replace(make_repository_anchor(), role=AnchorRole.PRIMARY)


def corpus():
    old = make_anchor("app/pay.py", (9, 9), side=Side.OLD)
    return make(
        make_case("c1", findings=(make_finding("G-1", anchors=(make_anchor("app/pay.py", (11, 13)),)),)),
        make_case("c2", findings=()),
        make_case(
            "c3",
            findings=(
                make_finding("G-3", anchors=(old,), severity=Severity.CRITICAL),
                make_finding("G-4", state=GoldenState.DECOY),
                make_finding("G-5", state=GoldenState.OPTIONAL),
            ),
        ),
        make_case(
            "c4", findings=(make_finding("G-6", anchors=(replace(make_repository_anchor(), role=AnchorRole.PRIMARY),)),)
        ),
        make_case("c5", split=Split.HOLDOUT),
        make_case("c6", split=Split.TEST, findings=(make_finding("G-7", state=GoldenState.UNRESOLVED),)),
    )


def patch_of(case_id: str) -> bytes | None:
    return CHANGE


ALL = {
    "martian": lambda: export_martian(*corpus()),
    "bc-bench": lambda: export_bc_bench(*corpus(), patch_of),
    "aacr": lambda: export_aacr(*corpus(), patch_of),
    "promptfoo": lambda: export_promptfoo(*corpus(), patch_of),
    "inspect": lambda: export_inspect(*corpus(), patch_of),
    "deepeval": lambda: export_deepeval(*corpus(), patch_of),
    "huggingface": lambda: export_huggingface(*corpus(), patch_of),
    "croissant": lambda: export_croissant(*corpus(), patch_of, published="2026-03-02"),
}


def files(export: Export) -> dict[str, bytes]:
    return dict(export.files)


def rows(data: bytes) -> list[Any]:
    return [json.loads(line) for line in data.splitlines()]


def lost(export: Export) -> set[tuple[str | None, str | None]]:
    return {(loss.case_id, loss.finding_id) for loss in export.losses}


@pytest.mark.parametrize("name", ALL)
def test_each_is_the_same_every_time_lists_its_files_and_leaves_the_holdout_behind(name: str) -> None:
    one, two = ALL[name](), ALL[name]()
    assert one == two
    listing = json.loads(files(one)["MANIFEST.json"])
    assert {entry["path"]: entry["sha256"] for entry in listing["files"]} == {
        path: hashlib.sha256(data).hexdigest() for path, data in one.files if path != "MANIFEST.json"
    }
    assert listing["losses"]
    for path, data in one.files:
        assert b"c5" not in data or path == "MANIFEST.json", path
        assert data.endswith(b"\n") or path.endswith(".patch")


def test_martian_holds_the_whole_text_and_title_case_levels() -> None:
    made = ALL["martian"]()
    entries = json.loads(files(made)["golden_comments/shop.json"])
    check("martian", entries)
    assert [(entry["pr_title"], len(entry["comments"])) for entry in entries] == [
        ("c1", 1),
        ("c2", 0),
        ("c3", 1),
        ("c4", 1),
    ]
    comment = entries[0]["comments"][0]["comment"]
    for words in ("The last page can never be opened", "the page count is rounded down", "unreachable"):
        assert words in comment
    assert {("c2", None), ("c3", "G-4"), ("c3", "G-5"), ("c6", None)} <= lost(made)


def test_bc_bench_keeps_ranges_ignores_optional_ones_and_leaves_out_what_it_cannot_say() -> None:
    made = ALL["bc-bench"]()
    found = rows(files(made)["dataset.jsonl"])
    for row in found:
        check("bc-bench", row)
    assert [(row["instance_id"], row["expect_findings"]) for row in found] == [
        ("c1__review", True),
        ("c2__review", False),
    ]
    [comment] = found[0]["expected_comments"]
    assert (comment["file"], comment["line_start"], comment["line_end"]) == ("app/pay.py", 11, 13)
    assert {("c3", None), ("c3", "G-3"), ("c4", "G-6")} <= lost(made)


def test_aacr_tells_sides_apart_and_puts_decoys_into_the_negative_file() -> None:
    made = ALL["aacr"]()
    positive, negative = (json.loads(files(made)[f"{word}_samples.json"]) for word in ("positive", "negative"))
    check("aacr", positive)
    check("aacr", negative)
    places = [(c["path"], c["side"], c["from_line"], c["to_line"]) for entry in positive for c in entry["comments"]]
    assert places == [("app/pay.py", "right", 11, 13), ("app/pay.py", "left", 9, 9)]
    assert [entry["change_line_count"] for entry in positive] == [1, 1]
    assert len(negative) == 1
    assert ("c4", "G-6") in lost(made)


def test_inspect_and_deepeval_hold_the_change_and_what_is_expected() -> None:
    found = rows(files(ALL["inspect"]())["dataset.jsonl"])
    for row in found:
        check("inspect", row)
    assert [(row["id"], row["target"]) for row in found] == [
        ("c1", ["G-1"]),
        ("c2", []),
        ("c3", ["G-3"]),
        ("c4", ["G-6"]),
    ]
    assert CHANGE.decode() in found[0]["input"]
    assert found[0]["files"]["change.patch"] in files(ALL["inspect"]())
    goldens = json.loads(files(ALL["deepeval"]())["goldens.json"])
    check("deepeval", goldens)
    assert [len(json.loads(golden["expected_output"])) for golden in goldens] == [1, 0, 1, 1]


def test_promptfoo_names_files_and_its_scorer_pairs_one_to_one() -> None:
    made = files(ALL["promptfoo"]())
    for row in rows(made["tests.jsonl"]):
        check("promptfoo", row)
        for value in row["vars"].values():
            assert value.removeprefix("file://") in made
    scope: dict[str, Any] = {}
    exec(SCORER, scope)
    expected = json.dumps(
        [
            {"places": [{"role": "primary", "path": "a.py", "side": "new", "first_line": line, "last_line": line}]}
            for line in (12, 10)
        ]
    )

    def score(*lines: int, held: str = expected) -> float:
        answer = json.dumps([{"file": "a.py", "line": line} for line in lines])
        return scope["get_assert"](answer, {"vars": {"expected": held}})["score"]

    # The worked example of one-to-one matching: 11 and 14 pair with 10 and 12, in whichever order they come.
    assert score(11, 14) == score(14, 11) == 1.0
    assert score(11, 11, 11) == 1.0
    assert score(11) == 0.5
    assert score(15) == 0.0
    assert score(held="[]") == 1.0
    assert score(1, held="[]") == 0.0
    assert scope["get_assert"]("no JSON", {"vars": {"expected": expected}})["pass"] is False


def test_tables_have_every_column_in_every_row_and_a_card_that_names_them() -> None:
    made = files(ALL["huggingface"]())
    head = yaml.safe_load(made["README.md"].decode().split("---\n")[1])
    assert [config["config_name"] for config in head["configs"]] == ["cases", "findings"]
    assert head["license"] == "mit"
    named = {file["path"] for config in head["configs"] for file in config["data_files"]}
    tables = {path for path in made if path.startswith("data/")}
    for table in ("cases", "findings"):
        columns = {
            tuple((name, isinstance(value, list)) for name, value in row.items())
            for path in tables
            if path.startswith(f"data/{table}-")
            for row in rows(made[path])
        }
        assert len(columns) == 1, table
    states = {row["state"] for path in tables if "findings" in path for row in rows(made[path])}
    assert states == {"required", "decoy", "optional"}
    assert named == tables


def test_croissant_describes_each_file_and_each_field_that_it_names() -> None:
    made = files(ALL["croissant"]())
    described = json.loads(made["croissant.json"])
    assert described["datePublished"] == "2026-03-02"
    for name in ("name", "description", "license", "url", "creator", "version"):
        assert described[name]
    objects = {each["@id"]: each for each in described["distribution"] if each["@type"] == "cr:FileObject"}
    assert set(objects) == {path for path in made if path.startswith("data/")}
    for path, each in objects.items():
        assert each["sha256"] == hashlib.sha256(made[path]).hexdigest()
    sets = {each["@id"] for each in described["distribution"] if each["@type"] == "cr:FileSet"}
    for records in described["recordSet"]:
        [table] = {path for path in objects if path.startswith(f"data/{records['name']}-dev")}
        row = rows(made[table])[0]
        for one in records["field"]:
            assert one["source"]["fileSet"]["@id"] in sets
            assert one["source"]["extract"]["jsonPath"].removeprefix("$.") in row


# --- Four variants --------------------------------------------------------------------------------------------------

CODE = {
    "original": b"def total(items):\n    n = len(items) - 1\n    return sum(items[:n])\n",
    "disguised": b"def tally(bills):\n    count = len(bills)\n    count = count - 1\n    return sum(bills[:count])\n",
    "fixed": b"def total(items):\n    return sum(items)\n",
    "clean": b"def total(values):\n    n = 0\n    for each in values:\n        n += each\n    return n\n",
}
LINES = {"original": (2, 2), "disguised": (3, 3)}


def variant(name: str, family: str = "RP-001", **changes: Any):
    place = make_anchor("a.py", LINES.get(name, (1, 1)))
    finding = make_finding(f"G-{family}-{name}", anchors=(place,), mechanism="AOR", keywords=("off-by-one", "last"))
    added = ManifestFile(
        old_path=None,
        new_path="a.py",
        status=FileStatus.ADDED,
        old_blob_sha256=None,
        new_blob_sha256=sha(f"{family} {name}"),
        hunks=(),
    )
    given = {
        "family": family,
        "variant": name,
        "tier": "easy",
        "area": "retail",
        "files": (added,),
        "findings": (finding,) if name in LINES else (),
    }
    return make_case(f"{family}-{name}", **(given | changes))


def code_of(**other: bytes):
    by_digest = {sha(f"RP-001 {name}"): code for name, code in (CODE | other).items()}
    return lambda case_id, sha256: by_digest.get(sha256)


def test_a_family_of_four_leaves_with_the_fault_lines_of_each_variant() -> None:
    made = export_variants(*make(*(variant(name) for name in CODE)), code_of())
    found = rows(files(made)["items.jsonl"])
    for row in found:
        check("variants", row)
    assert [(row["variant"], row["defective"], row["fault_lines"]) for row in found] == [
        ("original", True, [2]),
        ("disguised", True, [3]),
        ("fixed", False, []),
        ("clean", False, []),
    ]
    assert {row["item"] for row in found} == {"RP-001"}
    assert [row["keywords"] for row in found] == [["last", "off-by-one"]] * 2 + [[]] * 2
    assert found[0]["operator"] == "AOR"
    assert found[0]["code"] == CODE["original"].decode()


@pytest.mark.parametrize(
    ("cases", "other", "reason"),
    [
        (["original", "disguised", "fixed"], {}, "has no clean variant"),
        (list(CODE), {"original": CODE["original"] + b"# BUG: skips the last\n"}, "states the fault"),
        (list(CODE), {"clean": b"\xff\xfe"}, "not UTF-8"),
    ],
)
def test_a_family_that_is_not_sound_stays_behind_whole(cases, other, reason) -> None:
    made = export_variants(*make(*(variant(name) for name in cases)), code_of(**other))
    assert files(made)["items.jsonl"] == b""
    assert any(reason in loss.reason for loss in made.losses)
    assert any("the family RP-001 is left out" in loss.reason for loss in made.losses)
