"""What every export has in common: which cases leave, how files and losses are listed, how JSON is written.

An export is a pure function of a manifest and of the bytes of its changes, so equal input gives equal bytes. What a
format cannot express is never bent into it: it is left out and listed as a loss, with the case.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from corpus.domain.diff_model import PatchRefused
from corpus.domain.exports.change_only import change_only
from corpus.domain.manifest_records import Manifest, ManifestAnchor, ManifestCase, ManifestFinding, YesNo
from corpus.domain.vocabulary import AnchorLevel, AnchorRole, CaseResult, Completeness, GoldenState, Side, Split

# Bytes of a case's patch by case id; None when they were withdrawn.
PatchSource = Callable[[str], bytes | None]
PUBLIC_SPLITS = frozenset({Split.DEV, Split.TEST})


@dataclass(frozen=True)
class Selection:
    """Which cases leave: those of `splits`, private ones only when asked for. Holdout has to be named."""

    splits: frozenset[Split] = PUBLIC_SPLITS
    with_private: bool = True

    def cases(self, manifest: Manifest) -> Iterator[ManifestCase]:
        """Yield the cases in the order of the manifest."""
        for case in manifest.cases:
            if case.split in self.splits and (self.with_private or case.private is YesNo.NO):
                yield case


@dataclass(frozen=True)
class Loss:
    """What the format cannot express; `finding_id` is None where it is about the whole case or export."""

    case_id: str | None
    finding_id: str | None
    reason: str


@dataclass(frozen=True)
class Export:
    """Files in their order, as relative path and bytes, and what was lost."""

    files: tuple[tuple[str, bytes], ...]
    losses: tuple[Loss, ...]


@dataclass
class Ledger:
    """Collects files and losses of one export."""

    manifest: Manifest
    manifest_digest: str
    format: str
    files: list[tuple[str, bytes]] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)

    def lose(self, reason: str, case: ManifestCase | None = None, finding: ManifestFinding | None = None) -> None:
        """Record a loss."""
        self.losses.append(Loss(case.case_id if case else None, finding.finding_id if finding else None, reason))

    def finish(self, cases: int, findings: int | None) -> Export:
        """Return the export with its MANIFEST.json, which names every other file; `findings` None for inputs."""
        counts = {"cases": cases} if findings is None else {"cases": cases, "findings": findings}
        listing = {
            "dataset": self.manifest.project,
            "version": self.manifest.version,
            "manifest_sha256": self.manifest_digest,
            "format": self.format,
            "policies": {
                name: getattr(self.manifest, name).version
                for name in ("contract", "guidelines", "severity_policy", "taxonomy")
            },
            "counts": counts,
            "files": [{"path": path, "sha256": hashlib.sha256(data).hexdigest()} for path, data in self.files],
            "losses": [
                {name: value for name, value in vars(loss).items() if findings is not None or name != "finding_id"}
                for loss in self.losses
            ],
        }
        return Export((*self.files, ("MANIFEST.json", json_bytes(listing))), tuple(self.losses))


def json_bytes(value: Any) -> bytes:
    """Return `value` as readable JSON in UTF-8 with a final newline; the order of members is kept."""
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode("utf-8")


def jsonl_bytes(rows: Iterable[Any]) -> bytes:
    """Return `rows` as JSON Lines in UTF-8; no line holds a separator that a reader could take for its end."""
    return "".join(json.dumps(row, ensure_ascii=True) + "\n" for row in rows).encode("ascii")


def readable_patch(ledger: Ledger, case: ManifestCase, patch_of: PatchSource) -> bytes | None:
    """Return the change, or None with the loss recorded: scripts read patches as UTF-8 text."""
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


def full_text(finding: ManifestFinding) -> str:
    """Return what a finding says in one text, for judges that see nothing else of it."""
    parts = [finding.claim, finding.trigger, finding.evidence, finding.impact]
    if finding.mechanism:
        parts.append(f"Mechanism: {finding.mechanism}")
    return "\n".join(dict.fromkeys(part for part in parts if part))


def primary_place(finding: ManifestFinding) -> ManifestAnchor | None:
    """Return the finding's first primary place."""
    return next((anchor for anchor in finding.anchors if anchor.role is AnchorRole.PRIMARY), None)


