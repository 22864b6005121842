"""The sample cases of the demonstration, with what is known about them and two reviewers' answers.

Each folder beside this module is one case: `case.json`, the complete trees `base/` and `head/`, and for cases with
an executable check `fixed/` (only the files that differ from head) and `oracle_test/`. Everything below the key
`oracle` of case.json, and those two folders, is the oracle: it never reaches a reviewer. `labels.json` holds two
reviewers' answers on some cases and an adjudicator's decisions, to be replayed through the product's services.

Pure Python without Django. Nothing in the case folders is importable or collected by the project's own tests.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from corpus.domain.vocabulary import (
    AnchorLevel,
    AnchorRole,
    Confidence,
    DisagreementKind,
    GoldenState,
    Outcome,
    Relation,
    Severity,
    Side,
    SourceKind,
    Split,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class SampleAnchor:
    """One place. A place on lines has path, side, inclusive `ranges` and the text of the first line in `quote`.

    A place on a file has only its path (and the side of the tree that holds it), one on the repository neither.
    """

    role: AnchorRole
    level: AnchorLevel
    path: str
    side: Side | None
    ranges: tuple[tuple[int, int], ...]
    quote: str


@dataclass(frozen=True, slots=True)
class SampleFinding:
    """What is known about one defect of a case. `boundary` is empty unless the defect crosses a security boundary."""

    key: str
    category: str
    severity: Severity
    title: str
    mechanism: str
    trigger: str
    evidence: str
    impact: str
    boundary: str
    explanation_elements: tuple[str, ...]
    keywords: tuple[str, ...]
    relation: Relation
    speculative: bool
    state: GoldenState
    anchors: tuple[SampleAnchor, ...]


@dataclass(frozen=True, slots=True)
class SampleCase:
    """One case; trees map a path inside the repository to the file's bytes.

    `fixed` overlays `head`, `oracle_tests` are run in the tree's root; both are empty where a case has no
    executable check.
    """

    key: str
    title: str
    commit_message: str
    repository: str
    language: str
    source_kind: SourceKind
    family: str
    split: Split
    tier: str
    licence: str
    context_allowed: str
    findings: tuple[SampleFinding, ...]
    base: dict[str, bytes]
    head: dict[str, bytes]
    fixed: dict[str, bytes]
    oracle_tests: dict[str, bytes]


@dataclass(frozen=True, slots=True)
class SampleLabel:
    """One label of one reviewer, with every field that the label form asks for."""

    key: str
    category: str
    severity: Severity
    title: str
    relation: Relation
    speculative: bool
    trigger: str
    evidence: str
    impact: str
    boundary: str
    explanation_elements: tuple[str, ...]
    keywords: tuple[str, ...]
    confidence: Confidence
    anchors: tuple[SampleAnchor, ...]


@dataclass(frozen=True, slots=True)
class SampleReview:
    """One reviewer's whole answer on a case; `missing` names the artefact where context is insufficient."""

    slot: str
    verdict: Verdict
    missing: str
    labels: tuple[SampleLabel, ...]


@dataclass(frozen=True, slots=True)
class SampleDecision:
    """An adjudicator's decision on one disagreement.

    `reason_code` is a short word in lower case. `label_a` and `label_b` are keys of the labels concerned, empty on
    the side that has none. `severity`, `category` and `anchors` are set where a merge edits them. `state` says what
    an accepted finding counts as; a rejected one is kept as a decoy where it says so.
    """

    kind: DisagreementKind
    label_a: str
    label_b: str
    outcome: Outcome
    reason_code: str
    rationale: str
    confidence: Confidence
    guideline_gap: bool
    state: GoldenState | None
    severity: Severity | None
    category: str
    anchors: tuple[SampleAnchor, ...]
    verdict: Verdict | None


@dataclass(frozen=True, slots=True)
class SampleLabelling:
    """Two reviewers' answers on one case, and the decisions on their disagreements (empty: still open, or none)."""

    case: str
    a: SampleReview
    b: SampleReview
    decisions: tuple[SampleDecision, ...]


@cache
def load_samples() -> list[SampleCase]:
    """Read every sample case, in the order of the folder names."""
    root = resources.files(__name__)
    return [_case(folder) for folder in sorted(root.iterdir(), key=lambda entry: entry.name) if _is_case(folder)]


@cache
def load_labellings() -> list[SampleLabelling]:
    """Read the two reviewers' answers and the decisions, in the order of the file."""
    text = resources.files(__name__).joinpath("labels.json").read_text(encoding="utf-8")
    return [_labelling(entry) for entry in json.loads(text)["labellings"]]


