"""Imported claims: statements of foreign sources that wait to be judged. They are never truth by themselves (T1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from corpus import clock
from corpus.domain.anchors import AnchorRefused, check_ranges, quote_digest
from corpus.domain.diff import PatchRefused, parse_patch
from corpus.domain.vocabulary import AnchorLevel, AnchorRole, Severity, Side
from corpus.models import Blob, Case, CaseFile, Claim, ClaimAnchor
from corpus.selectors.trees import find_file
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


@dataclass(frozen=True)
class Quote:
    """The bytes that a place names: the blob they lie in (empty where only a patch is known) and the lines."""

    blob_sha256: str
    lines: list[bytes]


class PlaceUnknown(Exception):
    """A place that the case does not have; the message says why."""


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
    anchors = []
    for claim, draft in zip(claims, drafts, strict=True):
        anchor = _anchor(claim, draft, notes)
        if anchor is not None:
            anchors.append(anchor)
    ClaimAnchor.objects.bulk_create(anchors)
    return notes


def _anchor(claim: Claim, draft: ClaimDraft, notes: list[str]) -> ClaimAnchor | None:
    if not draft.path:
        return None
    path = printable(draft.path).replace("\\", "/")
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
    note = _bind(anchor, claim.case)
    if note:
        notes.append(f"claim {claim.position + 1}: {note}")
    return anchor if anchor.path else None


@transaction.atomic
def bind_claims(*, case: Case) -> list[str]:
    """Bind the places of a case's claims to the change that has just come; return a note for each that is lost."""
    notes = []
    unbound = ClaimAnchor.objects.filter(claim__case=case, blob_sha256="", quote_sha256="").select_related("claim")
    for anchor in unbound.order_by("claim__position", "pk"):
        note = _bind(anchor, case)
        if note:
            notes.append(f"claim {anchor.claim.position + 1}: {note}")
        if anchor.path:
            anchor.save()
        else:
            anchor.delete()
    return notes


def _bind(anchor: ClaimAnchor, case: Case) -> str:
    """Fill in the blob and the quoted lines; a place that is not there is widened to its file, or loses its path."""
    first, last = anchor.first_line, anchor.last_line
    try:
        quote = quote_lines(case, anchor.path, Side(anchor.side), first, last)
    except PlaceUnknown as error:
        anchor.first_line = anchor.last_line = None
        anchor.level = AnchorLevel.FILE
        try:
            quote = quote_lines(case, anchor.path, Side(anchor.side), None, None)
        except PlaceUnknown as unknown:
            anchor.path = ""
            return f"{unknown}; it needs a location"
        anchor.blob_sha256 = quote.blob_sha256
        return f"{error}; its location is the file"
    anchor.blob_sha256 = quote.blob_sha256
    if first is not None:
        anchor.quote_sha256 = quote_digest(quote.lines)
        anchor.quote = printable(b"".join(quote.lines).decode("utf-8", "replace"))
    return ""


def quote_lines(case: Case, path: str, side: Side, first: int | None, last: int | None) -> Quote:
    """Return the lines `first` to `last` of a file of the case, or just its blob without them. Raises PlaceUnknown."""
    column = "new_path_text" if side is Side.NEW else "old_path_text"
    file = CaseFile.objects.filter(case=case, **{column: path}).order_by("position").last()
    blob = (file.new_blob if side is Side.NEW else file.old_blob) if file else None
    tree = case.head_tree if side is Side.NEW else case.base_tree
    if blob is None and tree is not None:
        found = find_file(tree, path.encode("utf-8", "replace"))
        blob = Blob.objects.get(pk=found.blob_id) if found and found.blob_id else None
    if blob is not None:
        if first is None or last is None:
            return Quote(blob.sha256, [])
        try:
            check_ranges([(first, last)], blob.line_count)
        except AnchorRefused as error:
            raise PlaceUnknown(f"{path}: {error}") from error
        lines = bytes(blob.data).split(b"\n")
        ended = [line + b"\n" for line in lines[:-1]] + [lines[-1]]
        return Quote(blob.sha256, ended[first - 1 : last])
    if file is None:
        raise PlaceUnknown(f"{path} is no file on the {side} side of the change")
    if first is None or last is None:
        return Quote("", [])
    return Quote("", _shown_lines(case, file, side, first, last))


def _shown_lines(case: Case, file: CaseFile, side: Side, first: int, last: int) -> list[bytes]:
    """Return lines that the patch itself shows: all that is known of a file without a snapshot."""
    assert case.patch is not None
    section = bytes(case.patch.data)[file.patch_offset : file.patch_offset + file.patch_length]
    shown: dict[int, bytes] = {}
    try:
        parsed = parse_patch(section)
    except PatchRefused as error:
        raise PlaceUnknown(f"{file}: {error}") from error
    for hunk in parsed.files[0].hunks:
        for line in hunk.lines:
            number = line.side_new if side is Side.NEW else line.side_old
            if number is not None:
                shown[number] = line.data
    wanted = range(first, last + 1)
    if last - first > len(shown) or any(number not in shown for number in wanted):
        lines = f"line {first}" if first == last else f"lines {first} to {last}"
        raise PlaceUnknown(f"{file}: the patch does not show {lines} on the {side} side")
    return [shown[number] for number in wanted]
