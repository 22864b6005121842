"""What an adjudicator sees of a case: disagreements in sentences, and both sides under pseudonyms (B3).

Nothing here carries a reviewer's name, id or time, and no order depends on who sat where.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from corpus.domain.vocabulary import AnchorLevel, AnchorRole, DisagreementKind, Outcome, Severity
from corpus.models import Case, GoldenFinding, GoldenRevision
from corpus.selectors.blinded import BlindedCase, blinded_case
from corpus.selectors.diff_files import FileHead, file_heads
from labeling.domain.adjudicating import ABOUT_ANSWERS, REASON_WORDS, ReasonCode
from labeling.domain.label_input import LabelInput
from labeling.domain.place_text import group_places, place_line
from labeling.domain.states import AssignmentState, DisagreementState, PairState
from labeling.models import Adjudication, Assignment, Comparison, Disagreement, Label, LabelPair
from labeling.selectors.findings import current_anchors
from labeling.selectors.golden_inputs import anchor_of
from labeling.selectors.labels import CONTENT
from labeling.selectors.pseudonyms import Pseudonyms, pseudonyms_of
from labeling.selectors.workbench import TreeNode, build_tree, short_place, title_of

VERDICT_SAYS = {
    "has_defects": "has defects",
    "clean": "clean",
    "uncertain": "uncertain",
    "insufficient_context": "insufficient context",
}
KIND_WORDS = {
    DisagreementKind.EXISTENCE: "existence",
    DisagreementKind.CATEGORY: "category",
    DisagreementKind.SEVERITY: "severity",
    DisagreementKind.ANCHORS_DISJOINT: "place",
    DisagreementKind.VERDICT: "verdict",
    DisagreementKind.INSUFFICIENT_CONTEXT: "context",
}
OUTCOME_WORDS = {
    Outcome.ACCEPT_A: "accepted A",
    Outcome.ACCEPT_B: "accepted B",
    Outcome.MERGE: "merged",
    Outcome.REJECT: "rejected",
    Outcome.UNRESOLVED: "left unresolved",
}
KIND_ORDER = list(DisagreementKind)


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


@dataclass(frozen=True)
class SideFinding:
    """A label as a card shows it."""

    title: str
    severity: str
    category: str
    fields: tuple[tuple[str, str, bool], ...]
    places: tuple[SidePlace, ...]


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


@dataclass(frozen=True)
class PastDecision:
    """A decision as the history tells it, in letters."""

    outcome: str
    reason: str
    rationale: str
    confidence: str
    counts_as: str
    verdict: str
    is_guideline_gap: bool
    by: str
    at: datetime
    is_undone: bool
    holds: bool


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


@dataclass(frozen=True)
class MarkedLabel:
    """A label's places as script draws them in the gutter: JSON rows of path, side, first, last, role."""

    letter: str
    severity: str
    marks: str


@dataclass(frozen=True)
class AgreedPair:
    """A pair on which nothing differs."""

    title: str
    severity: str
    where: str
    is_accepted: bool


@dataclass(frozen=True)
class GoldenRow:
    """A golden finding of the case as it stands."""

    public_id: str
    title: str
    severity: str
    category: str
    state: str
    provenance: str
    revision: int
    where: str


@dataclass(frozen=True)
class AdjudicationPage:
    """Everything about a case's adjudication beside the diff."""

    case: BlindedCase
    tree: TreeNode
    items: tuple[Item, ...]
    agreed: tuple[AgreedPair, ...]
    marks: tuple[MarkedLabel, ...]

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


class Sides:
    """The two seats of a comparison and their labels with places, read once, and shown under letters."""

    def __init__(self, case: Case, comparison: Comparison) -> None:
        self.case = case
        self.comparison = comparison
        self.names: Pseudonyms = pseudonyms_of(case.public_id)
        submitted = Assignment.objects.filter(round_id=comparison.round_id, state=AssignmentState.SUBMITTED)
        self.seats: dict[str, Assignment] = {self.names.letter(seat.slot): seat for seat in submitted}
        rows = Label.objects.standing().filter(assignment__in=self.seats.values()).select_related("category")
        self.letters = {seat.pk: letter for letter, seat in self.seats.items()}
        self.labels: dict[int, Label] = {label.pk: label for label in rows.order_by("pk")}
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
        return self.letters[label.assignment_id]

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
        ids = [row.label_id] if row.pair is None else [row.pair.label_a_id, row.pair.label_b_id]
        return self.in_order(self.labels[pk] for pk in ids if pk is not None)


def adjudication_page(case: Case, comparison: Comparison) -> tuple[AdjudicationPage, Sides]:
    """Return the page's data, in a number of queries that does not grow with labels or disagreements."""
    sides = Sides(case, comparison)
    rows = list(comparison.disagreements.select_related("pair", "comparison"))
    held = standing_outcomes(comparison)
    context_first = any(row.kind == DisagreementKind.INSUFFICIENT_CONTEXT for row in rows)
    rows.sort(key=lambda row: _row_order(sides, row, context_first=context_first))
    page = AdjudicationPage(
        case=blinded_case(case),
        tree=build_tree(sides.heads, frozenset()),
        items=tuple(_item(sides, row, held.get(row.pk)) for row in rows),
        agreed=_agreed(sides),
        marks=tuple(
            MarkedLabel(
                letter=sides.letter_of(label).lower(),
                severity=label.severity,
                marks=json.dumps(
                    [
                        [row.path, row.side, row.first_line, row.last_line, row.role]
                        for row in sides.anchors[label.pk]
                        if row.level == AnchorLevel.LINES
                    ]
                ),
            )
            for label in sides.in_order(sides.labels.values())
        ),
    )
    return page, sides


