"""AACR-Bench: `positive_samples.json` with findings and `negative_samples.json` with known wrong ones."""

from __future__ import annotations

from typing import Any

from corpus.domain.diff import PatchRefused, parse_patch
from corpus.domain.exports.frame import (
    Export,
    Ledger,
    PatchSource,
    Selection,
    full_text,
    json_bytes,
    primary_place,
    why_not_judgeable,
)
from corpus.domain.manifest_records import Manifest, ManifestCase, ManifestFinding
from corpus.domain.vocabulary import AnchorLevel, GoldenState, Side

NAME = "aacr"
SIDES = {Side.OLD: "left", Side.NEW: "right"}
LEVELS = {AnchorLevel.LINES: "Diff Level", AnchorLevel.FILE: "File Level", AnchorLevel.REPOSITORY: "Repo Level"}


def export_aacr(
    manifest: Manifest, manifest_digest: str, patch_of: PatchSource, selection: Selection | None = None
) -> Export:
    """Return both files; a case stands in each for which it has a comment."""
    ledger = Ledger(manifest, manifest_digest, NAME)
    positive: list[dict[str, Any]] = []
    negative: list[dict[str, Any]] = []
    findings = cases = 0
    for case in (selection or Selection()).cases(manifest):
        reason = why_not_judgeable(case)
        lines = _changed_lines(patch_of(case.case_id))
        if reason is None and lines is None:
            reason = "left out: its patch was withdrawn or cannot be read"
        if reason:
            ledger.lose(reason, case)
            continue
        required = [finding for finding in case.findings if finding.state is GoldenState.REQUIRED]
        decoys = [finding for finding in case.findings if finding.state is GoldenState.DECOY]
        for finding in case.findings:
            if finding.state is GoldenState.OPTIONAL:
                ledger.lose("optional: left out, so a comment on it counts as wrong", case, finding)
        if not required:
            ledger.lose("has no finding: the format has no clean cases", case)
        for held, listed in ((required, positive), (decoys, negative)):
            comments = [comment for finding in held if (comment := _comment(ledger, case, finding))]
            if comments:
                listed.append(_entry(manifest, case, lines or 0, comments))
        cases, findings = cases + 1, findings + len(required)
    if findings:
        ledger.lose("severities: the format has none; categories are the project's own, not the format's four")
    ledger.files += [("positive_samples.json", json_bytes(positive)), ("negative_samples.json", json_bytes(negative))]
    return ledger.finish(cases, findings)


def _changed_lines(patch: bytes | None) -> int | None:
    try:
        return None if patch is None else sum(file.added + file.removed for file in parse_patch(patch).files)
    except PatchRefused:
        return None


def _entry(manifest: Manifest, case: ManifestCase, lines: int, comments: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "githubPrUrl": f"urn:touchstone:{manifest.project}:{manifest.version}:{case.case_id}",
        "source_commit": case.head_revision or "",
        "target_commit": case.base_revision or "",
        "change_line_count": lines,
        "project_main_language": case.language or "",
        "comments": comments,
    }


def _comment(ledger: Ledger, case: ManifestCase, finding: ManifestFinding) -> dict[str, Any] | None:
    place = primary_place(finding)
    if place is None or place.path is None or place.side is None:
        ledger.lose("left out: its place is no file, and the format names one for each comment", case, finding)
        return None
    if len([anchor for anchor in finding.anchors if anchor.role is not place.role]) or len(place.ranges) > 1:
        ledger.lose("only its primary place is kept, from the first line to the last", case, finding)
    first, last = (place.ranges[0][0], place.ranges[-1][1]) if place.ranges else (1, 1)
    return {
        "note": full_text(finding),
        "path": place.path,
        "side": SIDES[place.side],
        "from_line": first,
        "to_line": last,
        "category": finding.category or "",
        "context": LEVELS[place.level],
        "is_ai_comment": False,
        "source_model": "",
    }