def _is_case(entry: Traversable) -> bool:
    return entry.is_dir() and entry.joinpath("case.json").is_file()


def _case(folder: Traversable) -> SampleCase:
    data = json.loads(folder.joinpath("case.json").read_text(encoding="utf-8"))
    return SampleCase(
        key=folder.name,
        title=data["title"],
        commit_message=data["commit_message"],
        repository=data["repository"],
        language=data["language"],
        source_kind=SourceKind(data["source_kind"]),
        family=data["family"],
        split=Split(data["split"]),
        tier=data["tier"],
        licence=data["licence"],
        context_allowed=data["context_allowed"],
        findings=tuple(_finding(entry) for entry in data["oracle"]["findings"]),
        base=_tree(folder.joinpath("base")),
        head=_tree(folder.joinpath("head")),
        fixed=_tree(folder.joinpath("fixed")),
        oracle_tests=_tree(folder.joinpath("oracle_test")),
    )


def _tree(folder: Traversable) -> dict[str, bytes]:
    return dict(_files(folder, "")) if folder.is_dir() else {}


def _files(folder: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        # Installers compile what ends in .py; what they leave behind belongs to no tree.
        if entry.name == "__pycache__":
            continue
        if entry.is_dir():
            yield from _files(entry, f"{prefix}{entry.name}/")
        else:
            yield f"{prefix}{entry.name}", entry.read_bytes()


def _anchor(data: dict[str, Any]) -> SampleAnchor:
    return SampleAnchor(
        role=AnchorRole(data["role"]),
        level=AnchorLevel(data["level"]),
        path=data["path"],
        side=Side(data["side"]) if data["side"] else None,
        ranges=tuple((first, last) for first, last in data["ranges"]),
        quote=data["quote"],
    )


def _anchors(data: list[dict[str, Any]]) -> tuple[SampleAnchor, ...]:
    return tuple(_anchor(entry) for entry in data)


def _finding(data: dict[str, Any]) -> SampleFinding:
    return SampleFinding(
        key=data["key"],
        category=data["category"],
        severity=Severity(data["severity"]),
        title=data["title"],
        mechanism=data["mechanism"],
        trigger=data["trigger"],
        evidence=data["evidence"],
        impact=data["impact"],
        boundary=data["boundary"],
        explanation_elements=tuple(data["explanation_elements"]),
        keywords=tuple(data["keywords"]),
        relation=Relation(data["relation"]),
        speculative=data["speculative"],
        state=GoldenState(data["state"]),
        anchors=_anchors(data["anchors"]),
    )


def _label(data: dict[str, Any]) -> SampleLabel:
    return SampleLabel(
        key=data["key"],
        category=data["category"],
        severity=Severity(data["severity"]),
        title=data["title"],
        relation=Relation(data["relation"]),
        speculative=data["speculative"],
        trigger=data["trigger"],
        evidence=data["evidence"],
        impact=data["impact"],
        boundary=data["boundary"],
        explanation_elements=tuple(data["explanation_elements"]),
        keywords=tuple(data["keywords"]),
        confidence=Confidence(data["confidence"]),
        anchors=_anchors(data["anchors"]),
    )


def _review(slot: str, data: dict[str, Any]) -> SampleReview:
    return SampleReview(
        slot=slot,
        verdict=Verdict(data["verdict"]),
        missing=data["missing"],
        labels=tuple(_label(entry) for entry in data["labels"]),
    )


def _decision(data: dict[str, Any]) -> SampleDecision:
    return SampleDecision(
        kind=DisagreementKind(data["kind"]),
        label_a=data["label_a"],
        label_b=data["label_b"],
        outcome=Outcome(data["outcome"]),
        reason_code=data["reason_code"],
        rationale=data["rationale"],
        confidence=Confidence(data["confidence"]),
        guideline_gap=data["guideline_gap"],
        state=GoldenState(data["state"]) if data["state"] else None,
        severity=Severity(data["severity"]) if data["severity"] else None,
        category=data["category"],
        anchors=_anchors(data["anchors"]),
        verdict=Verdict(data["verdict"]) if data["verdict"] else None,
    )


def _labelling(data: dict[str, Any]) -> SampleLabelling:
    return SampleLabelling(
        case=data["case"],
        a=_review("A", data["a"]),
        b=_review("B", data["b"]),
        decisions=tuple(_decision(entry) for entry in data["decisions"]),
    )
