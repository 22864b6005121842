"""Makers of manifest records with sound defaults, for tests."""

from __future__ import annotations

import hashlib
from typing import Any

from corpus.domain.manifest_records import (
    DocumentVersion,
    FileStatus,
    GateState,
    ManifestAdjudication,
    ManifestAnchor,
    ManifestCase,
    ManifestCategory,
    ManifestDraft,
    ManifestFile,
    ManifestFinding,
    ManifestGate,
    ManifestHunk,
    ManifestLabel,
    ManifestScope,
    ManifestVerdict,
    SeverityPolicy,
    Taxonomy,
    YesNo,
)
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


def sha(text: str) -> str:
    """SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def make_anchor(path: str = "app/pay.py", *ranges: tuple[int, int], **changes: Any) -> ManifestAnchor:
    """A primary anchor on lines of the new side."""
    given: dict[str, Any] = {
        "role": AnchorRole.PRIMARY,
        "level": AnchorLevel.LINES,
        "group": 0,
        "path": path,
        "side": Side.NEW,
        "ranges": ranges or ((12, 12),),
        "blob_sha256": sha(path),
        "quote_sha256": sha(f"quote of {path}"),
    }
    return ManifestAnchor(**(given | changes))


def make_repository_anchor() -> ManifestAnchor:
    """A supporting place that is the whole repository."""
    return ManifestAnchor(
        role=AnchorRole.SUPPORTING,
        level=AnchorLevel.REPOSITORY,
        group=0,
        path=None,
        side=None,
        ranges=(),
        blob_sha256=None,
        quote_sha256=None,
    )


def make_finding(finding_id: str = "G-1", **changes: Any) -> ManifestFinding:
    """A required finding of high severity that two reviewers asserted and one adjudicated."""
    given: dict[str, Any] = {
        "finding_id": finding_id,
        "revision": 1,
        "state": GoldenState.REQUIRED,
        "provenance": Provenance.ADJUDICATED,
        "category": "boundary",
        "mechanism": None,
        "severity": Severity.HIGH,
        "relation": Relation.INTRODUCED,
        "speculative": YesNo.NO,
        "claim": "The last page can never be opened",
        "trigger": "the list does not fill its last page",
        "evidence": "the page count is rounded down",
        "impact": "entries on the last page are unreachable",
        "boundary": None,
        "accept_elements": ("rounding", "last page"),
        "keywords": ("page", "rounding"),
        "confidence": Confidence.HIGH,
        "anchors": (make_anchor(),),
        "labels": (make_label("r-1"), make_label("r-2", severity=Severity.MEDIUM)),
        "adjudications": (make_adjudication(),),
    }
    return ManifestFinding(**(given | changes))


def make_label(reviewer: str, **changes: Any) -> ManifestLabel:
    """One reviewer's label in the initial round."""
    given: dict[str, Any] = {
        "reviewer": reviewer,
        "round_kind": RoundKind.INITIAL,
        "answer": ClaimAnswerValue.YES,
        "category": "boundary",
        "severity": Severity.HIGH,
        "confidence": Confidence.HIGH,
    }
    return ManifestLabel(**(given | changes))


def make_adjudication(adjudicator: str = "r-3", **changes: Any) -> ManifestAdjudication:
    """A decision on a severity."""
    given: dict[str, Any] = {
        "adjudicator": adjudicator,
        "kinds": (DisagreementKind.SEVERITY,),
        "outcome": Outcome.ACCEPT_A,
        "reason_code": "severity_rule",
        "rationale": "a main function is lost",
        "confidence": Confidence.HIGH,
    }
    return ManifestAdjudication(**(given | changes))


def make_case(case_id: str = "case-a", **changes: Any) -> ManifestCase:
    """A completely labelled case with one finding; `findings=()` makes it clean unless a verdict is given."""
    findings = changes.get("findings", (make_finding(f"G-{case_id}"),))
    clean = not findings
    verdict = Verdict.CLEAN if clean else Verdict.HAS_DEFECTS
    given: dict[str, Any] = {
        "case_id": case_id,
        "repository": "shop",
        "base_revision": "a" * 40,
        "head_revision": "b" * 40,
        "patch_sha256": sha(f"patch of {case_id}"),
        "base_tree_sha256": None,
        "head_tree_sha256": None,
        "files": (make_file(),),
        "language": "Python",
        "area": None,
        "language_versions": "Python 3.11",
        "build": None,
        "context_allowed": "repository",
        "source_kind": SourceKind.CLEAN if clean else SourceKind.EXPERT,
        "split": Split.DEV,
        "family": None,
        "cluster": None,
        "variant": None,
        "tier": None,
        "licence": "MIT",
        "private": YesNo.NO,
        "scope": ManifestScope(files_excluded=(), categories_excluded=()),
        "completeness": Completeness.COMPLETE,
        "completeness_set_by": "r-9",
        "result": CaseResult.CLEAN if clean else CaseResult.DEFECTS,
        "clean_attested_by": ("r-1", "r-2") if clean else (),
        "verdicts": tuple(
            ManifestVerdict(reviewer=reviewer, round_kind=RoundKind.INITIAL, verdict=verdict, missing_context=None)
            for reviewer in ("r-1", "r-2")
        ),
        "adjudications": (),
        "findings": findings,
    }
    return ManifestCase(**(given | changes))


def make_file(path: str = "app/pay.py", *hunks: tuple[int, int, int, int]) -> ManifestFile:
    """A modified file with one hunk, or those given as old start, old count, new start, new count."""
    return ManifestFile(
        old_path=path,
        new_path=path,
        status=FileStatus.MODIFIED,
        old_blob_sha256=sha(f"old {path}"),
        new_blob_sha256=sha(path),
        hunks=tuple(
            ManifestHunk(number=number, old_start=old, old_count=gone, new_start=new, new_count=come)
            for number, (old, gone, new, come) in enumerate(hunks or ((8, 8, 8, 9),), start=1)
        ),
    )


def make_draft(*cases: ManifestCase, **changes: Any) -> ManifestDraft:
    """A draft of the cases given, or of one with a finding and one clean."""
    document = DocumentVersion(version=1, substantive_version=1, sha256=sha("guidelines 1"))
    given: dict[str, Any] = {
        "project": "shop-reviews",
        "severity_policy": SeverityPolicy(
            version=1,
            substantive_version=1,
            sha256=sha("policy 1"),
            weights={"critical": 8, "high": 5, "medium": 3, "low": 1, "note": 0},
        ),
        "taxonomy": Taxonomy(
            version=1,
            substantive_version=1,
            sha256=sha("taxonomy 1"),
            categories=(
                ManifestCategory(key="boundary", name="Conditions and boundaries", in_scope=YesNo.YES),
                ManifestCategory(key="injection", name="Injection", in_scope=YesNo.YES),
                ManifestCategory(key="performance", name="Performance", in_scope=YesNo.NO),
            ),
        ),
        "guidelines": document,
        "contract": document,
        "gates": (
            ManifestGate(key="settled", state=GateState.PASSED, detail="2 of 2", waiver_reason=None),
            ManifestGate(key="clean_case", state=GateState.PASSED, detail="1", waiver_reason=None),
        ),
        "tools": {"touchstone": "0.1.0", "aligner": "1"},
        "cases": cases or (make_case("case-a"), make_case("case-b", findings=())),
        "tombstones": (),
    }
    return ManifestDraft(**(given | changes))
