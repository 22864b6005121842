"""Imported claims: statements of foreign sources that wait to be judged. They are never truth by themselves (T1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from corpus import clock
from corpus.domain.bytestext import text_path
from corpus.domain.vocabulary import AnchorLevel, AnchorRole, Severity, Side
from corpus.models import Case, Claim, ClaimAnchor
from corpus.selectors.quotes import CaseText, PlaceRefused
from corpus.services.case_facts import FactsRefused, printable

MAX_STATEMENT = 20_000


@dataclass(frozen=True)
class ClaimDraft:
    """A golden finding of a foreign source: a statement that waits to be judged, never truth (T1).

    `path` is readable text, lines count on `side`. Without a path the claim needs a location first.
    """

    statement: str
    title: str = ""
    severity: Severity | None = None
    category_key: str = ""
    path: str = ""
    side: Side = Side.NEW
    first_line: int | None = None
    last_line: int | None = None
    keywords: str = ""
    # The untouched record.
    raw: str = ""


@transaction.atomic
def add_claims(*, case: Case, drafts: Sequence[ClaimDraft], origin: str = Claim.IMPORTED) -> list[str]:
    """Store claims on a case that has none of this origin, and return a note for each place that could not be kept.

    A place on lines that the case does not have becomes a place on the file, or none where there is no such file.
    """
    if not drafts or Claim.objects.filter(case=case, origin=origin).exists():
        return []
    notes: list[str] = []
    now = clock.now()
    claims = []
    for position, draft in enumerate(drafts):
        if len(draft.statement) > MAX_STATEMENT:
            raise FactsRefused(
                f"Claim {position + 1} has {len(draft.statement)} characters; the limit is {MAX_STATEMENT}."
            )
        claims.append(
            Claim(
                case=case,
                position=position,
                origin=origin,
                statement=printable(draft.statement),
                title=printable(draft.title)[:200],
                severity=draft.severity or "",
                category_key=printable(draft.category_key)[:60],
                keywords=printable(draft.keywords)[:400],
                raw=draft.raw,
                created_at=now,
            )
        )
    Claim.objects.bulk_create(claims)
    text = CaseText(case)
    anchors = []
    for claim, draft in zip(claims, drafts, strict=True):
        anchor = _anchor(claim, draft, text, notes)
        if anchor is not None:
            anchors.append(anchor)
    ClaimAnchor.objects.bulk_create(anchors)
    return notes


def _anchor(claim: Claim, draft: ClaimDraft, text: CaseText, notes: list[str]) -> ClaimAnchor | None:
    if not draft.path:
        return None
    path = _foreign_path(draft.path)
    if len(path) > 4096:
        raise FactsRefused(f"The file of claim {claim.position + 1} has {len(path)} characters; the limit is 4096.")
    anchor = ClaimAnchor(claim=claim, role=AnchorRole.PRIMARY, path=path, side=draft.side)
    if draft.first_line is None:
        anchor.level = AnchorLevel.FILE
    else:
        anchor.level = AnchorLevel.LINES
        anchor.first_line = draft.first_line
        anchor.last_line = max(draft.last_line or draft.first_line, draft.first_line)
    if claim.case.patch_id is None:
        return anchor
    note = _bind(anchor, text)
    if note:
        notes.append(f"claim {claim.position + 1}: {note}")
    return anchor if anchor.path else None


@transaction.atomic
def bind_claims(*, case: Case) -> list[str]:
    """Bind the places of a case's claims to the change that has just come; return a note for each that is lost."""
    notes = []
    text = CaseText(case)
    unbound = ClaimAnchor.objects.filter(claim__case=case, blob_sha256="", quote_sha256="").select_related("claim")
    for anchor in unbound.order_by("claim__position", "pk"):
        note = _bind(anchor, text)
        if note:
            notes.append(f"claim {anchor.claim.position + 1}: {note}")
        if anchor.path:
            anchor.save()
        else:
            anchor.delete()
    return notes


def _bind(anchor: ClaimAnchor, text: CaseText) -> str:
    """Fill in the blob and the quoted lines; a place that is not there is widened to its file, or loses its path."""
    side = Side(anchor.side)
    try:
        file = text.side_file(anchor.path, side)
    except PlaceRefused as error:
        anchor.path = ""
        return f"{error} It needs a location"
    anchor.blob_sha256 = file.blob_sha256
    if anchor.first_line is None or anchor.last_line is None:
        return ""
    try:
        quote = text.quote(anchor.path, side, anchor.first_line, anchor.last_line)
    except PlaceRefused as error:
        anchor.first_line = anchor.last_line = None
        anchor.level = AnchorLevel.FILE
        return f"{error} Its location is the file"
    anchor.quote_sha256, anchor.quote = quote.quote_sha256, quote.text
    return ""


def _foreign_path(path: str) -> str:
    """Return a path as the case writes it: `./` in front is dropped, and a backslash that escapes nothing separates."""
    path = printable(path).removeprefix("./")
    try:
        text_path(path)
    except ValueError:
        return path.replace("\\", "/")
    return path
