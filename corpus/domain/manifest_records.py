"""The records of a manifest: what a corpus version says about its cases, its truth and where the truth came from.

No record holds source text, a time, a person's name or a number that is not an integer. People appear as pseudonyms
that are drawn afresh for every version. Paths are written by `corpus.domain.bytestext.path_text`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from corpus.domain.records import RecordError
from corpus.domain.vocabulary import (
    AnchorLevel,
    AnchorRole,
    CaseResult,
    ClaimAnswerValue,
    Completeness,
    Confidence,
    DisagreementKind,
    GoldenState,
    Outcome,
    Provenance,
    Relation,
    RoundKind,
    Severity,
    Side,
    SourceKind,
    Split,
    Verdict,
)

_DIGEST = re.compile(r"[0-9a-f]{64}")
_IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_KEYWORD = re.compile(r"[^\sA-Z]{1,64}")
_VERSION = re.compile(r"(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})")


class YesNo(StrEnum):
    """A plain answer; manifests hold no booleans."""

    YES = "yes"
    NO = "no"


class FileStatus(StrEnum):
    """What the change does to a file."""

    ADDED = "added"
    DELETED = "deleted"
    MODIFIED = "modified"
    RENAMED = "renamed"
    COPIED = "copied"


class GateState(StrEnum):
    """A gate that did not pass is waived with a reason, or nothing is frozen."""

    PASSED = "passed"
    WAIVED = "waived"


class ChangeKind(StrEnum):
    """One difference from the parent version; `reworded` documents were edited without substance."""

    CASE_ADDED = "case_added"
    CASE_REMOVED = "case_removed"
    CASE_MOVED = "case_moved"
    CASE_EDITED = "case_edited"
    FINDING_ADDED = "finding_added"
    FINDING_REMOVED = "finding_removed"
    FINDING_EDITED = "finding_edited"
    DOCUMENT_EDITED = "document_edited"
    DOCUMENT_REWORDED = "document_reworded"


def check_digest(name: str, value: str | None) -> None:
    """Refuse anything but 64 lower-case hexadecimal digits (or None)."""
    if value is not None and not _DIGEST.fullmatch(value):
        raise RecordError(f"{name} is not a SHA-256 of 64 lower-case hexadecimal digits")


def check_identifier(name: str, value: str) -> None:
    """Refuse an id that could not safely be the name of a file or folder."""
    if not _IDENTIFIER.fullmatch(value):
        raise RecordError(f"{name} {value[:80]!r} is not 1 to 64 letters, digits, dots, dashes or underscores")


def version_numbers(version: str) -> tuple[int, int, int]:
    """Return (major, minor, patch) of `version`; raises RecordError when it is no such number."""
    found = _VERSION.fullmatch(version)
    if found is None:
        raise RecordError(f"{version[:40]!r} is not a version such as 1.0.0")
    major, minor, patch = found.groups()
    return int(major), int(minor), int(patch)


@dataclass(frozen=True, kw_only=True)
class ManifestAnchor:
    """A place. `group` numbers the alternate sets from 1; primary and supporting places are group 0.

    Level lines: path, side, ranges and quote hash; file: path and side; repository: nothing of these. `ranges` are
    inclusive, ascending and disjoint. `quote_sha256` is over the quoted lines, each with its line end as stored.
    """

    role: AnchorRole
    level: AnchorLevel
    group: int
    path: str | None
    side: Side | None
    ranges: tuple[tuple[int, int], ...]
    blob_sha256: str | None
    quote_sha256: str | None

    def __post_init__(self) -> None:
        check_digest("blob_sha256", self.blob_sha256)
        check_digest("quote_sha256", self.quote_sha256)
        if (self.role is AnchorRole.ALTERNATE) != (self.group > 0) or self.group < 0:
            raise RecordError("alternate places have a group from 1 on, other places group 0")
        if self.level is AnchorLevel.REPOSITORY:
            if self.path is not None or self.side is not None or self.ranges:
                raise RecordError("a place of the whole repository has no path, side or ranges")
            return
        if not self.path or self.side is None:
            raise RecordError(f"a place at level {self.level} needs a path and a side")
        if self.level is AnchorLevel.FILE:
            if self.ranges:
                raise RecordError("a place of a whole file has no ranges")
            return
        if not self.ranges or self.quote_sha256 is None:
            raise RecordError("a place of lines needs ranges and the hash of its quote")
        previous = 0
        for start, end in self.ranges:
            if start <= previous or end < start:
                raise RecordError(f"range {start}-{end} is not ascending, from line 1 and apart from the one before")
            previous = end


@dataclass(frozen=True, kw_only=True)
class ManifestLabel:
    """Where a finding comes from: one reviewer's label on it, or answer to the claim that asserted it."""

    reviewer: str
    round_kind: RoundKind
    answer: ClaimAnswerValue
    category: str | None
    severity: Severity | None
    confidence: Confidence | None

    def __post_init__(self) -> None:
        check_identifier("reviewer", self.reviewer)


