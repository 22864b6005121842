"""What an adjudicator sees of a case: disagreements in sentences, and what agrees.

Nothing here carries a reviewer's name, id or time, and no order depends on who sat where.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from labeling.selectors.pairs import label_keys
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
    # Of three people two say one thing and one another.
    is_two_to_one: bool = False


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
    # How many people's labels were compared: three where a third seat was called.
    seat_count: int

    @property
    def hint(self) -> str:
        """What the columns beside the line numbers are."""
        third = ", C in the third" if self.seat_count > 2 else ""
        return f"Marks beside the line numbers: A in the first column, B in the second{third}."

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
        seat_count=comparison.seat_count,
    )
    return page, sides


def question_rows(comparison: Comparison) -> DisagreementQuerySet:
    """Return the questions of a comparison with what they are about, superseded ones among them."""
    pair = [f"pair__label_{slot}__assignment" for slot in "abc"]
    return comparison.disagreements.select_related("pair", *pair, "label__assignment", "comparison")


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
        is_two_to_one=sorted(len(letters) for letters in camps(sides, row).values()) == [1, 2],
    )


def camps(sides: Sides, row: Disagreement) -> dict[str, list[str]]:
    """Return who says what: letters by what they say, the camp of the first letter first."""
    labels = {sides.letter_of(label): label for label in sides.labels_of(row)}
    kind = DisagreementKind(row.kind)
    said: dict[str, str] = {}
    if kind is DisagreementKind.EXISTENCE:
        said = {letter: "found it" if letter in labels else "did not" for letter in sides.seats}
    elif kind is DisagreementKind.CATEGORY:
        said = {letter: label.category.name.lower() if label.category else "none" for letter, label in labels.items()}
    elif kind is DisagreementKind.SEVERITY:
        said = {letter: label.severity for letter, label in labels.items()}
    elif kind in ABOUT_ANSWERS:
        said = {letter: VERDICT_SAYS[seat.verdict] for letter, seat in sides.seats.items()}
    found: dict[str, list[str]] = {}
    for letter in sorted(said):
        found.setdefault(said[letter], []).append(letter)
    return found


def sentence_of(sides: Sides, row: Disagreement) -> str:
    """Return what differs, in one sentence for a person."""
    kind = DisagreementKind(row.kind)
    found = camps(sides, row)
    if kind is DisagreementKind.EXISTENCE:
        missed = found.get("did not", [])
        return f"{_listed(found['found it'])} found it; {_listed(missed)} did not."
    letters = [sides.letter_of(label) for label in sides.labels_of(row)]
    everybody = {2: "Both", 3: "All three"}[len(letters)] if len(letters) == len(sides.seats) else _listed(letters)
    if kind is DisagreementKind.ANCHORS_DISJOINT:
        return f"{everybody} found it; {_listed(letters)} point at different places."
    if kind in (DisagreementKind.CATEGORY, DisagreementKind.SEVERITY):
        return f"{everybody} found it; {_say(found)}."
    if kind is DisagreementKind.VERDICT:
        return f"{_say(found)}."
    lacking = found.pop(VERDICT_SAYS["insufficient_context"])
    return f"{_listed(lacking)} lacked the context to judge; {_say(found)}."


def _say(found: dict[str, list[str]]) -> str:
    return ", ".join(
        f"{_listed(letters)} {'says' if len(letters) == 1 else 'say'} {what}" for what, letters in found.items()
    )


def _listed(letters: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(letters[:-1]), letters[-1]])) if letters else "nobody"


def _agreed(sides: Sides) -> tuple[AgreedPair, ...]:
    pairs = LabelPair.objects.holding().filter(comparison=sides.comparison, disagreements__isnull=True)
    found = []
    for pair in pairs:
        labels = sides.in_order(sides.labels[pk] for pk in label_keys(pair))
        first = labels[0]
        row = AgreedPair(
            title=title_of(sides.typed(first)),
            severity=max((label.severity for label in labels), key=lambda value: Severity(value).rank),
            where=sides.where(first),
            is_accepted=pair.state == PairState.CONFIRMED,
            label_id=sides.ids[first.pk],
        )
        found.append((sides.weight(first), row))
    return tuple(row for _, row in sorted(found, key=lambda item: item[0]))
