"""What an adjudicator sees of a case: disagreements in sentences, and what agrees.

Nothing here carries a reviewer's name, id or time, and no order depends on who sat where.
"""

from __future__ import annotations

from dataclasses import dataclass

from corpus.domain.vocabulary import DisagreementKind, Outcome, Severity
from corpus.models import Case
from corpus.selectors.blinded import BlindedCase, blinded_case
from corpus.selectors.margin import MarginMark, place_marks
from labeling.domain.adjudicating import ABOUT_ANSWERS
from labeling.domain.states import DisagreementState, PairState
from labeling.models import Adjudication, Comparison, Disagreement, LabelPair
from labeling.querysets.adjudication import DisagreementQuerySet
from labeling.selectors.decisions import OUTCOME_WORDS, standing_outcomes
from labeling.selectors.sides import VERDICT_SAYS, Sides
from labeling.selectors.workbench import title_of

KIND_WORDS = {
    DisagreementKind.EXISTENCE: "existence",
    DisagreementKind.CATEGORY: "category",
    DisagreementKind.SEVERITY: "severity",
    DisagreementKind.ANCHORS_DISJOINT: "place",
    DisagreementKind.VERDICT: "verdict",
    DisagreementKind.INSUFFICIENT_CONTEXT: "context",
}
KIND_ORDER = list(DisagreementKind)


@dataclass(frozen=True)
class Item:
    """One disagreement in the list of a case."""

    public_id: str
    kind: DisagreementKind
    kind_words: str
    sentence: str
    title: str
    where: str
    severity: str
    version: int
    is_open: bool
    outcome: str
    # The first label it is about; empty for the answers on the whole case.
    label_id: str = ""


@dataclass(frozen=True)
class AgreedPair:
    """A pair on which nothing differs."""

    title: str
    severity: str
    where: str
    is_accepted: bool
    label_id: str


@dataclass(frozen=True)
class AdjudicationPage:
    """Everything about a case's adjudication beside the diff."""

    case: BlindedCase
    items: tuple[Item, ...]
    agreed: tuple[AgreedPair, ...]
    marks: tuple[MarginMark, ...]

    @property
    def open_items(self) -> tuple[Item, ...]:
        """The disagreements that wait for a decision, in the order of the list."""
        return tuple(item for item in self.items if item.is_open)

    @property
    def decided(self) -> int:
        """How many disagreements are decided."""
        return len(self.items) - len(self.open_items)

    @property
    def waiting_agreed(self) -> int:
        """How many pairs on which nothing differs are not accepted yet."""
        return sum(not pair.is_accepted for pair in self.agreed)

    def item(self, public_id: str) -> Item | None:
        """Return the item of an id."""
        return next((item for item in self.items if item.public_id == public_id), None)

    def neighbours(self, item: Item) -> tuple[Item | None, Item | None]:
        """Return the items before and after one."""
        at = self.items.index(item)
        return (
            self.items[at - 1] if at else None,
            self.items[at + 1] if at + 1 < len(self.items) else None,
        )

    def next_open(self, public_id: str) -> Item | None:
        """Return the first open item after one, else the first open one."""
        ids = [item.public_id for item in self.items]
        at = ids.index(public_id) + 1 if public_id in ids else 0
        return next((item for item in (*self.items[at:], *self.items[:at]) if item.is_open), None)


def adjudication_page(case: Case, comparison: Comparison) -> tuple[AdjudicationPage, Sides]:
    """Return the page's data, in a number of queries that does not grow with labels or disagreements."""
    sides = Sides(case, comparison)
    rows = list(comparison.disagreements.asked().select_related("pair", "comparison"))
    held = standing_outcomes(comparison)
    context_first = any(row.kind == DisagreementKind.INSUFFICIENT_CONTEXT for row in rows)
    rows.sort(key=lambda row: _row_order(sides, row, context_first=context_first))
    page = AdjudicationPage(
        case=blinded_case(case),
        items=tuple(_item(sides, row, held.get(row.pk)) for row in rows),
        agreed=_agreed(sides),
        marks=tuple(
            MarginMark(
                slot=sides.letter_of(label).lower(),
                name=f"{sides.letter_of(label)}, {label.severity or 'no severity'}",
                sign=sides.letter_of(label),
                severity=label.severity,
                marks=place_marks(sides.anchors[label.pk]),
            )
            for label in sides.in_order(sides.labels.values())
        ),
    )
    return page, sides