@dataclass(frozen=True, kw_only=True)
class ManifestVerdict:
    """One reviewer's answer on the whole case, and what context was missing, in the reviewer's words."""

    reviewer: str
    round_kind: RoundKind
    verdict: Verdict
    missing_context: str | None

    def __post_init__(self) -> None:
        check_identifier("reviewer", self.reviewer)


@dataclass(frozen=True, kw_only=True)
class ManifestAdjudication:
    """How the differences on a finding or a verdict were decided."""

    adjudicator: str
    kinds: tuple[DisagreementKind, ...]
    outcome: Outcome
    reason_code: str | None
    rationale: str | None
    confidence: Confidence | None

    def __post_init__(self) -> None:
        check_identifier("adjudicator", self.adjudicator)


@dataclass(frozen=True, kw_only=True)
class ManifestFinding:
    """One accepted truth (or decoy, or unresolved question) with its identity, words, places and history."""

    finding_id: str
    revision: int
    state: GoldenState
    provenance: Provenance
    category: str | None
    mechanism: str | None
    severity: Severity | None
    relation: Relation | None
    speculative: YesNo
    claim: str
    trigger: str
    evidence: str
    impact: str
    boundary: str | None
    accept_elements: tuple[str, ...]
    keywords: tuple[str, ...]
    confidence: Confidence | None
    anchors: tuple[ManifestAnchor, ...]
    labels: tuple[ManifestLabel, ...]
    adjudications: tuple[ManifestAdjudication, ...]

    def __post_init__(self) -> None:
        check_identifier("finding_id", self.finding_id)
        if self.revision < 1:
            raise RecordError("revisions count from 1")
        if not self.claim.strip():
            raise RecordError("a finding needs a claim")
        for keyword in self.keywords:
            if not _KEYWORD.fullmatch(keyword) or keyword != keyword.lower():
                raise RecordError(f"the keyword {keyword[:80]!r} is not one lower-case token of 1 to 64 characters")
        groups = {anchor.group for anchor in self.anchors if anchor.role is AnchorRole.ALTERNATE}
        if groups != set(range(1, len(groups) + 1)):
            raise RecordError("alternate sets are not numbered 1, 2, 3 and so on")
        if self.state in {GoldenState.REQUIRED, GoldenState.OPTIONAL}:
            if self.category is None or self.severity is None:
                raise RecordError(f"a finding that is {self.state} needs a category and a severity")
            if all(anchor.role is not AnchorRole.PRIMARY for anchor in self.anchors):
                raise RecordError(f"a finding that is {self.state} needs a primary place")


@dataclass(frozen=True, kw_only=True)
class ManifestHunk:
    """Numbers of one hunk as in its header; a count of 0 means that the start is the line before the gap."""

    number: int
    old_start: int
    old_count: int
    new_start: int
    new_count: int

    def __post_init__(self) -> None:
        if self.number < 1 or min(self.old_start, self.old_count, self.new_start, self.new_count) < 0:
            raise RecordError("hunks count from 1 and their numbers are not negative")


@dataclass(frozen=True, kw_only=True)
class ManifestFile:
    """One changed file: both names, both contents by digest, and its hunks."""

    old_path: str | None
    new_path: str | None
    status: FileStatus
    old_blob_sha256: str | None
    new_blob_sha256: str | None
    hunks: tuple[ManifestHunk, ...]

    def __post_init__(self) -> None:
        check_digest("old_blob_sha256", self.old_blob_sha256)
        check_digest("new_blob_sha256", self.new_blob_sha256)
        if not (self.old_path or self.new_path):
            raise RecordError("a changed file needs a path on at least one side")


@dataclass(frozen=True, kw_only=True)
class ManifestScope:
    """What an AI reviewer is not asked about in this case, beside what the taxonomy leaves out."""

    files_excluded: tuple[str, ...]
    categories_excluded: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ManifestCase:
    """One change with its provenance and truth. `sha256` is over the canonical bytes of the rest of the record.

    `base_tree_sha256` and `head_tree_sha256` are digests of the snapshot's two trees, where the case has them.
    """

    case_id: str
    repository: str | None
    base_revision: str | None
    head_revision: str | None
    patch_sha256: str
    base_tree_sha256: str | None
    head_tree_sha256: str | None
    files: tuple[ManifestFile, ...]
    language: str | None
    area: str | None
    language_versions: str | None
    build: str | None
    context_allowed: str
    source_kind: SourceKind
    split: Split
    family: str | None
    cluster: str | None
    variant: str | None
    tier: str | None
    licence: str | None
    private: YesNo
    scope: ManifestScope
    completeness: Completeness
    completeness_set_by: str | None
    result: CaseResult
    clean_attested_by: tuple[str, ...]
    verdicts: tuple[ManifestVerdict, ...]
    adjudications: tuple[ManifestAdjudication, ...]
    findings: tuple[ManifestFinding, ...]
    sha256: str = ""

    def __post_init__(self) -> None:
        check_identifier("case_id", self.case_id)
        for name in ("patch_sha256", "base_tree_sha256", "head_tree_sha256"):
            check_digest(name, getattr(self, name))
        if self.sha256:
            check_digest("sha256", self.sha256)
        for reviewer in self.clean_attested_by:
            check_identifier("clean_attested_by", reviewer)
        if self.completeness_set_by is not None:
            check_identifier("completeness_set_by", self.completeness_set_by)
        self._check_result()

    def _check_result(self) -> None:
        counting = [finding for finding in self.findings if finding.state is GoldenState.REQUIRED]
        if self.result is CaseResult.CLEAN:
            if len(set(self.clean_attested_by)) < 2:
                raise RecordError("a clean case needs two independent reviewers who said clean")
            if any(finding.severity is not Severity.NOTE for finding in counting):
                raise RecordError("a clean case has required findings at note level only")
        if self.result is CaseResult.NO_FINDING_ADJUDICATED and counting:
            raise RecordError("a case without a finding after adjudication has no required finding")
        if self.result is CaseResult.DEFECTS and all(finding.state is GoldenState.DECOY for finding in self.findings):
            raise RecordError("a case with defects needs a finding that is not a decoy")


