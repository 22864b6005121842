"""The shapes of three evaluation frameworks: promptfoo, Inspect and DeepEval.

They hold the change, what is expected of it as JSON, and leave the judging to a scorer of their own; promptfoo's comes
along, since it has none for findings.
"""

from __future__ import annotations

import json
from typing import Any

from corpus.domain.exports.frame import (
    Export,
    Ledger,
    PatchSource,
    Selection,
    count_findings,
    finding_row,
    json_bytes,
    jsonl_bytes,
    judgeable_cases,
    readable_patch,
)
from corpus.domain.exports.promptfoo_scorer import SCORER
from corpus.domain.manifest_records import Manifest, ManifestCase, ManifestFinding
from corpus.domain.vocabulary import Severity

PROMPTFOO, INSPECT, DEEPEVAL = "promptfoo", "inspect", "deepeval"
TASK = (
    "Review this change. Answer with a JSON list of the defects that it introduces, each with file, line, category, "
    "severity and summary; with an empty list if there is none."
)
_Case = tuple[ManifestCase, list[ManifestFinding], bytes]


def export_promptfoo(
    manifest: Manifest, manifest_digest: str, patch_of: PatchSource, selection: Selection | None = None
) -> Export:
    """Return `tests.jsonl` with a test a case, `score.py`, and each case's change and expectation as files.

    Both are named by `file://`, since `{{` in a change would be taken for a template.
    """
    ledger = Ledger(manifest, manifest_digest, PROMPTFOO)
    cases = _cases(ledger, patch_of, selection)
    tests = []
    for case, required, patch in cases:
        folder = f"cases/{case.case_id}"
        ledger.files.append((f"{folder}/diff.patch", patch))
        ledger.files.append((f"{folder}/expected.json", json_bytes([finding_row(finding) for finding in required])))
        metadata = _metadata(manifest, case, required)
        tests.append(
            {
                "description": case.case_id,
                "vars": {"diff": f"file://{folder}/diff.patch", "expected": f"file://{folder}/expected.json"},
                "assert": [
                    {"type": "is-json"},
                    {"type": "python", "value": "file://score.py", "threshold": 0.8, "metric": "recall", "weight": 1},
                ],
                "metadata": metadata,
            }
        )
    ledger.files += [("score.py", SCORER.encode("utf-8")), ("tests.jsonl", jsonl_bytes(tests))]
    ledger.lose("its scorer matches file and near line alone; matches that need a ruling are not ruled on")
    return ledger.finish(len(cases), count_findings((case, required) for case, required, _ in cases))


def export_inspect(
    manifest: Manifest, manifest_digest: str, patch_of: PatchSource, selection: Selection | None = None
) -> Export:
    """Return `dataset.jsonl`: the input is the task with the change, the target the ids of the golden findings."""
    ledger = Ledger(manifest, manifest_digest, INSPECT)
    cases = _cases(ledger, patch_of, selection)
    rows = []
    for case, required, patch in cases:
        ledger.files.append((f"cases/{case.case_id}/diff.patch", patch))
        rows.append(
            {
                "id": case.case_id,
                "input": f"{TASK}\n\n{patch.decode('utf-8')}",
                "target": [finding.finding_id for finding in required],
                "metadata": _metadata(manifest, case, required)
                | {"findings": [finding_row(finding) for finding in required]},
                "files": {"change.patch": f"cases/{case.case_id}/diff.patch"},
            }
        )
    ledger.files.append(("dataset.jsonl", jsonl_bytes(rows)))
    ledger.lose("the target names golden findings; a scorer has to read them from the metadata")
    return ledger.finish(len(cases), count_findings((case, required) for case, required, _ in cases))


def export_deepeval(
    manifest: Manifest, manifest_digest: str, patch_of: PatchSource, selection: Selection | None = None
) -> Export:
    """Return `goldens.json`: the change as input, the golden findings as JSON in the expected output."""
    ledger = Ledger(manifest, manifest_digest, DEEPEVAL)
    cases = _cases(ledger, patch_of, selection)
    goldens = [
        {
            "input": f"{TASK}\n\n{patch.decode('utf-8')}",
            "expected_output": json.dumps([finding_row(finding) for finding in required], ensure_ascii=False),
            "context": [case.context_allowed],
            "additional_metadata": _metadata(manifest, case, required),
        }
        for case, required, patch in cases
    ]
    ledger.files.append(("goldens.json", json_bytes(goldens)))
    ledger.lose("the expected output is a text: metrics that compare texts do not know which findings are matched")
    return ledger.finish(len(cases), count_findings((case, required) for case, required, _ in cases))


def _cases(ledger: Ledger, patch_of: PatchSource, selection: Selection | None) -> list[_Case]:
    found = []
    for case, required in judgeable_cases(ledger, selection or Selection()):
        patch = readable_patch(ledger, case, patch_of)
        if patch is not None:
            found.append((case, required, patch))
    return found


def _metadata(manifest: Manifest, case: ManifestCase, required: list[ManifestFinding]) -> dict[str, Any]:
    """Return facts for slices; severity_max is empty where nothing is expected."""
    severities = [finding.severity for finding in required if finding.severity is not None]
    return {
        "case_id": case.case_id,
        "split": case.split.value,
        "language": case.language or "",
        "severity_max": max(severities, key=list(Severity).index).value if severities else "",
        "dataset": manifest.project,
        "dataset_version": manifest.version,
    }
