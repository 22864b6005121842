"""The two sides of a comparison under pseudonyms (B3): their seats, labels and places, read once.

Nothing here carries a reviewer's name, id or time, and no order depends on who sat where.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from corpus.domain.vocabulary import AnchorRole, Severity
from corpus.models import Case
from corpus.selectors.file_heads import FileHead, file_heads
from labeling.domain.adjudicating import ABOUT_ANSWERS
from labeling.domain.label_input import LabelInput
from labeling.domain.place_text import group_places, place_line
from labeling.domain.states import AssignmentState
from labeling.models import Assignment, Comparison, Disagreement, Label
from labeling.selectors.findings import current_anchors
from labeling.selectors.golden_inputs import anchor_of
from labeling.selectors.labels import CONTENT
from labeling.selectors.pairs import compared_labels, label_keys, labels_of
from labeling.selectors.pseudonyms import Pseudonyms, pseudonyms_of
from labeling.selectors.workbench import short_place

VERDICT_SAYS = {
    "has_defects": "has defects",
    "clean": "clean",
    "uncertain": "uncertain",
    "insufficient_context": "insufficient context",
}


@dataclass(frozen=True)
class SidePlace:
    """A place on a card. `position` is the file's in the change, or None for a file of the snapshot alone."""

    role: str
    text: str
    title: str
    path: str
    side: str
    first_line: int | None
    position: int | None


def letters_of(row: Disagreement, names: Pseudonyms) -> list[str]:
    """Return the letters with something to accept: of the labels a disagreement is about, or of all who answered."""
    if row.kind in ABOUT_ANSWERS:
        return sorted(names.letters.values())
    found = [row.label] if row.pair is None else labels_of(row.pair).values()
    return sorted(names.letter(label.assignment.slot) for label in found if label is not None)


class Sides:
    """The two seats of a comparison and their labels with places, read once, and shown under letters."""

    def __init__(self, case: Case, comparison: Comparison) -> None:
        self.case = case
        self.comparison = comparison
        self.names: Pseudonyms = pseudonyms_of(case.public_id, seats=comparison.seat_count)
        submitted = Assignment.objects.filter(round_id=comparison.round_id, state=AssignmentState.SUBMITTED)
        self.seats: dict[str, Assignment] = {self.names.letter(seat.slot): seat for seat in submitted}
        self.labels: dict[int, Label] = {label.pk: label for label in compared_labels(comparison)}
        self.ids: dict[int, str] = dict(comparison.compared_labels.values_list("label_id", "public_id"))
        self.anchors = current_anchors(self.labels.values())
        self.heads: list[FileHead] = file_heads(case.files.order_by("position"))
        self.positions = {
            (path, side): head.position
            for head in self.heads
            for path, side in ((head.old_path, "old"), (head.new_path, "new"))
            if path
        }

    def letter_of(self, label: Label) -> str:
        """Return the letter of the side that wrote a label."""
        return self.names.letter(label.assignment.slot)

    def in_order(self, labels: Iterable[Label]) -> list[Label]:
        """Return labels by letter, then severity and place."""
        return sorted(labels, key=lambda label: (self.letter_of(label), self.weight(label)))

    def weight(self, label: Label) -> tuple[int, str, int, str]:
        """Return what orders labels: most severe first, then where they point."""
        primary = [row for row in self.anchors[label.pk] if row.role == AnchorRole.PRIMARY]
        first = min(((row.path, row.first_line or 0) for row in primary), default=("", 0))
        return (-Severity(label.severity).rank, *first, label.public_id)

    def typed(self, label: Label) -> LabelInput:
        """Return a label with its places as it was typed."""
        return LabelInput(
            category=label.category.key if label.category else "",
            anchors=tuple(anchor_of(row) for row in self.anchors[label.pk]),
            **{name: getattr(label, name) for name in CONTENT},
        )

    def places(self, label: Label) -> tuple[SidePlace, ...]:
        """Return a label's places as a card lists them."""
        order = [role.value for role in AnchorRole]
        places = group_places(self.typed(label).anchors)
        return tuple(
            SidePlace(
                role=place[0].role,
                text=short_place(place),
                title=place_line(place),
                path=place[0].path,
                side=place[0].side,
                first_line=place[0].first_line,
                position=self.positions.get((place[0].path, place[0].side)),
            )
            for place in sorted(places, key=lambda place: (order.index(place[0].role), place[0].group))
        )

    def where(self, label: Label) -> str:
        """Return a label's first primary place in few words."""
        return next((place.text for place in self.places(label) if place.role == AnchorRole.PRIMARY), "")

    def labels_of(self, row: Disagreement) -> list[Label]:
        """Return the labels a disagreement is about, by letter."""
        ids = [row.label_id] if row.pair is None else label_keys(row.pair)
        return self.in_order(self.labels[pk] for pk in ids if pk is not None)
