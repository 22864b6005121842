"""Stored labels as the values that alignment works on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from corpus.domain.places import Anchor, FilePair, HunkRange, LineRange, merge_ranges
from corpus.domain.vocabulary import AnchorLevel, AnchorRole, Severity, Side
from corpus.models import Case, CaseHunk
from corpus.models.findings import AnchorFields
from labeling.domain.alignment import Finding
from labeling.models import Assignment, Label, LabelAnchor


@dataclass(frozen=True)
class ChangeShape:
    """The files and hunks of a change, as far as places are compared."""

    files: tuple[FilePair, ...]
    hunks: tuple[HunkRange, ...]


def change_shape(case: Case) -> ChangeShape:
    """Return a case's file entries and hunks by two queries that read no content."""
    files = list(case.files.order_by("position").only("id", "old_path_text", "new_path_text"))
    paths = {file.pk: file.new_path_text or file.old_path_text for file in files}
    hunks = CaseHunk.objects.filter(case_file__case=case).order_by("case_file__position", "position")
    return ChangeShape(
        files=tuple(FilePair(file.old_path_text or None, file.new_path_text or None) for file in files),
        hunks=tuple(
            HunkRange(
                paths[hunk.case_file_id],
                _lines(hunk.old_start, hunk.old_count),
                _lines(hunk.new_start, hunk.new_count),
            )
            for hunk in hunks.only("case_file_id", "old_start", "old_count", "new_start", "new_count")
        ),
    )


def _lines(start: int, count: int) -> LineRange | None:
    return (start, start + count - 1) if count else None


def current_anchors(labels: Iterable[Label]) -> dict[int, list[LabelAnchor]]:
    """Return the places that still hold of each label, by its primary key, in stored order."""
    found: dict[int, list[LabelAnchor]] = {label.pk: [] for label in labels}
    rows = LabelAnchor.objects.filter(label_id__in=found, until__isnull=True).order_by("label_id", "group", "pk")
    for anchor in rows:
        found[anchor.label_id].append(anchor)
    return found


def grouped_anchors(rows: Sequence[AnchorFields]) -> tuple[tuple[Anchor, ...], tuple[tuple[Anchor, ...], ...]]:
    """Return the primary anchors and each alternate's anchors; supporting places take no part in alignment."""
    primary = _anchors([row for row in rows if row.role == AnchorRole.PRIMARY])
    groups = sorted({row.group for row in rows if row.role == AnchorRole.ALTERNATE})
    alternates = tuple(
        _anchors([row for row in rows if row.role == AnchorRole.ALTERNATE and row.group == group]) for group in groups
    )
    return primary, alternates


def _anchors(rows: Sequence[AnchorFields]) -> tuple[Anchor, ...]:
    anchors = []
    for level, path, side in dict.fromkeys((row.level, row.path, row.side) for row in rows):
        if level == AnchorLevel.REPOSITORY:
            anchors.append(Anchor(path=None))
            continue
        ranges = [
            (row.first_line, row.last_line)
            for row in rows
            if (row.level, row.path, row.side) == (level, path, side) and row.first_line and row.last_line
        ]
        anchors.append(Anchor(path=path, side=Side(side), ranges=merge_ranges(ranges)))
    return tuple(anchors)


def standing_labels(assignment: Assignment) -> list[Label]:
    """Return a seat's labels that were not withdrawn, in the reviewer's order."""
    return list(assignment.labels.standing().select_related("category").order_by("number"))


def as_findings(labels: Sequence[Label]) -> list[Finding]:
    """Return labels as alignment sees them; ids are the labels' public ids."""
    anchors = current_anchors(labels)
    findings = []
    for label in labels:
        primary, alternates = grouped_anchors(anchors[label.pk])
        findings.append(
            Finding(
                id=label.public_id,
                category=label.category.key if label.category else "",
                severity=Severity(label.severity),
                anchors=primary,
                alternates=alternates,
            )
        )
    return findings
