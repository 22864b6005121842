"""Cases as a manifest states them: stored rows, joined with where their truth comes from, as `ManifestCase`.

Cases are read in groups, each with a number of queries that does not grow with the group. Words of people pass through
`corpus.domain.quotes`, so that no source line travels with the truth (S3).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from corpus.domain.manifest_records import (
    FileStatus,
    ManifestAdjudication,
    ManifestCase,
    ManifestFile,
    ManifestFinding,
    ManifestHunk,
    ManifestLabel,
    ManifestScope,
    ManifestVerdict,
    YesNo,
)
from corpus.domain.quotes import MARK
from corpus.domain.records import RecordError
from corpus.domain.vocabulary import (
    CaseResult,
    Completeness,
    Confidence,
    GoldenState,
    Provenance,
    Relation,
    Severity,
    SourceKind,
    Split,
    Verdict,
)
from corpus.models import Blob, Case, CaseFile, CaseHunk, GoldenAnchor, GoldenRevision
from corpus.selectors.case_content import NOTHING, CaseContent, contents_of
from corpus.selectors.places import anchor_fault, manifest_anchors
from corpus.selectors.provenance import CaseProvenance, DecisionSource, provenance_of
from corpus.selectors.quotes import CaseText
from corpus.selectors.wording import Wording

GROUP = 25

# Gives a person, by primary key, the name they have in one version.
Names = Callable[[int], str]


@dataclass(frozen=True)
class CaseRecord:
    """One case as a version would hold it, or why it cannot be written down."""

    case: Case
    manifest: ManifestCase | None
    problem: str
    revisions: tuple[GoldenRevision, ...]
    # Sentences about places that are not where they are said to be.
    anchor_faults: tuple[str, ...]
    # Why a finding is as it is, by its public id, for the list of changes.
    reasons: dict[str, str]
    tools: frozenset[tuple[str, str]]
    content: CaseContent = NOTHING
    # Files that each of those whose verdicts decide did not mark as read.
    unread_files: tuple[int, ...] = ()


def case_records(cases: Sequence[Case], *, names: Names, context_allowed: str) -> Iterator[CaseRecord]:
    """Yield the record of each case, in order. `context_allowed` holds where a case says nothing of its own."""
    for at in range(0, len(cases), GROUP):
        group = _Group(cases[at : at + GROUP])
        for case in group.cases:
            yield _record(case, group, names, context_allowed)


class _Group:
    """The rows of some cases, read together."""

    def __init__(self, cases: Sequence[Case]) -> None:
        keys = [case.pk for case in cases]
        rows = Case.objects.filter(pk__in=keys).select_related("patch", "base_tree", "head_tree", "project")
        by_key = {case.pk: case for case in rows.defer("patch__data")}
        self.cases = [by_key[key] for key in keys]
        self.provenance = provenance_of(keys)
        self.files: dict[int, list[CaseFile]] = defaultdict(list)
        for file in CaseFile.objects.filter(case_id__in=keys).order_by("case_id", "position"):
            self.files[file.case_id].append(file)
        self.hunks: dict[int, list[CaseHunk]] = defaultdict(list)
        hunks = CaseHunk.objects.filter(case_file__case_id__in=keys).defer("section", "kinds")
        for hunk in hunks.order_by("case_file_id", "position"):
            self.hunks[hunk.case_file_id].append(hunk)
        self.revisions: dict[int, list[GoldenRevision]] = defaultdict(list)
        for revision in _latest_revisions(keys):
            self.revisions[revision.finding.case_id].append(revision)
        self.anchors: dict[int, list[GoldenAnchor]] = defaultdict(list)
        wanted = [revision.pk for revisions in self.revisions.values() for revision in revisions]
        for anchor in GoldenAnchor.objects.filter(revision_id__in=wanted).order_by("revision_id", "group", "pk"):
            self.anchors[anchor.revision_id].append(anchor)
        sides = {
            case.pk: {key for file in self.files[case.pk] for key in (file.old_blob_id, file.new_blob_id) if key}
            for case in self.cases
        }
        every = {key for keys_of_case in sides.values() for key in keys_of_case}
        self.digests = dict(Blob.objects.filter(pk__in=every).values_list("pk", "sha256"))
        self.contents = contents_of(
            {case.patch_id: case.patch.sha256 for case in self.cases if case.patch_id and case.patch},
            {case.patch_id: self.revisions[case.pk] for case in self.cases if case.patch_id},
        )
        # Bytes only where words have to be compared with them.
        spoken_of = [case.pk for case in self.cases if self.revisions[case.pk] or _words_of(self.provenance[case.pk])]
        self.blobs = Blob.objects.in_bulk({key for case_id in spoken_of for key in sides[case_id]})


def _latest_revisions(case_keys: Sequence[int]) -> list[GoldenRevision]:
    """Return the revision that holds of every finding that was not retracted."""
    newest: dict[int, GoldenRevision] = {}
    rows = GoldenRevision.objects.filter(finding__case_id__in=case_keys, finding__retracted_at__isnull=True)
    for revision in rows.select_related("finding", "category").order_by("finding_id", "number"):
        newest[revision.finding_id] = revision
    return list(newest.values())


def _words_of(provenance: CaseProvenance) -> list[str]:
    """Return what people wrote about a case outside its findings."""
    decisions = [*provenance.decisions, *(each for group in provenance.finding_decisions.values() for each in group)]
    return [
        *filter(None, (verdict.missing_context for verdict in provenance.verdicts)),
        *filter(None, (decision.rationale for decision in decisions)),
    ]


def _record(case: Case, group: _Group, names: Names, context_allowed: str) -> CaseRecord:
    provenance = group.provenance[case.pk]
    revisions = group.revisions[case.pk]
    text = CaseText(case, files=group.files[case.pk], blobs=group.blobs)
    wording = Wording(text, group.files[case.pk])
    wording.expect(
        _words_of(provenance)
        + [word for revision in revisions for word in _words_of_revision(revision)]
        + [revision.reason for revision in revisions],
        [(anchor.path, anchor.side) for revision in revisions for anchor in group.anchors[revision.pk]],
    )
    faults = [
        f"{revision.finding.public_id}: {fault}"
        for revision in revisions
        for anchor in group.anchors[revision.pk]
        if (fault := anchor_fault(text, anchor))
    ]
    manifest, problem = None, ""
    try:
        findings = tuple(
            _finding(revision, group.anchors[revision.pk], provenance, wording, text, names) for revision in revisions
        )
        manifest = _case(case, group, provenance, findings, wording, names, context_allowed)
    except RecordError as error:
        problem = str(error)
    return CaseRecord(
        case=case,
        manifest=manifest,
        problem=problem,
        revisions=tuple(revisions),
        anchor_faults=tuple(faults),
        reasons={
            revision.finding.public_id: wording.plain(revision.reason) for revision in revisions if revision.reason
        },
        tools=provenance.tools,
        content=group.contents.get(case.patch_id or 0, NOTHING),
        unread_files=tuple(verdict.unread_files for verdict in provenance.verdicts if verdict.is_deciding),
    )


def _words_of_revision(revision: GoldenRevision) -> list[str]:
    return [
        revision.title,
        revision.trigger,
        revision.evidence,
        revision.impact,
        revision.boundary,
        revision.mechanism,
        revision.accept_elements,
        *revision.keyword_list,
    ]


def _finding(
    revision: GoldenRevision,
    anchors: Sequence[GoldenAnchor],
    provenance: CaseProvenance,
    wording: Wording,
    text: CaseText,
    names: Names,
) -> ManifestFinding:
    said = wording.plain
    try:
        return ManifestFinding(
            finding_id=revision.finding.public_id,
            revision=revision.number,
            state=GoldenState(revision.state),
            provenance=Provenance(revision.provenance),
            category=revision.category.key if revision.category else None,
            mechanism=said(revision.mechanism) or None,
            severity=Severity(revision.severity) if revision.severity else None,
            relation=Relation(revision.relation) if revision.relation else None,
            speculative=YesNo.YES if revision.speculative else YesNo.NO,
            # A label needs no title; what follows from the defect names it too.
            claim=said(revision.title or revision.impact or revision.trigger or revision.evidence),
            trigger=said(revision.trigger),
            evidence=said(revision.evidence),
            impact=said(revision.impact),
            boundary=said(revision.boundary) or None,
            accept_elements=tuple(
                element for each in revision.accept_element_list if (element := said(each).strip()) != MARK
            ),
            # A token that is a whole source line is no keyword a comment could be asked for without quoting it.
            keywords=tuple(word for word in revision.keyword_list if said(word) == word),
            confidence=Confidence(revision.confidence) if revision.confidence else None,
            anchors=manifest_anchors(anchors, text),
            labels=tuple(
                ManifestLabel(
                    reviewer=names(label.person),
                    round_kind=label.round_kind,
                    answer=label.answer,
                    category=label.category,
                    severity=label.severity,
                    confidence=label.confidence,
                )
                for label in provenance.labels.get(revision.finding_id, ())
            ),
            adjudications=tuple(
                _decision(decision, wording, names)
                for decision in provenance.finding_decisions.get(revision.finding_id, ())
            ),
        )
    except RecordError as error:
        raise RecordError(f"finding {revision.finding.public_id}: {error}") from error


def _decision(decision: DecisionSource, wording: Wording, names: Names) -> ManifestAdjudication:
    return ManifestAdjudication(
        adjudicator=names(decision.person),
        kinds=decision.kinds,
        outcome=decision.outcome,
        reason_code=decision.reason_code or None,
        rationale=wording.plain(decision.rationale) or None,
        confidence=decision.confidence,
    )


def _case(
    case: Case,
    group: _Group,
    provenance: CaseProvenance,
    findings: tuple[ManifestFinding, ...],
    wording: Wording,
    names: Names,
    context_allowed: str,
) -> ManifestCase:
    if not case.result:
        raise RecordError("it has no result yet")
    if case.patch is None:
        raise RecordError("its change is missing")
    result = CaseResult(case.result)
    return ManifestCase(
        case_id=case.public_id,
        repository=case.repository or None,
        base_revision=case.base_commit or None,
        head_revision=case.head_commit or None,
        patch_sha256=case.patch.sha256,
        base_tree_sha256=case.base_tree.sha256 if case.base_tree else None,
        head_tree_sha256=case.head_tree.sha256 if case.head_tree else None,
        files=tuple(_file(file, group) for file in group.files[case.pk]),
        language=case.language or None,
        area=case.area or None,
        language_versions=case.language_versions or None,
        build=case.build or None,
        context_allowed=case.context_allowed or context_allowed,
        source_kind=SourceKind(case.source_kind),
        split=Split(case.split),
        family=case.family or None,
        cluster=case.cluster or None,
        variant=case.variant or None,
        tier=case.tier or None,
        licence=case.licence or None,
        private=YesNo.YES if case.is_private else YesNo.NO,
        scope=ManifestScope(files_excluded=(), categories_excluded=()),
        completeness=Completeness(case.completeness),
        completeness_set_by=None if case.completeness_set_by_id is None else names(case.completeness_set_by_id),
        result=result,
        clean_attested_by=tuple(
            names(verdict.person)
            for verdict in provenance.verdicts
            if result is CaseResult.CLEAN and verdict.is_deciding and verdict.verdict is Verdict.CLEAN
        ),
        verdicts=tuple(
            ManifestVerdict(
                reviewer=names(verdict.person),
                round_kind=verdict.round_kind,
                verdict=verdict.verdict,
                missing_context=wording.plain(verdict.missing_context) or None,
            )
            for verdict in provenance.verdicts
        ),
        adjudications=tuple(_decision(decision, wording, names) for decision in provenance.decisions),
        findings=findings,
    )


def _file(file: CaseFile, group: _Group) -> ManifestFile:
    return ManifestFile(
        old_path=file.old_path_text or None,
        new_path=file.new_path_text or None,
        status=FileStatus(file.status),
        old_blob_sha256=None if file.old_blob_id is None else group.digests[file.old_blob_id],
        new_blob_sha256=None if file.new_blob_id is None else group.digests[file.new_blob_id],
        hunks=tuple(
            ManifestHunk(
                number=hunk.position + 1,
                old_start=hunk.old_start,
                old_count=hunk.old_count,
                new_start=hunk.new_start,
                new_count=hunk.new_count,
            )
            for hunk in group.hunks[file.pk]
        ),
    )
