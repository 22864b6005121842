from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from config.cli import main
from corpus.domain.manifest import build_manifest
from corpus.domain.manifest_records import ManifestScope
from corpus.domain.vocabulary import AnchorRole, CaseResult, Completeness, GoldenState, Severity, Side, Split
from tests.unit.manifest_samples import make_anchor, make_case, make_draft, make_file, make_finding


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    """Two golden findings in one case, one by an alternate place only, a clean, a partly labelled, a held-out case."""
    elsewhere = make_anchor("app/view.py", (200, 201), role=AnchorRole.ALTERNATE, group=1)
    draft = make_draft(
        make_case(
            "defects",
            findings=(
                make_finding("G-1", severity=Severity.CRITICAL, anchors=(make_anchor("app/pay.py", (12, 15)),)),
                make_finding("G-2", anchors=(make_anchor("app/pay.py", (90, 90), side=Side.OLD), elsewhere)),
                make_finding("G-3", state=GoldenState.OPTIONAL, anchors=(make_anchor("app/pay.py", (60, 80)),)),
            ),
            files=(make_file("app/pay.py", (8, 8, 8, 9), (88, 4, 89, 4)),),
            scope=ManifestScope(files_excluded=("package-lock.json",), categories_excluded=()),
        ),
        make_case("clean", findings=()),
        make_case("partly", completeness=Completeness.PARTIAL, findings=(make_finding("G-4"),)),
        make_case("held", split=Split.HOLDOUT, findings=(make_finding("G-5"),)),
        make_case("open", result=CaseResult.UNRESOLVED, findings=(make_finding("G-6", state=GoldenState.UNRESOLVED),)),
    )
    path = tmp_path / "manifest.json"
    path.write_bytes(build_manifest(draft))
    return path


REVIEWED = [{"case_id": case_id, "state": "reviewed"} for case_id in ("clean", "defects", "open", "partly")]


def said(case_id: str, name: str, start: int, **members: object) -> dict[str, object]:
    finding = {
        "case_id": case_id,
        "id": name,
        "text": "t",
        "path": "app/pay.py",
        "start": start,
        "category": "boundary",
    }
    return {**finding, **members}