@dataclass(frozen=True, kw_only=True)
class DocumentVersion:
    """A versioned document of the project: its version, the last one that was substantive, and its digest."""

    version: int
    substantive_version: int
    sha256: str

    def __post_init__(self) -> None:
        check_digest("sha256", self.sha256)
        if not 1 <= self.substantive_version <= self.version:
            raise RecordError("versions count from 1, and the last substantive one is not after the present one")


@dataclass(frozen=True, kw_only=True)
class SeverityPolicy(DocumentVersion):
    """The severity policy with the weight of each level."""

    weights: dict[str, int]

    def __post_init__(self) -> None:
        super().__post_init__()
        if set(self.weights) != {severity.value for severity in Severity} or min(self.weights.values()) < 0:
            raise RecordError("the severity policy needs a weight from 0 on for each level and no other")


@dataclass(frozen=True, kw_only=True)
class ManifestCategory:
    """A category of the taxonomy, and whether AI reviewers are asked about it."""

    key: str
    name: str
    in_scope: YesNo


@dataclass(frozen=True, kw_only=True)
class Taxonomy(DocumentVersion):
    """The taxonomy with its categories."""

    categories: tuple[ManifestCategory, ...]


@dataclass(frozen=True, kw_only=True)
class ManifestGate:
    """A condition that was checked before freezing; a waiver has its reason."""

    key: str
    state: GateState
    detail: str | None
    waiver_reason: str | None

    def __post_init__(self) -> None:
        if (self.state is GateState.WAIVED) != bool(self.waiver_reason and self.waiver_reason.strip()):
            raise RecordError(f"the gate {self.key!r} needs a reason when it is waived, and only then")


@dataclass(frozen=True, kw_only=True)
class Tombstone:
    """A case whose bytes were destroyed: its digest and the reason stay."""

    case_id: str
    patch_sha256: str
    reason: str

    def __post_init__(self) -> None:
        check_identifier("case_id", self.case_id)
        check_digest("patch_sha256", self.patch_sha256)


@dataclass(frozen=True, kw_only=True)
class ManifestParent:
    """The version that this one was made from, by number and published digest."""

    version: str
    digest: str

    def __post_init__(self) -> None:
        version_numbers(self.version)
        check_digest("digest", self.digest)


@dataclass(frozen=True, kw_only=True)
class ManifestChange:
    """One difference from the parent version; `finding_id` and `document` name the subject where it is one."""

    kind: ChangeKind
    case_id: str | None
    finding_id: str | None
    document: str | None
    detail: str | None
    reason: str | None


@dataclass(frozen=True, kw_only=True)
class ManifestCounts:
    """What the version holds; case counts add up per split and result, finding counts per state."""

    cases: int
    complete_cases: int
    cases_by_split: dict[str, int]
    cases_by_result: dict[str, int]
    findings: int
    findings_by_state: dict[str, int]
    required_by_severity: dict[str, int]
    required_by_split: dict[str, int]
    required_by_category: dict[str, int]


@dataclass(frozen=True, kw_only=True)
class ManifestDraft:
    """Everything that people and the project put into a version; the rest is computed by `build_manifest`."""

    project: str
    severity_policy: SeverityPolicy
    taxonomy: Taxonomy
    guidelines: DocumentVersion
    contract: DocumentVersion
    gates: tuple[ManifestGate, ...]
    tools: dict[str, str]
    cases: tuple[ManifestCase, ...]
    tombstones: tuple[Tombstone, ...]


@dataclass(frozen=True, kw_only=True)
class Manifest(ManifestDraft):
    """A frozen version as its file states it. `content_sha256` is over the file without that member."""

    format: str
    format_version: int
    version: str
    parent: ManifestParent | None
    changes: tuple[ManifestChange, ...]
    counts: ManifestCounts
    content_sha256: str

    def __post_init__(self) -> None:
        version_numbers(self.version)
        check_digest("content_sha256", self.content_sha256)
