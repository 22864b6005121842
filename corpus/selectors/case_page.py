"""Everything a lead's page shows of one case, with all its queries done."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.domain.vocabulary import ExposureKind
from corpus.models import AuditEntry, Case, CaseFile, Claim, ClaimAnchor, ImportRecord, User

AUDIT_ROWS = 20
FILE_ROWS = 500

EXPOSURE_BY_ORIGIN = {Claim.AI: ExposureKind.AI_OUTPUT}


@dataclass(frozen=True)
class ClaimRow:
    """A claim with its places."""

    claim: Claim
    anchors: list[ClaimAnchor]

    @property
    def origin(self) -> str:
        """Return where the claim comes from, in words."""
        return self.claim.origin.replace("_", " ")


@dataclass(frozen=True)
class CaseDetails:
    """A case with its files, tags, claims, imports and history. No file content is loaded."""

    case: Case
    files: list[CaseFile]
    tags: list[str]
    claims: list[ClaimRow]
    imports: list[ImportRecord]
    history: list[AuditEntry]
    exposures: frozenset[ExposureKind]


def case_for_page(user: User, project_id: int, public_id: str) -> Case | None:
    """Return a case the user may see whole, with its people and hashes but without the bytes of its patch."""
    return (
        Case.objects.visible_to(user)
        .filter(project_id=project_id, public_id=public_id)
        .select_related(
            "patch", "base_tree", "head_tree", "imported_by", "completeness_set_by", "change_author_user", "project"
        )
        .defer("patch__data")
        .first()
    )


def case_details(user: User, case: Case) -> CaseDetails:
    """Gather the page of a case; claims only for those who may see them."""
    claims = list(Claim.objects.visible_to(user).filter(case=case).order_by("origin", "position"))
    anchors: dict[int, list[ClaimAnchor]] = {}
    for anchor in ClaimAnchor.objects.filter(claim__in=[claim.pk for claim in claims]).order_by("pk"):
        anchors.setdefault(anchor.claim_id, []).append(anchor)
    files = (
        CaseFile.objects.filter(case=case)
        .select_related("old_blob", "new_blob")
        .defer("old_blob__data", "new_blob__data")
        .order_by("position")
    )
    history = AuditEntry.objects.filter(case=case, verb__in=OWN_VERBS).select_related("actor").order_by("-pk")
    return CaseDetails(
        case=case,
        files=list(files[:FILE_ROWS]),
        tags=list(case.tags.order_by("name").values_list("name", flat=True)),
        claims=[ClaimRow(claim, anchors.get(claim.pk, [])) for claim in claims],
        imports=list(
            ImportRecord.objects.visible_to(user).filter(case=case).select_related("batch").order_by("-pk")[:AUDIT_ROWS]
        ),
        history=list(history[:AUDIT_ROWS]),
        exposures=frozenset(
            {ExposureKind.HIDDEN_FIELDS}
            | {EXPOSURE_BY_ORIGIN.get(claim.origin, ExposureKind.GOLDEN_FINDING) for claim in claims}
        ),
    )


# What this page's own acts write; the trail of labels and adjudications has pages of its own.
OWN_VERBS = ("case imported", "change attached", "case edited", "completeness set", "case withdrawn", "bytes withdrawn")
