"""Versions as pages show them: the list, and one of them as a receipt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from corpus.domain.manifest import inspect_manifest
from corpus.domain.manifest_records import ChangeKind, ManifestChange, ManifestCounts
from corpus.domain.signatures import ALGORITHM
from corpus.domain.vocabulary import GATE_TITLES, CaseResult, GoldenState, Severity, Split
from corpus.models import CorpusVersion, Project, User, VersionGate, VersionSignature

# A receipt lists this many changes; the manifest holds all of them.
SHOWN_CHANGES = 200
CHANGE_WORDS = {
    ChangeKind.CASE_ADDED: "case added",
    ChangeKind.CASE_REMOVED: "case removed",
    ChangeKind.CASE_MOVED: "case moved",
    ChangeKind.CASE_EDITED: "case edited",
    ChangeKind.FINDING_ADDED: "finding added",
    ChangeKind.FINDING_REMOVED: "finding removed",
    ChangeKind.FINDING_EDITED: "finding edited",
    ChangeKind.DOCUMENT_EDITED: "edited with substance",
    ChangeKind.DOCUMENT_REWORDED: "reworded",
}


@dataclass(frozen=True)
class ChangeLine:
    """One change against the parent, in words."""

    words: str
    case_id: str
    finding_id: str
    document: str
    detail: str
    reason: str


@dataclass(frozen=True)
class CountGroup:
    """Counts of one kind, each with its words, and their sum."""

    title: str
    lines: tuple[tuple[str, int], ...]
    total_words: str
    total: int


@dataclass(frozen=True)
class GateLine:
    """How one gate stood at the freeze."""

    key: str
    title: str
    has_passed: bool
    detail: str
    waiver_reason: str


@dataclass(frozen=True)
class SignatureLine:
    """The signature made at the freeze, by which key."""

    algorithm: str
    public_key: str
    signature: str


@dataclass(frozen=True)
class Facts:
    """A version without its changes, for programs. `counts` is None where its bytes cannot be read."""

    size: int
    problems: tuple[str, ...]
    counts: ManifestCounts | None
    gates: tuple[GateLine, ...]
    signature: SignatureLine | None


@dataclass(frozen=True)
class Receipt:
    """One frozen version. `problems` say what is wrong with its bytes; of unreadable ones there are no counts."""

    size: int
    problems: tuple[str, ...]
    counts: tuple[CountGroup, ...]
    changes: tuple[ChangeLine, ...]
    hidden_changes: int
    gates: tuple[GateLine, ...]
    signature: SignatureLine | None
    # Cases whose golden findings the receipt tells of.
    told: frozenset[str]
    # How many of its cases lost their bytes since the freeze (N5).
    withdrawn: int


def listed_versions(user: User, project: Project) -> QuerySet[CorpusVersion]:
    """Return the versions that `user` may see, newest first, with their counts and without their bytes."""
    return (
        CorpusVersion.objects.visible_to(user)
        .filter(project=project)
        .defer("manifest", "parent__manifest")
        .select_related("frozen_by", "parent")
        .annotate(
            case_count=Count("cases", distinct=True),
            finding_count=Count("cases__findings", distinct=True),
            waived_count=Count("gates", filter=Q(gates__has_passed=False), distinct=True),
        )
        .order_by("-pk")
    )


def receipt_of(version: CorpusVersion) -> Receipt:
    """Return what the stored bytes of a version say, and whether they still are what was frozen."""
    data = bytes(version.manifest)
    manifest, problems = inspect_manifest(data, version.manifest_sha256)
    changes = manifest.changes if manifest else ()
    return Receipt(
        size=len(data),
        problems=tuple(map(str, problems)),
        counts=() if manifest is None else count_groups(manifest.counts),
        changes=change_lines(changes[:SHOWN_CHANGES]),
        hidden_changes=max(0, len(changes) - SHOWN_CHANGES),
        gates=tuple(_gate(gate) for gate in version.gates.order_by("pk")),
        signature=signature_of(version),
        told=frozenset(
            change.case_id for change in changes[:SHOWN_CHANGES] if change.finding_id and change.case_id is not None
        ),
        withdrawn=version.cases.filter(case__patch__withdrawn_at__isnull=False).count(),
    )


def facts_of(version: CorpusVersion) -> Facts:
    """Return what the stored bytes of a version say, without anything that tells of a single finding."""
    data = bytes(version.manifest)
    manifest, problems = inspect_manifest(data, version.manifest_sha256)
    return Facts(
        size=len(data),
        problems=tuple(map(str, problems)),
        counts=None if manifest is None else manifest.counts,
        gates=tuple(_gate(gate) for gate in version.gates.order_by("pk")),
        signature=signature_of(version),
    )


def signature_of(version: CorpusVersion) -> SignatureLine | None:
    """Return the signature of a version, where one was made at the freeze."""
    row = VersionSignature.objects.filter(version=version).first()
    return SignatureLine(ALGORITHM, row.public_key, row.signature) if row else None


def change_lines(changes: Iterable[ManifestChange]) -> tuple[ChangeLine, ...]:
    """Return changes in words."""
    return tuple(
        ChangeLine(
            words=CHANGE_WORDS[change.kind],
            case_id=change.case_id or "",
            finding_id=change.finding_id or "",
            document=(change.document or "").replace("_", " "),
            detail=change.detail or "",
            reason=change.reason or "",
        )
        for change in changes
    )


def count_groups(counts: ManifestCounts) -> tuple[CountGroup, ...]:
    """Return the counts of a version, as a receipt groups them."""
    severities = tuple(level.value for level in reversed(Severity))
    splits = tuple(Split)
    return (
        _group("Cases by result", _in_order(counts.cases_by_result, CaseResult), "cases", counts.cases),
        _group("Cases by split", _in_order(counts.cases_by_split, splits), "cases", counts.cases),
        _group(
            "Golden findings by state",
            _in_order(counts.findings_by_state, GoldenState),
            "golden findings",
            counts.findings,
        ),
        _group("Required findings by severity", _in_order(counts.required_by_severity, severities), "required"),
        _group("Required findings by split", _in_order(counts.required_by_split, splits), "required"),
        _group("Required findings by category", dict(sorted(counts.required_by_category.items())), "required"),
    )


def _in_order(counts: Mapping[str, int], words: Iterable[str]) -> dict[str, int]:
    """Return counts in the order of their fixed list; a manifest keeps members in alphabetical order."""
    return {word: counts[word] for word in words}


def _group(title: str, counts: Mapping[str, int], words: str, total: int | None = None) -> CountGroup:
    lines = tuple((word.replace("_", " ") or "without a category", number) for word, number in counts.items())
    return CountGroup(title, lines, words, sum(counts.values()) if total is None else total)


def _gate(gate: VersionGate) -> GateLine:
    return GateLine(gate.key, GATE_TITLES.get(gate.key, gate.key), gate.has_passed, gate.detail, gate.waiver_reason)
