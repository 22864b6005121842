"""The exports fed to the scripts that the formats come from, as those are printed in the articles.

The articles are no part of the project. They are looked for in the folder that TOUCHSTONE_SEEDS names, or in
`../shared/seeds` beside the repository; where they are missing these tests say so and are skipped.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from corpus.domain.exports.expected_findings import export_expected_findings
from corpus.domain.exports.fixtures import export_fixtures
from corpus.domain.exports.frame import Export
from corpus.domain.exports.keyword_dataset import export_keyword_dataset
from tests.unit.test_exports import corpus, patch_of

SEEDS = Path(os.environ.get("TOUCHSTONE_SEEDS") or Path(__file__).parents[3] / "shared" / "seeds")
pytestmark = pytest.mark.skipif(
    not SEEDS.is_dir(), reason="NOT RUN: the articles are not there, set TOUCHSTONE_SEEDS to their folder"
)

STAND_IN_HTTPX = """
import json, os
class Reply:
    def __init__(self, text): self.text = text
    def raise_for_status(self): pass
    def json(self): return {"choices": [{"message": {"content": self.text}}]}
def post(url, headers, json, timeout):
    prompt = json["messages"][0]["content"]
    answers = __import__("json").load(open(os.environ["ANSWERS"]))
    [found] = [text for diff, text in answers if prompt.endswith(diff)]
    return Reply(found)
"""


def script(number: str, start: str, end: str) -> str:
    [article] = SEEDS.glob(f"{number}_*.txt")
    text = article.read_text()
    begin = text.index(start)
    return text[begin : text.index(end, begin) + len(end)] + "\n"


def write(export: Export, folder: Path) -> None:
    for path, data in export.files:
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def run(program: Path, *arguments: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, program, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.mark.parametrize(
    ("answer", "printed", "code"),
    [
        ("all", "precision=1.00 recall=1.00\nPASS", 0),
        ("none", "precision=0.00 recall=0.00\nFAIL", 1),
        ("one more each", "precision=0.40 recall=1.00\nFAIL", 1),
    ],
)
def test_the_fixtures_run_in_their_harness(tmp_path: Path, answer: str, printed: str, code: int) -> None:
    source = script("002", "#!/usr/bin/env python3", "sys.exit(main())")
    # As printed, str.format meets the braces of the JSON example in the prompt and the script cannot start.
    source = source.replace("PROMPT.format(diff=diff)", 'PROMPT.replace("{diff}", diff)')
    (tmp_path / "httpx.py").write_text(STAND_IN_HTTPX)
    program = tmp_path / "test_reviewer.py"
    program.write_text(source)
    write(export_fixtures(*corpus(), patch_of), tmp_path)
    answers = []
    for folder in sorted((tmp_path / "fixtures").iterdir()):
        truth = json.loads((folder / "bugs.json").read_text())
        found = {"all": truth, "none": [], "one more each": [*truth, {"file": "other.py", "line": 1}]}[answer]
        answers.append([(folder / "diff.patch").read_text(), json.dumps(found)])
    (tmp_path / "answers.json").write_text(json.dumps(answers))
    done = run(program, FIXTURES_DIR=str(tmp_path / "fixtures"), ANSWERS=str(tmp_path / "answers.json"))
    assert done.stderr == ""
    assert done.stdout.startswith(printed)
    assert done.returncode == code


def test_the_keyword_dataset_runs_in_its_script(tmp_path: Path) -> None:
    program = tmp_path / "review_bench.py"
    program.write_text(script("003", "import json\nimport sys\nfrom pathlib", "run(sys.argv[1], sys.argv[2])"))
    write(export_keyword_dataset(*corpus()), tmp_path)
    items = [
        {"pr_id": "c1", "text": "the rounding of this page count is wrong"},
        {"pr_id": "c2", "text": "rename this"},
        {"pr_id": "c6", "text": "the check is gone"},
    ]
    (tmp_path / "review.json").write_text(json.dumps({"items": items}))
    done = run(program, tmp_path / "dataset.json", tmp_path / "review.json")
    assert done.stderr == ""
    # Five defects: c1, c3, c4 have one, c6 two; the comments hit that of c1 and the first of c6.
    assert json.loads(done.stdout) == {
        "true_positives": 2,
        "false_positives": 1,
        "false_negatives": 3,
        "precision": 0.667,
        "recall": 0.4,
        "f1": 0.5,
    }


def test_expected_findings_run_in_their_script(tmp_path: Path) -> None:
    program = tmp_path / "score_reviewer.py"
    source = script("004", "import json\nimport sys\nfrom dataclasses", "print(json.dumps(result, indent=2))")
    program.write_text(source)
    write(export_expected_findings(*corpus()), tmp_path)
    actual = json.loads((tmp_path / "expected.json").read_text())
    done = run(program, tmp_path / "expected.json", tmp_path / "expected.json")
    assert done.stderr == ""
    assert json.loads(done.stdout) == {
        "true_positive": 5,
        "false_positive": 0,
        "false_negative": 0,
        "precision": 1.0,
        "recall": 1.0,
        "severity_weighted_recall": 1.0,
    }
    for case in actual:
        case["findings"] = case["findings"][:1]
    actual[1]["findings"] = [{**actual[0]["findings"][0], "id": "A-1"}]
    (tmp_path / "actual.json").write_text(json.dumps(actual))
    done = run(program, tmp_path / "expected.json", tmp_path / "actual.json")
    # One of the two findings of c6 is missing, one comment stands on the clean case: 4 of 5 both ways.
    assert json.loads(done.stdout)["precision"] == 0.8
    assert json.loads(done.stdout)["recall"] == 0.8
