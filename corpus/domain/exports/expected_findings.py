"""`expected.json`: findings by case with six members each, for scripts that match file, category and a near line."""

from __future__ import annotations

from corpus.domain.exports.frame import Export, Ledger, Selection, json_bytes, located_cases
from corpus.domain.manifest_records import Manifest

NAME = "expected"


def export_expected_findings(manifest: Manifest, manifest_digest: str, selection: Selection | None = None) -> Export:
    """Return `expected.json`, `[{case_id, findings: [{id, file, line, category, severity, summary}]}]`."""
    ledger = Ledger(manifest, manifest_digest, NAME)
    expected = [
        {
            "case_id": case.case_id,
            "findings": [
                {
                    "id": finding.finding_id,
                    "file": path,
                    "line": line,
                    "category": finding.category,
                    "severity": finding.severity,
                    "summary": finding.claim,
                }
                for finding, path, line in located
            ],
        }
        for case, located in located_cases(ledger, selection or Selection())
    ]
    ledger.files.append(("expected.json", json_bytes(expected)))
    return ledger.finish(len(expected), sum(len(entry["findings"]) for entry in expected))
