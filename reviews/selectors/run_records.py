"""A run in the product's own findings format: what scoring and matching read, here and offline."""

from __future__ import annotations

from collections.abc import Iterable

from corpus.domain.manifest import parse_manifest
from corpus.domain.manifest_records import Manifest
from corpus.domain.places import Anchor
from corpus.domain.vocabulary import AnchorLevel, AnchorRole, Severity, Side
from corpus.models import CorpusVersion, User
from reviews.domain.findings_format import FindingRecord, FindingsFile
from reviews.domain.scored import RunState
from reviews.domain.vocabulary import REVIEWED_STATES, CaseRunState
from reviews.models import AIAnchor, AIFinding, CaseRun, Run


def manifest_of(version: CorpusVersion) -> Manifest:
    """Return the manifest of a version from its stored bytes."""
    return parse_manifest(bytes(version.manifest))


def run_file(run: Run, *, viewer: User | None = None) -> FindingsFile:
    """Return what a run says as its findings file would be read; for a viewer without the cases hidden from them."""
    case_runs = (
        CaseRun.objects.filter(run=run) if viewer is None else CaseRun.objects.visible_to(viewer).filter(run=run)
    )
    findings = AIFinding.objects.filter(case_run__in=case_runs).counted()
    ordered = findings.select_related("case_run__case").prefetch_related("anchors").order_by("case_run_id", "position")
    return FindingsFile(
        findings=tuple(record_of(finding) for finding in ordered),
        states={
            case_id: _state(CaseRunState(state))
            for case_id, state in case_runs.order_by("pk").values_list("case__public_id", "state")
        },
        rejected=(),
        notes=(),
    )


def _state(state: CaseRunState) -> RunState:
    return RunState.REVIEWED if state in REVIEWED_STATES else RunState(state.value)


def record_of(finding: AIFinding) -> FindingRecord:
    """Return a stored finding as a record; what was not placed in the case names no place."""
    return FindingRecord(
        case_id=finding.case_run.case.public_id,
        id=finding.public_id,
        text=finding.neutral_text,
        anchor=_anchor(finding.anchors.all()),
        category=finding.category_key or None,
        severity=Severity(finding.severity) if finding.severity else None,
    )


def _anchor(rows: Iterable[AIAnchor]) -> Anchor:
    """Return the primary place: the ranges of the first side and path that a primary row names."""
    primary = [row for row in rows if row.role == AnchorRole.PRIMARY and row.level != AnchorLevel.REPOSITORY]
    if not primary:
        return Anchor(None)
    path, side = primary[0].path, primary[0].side
    ranges = [
        (row.first_line, row.last_line)
        for row in primary
        if (row.path, row.side) == (path, side) and row.first_line is not None and row.last_line is not None
    ]
    return Anchor(path, Side(side), tuple(sorted(ranges)))
