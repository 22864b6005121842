"""The fixtures folder: `diff.patch` and `bugs.json` for each case, for scripts that compare (file, line) pairs.

Such a script walks every entry of `fixtures/` as a case, so nothing else stands there; MANIFEST.json stands beside it.
"""

from __future__ import annotations

from corpus.domain.exports.frame import (
    Export,
    Ledger,
    PatchSource,
    Selection,
    json_bytes,
    located_cases,
    readable_patch,
)
from corpus.domain.manifest_records import Manifest, ManifestCase, ManifestFinding

NAME = "fixtures"
FEWEST_FIXTURES = 5


def export_fixtures(
    manifest: Manifest, manifest_digest: str, patch_of: PatchSource, selection: Selection | None = None
) -> Export:
    """Return `fixtures/NN-<case id>/{diff.patch,bugs.json}` for every case that the format can express."""
    ledger = Ledger(manifest, manifest_digest, NAME)
    cases = []
    for case, located in located_cases(ledger, selection or Selection()):
        patch = readable_patch(ledger, case, patch_of)
        if patch is not None:
            cases.append((case, located, patch))
    width = max(2, len(str(len(cases))))
    for number, (case, located, patch) in enumerate(cases, start=1):
        folder = f"fixtures/{number:0{width}}-{case.case_id}"
        _note_shared_lines(ledger, case, located)
        bugs = [{"file": path, "line": line, "issue": finding.claim} for finding, path, line in located]
        ledger.files.append((f"{folder}/bugs.json", json_bytes(bugs)))
        ledger.files.append((f"{folder}/diff.patch", patch))
    if len(cases) < FEWEST_FIXTURES:
        ledger.lose(f"{len(cases)} fixtures; the format asks for at least {FEWEST_FIXTURES}")
    return ledger.finish(len(cases), sum(len(located) for _, located, _ in cases))


def _note_shared_lines(ledger: Ledger, case: ManifestCase, located: list[tuple[ManifestFinding, str, int]]) -> None:
    taken: set[tuple[str, int]] = set()
    for finding, path, line in located:
        if (path, line) in taken:
            ledger.lose("stands on the line of another finding; the format counts the two as one", case, finding)
        taken.add((path, line))
