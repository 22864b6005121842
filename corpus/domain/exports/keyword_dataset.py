"""The keyword dataset: `dataset.json` with the keywords of every defect, for scripts that look for them in comments.

Defect ids are unique in the whole file. The format has no places, severities or texts.
"""

from __future__ import annotations

from itertools import combinations

from corpus.domain.exports.frame import Export, Ledger, Selection, json_bytes, judgeable_cases
from corpus.domain.manifest_records import Manifest, ManifestFinding

NAME = "dataset"


def export_keyword_dataset(manifest: Manifest, manifest_digest: str, selection: Selection | None = None) -> Export:
    """Return `dataset.json`, `[{pr_id, defects: [{id, keywords}]}]`; clean cases have no defects."""
    ledger = Ledger(manifest, manifest_digest, NAME)
    dataset = []
    for case, required in judgeable_cases(ledger, selection or Selection()):
        without = [finding for finding in required if not finding.keywords]
        for finding in without:
            ledger.lose("has no keywords, so no comment could ever match it", case, finding)
        if without:
            ledger.lose("left out: not all of its findings can be expressed", case)
            continue
        for one, other in combinations(required, 2):
            if _one_comment_hits_both(one, other):
                ledger.lose(f"shares keywords with {one.finding_id}; one comment may match both", case, other)
        defects = [{"id": finding.finding_id, "keywords": list(finding.keywords)} for finding in required]
        dataset.append({"pr_id": case.case_id, "defects": defects})
    ledger.files.append(("dataset.json", json_bytes(dataset)))
    return ledger.finish(len(dataset), sum(len(entry["defects"]) for entry in dataset))


def _one_comment_hits_both(one: ManifestFinding, other: ManifestFinding) -> bool:
    """Whether half of each defect's keywords, which is a match, can be said with the keywords they share."""
    shared = len(set(one.keywords) & set(other.keywords))
    return 2 * shared >= len(set(one.keywords)) and 2 * shared >= len(set(other.keywords))
