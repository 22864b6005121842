"""Cases under blind ids for a judgement that must not know them, and apart from it what opens the ids.

The open part holds the changes alone: no id, finding, name of a branch, message or split. What is sealed goes into a
folder of its own, to be moved away before the open part is handed on.
"""

from __future__ import annotations

import csv
import io

from corpus.domain.blind_sets import Sealed, commitment_plain, seal_plain
from corpus.domain.exports.frame import (
    Export,
    Ledger,
    PatchSource,
    Selection,
    json_bytes,
    new_side_line,
    readable_patch,
)
from corpus.domain.manifest_records import Manifest, ManifestCase
from corpus.domain.oracle_leaks import leaks_in
from corpus.domain.vocabulary import GoldenState

NAME = "blind"
COLUMNS = ("blind_id", "mutant_id", "category", "mutation", "file", "line", "replaces")


def blind_candidates(
    manifest: Manifest, patch_of: PatchSource, selection: Selection
) -> tuple[tuple[ManifestCase, ...], tuple[tuple[str, str], ...]]:
    """Return the cases that can be judged blind, in the order of the manifest, and why others cannot, by case id."""
    kept, left = [], []
    ledger = Ledger(manifest, "", NAME)
    for case in selection.cases(manifest):
        change = readable_patch(ledger, case, patch_of)
        if change is None:
            left.append((case.case_id, ledger.losses[-1].reason))
        elif leaks_in(
            {"diff.patch": list(enumerate(change.split(b"\n"), start=1))},
            ids=[finding.finding_id for finding in case.findings],
            summaries={finding.finding_id: finding.claim for finding in case.findings},
        ):
            left.append((case.case_id, "left out: its change holds words that tell"))
        else:
            kept.append(case)
    return tuple(kept), tuple(left)


def export_blind_set(
    manifest: Manifest, manifest_digest: str, patch_of: PatchSource, sealed: Sealed, left: tuple[tuple[str, str], ...]
) -> Export:
    """Return `open/` with `commitment.json` and `blind/B-01/diff.patch` and so on, and `sealed/` with the mapping."""
    ledger = Ledger(manifest, manifest_digest, NAME)
    cases = {case.case_id: case for case in manifest.cases}
    ledger.files.append(("open/commitment.json", json_bytes(commitment_plain(sealed))))
    for blind_id, case_id in sealed.mapping.items():
        change = readable_patch(ledger, cases[case_id], patch_of)
        assert change is not None, "a case whose change cannot be read was drawn"
        ledger.files.append((f"open/blind/{blind_id}/diff.patch", change))
    for case_id, reason in left:
        ledger.lose(reason, cases[case_id])
    ledger.files.append(("sealed/seal.json", json_bytes(seal_plain(sealed))))
    ledger.files.append(("sealed/mapping.csv", _mapping(ledger, cases, sealed)))
    listed = ledger.finish(len(sealed.case_ids), None)
    # The listing names cases and what was left out, so it is sealed too.
    return Export((*listed.files[:-1], (f"sealed/{listed.files[-1][0]}", listed.files[-1][1])), listed.losses)


def _mapping(ledger: Ledger, cases: dict[str, ManifestCase], sealed: Sealed) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for blind_id, case_id in sealed.mapping.items():
        case = cases[case_id]
        required = [finding for finding in case.findings if finding.state is GoldenState.REQUIRED]
        if not required:
            writer.writerow([blind_id, case_id, "", "", "", "", ""])
        for finding in required:
            place = new_side_line(ledger, case, finding)
            path, line = (place[0], place[1]) if place else ("", "")
            writer.writerow([blind_id, case_id, finding.category, _harmless(finding.claim), path, line, ""])
    return text.getvalue().encode("utf-8")


def _harmless(words: str) -> str:
    """Keep a spreadsheet from taking words for a formula."""
    return f"'{words}" if words[:1] in "=+-@\t\r" else words