def write(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def score(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, dict[str, Any]]:
    code = main(["score", *map(str, arguments)])
    return code, json.loads(capsys.readouterr().out)


def classes(answer: dict[str, Any], run: int = 0) -> dict[str, tuple[str, str | None]]:
    return {
        finding["id"]: (finding["class"], finding["golden"])
        for case in answer["runs"][run]["cases"]
        for finding in case["findings"]
    }


def test_each_finding_gets_its_class(manifest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    findings = write(
        tmp_path / "run.jsonl",
        *REVIEWED,
        said("defects", "hit", 13),
        said("defects", "again", 14),
        said("defects", "alternate", 201, path="app/view.py"),
        said("defects", "ignored", 70),
        said("defects", "lock", 3, path="package-lock.json"),
        said("defects", "slow", 300, category="performance"),
        said("defects", "wrong", 300),
        said("clean", "noise", 5),
        said("partly", "unknown", 300),
        said("open", "question", 300),
    )
    code, answer = score(capsys, manifest, findings, "--split", "dev")
    assert code == 0
    assert classes(answer) == {
        "hit": ("match", "G-1"),
        "again": ("duplicate", "G-1"),
        "alternate": ("match", "G-2"),
        "ignored": ("out_of_scope", "G-3"),
        "lock": ("out_of_scope", None),
        "slow": ("out_of_scope", None),
        "wrong": ("false_positive", None),
        "noise": ("false_positive", None),
        "unknown": ("unjudged", None),
        "question": ("unjudged", None),
    }
    [run] = answer["runs"]
    figures = {name: (one["numerator"], one["denominator"]) for name, one in run["figures"].items()}
    assert figures["recall"] == (2, 3)
    assert figures["critical.recall"] == (1, 1)
    assert figures["weighted_recall"] == (13, 18)
    assert figures["precision"] == (2, 4)
    assert figures["clean_comment_rate"] == (1, 1)
    # On the two cases with complete labels: two wrong, one duplicate, two out of scope; the optional hit is no noise.
    assert figures["noise_per_case"] == (5, 2)
    assert run["counts"]["missed"] == 1
    for name in ("match", "duplicate", "false_positive", "unjudged"):
        assert sum(case[name] for case in run["cases"]) == run["counts"][name]
    assert run["figures"]["medium.recall"]["value"] is None
    assert run["figures"]["medium.recall"]["reason"] == "no required golden finding of severity medium"


def test_what_was_not_reviewed_is_named_and_never_silent(
    manifest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    findings = write(
        tmp_path / "run.jsonl",
        {"case_id": "defects", "state": "failed"},
        said("defects", "half", 13),
        {"case_id": "partly", "state": "reviewed"},
    )
    code, answer = score(capsys, manifest, findings, "--split", "dev", "--gate", "clean_comment_rate=0.5")
    [run] = answer["runs"]
    assert code == 1
    assert run["unreviewed"] == [
        {"case_id": "clean", "state": "not_run"},
        {"case_id": "defects", "state": "failed"},
        {"case_id": "open", "state": "not_run"},
    ]
    assert classes(answer) == {"half": ("set_aside", None)}
    assert run["figures"]["recall"]["denominator"] == 3
    assert run["figures"]["clean_comment_rate"]["value"] is None
    assert run["gates"] == [
        {"gate": "reviewed", "passed": False, "reason": "3 of 4 cases are unreviewed"},
        {"gate": "read", "passed": True, "reason": "0 records were rejected"},
        {"gate": "clean_comment_rate=0.5", "passed": False, "reason": "undefined: no reviewed clean case"},
    ]


def test_rulings_close_what_structure_left_open(
    manifest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    findings = write(tmp_path / "run.jsonl", *REVIEWED, said("defects", "near", 17), said("defects", "wild", 200))
    _, answer = score(capsys, manifest, findings, "--split", "dev")
    run = answer["runs"][0]
    assert run["provisional"] is True
    assert classes(answer)["near"] == ("partial", "G-1")
    # At best "near" speaks of G-1 and "wild" of G-2.
    assert run["bounds"]["recall"] == {"lowest": 0.0, "highest": 2 / 3}
    rulings = write(
        tmp_path / "rulings.jsonl",
        {"case_id": "defects", "finding_id": "near", "golden_id": "G-1", "ruling": "different"},
        {"case_id": "defects", "finding_id": "wild", "golden_id": "G-2", "ruling": "match"},
    )
    code, answer = score(capsys, manifest, findings, "--split", "dev", "--rulings", rulings, "--gate", "precision=0.5")
    run = answer["runs"][0]
    assert code == 0
    assert answer["ok"] is True
    assert run["provisional"] is False
    assert classes(answer) == {"near": ("false_positive", None), "wild": ("match", "G-2")}
    assert run["bounds"]["recall"] == {"lowest": 1 / 3, "highest": 1 / 3}


def test_a_finding_is_ruled_on_alone_where_it_speaks_of_no_golden_finding(
    manifest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ("again", "empty", "valid", "beside", "unclear")
    answers = ("duplicate", "unsupported", "valid_not_in_gold", "out_of_scope", "cannot_say")
    findings = write(tmp_path / "run.jsonl", *REVIEWED, *[said("defects", name, 300) for name in names])
    rulings = write(
        tmp_path / "rulings.jsonl",
        *[
            {"case_id": "defects", "finding_id": name, "ruling": answer}
            for name, answer in zip(names, answers, strict=True)
        ],
    )
    _, answer = score(capsys, manifest, findings, "--split", "dev", "--rulings", rulings)
    run = answer["runs"][0]
    assert run["provisional"] is False
    found = {one["id"]: (one["class"], one["reason"]) for case in run["cases"] for one in case["findings"]}
    assert found == {
        "again": ("duplicate", None),
        "empty": ("false_positive", None),
        "valid": ("false_positive", "valid_not_in_gold"),
        "beside": ("out_of_scope", "ruled"),
        "unclear": ("false_positive", "cannot_say"),
    }


def test_repeats_are_scored_apart_and_a_gate_needs_every_one(
    manifest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = write(tmp_path / "1.jsonl", *REVIEWED, said("defects", "a", 13))
    poor = write(tmp_path / "2.jsonl", *REVIEWED)
    code, answer = score(capsys, manifest, good, poor, "--split", "dev", "--gate", "critical.recall=1.0")
    assert code == 1
    assert [run["gates"][-1]["passed"] for run in answer["runs"]] == [True, False]
    assert answer["stability"]["hits"] == {"G-1": 1, "G-2": 0, "G-4": 0}
    assert answer["stability"]["jaccard"] == 0.0


def test_the_order_of_lines_never_shows(manifest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = [*REVIEWED, said("defects", "a", 13), said("defects", "b", 14), said("clean", "c", 1)]
    first = score(capsys, manifest, write(tmp_path / "run.jsonl", *records))
    second = score(capsys, manifest, write(tmp_path / "run.jsonl", *reversed(records)))
    assert first == second


def test_rejected_lines_are_listed_and_fail_gates(
    manifest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    findings = write(tmp_path / "run.jsonl", *REVIEWED, said("nowhere", "a", 13), said("defects", "b", 13))
    code, answer = score(capsys, manifest, findings, "--split", "dev", "--gate", "recall=0.1")
    assert code == 1
    [run] = answer["runs"]
    assert (run["accepted"], len(run["rejected"])) == (5, 1)
    assert run["rejected"][0]["line"] == 5
    assert run["gates"][1] == {"gate": "read", "passed": False, "reason": "1 records were rejected"}


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main(["score", *map(str, arguments)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    return printed.err


def test_bad_input_is_one_line_with_file_place_and_reason(
    manifest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = write(tmp_path / "run.jsonl", *REVIEWED)
    assert "--gate: 'recall' is not a gate" in refused(capsys, manifest, run, "--gate", "recall")
    assert "--format: 'sarif' is not known; known are touchstone" in refused(capsys, manifest, run, "--format", "sarif")
    assert "no case is in the splits asked for" in refused(capsys, manifest, run, "--split", "test")
    assert "give one findings file" in refused(capsys, manifest, run, run, "--rulings", run)
    assert "standard input can be read only once" in refused(capsys, "-", "-")
    prose = tmp_path / "prose.txt"
    prose.write_text("Looks good.\n")
    assert f"{prose}: holds no record that can be used: line 1: not JSON" in refused(capsys, manifest, prose)
    for ruling, reason in (
        ({"case_id": "clean"}, 'line 1: "finding_id" is missing'),
        (
            {"case_id": "clean", "finding_id": "a", "golden_id": "G-1", "ruling": "match"},
            "line 1: the run has no finding 'a' in the case 'clean'",
        ),
    ):
        rulings = write(tmp_path / "rulings.jsonl", ruling)
        assert reason in refused(capsys, manifest, run, "--rulings", rulings)
    manifest.write_bytes(manifest.read_bytes().replace(b"unreachable", b"unreadable "))
    assert "the manifest is not intact: cases[1] (defects)" in refused(capsys, manifest, run)
