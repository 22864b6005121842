"""BC-Bench's code review set: `dataset.jsonl`, one case a line, with expected and ignored comments."""

from __future__ import annotations

from typing import Any

from corpus.domain.exports.frame import (
    Export,
    Ledger,
    PatchSource,
    Selection,
    full_text,
    jsonl_bytes,
    new_side_line,
    readable_patch,
    why_not_judgeable,
)
from corpus.domain.manifest_records import Manifest, ManifestCase, ManifestFinding
from corpus.domain.vocabulary import GoldenState, Severity

NAME = "bc-bench"
SUFFIXES = (".al", ".json")


def export_bc_bench(
    manifest: Manifest, manifest_digest: str, patch_of: PatchSource, selection: Selection | None = None
) -> Export:
    """Return `dataset.jsonl`; optional findings are comments that are ignored, clean cases expect none."""
    ledger = Ledger(manifest, manifest_digest, NAME)
    rows = []
    for case in (selection or Selection()).cases(manifest):
        reason = why_not_judgeable(case)
        if reason is None and case.base_revision is None:
            reason = "left out: the commit that its change is based on is not known"
        if reason:
            ledger.lose(reason, case)
            continue
        row = _row(ledger, case, patch_of)
        if row is not None:
            rows.append(row)
    ledger.files.append(("dataset.jsonl", jsonl_bytes(rows)))
    return ledger.finish(len(rows), sum(len(row["expected_comments"]) for row in rows))


def _row(ledger: Ledger, case: ManifestCase, patch_of: PatchSource) -> dict[str, Any] | None:
    expected: list[dict[str, Any]] = []
    ignored: list[dict[str, Any]] = []
    for finding in case.findings:
        if finding.state is GoldenState.DECOY:
            ledger.lose("decoy: left out, the format has no known wrong findings", case, finding)
            continue
        comment = _comment(ledger, case, finding)
        if comment is not None:
            (expected if finding.state is GoldenState.REQUIRED else ignored).append(comment)
        elif finding.state is GoldenState.REQUIRED:
            ledger.lose("left out: not all of its findings can be expressed", case)
            return None
    patch = readable_patch(ledger, case, patch_of)
    if patch is None:
        return None
    if any(not str(file.new_path or file.old_path).endswith(SUFFIXES) for file in case.files):
        ledger.lose(f"its own checks take files that end in {' or '.join(SUFFIXES)} alone", case)
    return {
        "instance_id": f"{case.case_id}__review",
        "repo": case.repository or "unnamed",
        "base_commit": case.base_revision,
        "patch": patch.decode("utf-8"),
        "expected_comments": expected,
        "ignored_comments": ignored,
        "expect_findings": bool(expected),
        "metadata": {"area": case.area or "review"},
    }


def _comment(ledger: Ledger, case: ManifestCase, finding: ManifestFinding) -> dict[str, Any] | None:
    place = new_side_line(ledger, case, finding, keeps_range=True)
    if place is None:
        ledger.lose("has no line on the new side that the format could name", case, finding)
        return None
    path, first, last = place
    comment = {"file": path, "line_start": first, "body": full_text(finding)}
    if last != first:
        comment["line_end"] = last
    if finding.severity is Severity.NOTE or finding.severity is None:
        ledger.lose("its level is not kept: the format has levels from low to critical", case, finding)
    else:
        comment["severity"] = finding.severity.value
    if finding.category:
        comment["domain"] = finding.category
    return comment