def question_rows(comparison: Comparison) -> DisagreementQuerySet:
    """Return the questions of a comparison with what they are about, superseded ones among them."""
    return comparison.disagreements.select_related("pair", "label__assignment", "comparison")


def _row_order(sides: Sides, row: Disagreement, *, context_first: bool) -> tuple[object, ...]:
    """Order disagreements by what they are about, never by slot; answers last, or first where context lacked."""
    if row.kind in ABOUT_ANSWERS:
        return (0 if context_first else 2, KIND_ORDER.index(DisagreementKind(row.kind)))
    weight = min(sides.weight(label)[:3] for label in sides.labels_of(row))
    subject = f"pair {row.pair_id}" if row.pair_id is not None else row.public_id
    return (1, *weight, subject, KIND_ORDER.index(DisagreementKind(row.kind)))


def _item(sides: Sides, row: Disagreement, held: Adjudication | None) -> Item:
    labels = sides.labels_of(row)
    worst = max((label.severity for label in labels), key=lambda value: Severity(value).rank, default="")
    kind = DisagreementKind(row.kind)
    return Item(
        public_id=row.public_id,
        kind=kind,
        kind_words=KIND_WORDS[kind],
        sentence=sentence_of(sides, row),
        title=title_of(sides.typed(labels[0])) if labels else "The answer on the whole case",
        where=sides.where(labels[0]) if labels else "",
        severity=worst,
        version=row.version,
        is_open=row.state == DisagreementState.OPEN,
        outcome=OUTCOME_WORDS[sides.names.shown(Outcome(held.outcome))] if held is not None else "",
        label_id=sides.ids[labels[0].pk] if labels else "",
    )


def sentence_of(sides: Sides, row: Disagreement) -> str:
    """Return what differs, in one sentence for a person."""
    labels = sides.labels_of(row)
    kind = DisagreementKind(row.kind)
    if kind is DisagreementKind.EXISTENCE:
        letter = sides.letter_of(labels[0])
        return f"{letter} found it; {'B' if letter == 'A' else 'A'} did not."
    if kind is DisagreementKind.CATEGORY:
        first, second = (label.category.name.lower() if label.category else "none" for label in labels)
        return f"Both found it; A says {first}, B says {second}."
    if kind is DisagreementKind.SEVERITY:
        return f"Both found it; A says {labels[0].severity}, B says {labels[1].severity}."
    if kind is DisagreementKind.ANCHORS_DISJOINT:
        return "Both found it; A and B point at different places."
    says = {letter: VERDICT_SAYS[seat.verdict] for letter, seat in sides.seats.items()}
    if kind is DisagreementKind.VERDICT:
        return f"A says {says['A']}, B says {says['B']}."
    lacking = next(letter for letter in says if sides.seats[letter].verdict == "insufficient_context")
    other = "B" if lacking == "A" else "A"
    return f"{lacking} lacked the context to judge; {other} says {says[other]}."


def _agreed(sides: Sides) -> tuple[AgreedPair, ...]:
    pairs = LabelPair.objects.holding().filter(comparison=sides.comparison, disagreements__isnull=True)
    found = []
    for pair in pairs:
        first, _ = sides.in_order([sides.labels[pair.label_a_id], sides.labels[pair.label_b_id]])
        row = AgreedPair(
            title=title_of(sides.typed(first)),
            severity=first.severity,
            where=sides.where(first),
            is_accepted=pair.state == PairState.CONFIRMED,
            label_id=sides.ids[first.pk],
        )
        found.append((sides.weight(first), row))
    return tuple(row for _, row in sorted(found, key=lambda item: item[0]))