def standing_outcomes(comparison: Comparison) -> dict[int, Adjudication]:
    """Return the newest decision that was not undone of each decided disagreement, by one query."""
    rows = Adjudication.objects.filter(
        disagreement__comparison=comparison, disagreement__state=DisagreementState.DECIDED, undone_at__isnull=True
    )
    return {row.disagreement_id: row for row in rows.order_by("number")}


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


FIELD_WORDS = (
    ("relation", "Relation to the change"),
    ("trigger", "When it happens"),
    ("evidence", "Evidence"),
    ("impact", "Impact"),
    ("boundary", "Boundary crossed"),
    ("accept_elements", "An explanation must say"),
    ("confidence", "Confidence"),
)


def cards_of(sides: Sides, row: Disagreement) -> tuple[Card, Card]:
    """Return both sides of a disagreement, A first."""
    kind = DisagreementKind(row.kind)
    if kind in ABOUT_ANSWERS:
        a, b = (_answer_card(sides, letter) for letter in "AB")
        return a, b
    found = {sides.letter_of(label): label for label in sides.labels_of(row)}
    differs = {
        DisagreementKind.CATEGORY: frozenset({"category"}),
        DisagreementKind.SEVERITY: frozenset({"severity"}),
        DisagreementKind.ANCHORS_DISJOINT: frozenset({"places"}),
    }.get(kind, frozenset())
    a, b = (
        Card(
            letter,
            _finding(sides, found[letter]) if letter in found else None,
            verdict=VERDICT_SAYS[sides.seats[letter].verdict],
            differs=differs,
        )
        for letter in "AB"
    )
    return a, b


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
    )


def _answer_card(sides: Sides, letter: str) -> Card:
    seat = sides.seats[letter]
    own = sorted((label for label in sides.labels.values() if label.assignment_id == seat.pk), key=sides.weight)
    return Card(
        letter,
        None,
        verdict=VERDICT_SAYS[seat.verdict],
        missing_context=seat.missing_context,
        summary=seat.summary,
        labels=tuple((label.severity, title_of(sides.typed(label))) for label in own),
    )


def history_of(sides: Sides, row: Disagreement) -> tuple[PastDecision, ...]:
    """Return every decision on a disagreement, the newest first; undone ones stay."""
    rows = row.adjudications.select_related("adjudicator", "golden_revision").order_by("-number")
    return past_decisions(sides, rows, is_open=row.state == DisagreementState.OPEN)


def past_decisions(sides: Sides, rows: Iterable[Adjudication], *, is_open: bool) -> tuple[PastDecision, ...]:
    """Return decisions on one disagreement, given newest first, in words."""
    told = []
    holds = not is_open
    for row in rows:
        told.append(told_decision(sides, row, holds=holds and row.undone_at is None))
        holds = holds and row.undone_at is not None
    return tuple(told)


def told_decision(sides: Sides, row: Adjudication, *, holds: bool) -> PastDecision:
    """Return one decision in words and letters."""
    return PastDecision(
        outcome=OUTCOME_WORDS[sides.names.shown(Outcome(row.outcome))],
        reason=REASON_WORDS[ReasonCode(row.reason_code)],
        rationale=row.rationale,
        confidence=row.confidence,
        counts_as=row.golden_revision.state if row.golden_revision is not None else "",
        verdict=VERDICT_SAYS.get(row.verdict, ""),
        is_guideline_gap=row.is_guideline_gap,
        by=row.adjudicator.name,
        at=row.decided_at,
        is_undone=row.undone_at is not None,
        holds=holds,
    )


def _agreed(sides: Sides) -> tuple[AgreedPair, ...]:
    pairs = LabelPair.objects.filter(comparison=sides.comparison, disagreements__isnull=True)
    found = []
    for pair in pairs:
        first, _ = sides.in_order([sides.labels[pair.label_a_id], sides.labels[pair.label_b_id]])
        row = AgreedPair(
            title=title_of(sides.typed(first)),
            severity=first.severity,
            where=sides.where(first),
            is_accepted=pair.state == PairState.CONFIRMED,
        )
        found.append((sides.weight(first), row))
    return tuple(row for _, row in sorted(found, key=lambda item: item[0]))


def golden_rows(case: Case) -> tuple[GoldenRow, ...]:
    """Return the golden findings that stand, most severe first, by a constant number of queries."""
    newest: dict[int, GoldenRevision] = {}
    live = GoldenFinding.objects.live().filter(case=case)
    rows = GoldenRevision.objects.filter(finding__in=live).select_related("finding", "category")
    for row in rows.prefetch_related("anchors").order_by("number"):
        newest[row.finding_id] = row
    ordered = sorted(newest.values(), key=lambda row: (-Severity(row.severity).rank, row.finding.public_id))
    return tuple(
        GoldenRow(
            public_id=row.finding.public_id,
            title=row.title or row.impact[:70] or "Untitled",
            severity=row.severity,
            category=row.category.name if row.category else "",
            state=row.state,
            provenance=row.provenance,
            revision=row.number,
            where=_golden_where(row),
        )
        for row in ordered
    )


def _golden_where(revision: GoldenRevision) -> str:
    primary: Sequence[Sequence[object]] = ()
    rows = [anchor_of(row) for row in sorted(revision.anchors.all(), key=lambda row: row.pk)]
    primary = [place for place in group_places(rows) if place[0].role == AnchorRole.PRIMARY]
    return short_place(primary[0]) if primary else ""  # type: ignore[arg-type]
