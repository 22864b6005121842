"""From a manifest and what a run said about its cases to scored cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from corpus.domain.manifest_records import Manifest, ManifestAnchor, ManifestCase, ManifestFinding, YesNo
from corpus.domain.places import Anchor, FilePair, Geometry, HunkRange, Place, PlaceRelation, closeness
from corpus.domain.vocabulary import AnchorRole, CaseResult, Completeness, GoldenState
from reviews.domain.findings_format import FindingRecord, FindingsFile
from reviews.domain.matching import AIInput, GoldenInput, MatchClass, Proposal, Scope, match_findings
from reviews.domain.rulings import FinalFinding, RulingValue, apply_rulings
from reviews.domain.scored import Localisation, RunState, ScoredCase, ScoredFinding, ScoredGolden

# Far beyond any file: distances are wanted, not candidacy.
_ANY_DISTANCE = 2**40


def score_run(
    manifest: Manifest,
    cases: Sequence[ManifestCase],
    run: FindingsFile,
    rulings: Mapping[tuple[str, str, str], RulingValue] | None = None,
) -> list[ScoredCase]:
    """Return the scored cases of `run`, in the order of `cases`; rulings go by case, AI finding and golden finding.

    A case of which the run says nothing was not run. A finding without a case record means that it was reviewed.
    """
    said: dict[str, list[FindingRecord]] = {}
    for finding in run.findings:
        said.setdefault(finding.case_id, []).append(finding)
    ruled: dict[str, dict[tuple[str, str], RulingValue]] = {}
    for (case_id, ai_id, golden_id), value in (rulings or {}).items():
        ruled.setdefault(case_id, {})[ai_id, golden_id] = value
    out_of_scope = _out_of_scope(manifest)
    return [
        _score_case(
            case,
            said.get(case.case_id, []),
            run.states.get(case.case_id) or (RunState.REVIEWED if case.case_id in said else RunState.NOT_RUN),
            ruled.get(case.case_id, {}),
            out_of_scope,
        )
        for case in cases
    ]


def is_complete(case: ManifestCase) -> bool:
    """Whether an unmatched finding on `case` is wrong: its labels are complete and it is resolved."""
    return case.completeness is Completeness.COMPLETE and case.result is not CaseResult.UNRESOLVED


def propose_case(manifest: Manifest, case: ManifestCase, said: Sequence[FindingRecord]) -> Proposal:
    """Return what structure proposes for the findings of one case."""
    return _propose(case, said, _out_of_scope(manifest), _geometry_of(case))


def _out_of_scope(manifest: Manifest) -> set[str]:
    return {one.key for one in manifest.taxonomy.categories if one.in_scope is YesNo.NO}


def _geometry_of(case: ManifestCase) -> tuple[list[FilePair], list[HunkRange]]:
    files = [FilePair(file.old_path, file.new_path) for file in case.files]
    hunks = [
        HunkRange(
            file.new_path or file.old_path or "",
            _span(hunk.old_start, hunk.old_count),
            _span(hunk.new_start, hunk.new_count),
        )
        for file in case.files
        for hunk in file.hunks
    ]
    return files, hunks


def _ai_input(finding: FindingRecord) -> AIInput:
    return AIInput(finding.id, finding.category, (finding.anchor,))


def _propose(
    case: ManifestCase,
    said: Sequence[FindingRecord],
    out_of_scope: set[str],
    geometry: tuple[list[FilePair], list[HunkRange]],
) -> Proposal:
    files, hunks = geometry
    return match_findings(
        [_golden_input(finding) for finding in case.findings],
        [_ai_input(finding) for finding in said],
        files=files,
        hunks=hunks,
        scope=Scope(case.scope.files_excluded, {*case.scope.categories_excluded, *out_of_scope}),
        labels_complete=is_complete(case),
    )


def _score_case(
    case: ManifestCase,
    said: Sequence[FindingRecord],
    state: RunState,
    rulings: Mapping[tuple[str, str], RulingValue],
    out_of_scope: set[str],
) -> ScoredCase:
    files, hunks = _geometry_of(case)
    golden = {finding.finding_id: _golden_input(finding) for finding in case.findings}
    ai = {finding.id: _ai_input(finding) for finding in said}
    required = [finding for finding in case.findings if finding.state is GoldenState.REQUIRED]
    final = apply_rulings(
        _propose(case, said, out_of_scope, (files, hunks)),
        rulings,
        required=[finding.finding_id for finding in required],
        labels_complete=is_complete(case),
    )
    geometry = Geometry(files, hunks)
    return ScoredCase(
        case_id=case.case_id,
        golden=tuple(ScoredGolden(one.finding_id, one.severity) for one in required if one.severity is not None),
        findings=tuple(_scored(one, golden, ai[one.ai_id], geometry) for one in final),
        state=state,
        is_complete=is_complete(case),
        is_clean=case.result is CaseResult.CLEAN and is_complete(case),
    )


def _span(start: int, count: int) -> tuple[int, int] | None:
    return (start, start + count - 1) if count else None


def _golden_input(finding: ManifestFinding) -> GoldenInput:
    primary = [anchor for anchor in finding.anchors if anchor.role is AnchorRole.PRIMARY]
    groups: dict[int, list[Anchor]] = {}
    for anchor in finding.anchors:
        if anchor.role is AnchorRole.ALTERNATE:
            groups.setdefault(anchor.group, []).append(_place(anchor))
    return GoldenInput(
        finding.finding_id,
        finding.category or "",
        tuple(map(_place, primary)),
        tuple(tuple(groups[number]) for number in sorted(groups)),
        finding.state,
        finding.severity,
    )


def _place(anchor: ManifestAnchor) -> Anchor:
    return Anchor(anchor.path, anchor.side, anchor.ranges)


def _scored(final: FinalFinding, golden: Mapping[str, GoldenInput], ai: AIInput, geometry: Geometry) -> ScoredFinding:
    place = None
    if final.golden_id is not None and final.result in {MatchClass.MATCH, MatchClass.PARTIAL}:
        named = golden[final.golden_id]
        place = _localisation(
            [geometry.place(anchors) for anchors in (named.anchors, *named.alternates)], geometry.place(ai.anchors)
        )
    return ScoredFinding(
        final.ai_id, final.result, final.golden_id, final.reason, final.is_open, place, final.explanation
    )


def _localisation(golden: Sequence[Place], ai: Place) -> Localisation | None:
    """Return the best localisation against any golden place; None where the two share no side of a file."""
    best: Localisation | None = None
    for place in golden:
        found = closeness(place, ai, _ANY_DISTANCE)
        if found is None or found.relation not in {PlaceRelation.OVERLAP, PlaceRelation.NEAR}:
            continue
        one = Localisation(found.gap or 0, found.shared, found.union or place.size + ai.size)
        if best is None or _better(one, best):
            best = one
    return best


def _better(one: Localisation, other: Localisation) -> bool:
    """Nearer first, then the greater share of common lines."""
    if one.distance != other.distance:
        return one.distance < other.distance
    return one.shared * other.union > other.shared * one.union
