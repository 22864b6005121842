"""Golden findings: a stable identity, and revisions that are only ever added (N4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max

from corpus import clock
from corpus.domain.vocabulary import AnchorLevel, GoldenState, Provenance
from corpus.models import Case, Category, GoldenAnchor, GoldenFinding, GoldenRevision, User
from corpus.models.findings import AnchorFields, DefectFields
from corpus.services import audit

DEFECT_COLUMNS = tuple(field.name for field in DefectFields._meta.local_fields)
# Stand-ins for widths in lines, above any that a line number can give.
FILE_WIDTH = 1e12
REPOSITORY_WIDTH = 1e18
ANCHOR_COLUMNS = tuple(field.name for field in AnchorFields._meta.local_fields)


@dataclass(frozen=True)
class GoldenContent:
    """What a revision says. `defect` holds the values of `DefectFields`, `anchors` rows whose places are copied."""

    defect: dict[str, object]
    category: Category | None
    confidence: str
    anchors: tuple[AnchorFields, ...]
    mechanism: str = ""


def defect_values(source: DefectFields) -> dict[str, object]:
    """Return the common columns of a label, claim or revision by name."""
    return {name: getattr(source, name) for name in DEFECT_COLUMNS}


def anchor_values(source: AnchorFields) -> dict[str, object]:
    """Return the place columns of an anchor row by name."""
    return {name: getattr(source, name) for name in ANCHOR_COLUMNS}


@transaction.atomic
def create_finding(
    *,
    case: Case,
    content: GoldenContent,
    state: GoldenState,
    provenance: Provenance,
    decided_by: User | None,
    reason: str = "",
) -> GoldenRevision:
    """Give a defect its identity and first revision."""
    finding = GoldenFinding.objects.create(case=case, created_at=clock.now())
    return revise(
        finding=finding, content=content, state=state, provenance=provenance, decided_by=decided_by, reason=reason
    )


@transaction.atomic
def revise(
    *,
    finding: GoldenFinding,
    content: GoldenContent,
    state: GoldenState,
    provenance: Provenance,
    decided_by: User | None,
    reason: str = "",
) -> GoldenRevision:
    """Add a revision to a finding; a retracted one stands again."""
    newest = finding.revisions.aggregate(newest=Max("number"))["newest"] or 0
    revision = GoldenRevision.objects.create(
        finding=finding,
        number=newest + 1,
        state=state,
        provenance=provenance,
        decided_by=decided_by,
        decided_at=clock.now(),
        reason=reason,
        category=content.category,
        confidence=content.confidence,
        mechanism=content.mechanism,
        **content.defect,
    )
    GoldenAnchor.objects.bulk_create(
        GoldenAnchor(revision=revision, **anchor_values(anchor)) for anchor in content.anchors
    )
    if finding.retracted_at is not None:
        finding.retracted_at = None
        finding.save(update_fields=["retracted_at"])
    audit.record(
        actor=decided_by,
        verb="golden finding revised" if newest else "golden finding added",
        subject=f"golden finding {finding.public_id}",
        case=finding.case,
        after=f"revision {revision.number}, {state}, {provenance}",
    )
    return revision


def retract(*, finding: GoldenFinding, actor: User | None) -> None:
    """Take a finding back; its identity and revisions stay."""
    if finding.retracted_at is None:
        finding.retracted_at = clock.now()
        finding.save(update_fields=["retracted_at"])
        audit.record(
            actor=actor,
            verb="golden finding retracted",
            subject=f"golden finding {finding.public_id}",
            case=finding.case,
        )


def latest_revision(finding: GoldenFinding) -> GoldenRevision:
    """Return the revision that holds."""
    return finding.revisions.order_by("-number")[0]


def merged_anchors(*places: Sequence[AnchorFields]) -> tuple[GoldenAnchor, ...]:
    """Return the places of an accepted pair: the narrowest primary place stays primary, all others become alternates.

    Equal sets of places are kept once. Supporting places of all are kept.
    """
    narrowest, *others = sorted(map(place_sets, places), key=lambda found: _width(found.primary))
    rows = [_row(anchor, "primary", 0) for anchor in narrowest.primary]
    seen = {_key(narrowest.primary)}
    group = 0
    candidates = [*narrowest.alternates]
    for other in others:
        candidates += [other.primary, *other.alternates]
    for candidate in candidates:
        if _key(candidate) in seen or not candidate:
            continue
        seen.add(_key(candidate))
        group += 1
        rows += [_row(anchor, "alternate", group) for anchor in candidate]
    supporting = {_key([anchor]): anchor for found in (narrowest, *others) for anchor in found.supporting}
    rows += [_row(anchor, "supporting", 0) for anchor in supporting.values()]
    return tuple(rows)


@dataclass(frozen=True)
class PlaceSets:
    """The places of one statement by role."""

    primary: tuple[AnchorFields, ...]
    alternates: tuple[tuple[AnchorFields, ...], ...]
    supporting: tuple[AnchorFields, ...]


def place_sets(rows: Sequence[AnchorFields]) -> PlaceSets:
    """Sort anchor rows by role, and alternates by group."""
    groups = sorted({row.group for row in rows if row.role == "alternate"})
    return PlaceSets(
        primary=tuple(row for row in rows if row.role == "primary"),
        alternates=tuple(
            tuple(row for row in rows if row.role == "alternate" and row.group == group) for group in groups
        ),
        supporting=tuple(row for row in rows if row.role == "supporting"),
    )


def _width(rows: Sequence[AnchorFields]) -> float:
    """Return how many lines a set names.

    A whole file is wider than any lines, the repository wider than any files, and no place at all is widest.
    """
    if not rows:
        return float("inf")
    return sum(_row_width(row) for row in rows)


def _row_width(row: AnchorFields) -> float:
    if row.level == AnchorLevel.REPOSITORY:
        return REPOSITORY_WIDTH
    if row.first_line is None or row.last_line is None:
        return FILE_WIDTH
    return row.last_line - row.first_line + 1


def _key(rows: Sequence[AnchorFields]) -> frozenset[tuple[object, ...]]:
    return frozenset((row.level, row.path, row.side, row.first_line, row.last_line) for row in rows)


def _row(anchor: AnchorFields, role: str, group: int) -> GoldenAnchor:
    return GoldenAnchor(**{**anchor_values(anchor), "role": role, "group": group})
