"""Which label of one reviewer speaks of the same defect as which label of the other.

Alignment is a stored, versioned proposal that an adjudicator may correct, never a side effect of a
statistic. Two findings are candidates if they share a line (in any category), or lie close in another way
(`corpus.domain.places`) with equal category. A candidate pair costs its distance in place plus a surcharge
if the categories differ; a finding that stays alone costs `no_match_cost`. The alignment is the one-to-one
set of candidate pairs of least total cost. Every candidate is cheaper than leaving both its members alone,
so candidacy decides whether and cost decides which.

Exact ties in cost go to the smaller sum of severity differences, then of first-line differences (capped at
99), then of differences in canonical rank (file, side, first line, last line, category, severity, id), then
to canonical order. Severity is what is to be measured, so a pair that only severity decided is marked and
left out of its agreement. The result depends neither on the order of the inputs nor on which reviewer comes
first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from corpus.domain.assignment import Edge, best_assignment
from corpus.domain.place_text import closeness_text
from corpus.domain.places import (
    COST_UNIT,
    DEFAULT_WINDOW,
    Anchor,
    Closeness,
    FilePair,
    Geometry,
    HunkRange,
    Place,
    PlaceKey,
    PlaceRelation,
    nearest,
    place_key,
)
from corpus.domain.vocabulary import DisagreementKind, Severity, Verdict

ALIGNMENT_VERSION = "1"
FIRST_LINE_CAP = 99


@dataclass(frozen=True)
class AlignmentParameters:
    """Stored with each alignment; costs are integers in 1/10 000.

    The defaults keep the expected answers of the reference scenarios for a window of 4 to 6, a no-match
    cost of 0.76 to 1 and a category surcharge of 0.4 to 0.5.
    """

    version: str = ALIGNMENT_VERSION
    window: int = DEFAULT_WINDOW
    no_match_cost: int = 8_000
    category_cost: int = 5_000

    def __post_init__(self) -> None:
        """Refuse values with which a candidate could cost more than leaving both members alone."""
        if self.window < 0 or self.category_cost < 0:
            raise ValueError("window and category cost must not be negative")
        dearest = max(COST_UNIT + COST_UNIT // 2, COST_UNIT + self.category_cost)
        if 2 * self.no_match_cost <= dearest:
            raise ValueError(f"the no-match cost must be above {dearest // 2}, half the dearest pair")


@dataclass(frozen=True)
class Finding:
    """One label as far as alignment looks at it: its anchors together are the primary place."""

    id: str
    category: str
    severity: Severity
    anchors: tuple[Anchor, ...]
    alternates: tuple[tuple[Anchor, ...], ...] = ()
    # Further categories it goes by, where it stands for two labels that differ in theirs.
    also: frozenset[str] = frozenset()

    def names_category_of(self, other: Finding) -> bool:
        """Say whether the two go by one category."""
        if self.category == other.category or not (self.also or other.also):
            return self.category == other.category
        return not {self.category, *self.also}.isdisjoint({other.category, *other.also})


@dataclass(frozen=True)
class Pair:
    """Two findings proposed as one defect; `cost` counts 1/10 000."""

    a_id: str
    b_id: str
    # None where a person paired findings whose places are not close at all.
    relation: PlaceRelation | None
    cost: int
    same_category: bool
    severity_distance: int
    # The places name the same thing: they share a line, or are the same whole file or repository.
    same_place: bool
    # Only severity, in an exact tie, made this pair: it must not count in severity agreement.
    decided_by_severity: bool
    # One sentence that tells a person why the two were paired.
    explanation: str

    @property
    def relation_word(self) -> str:
        """The relation as it is stored: "apart" where the places are not close."""
        return self.relation.value if self.relation is not None else "apart"


@dataclass(frozen=True)
class Alignment:
    """The pairs and the findings left alone, in canonical order, with the parameters that made them."""

    parameters: AlignmentParameters
    pairs: tuple[Pair, ...]
    unmatched_a: tuple[str, ...]
    unmatched_b: tuple[str, ...]
    # Sum of the pairs' costs and of the no-match cost of every finding left alone.
    total_cost: int


@dataclass(frozen=True)
class _Placed:
    finding: Finding
    places: tuple[Place, ...]
    key: tuple[PlaceKey, str, int, str]

    @property
    def first_line(self) -> int:
        return place_key(self.places[0])[1]


@dataclass(frozen=True)
class _Candidate:
    closeness: Closeness
    left_place: Place
    right_place: Place
    through_alternate: bool
    cost: int
    severity_distance: int
    line_distance: int
    rank_distance: int


def align(
    a: Sequence[Finding],
    b: Sequence[Finding],
    *,
    files: Iterable[FilePair] = (),
    hunks: Iterable[HunkRange] = (),
    parameters: AlignmentParameters | None = None,
) -> Alignment:
    """Align two reviewers' findings on one case.

    `files` names at least the renamed files, `hunks` the hunks of the change. Ids are unique within a list;
    a repeated one raises ValueError.
    """
    settings = parameters or AlignmentParameters()
    geometry = Geometry(files, hunks)
    left, right = _in_canonical_order(a, geometry), _in_canonical_order(b, geometry)
    # Ties are decided from the left, so the same list is left whichever reviewer comes first.
    exchanged = [placed.key for placed in right] < [placed.key for placed in left]
    if exchanged:
        left, right = right, left
    candidates = _candidates(left, right, settings)
    chosen = _choose(candidates, settings, by_severity=True)
    without_severity = set(_choose(candidates, settings, by_severity=False))
    pairs = []
    for edge in chosen:
        one, other = left[edge[0]].finding, right[edge[1]].finding
        if exchanged:
            one, other = other, one
        pairs.append(_pair(one, other, candidates[edge], decided_by_severity=edge not in without_severity))
    taken_left = {i for i, _ in chosen}
    taken_right = {j for _, j in chosen}
    alone_left = tuple(placed.finding.id for i, placed in enumerate(left) if i not in taken_left)
    alone_right = tuple(placed.finding.id for j, placed in enumerate(right) if j not in taken_right)
    alone_a, alone_b = (alone_right, alone_left) if exchanged else (alone_left, alone_right)
    return Alignment(
        parameters=settings,
        pairs=tuple(pairs),
        unmatched_a=alone_a,
        unmatched_b=alone_b,
        total_cost=sum(pair.cost for pair in pairs) + settings.no_match_cost * (len(alone_a) + len(alone_b)),
    )


def paired_by_person(
    a: Finding,
    b: Finding,
    *,
    files: Iterable[FilePair] = (),
    hunks: Iterable[HunkRange] = (),
    parameters: AlignmentParameters | None = None,
) -> Pair:
    """Return the pair of two findings that a person takes for one defect, whether or not they are candidates.

    Its cost is that of the aligner. Where their places are not close in any way it counts as much as leaving both
    findings alone, with the surcharge for differing categories.
    """
    settings = parameters or AlignmentParameters()
    geometry = Geometry(files, hunks)
    one, other = (_in_canonical_order([finding], geometry)[0] for finding in (a, b))
    same_category = a.names_category_of(b)
    surcharge = 0 if same_category else settings.category_cost
    distance = abs(a.severity.rank - b.severity.rank)
    found = nearest(one.places, other.places, settings.window)
    if found is None:
        return Pair(
            a_id=a.id,
            b_id=b.id,
            relation=None,
            cost=2 * settings.no_match_cost + surcharge,
            same_category=same_category,
            severity_distance=distance,
            same_place=False,
            decided_by_severity=False,
            explanation=f"No places of theirs are close; {_category_words(same_category)}.",
        )
    candidate = _Candidate(
        closeness=found.closeness,
        left_place=one.places[found.left],
        right_place=other.places[found.right],
        through_alternate=bool(found.left or found.right),
        cost=found.closeness.cost + surcharge,
        severity_distance=distance,
        line_distance=0,
        rank_distance=0,
    )
    pair = _pair(a, b, candidate, decided_by_severity=False)
    return replace(pair, explanation=_sentence(_reason(candidate, same_category=same_category)))


def _in_canonical_order(findings: Sequence[Finding], geometry: Geometry) -> list[_Placed]:
    if len({finding.id for finding in findings}) != len(findings):
        raise ValueError("finding ids must be unique within one reviewer's list")
    placed = []
    for finding in findings:
        places = tuple(geometry.place(anchors) for anchors in (finding.anchors, *finding.alternates))
        key = (place_key(places[0]), finding.category, finding.severity.rank, finding.id)
        placed.append(_Placed(finding, places, key))
    return sorted(placed, key=lambda item: item.key)


def _candidates(
    left: Sequence[_Placed], right: Sequence[_Placed], settings: AlignmentParameters
) -> dict[Edge, _Candidate]:
    candidates: dict[Edge, _Candidate] = {}
    for i, one in enumerate(left):
        for j, other in enumerate(right):
            found = nearest(one.places, other.places, settings.window)
            if found is None:
                continue
            same_category = one.finding.names_category_of(other.finding)
            if not (same_category or found.closeness.shares_a_line):
                continue
            candidates[i, j] = _Candidate(
                closeness=found.closeness,
                left_place=one.places[found.left],
                right_place=other.places[found.right],
                through_alternate=bool(found.left or found.right),
                cost=found.closeness.cost + (0 if same_category else settings.category_cost),
                severity_distance=abs(one.finding.severity.rank - other.finding.severity.rank),
                line_distance=min(abs(one.first_line - other.first_line), FIRST_LINE_CAP),
                rank_distance=abs(i - j),
            )
    return candidates


def _choose(candidates: dict[Edge, _Candidate], settings: AlignmentParameters, *, by_severity: bool) -> list[Edge]:
    saved = 2 * settings.no_match_cost
    return best_assignment(
        {
            edge: (
                saved - candidate.cost,
                -candidate.severity_distance if by_severity else 0,
                -candidate.line_distance,
                -candidate.rank_distance,
            )
            for edge, candidate in candidates.items()
        }
    )


def _pair(a: Finding, b: Finding, candidate: _Candidate, *, decided_by_severity: bool) -> Pair:
    same_category = a.names_category_of(b)
    return Pair(
        a_id=a.id,
        b_id=b.id,
        relation=candidate.closeness.relation,
        cost=candidate.cost,
        same_category=same_category,
        severity_distance=candidate.severity_distance,
        same_place=candidate.closeness.shares_a_line or candidate.closeness.same_whole,
        decided_by_severity=decided_by_severity,
        explanation=_explain(candidate, same_category=same_category, decided_by_severity=decided_by_severity),
    )


def _explain(candidate: _Candidate, *, same_category: bool, decided_by_severity: bool) -> str:
    reason = _reason(candidate, same_category=same_category)
    if decided_by_severity:
        reason += "; among equally close candidates the nearer severity decided"
    return f"Paired because {reason}."


def _reason(candidate: _Candidate, *, same_category: bool) -> str:
    reason = closeness_text(candidate.closeness, candidate.left_place, candidate.right_place)
    if candidate.through_alternate:
        reason += ", counting an alternate place"
    return f"{reason}; {_category_words(same_category)}"


def _category_words(same_category: bool) -> str:
    return "the category is the same" if same_category else "the categories differ"


def _sentence(clause: str) -> str:
    return f"{clause[0].upper()}{clause[1:]}."


@dataclass(frozen=True)
class Flag:
    """One difference that a person has to decide; which fields are set depends on the kind.

    existence: `side` and `finding_id` of the finding without a partner. category, severity,
    anchors_disjoint: `pair`, severity also `distance` in levels. verdict: `verdicts` of A and B.
    insufficient_context: `side` that says so.
    """

    kind: DisagreementKind
    side: str | None = None
    finding_id: str | None = None
    pair: tuple[str, str] | None = None
    distance: int | None = None
    verdicts: tuple[Verdict, Verdict] | None = None


@dataclass(frozen=True)
class Comparison:
    """The flags of one case; without any it settles as agreed, unless it returns to its owner."""

    flags: tuple[Flag, ...]
    needs_adjudication: bool
    # Both reviewers lacked context: nothing to decide, the lead has to complete the case.
    returns_to_owner: bool


@dataclass(frozen=True)
class AskPolicy:
    """Which differences of a pair need a person: severities further apart than the tolerance, and distant places.

    Existence, category and verdict always do: nothing but a person can choose between them.
    """

    severity_tolerance: int = 0
    asks_about_places: bool = True

    def differences(self, pair: Pair) -> list[Flag]:
        """Return what differs between the two findings of a pair, as far as a person decides it."""
        ids = (pair.a_id, pair.b_id)
        flags = []
        if not pair.same_category:
            flags.append(Flag(DisagreementKind.CATEGORY, pair=ids))
        if pair.severity_distance > self.severity_tolerance:
            flags.append(Flag(DisagreementKind.SEVERITY, pair=ids, distance=pair.severity_distance))
        if self.asks_about_places and not pair.same_place:
            flags.append(Flag(DisagreementKind.ANCHORS_DISJOINT, pair=ids))
        return flags


def compare(verdict_a: Verdict, verdict_b: Verdict, alignment: Alignment) -> Comparison:
    """Return what differs between two submitted reviews of one case.

    A reviewer without sufficient context has not judged, so a finding of the other one is not contradicted.
    """
    lacking_a = verdict_a is Verdict.INSUFFICIENT_CONTEXT
    lacking_b = verdict_b is Verdict.INSUFFICIENT_CONTEXT
    if lacking_a and lacking_b:
        return Comparison(flags=(), needs_adjudication=False, returns_to_owner=True)
    flags: list[Flag] = []
    if verdict_a is not verdict_b:
        flags.append(Flag(DisagreementKind.VERDICT, verdicts=(verdict_a, verdict_b)))
    if lacking_a or lacking_b:
        flags.append(Flag(DisagreementKind.INSUFFICIENT_CONTEXT, side="a" if lacking_a else "b"))
    for pair in alignment.pairs:
        flags += AskPolicy().differences(pair)
    if not lacking_b:
        flags += [Flag(DisagreementKind.EXISTENCE, side="a", finding_id=name) for name in alignment.unmatched_a]
    if not lacking_a:
        flags += [Flag(DisagreementKind.EXISTENCE, side="b", finding_id=name) for name in alignment.unmatched_b]
    return Comparison(flags=tuple(flags), needs_adjudication=bool(flags), returns_to_owner=False)