def finding_row(finding: ManifestFinding) -> dict[str, Any]:
    """Return a finding as a row for tools that keep structure; places as lists, every member always there."""
    return {
        "finding_id": finding.finding_id,
        "state": finding.state.value,
        "category": finding.category,
        "severity": None if finding.severity is None else finding.severity.value,
        "claim": finding.claim,
        "trigger": finding.trigger,
        "evidence": finding.evidence,
        "impact": finding.impact,
        "mechanism": finding.mechanism,
        "keywords": list(finding.keywords),
        "places": [
            {
                "role": anchor.role.value,
                "path": anchor.path,
                "side": None if anchor.side is None else anchor.side.value,
                "first_line": anchor.ranges[0][0] if anchor.ranges else None,
                "last_line": anchor.ranges[-1][1] if anchor.ranges else None,
            }
            for anchor in finding.anchors
        ],
    }


def why_not_judgeable(case: ManifestCase) -> str | None:
    """Return why a format that calls every unmatched comment wrong may not hold `case`, or None."""
    if case.completeness is not Completeness.COMPLETE:
        return "left out: its labels are not complete, so a comment without a golden finding is not wrong"
    if case.result is CaseResult.UNRESOLVED or any(f.state is GoldenState.UNRESOLVED for f in case.findings):
        return "left out: it is unresolved, and what is unresolved counts in no score"
    return None


def judgeable_cases(ledger: Ledger, selection: Selection) -> Iterator[tuple[ManifestCase, list[ManifestFinding]]]:
    """Yield the cases that such a format may hold, with their required findings; the rest becomes losses."""
    for case in selection.cases(ledger.manifest):
        reason = why_not_judgeable(case)
        if reason:
            ledger.lose(reason, case)
            continue
        required = []
        for finding in case.findings:
            if finding.state is GoldenState.REQUIRED:
                required.append(finding)
            elif finding.state is GoldenState.OPTIONAL:
                ledger.lose("optional: left out, so a comment on it counts as wrong", case, finding)
            else:
                ledger.lose("decoy: left out, the format has no known wrong findings", case, finding)
        yield case, required


def new_side_line(
    ledger: Ledger, case: ManifestCase, finding: ManifestFinding, *, keeps_range: bool = False
) -> tuple[str, int, int] | None:
    """Return path, first and last line of the finding's first place on the new side, or None where it has none.

    The primary places come first, then the alternates. What is lost besides is recorded; a format that `keeps_range`
    loses nothing of one run of lines.
    """
    usable = [
        anchor
        for anchor in finding.anchors
        if anchor.role is not AnchorRole.SUPPORTING
        and anchor.level is AnchorLevel.LINES
        and anchor.side is Side.NEW
        and "\\" not in (anchor.path or "\\")
    ]
    if not usable:
        return None
    chosen = usable[0]
    if chosen.role is AnchorRole.ALTERNATE:
        ledger.lose("its primary place is not a line of the new side; an alternate place stands for it", case, finding)
    elif len([anchor for anchor in finding.anchors if anchor.role is not AnchorRole.SUPPORTING]) > 1:
        ledger.lose("only the first of its places is kept", case, finding)
    if keeps_range and len(chosen.ranges) > 1:
        ledger.lose("only the first range of its place is kept", case, finding)
    elif not keeps_range and _lines(chosen) > 1:
        ledger.lose("only the first line of its place is kept", case, finding)
    return str(chosen.path), *chosen.ranges[0]


def _lines(anchor: ManifestAnchor) -> int:
    return sum(end - start + 1 for start, end in anchor.ranges)


def located_cases(
    ledger: Ledger, selection: Selection
) -> Iterator[tuple[ManifestCase, list[tuple[ManifestFinding, str, int]]]]:
    """Yield judgeable cases whose required findings all have a line on the new side, with path and line.

    A case that could be expressed only in part would turn a right comment into a wrong one, so it is left out whole.
    """
    for case, required in judgeable_cases(ledger, selection):
        located = []
        for finding in required:
            place = new_side_line(ledger, case, finding)
            if place is None:
                ledger.lose("has no line on the new side that the format could name", case, finding)
            else:
                located.append((finding, place[0], place[1]))
        if len(located) < len(required):
            ledger.lose("left out: not all of its findings can be expressed", case)
        else:
            yield case, located


def count_findings(cases: Iterable[tuple[object, list[Any]]]) -> int:
    """Return the number of findings in `cases`."""
    return sum(len(findings) for _, findings in cases)
