"""The fixtures folder: `diff.patch` and `bugs.json` for each case, for scripts that compare (file, line) pairs.

Such a script walks every entry of `fixtures/` as a case, so nothing else stands there; MANIFEST.json stands beside it.
"""

from __future__ import annotations

from corpus.domain.diff_model import PatchRefused
from corpus.domain.exports.change_only import change_only
from corpus.domain.exports.frame import Export, Ledger, PatchSource, Selection, json_bytes, located_cases
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
        patch = _readable_patch(ledger, case, patch_of)
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


def _readable_patch(ledger: Ledger, case: ManifestCase, patch_of: PatchSource) -> bytes | None:
    """Return the change, or None with the loss recorded: scripts of this format read patches as UTF-8 text."""
    patch = patch_of(case.case_id)
    if patch is None:
        ledger.lose("left out: the bytes of its patch were withdrawn", case)
        return None
    try:
        change = change_only(patch)
        change.decode("utf-8")
    except PatchRefused as error:
        ledger.lose(f"left out: its patch cannot be read: {error}", case)
        return None
    except UnicodeDecodeError as error:
        ledger.lose(f"left out: byte {error.start} of its patch is not UTF-8", case)
        return None
    return change


def _note_shared_lines(ledger: Ledger, case: ManifestCase, located: list[tuple[ManifestFinding, str, int]]) -> None:
    taken: set[tuple[str, int]] = set()
    for finding, path, line in located:
        if (path, line) in taken:
            ledger.lose("stands on the line of another finding; the format counts the two as one", case, finding)
        taken.add((path, line))
