"""Stored places of findings as a manifest states them, and whether they still are where they say."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.domain.anchors import quote_digest
from corpus.domain.manifest_records import ManifestAnchor
from corpus.domain.places import LineRange, merge_ranges
from corpus.domain.vocabulary import AnchorLevel, AnchorRole, Side
from corpus.models.findings import AnchorFields
from corpus.selectors.quotes import CaseText, PlaceRefused


def anchor_fault(text: CaseText, anchor: AnchorFields) -> str:
    """Return in a sentence why a place does not exist or no longer quotes what it did; empty when it is sound."""
    if anchor.level == AnchorLevel.REPOSITORY:
        return ""
    side = Side(anchor.side)
    try:
        file = text.side_file(anchor.path, side)
        if anchor.blob_sha256 and anchor.blob_sha256 != file.blob_sha256:
            return f"{anchor.path} on the {side} side is not the file that the place was set in."
        if anchor.level == AnchorLevel.FILE:
            return ""
        quote = text.quote(anchor.path, side, anchor.first_line or 0, anchor.last_line or 0)
    except PlaceRefused as refused:
        return str(refused)
    if quote.quote_sha256 != anchor.quote_sha256:
        lines = f"{anchor.first_line}-{anchor.last_line}"
        return f"Lines {lines} of {anchor.path} on the {side} side do not say what the place quotes."
    return ""


def manifest_anchors(rows: Sequence[AnchorFields], text: CaseText) -> tuple[ManifestAnchor, ...]:
    """Return the places of a finding: rows of equal role, group, path and side become one anchor with their ranges.

    Alternates are numbered from 1 without gaps, in their order.
    """
    alternates = sorted({row.group for row in rows if row.role == AnchorRole.ALTERNATE})
    grouped: dict[tuple[str, int, str, str, str], list[AnchorFields]] = {}
    for row in rows:
        group = alternates.index(row.group) + 1 if row.role == AnchorRole.ALTERNATE else 0
        grouped.setdefault((row.role, group, row.level, row.path, row.side), []).append(row)
    return tuple(_anchor(*key, members, text) for key, members in grouped.items())


def _anchor(
    role: str, group: int, level: str, path: str, side: str, rows: Sequence[AnchorFields], text: CaseText
) -> ManifestAnchor:
    ranges = merge_ranges([(row.first_line, row.last_line) for row in rows if row.first_line and row.last_line])
    return ManifestAnchor(
        role=AnchorRole(role),
        level=AnchorLevel(level),
        group=group,
        path=path or None,
        side=Side(side) if side else None,
        ranges=tuple(ranges),
        blob_sha256=rows[0].blob_sha256 or None,
        quote_sha256=_quote_digest(rows, path, side, ranges, text) or None,
    )


def _quote_digest(
    rows: Sequence[AnchorFields], path: str, side: str, ranges: Sequence[LineRange], text: CaseText
) -> str:
    """Return the digest of all quoted lines in ascending order; of one range it is stored with the place."""
    if len(rows) == 1 or not ranges:
        return rows[0].quote_sha256
    try:
        lines = text.side_file(path, Side(side)).lines
        return quote_digest([lines[number] for first, last in ranges for number in range(first, last + 1)])
    except (PlaceRefused, KeyError):
        # The gate on places has said so already; nothing is frozen with such a place.
        return rows[0].quote_sha256
