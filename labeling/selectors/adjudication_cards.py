"""Both sides of one disagreement as cards, side by side."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.domain.vocabulary import DisagreementKind
from corpus.selectors.margin import place_marks
from labeling.domain.adjudicating import ABOUT_ANSWERS
from labeling.models import Disagreement, Label
from labeling.selectors.sides import VERDICT_SAYS, SidePlace, Sides
from labeling.selectors.workbench import title_of

FIELD_WORDS = (
    ("relation", "Relation to the change"),
    ("trigger", "When it happens"),
    ("evidence", "Evidence"),
    ("impact", "Impact"),
    ("boundary", "Boundary crossed"),
    ("accept_elements", "An explanation must say"),
    ("confidence", "Confidence"),
)


@dataclass(frozen=True)
class SideFinding:
    """A label as a card shows it."""

    title: str
    severity: str
    category: str
    fields: tuple[tuple[str, str, bool], ...]
    places: tuple[SidePlace, ...]
    marks: str


@dataclass(frozen=True)
class Card:
    """One side: its label, or its answer on the whole case, or that it wrote nothing here."""

    letter: str
    finding: SideFinding | None
    verdict: str = ""
    missing_context: str = ""
    summary: str = ""
    labels: tuple[tuple[str, str], ...] = ()
    differs: frozenset[str] = frozenset()

    @property
    def slot_key(self) -> str:
        """The letter as stylesheets know it."""
        return self.letter.lower()


def cards_of(sides: Sides, row: Disagreement) -> tuple[Card, ...]:
    """Return the sides of a disagreement, A first."""
    kind = DisagreementKind(row.kind)
    if kind in ABOUT_ANSWERS:
        return tuple(_answer_card(sides, letter) for letter in sorted(sides.seats))
    found = {sides.letter_of(label): label for label in sides.labels_of(row)}
    differs = {
        DisagreementKind.CATEGORY: frozenset({"category"}),
        DisagreementKind.SEVERITY: frozenset({"severity"}),
        DisagreementKind.ANCHORS_DISJOINT: frozenset({"places"}),
    }.get(kind, frozenset())
    return tuple(
        Card(
            letter,
            _finding(sides, found[letter]) if letter in found else None,
            verdict=VERDICT_SAYS[sides.seats[letter].verdict],
            differs=differs,
        )
        for letter in sorted(sides.seats)
    )


def _finding(sides: Sides, label: Label) -> SideFinding:
    typed = sides.typed(label)
    fields = [
        (words, str(getattr(typed, name)).replace("_", " ") if name == "relation" else str(getattr(typed, name)), name)
        for name, words in FIELD_WORDS
        if getattr(typed, name)
    ]
    if typed.speculative:
        fields.insert(1, ("Speculative", "yes", "speculative"))
    return SideFinding(
        title=title_of(typed),
        severity=label.severity,
        category=label.category.name if label.category else "",
        fields=tuple((words, value, name in {"trigger", "evidence", "impact"}) for words, value, name in fields),
        places=sides.places(label),
        marks=place_marks(sides.anchors[label.pk]),
    )


def _answer_card(sides: Sides, letter: str) -> Card:
    seat = sides.seats[letter]
    own = sorted((label for label in sides.labels.values() if label.assignment.slot == seat.slot), key=sides.weight)
    return Card(
        letter,
        None,
        verdict=VERDICT_SAYS[seat.verdict],
        missing_context=seat.missing_context,
        summary=seat.summary,
        labels=tuple((label.severity, title_of(sides.typed(label))) for label in own),
    )
