"""Families of four variants as code: `items.jsonl` with original, disguised, fixed and clean code of each item."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from corpus.domain.exports.frame import Export, Ledger, Selection, jsonl_bytes, judgeable_cases
from corpus.domain.manifest_records import Manifest, ManifestCase, ManifestFinding
from corpus.domain.oracle_leaks import leaks_in
from corpus.domain.vocabulary import AnchorLevel, AnchorRole, Side

NAME = "variants"
VARIANTS = ("original", "disguised", "fixed", "clean")
DEFECTIVE = {"original", "disguised"}

# The bytes of one file of a case's new side, by case id and digest; None when they were withdrawn.
FileSource = Callable[[str, str], bytes | None]


def export_variants(
    manifest: Manifest, manifest_digest: str, file_of: FileSource, selection: Selection | None = None
) -> Export:
    """Return `items.jsonl`, one variant a line. A family leaves whole or not at all: four variants, each sound."""
    ledger = Ledger(manifest, manifest_digest, NAME)
    families: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    findings = 0
    for case, required in judgeable_cases(ledger, selection or Selection()):
        if case.family is None or case.variant not in VARIANTS:
            ledger.lose(f"left out: it is none of the variants {', '.join(VARIANTS)} of a family", case)
            continue
        if case.variant in families[case.family]:
            ledger.lose(f"left out: its family has another {case.variant} variant", case)
            continue
        row = _row(ledger, case, required, file_of)
        if row is not None:
            families[case.family][case.variant] = row
    rows = []
    for family, held in sorted(families.items()):
        if set(held) == set(VARIANTS):
            rows += [held[variant] for variant in VARIANTS]
            findings += sum(held[variant]["defective"] for variant in VARIANTS)
        else:
            missing = ", ".join(variant for variant in VARIANTS if variant not in held)
            ledger.lose(f"the family {family} is left out: it has no {missing} variant that the format can hold")
    ledger.files.append(("items.jsonl", jsonl_bytes(rows)))
    return ledger.finish(len(rows), findings)


def _row(
    ledger: Ledger, case: ManifestCase, required: list[ManifestFinding], file_of: FileSource
) -> dict[str, Any] | None:
    files = [file for file in case.files if file.new_blob_sha256]
    if len(case.files) != 1 or not files:
        ledger.lose(f"left out: it changes {len(case.files)} files, and a variant is the code of one", case)
        return None
    code = file_of(case.case_id, str(files[0].new_blob_sha256))
    try:
        text = None if code is None else code.decode("utf-8")
    except UnicodeDecodeError:
        text = None
    if text is None:
        ledger.lose("left out: its code was withdrawn or is not UTF-8", case)
        return None
    is_defective = case.variant in DEFECTIVE
    lines = sorted({line for finding in required for line in _fault_lines(finding)})
    if is_defective != bool(lines):
        said = "has no fault line on the new side" if is_defective else "has a required finding"
        ledger.lose(f"left out: it is the {case.variant} variant and {said}", case)
        return None
    if leaks_in({"code": list(enumerate(text.encode().split(b"\n"), start=1))}):
        ledger.lose("left out: its code states the fault", case)
        return None
    return {
        "item": case.family,
        "tier": case.tier,
        "variant": case.variant,
        "language": (case.language or "").lower() or None,
        "code": text,
        "defective": is_defective,
        "fault_lines": lines,
        "keywords": sorted({word for finding in required for word in finding.keywords}) if is_defective else [],
        "operator": next((finding.mechanism for finding in required if finding.mechanism), None),
        "domain": case.area,
    }


def _fault_lines(finding: ManifestFinding) -> list[int]:
    return [
        line
        for anchor in finding.anchors
        if anchor.role is AnchorRole.PRIMARY and anchor.level is AnchorLevel.LINES and anchor.side is Side.NEW
        for first, last in anchor.ranges
        for line in range(first, last + 1)
    ]
