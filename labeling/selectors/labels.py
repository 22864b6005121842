"""Labels with their places, as their owner's pages and services read them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from corpus.models import Category
from corpus.querysets.prepared import Slot, prepared
from labeling.domain.completeness import LabelFacts
from labeling.domain.label_input import AnchorInput, LabelInput
from labeling.models import Assignment, Label, LabelAnchor, LabelRevision
from labeling.models.labels import LabelFields

CONTENT = (
    "title",
    "severity",
    "relation",
    "speculative",
    "trigger",
    "evidence",
    "impact",
    "boundary",
    "accept_elements",
    "keywords",
    "confidence",
)


@dataclass(frozen=True)
class StoredLabel:
    """A label in one of its versions."""

    public_id: str
    number: int
    version: int
    fields: LabelInput
    names_boundary: bool
    is_withdrawn: bool
    saved_at: datetime

    @property
    def facts(self) -> LabelFacts:
        """Return what completeness asks of the label."""
        fields = self.fields
        return LabelFacts(
            number=self.number,
            severity=fields.severity,
            category=fields.category,
            names_boundary=self.names_boundary,
            relation=fields.relation,
            speculative=fields.speculative,
            trigger=fields.trigger,
            evidence=fields.evidence,
            impact=fields.impact,
            boundary=fields.boundary,
            confidence=fields.confidence,
            places=frozenset((anchor.role, anchor.level) for anchor in fields.anchors),
        )


def anchor_input(anchor: LabelAnchor) -> AnchorInput:
    """Return a stored range as it was typed."""
    return AnchorInput(
        role=anchor.role,
        level=anchor.level,
        path=anchor.path,
        side=anchor.side,
        first_line=anchor.first_line,
        last_line=anchor.last_line,
        group=anchor.group,
    )


def content_of(row: LabelFields, category: Category | None, anchors: Iterable[LabelAnchor]) -> LabelInput:
    """Return the content of a label or of one of its revisions."""
    return LabelInput(
        category=category.key if category else "",
        anchors=tuple(anchor_input(anchor) for anchor in anchors),
        **{name: getattr(row, name) for name in CONTENT},
    )


def stored_as(label: Label, fields: LabelInput) -> StoredLabel:
    """Return the label with a content that is already known. No query."""
    return StoredLabel(
        public_id=label.public_id,
        number=label.number,
        version=label.version,
        fields=fields,
        names_boundary=label.category.names_boundary if label.category else False,
        is_withdrawn=label.withdrawn_at is not None,
        saved_at=label.saved_at,
    )


def _stored(label: Label, anchors: list[LabelAnchor]) -> StoredLabel:
    return stored_as(label, content_of(label, label.category, anchors))


def stored_label(label: Label) -> StoredLabel:
    """Return the label as it stands."""
    return _stored(label, list(LabelAnchor.objects.filter(label=label, until__isnull=True).order_by("pk")))


@prepared
def labels_of_seat(seat: Slot) -> QuerySet[Label]:
    """All labels of a seat by number."""
    return Label.objects.filter(assignment_id=seat).select_related("category").order_by("number")


@prepared
def places_of_seat(seat: Slot) -> QuerySet[LabelAnchor]:
    """The places that hold of all labels of a seat."""
    return LabelAnchor.objects.filter(label__assignment_id=seat, until__isnull=True).order_by("pk")


def stored_labels(assignment: Assignment) -> list[StoredLabel]:
    """Return all labels of a seat by number, withdrawn ones too. Two queries, one where there are none."""
    labels = labels_of_seat.all(seat=assignment.pk)
    anchors: dict[int, list[LabelAnchor]] = {label.pk: [] for label in labels}
    for anchor in places_of_seat.all(seat=assignment.pk) if labels else ():
        # Of these labels only: another tab may have made one more since they were read.
        if anchor.label_id in anchors:
            anchors[anchor.label_id].append(anchor)
    return [_stored(label, anchors[label.pk]) for label in labels]


def label_after(label: Label, revision: LabelRevision) -> StoredLabel:
    """Return a label as one of its revisions left it."""
    number = revision.number
    held = LabelAnchor.objects.filter(label=label, since__lte=number).exclude(until__lte=number).order_by("pk")
    return StoredLabel(
        public_id=label.public_id,
        number=label.number,
        version=number,
        fields=content_of(revision, revision.category, held),
        names_boundary=revision.category.names_boundary if revision.category else False,
        is_withdrawn=revision.is_withdrawn,
        saved_at=revision.saved_at,
    )


@prepared
def quotes_held(label: Slot) -> QuerySet[LabelAnchor, tuple[str, str, int | None, int | None, str]]:
    """Path, side, lines and quoted text of the places that a label has."""
    held = LabelAnchor.objects.filter(label__public_id=label, until__isnull=True).exclude(quote="")
    return held.values_list("path", "side", "first_line", "last_line", "quote")


def quotes_of(public_id: str) -> dict[tuple[str, str, int | None, int | None], str]:
    """Return what the places of a label quote, by path, side, first and last line. One query."""
    return {(path, side, first, last): quote for path, side, first, last, quote in quotes_held.all(label=public_id)}
