"""Which AI finding speaks of which golden finding, as far as place and category can tell.

Places and their relations are those of alignment (`corpus.domain.places`), the aim is another: the one-to-one
assignment with the most matches, among those with the most partials, then the fewest findings without a category,
then the least cost, then canonical order. So the proposal does not depend on the order of either list, and a second
comment on one defect earns nothing.

    match           shares a line, equal category, and locates it: at most 40 lines, or an IoU of at least 0.25
    partial         shares a line otherwise, or lies close in another way with equal category
    duplicate       would be one of these for a golden finding that another AI finding took
    out_of_scope    names an optional or unresolved golden finding, or an excluded file or category
    false_positive  none of these; unjudged instead where the case's labels are not complete

Structure only proposes: equal lines and category may still be another claim. A partial, and a match of a finding that
gave no category, need a person's confirmation; a match is certain only without any other candidate on either side.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product

from corpus.domain.assignment import Edge, best_assignment
from corpus.domain.place_text import closeness_text
from corpus.domain.places import (
    DEFAULT_WINDOW,
    Anchor,
    Closeness,
    FilePair,
    Geometry,
    HunkRange,
    Place,
    closeness,
    place_key,
)
from corpus.domain.vocabulary import GoldenState, Severity

MATCHING_VERSION = "1"


class MatchClass(StrEnum):
    """What structure proposes for one AI finding."""

    MATCH = "match"
    PARTIAL = "partial"
    DUPLICATE = "duplicate"
    OUT_OF_SCOPE = "out_of_scope"
    FALSE_POSITIVE = "false_positive"
    UNJUDGED = "unjudged"


class MatchReason(StrEnum):
    """Why an AI finding is out of scope, or which kind of false positive it is."""

    IGNORED_GOLDEN = "ignored_golden"
    FILE = "file"
    CATEGORY = "category"
    DECOY = "decoy"
    # A person ruled so.
    RULED = "ruled"
    VALID_NOT_IN_GOLD = "valid_not_in_gold"
    CANNOT_SAY = "cannot_say"


@dataclass(frozen=True)
class MatchingParameters:
    """Stored with each proposal; the costs are integers in 1/10 000, IoU is compared as shared x n >= union."""

    version: str = MATCHING_VERSION
    window: int = DEFAULT_WINDOW
    category_cost: int = 5_000
    # An AI range is localised up to this many lines ...
    localised_lines: int = 40
    # ... or if the golden place and it share at least one n-th of their union (4: an IoU of 0.25).
    localised_share: int = 4


@dataclass(frozen=True)
class Scope:
    """What the case keeps out of judgement."""

    files_excluded: Collection[str] = ()
    categories_excluded: Collection[str] = ()


@dataclass(frozen=True)
class GoldenInput:
    """One golden finding as far as matching looks at it."""

    id: str
    category: str
    anchors: tuple[Anchor, ...]
    alternates: tuple[tuple[Anchor, ...], ...] = ()
    state: GoldenState = GoldenState.REQUIRED
    severity: Severity | None = None


@dataclass(frozen=True)
class AIInput:
    """One AI finding as far as matching looks at it; a category of None fits every category."""

    id: str
    category: str | None
    anchors: tuple[Anchor, ...]
    alternates: tuple[tuple[Anchor, ...], ...] = ()


@dataclass(frozen=True)
class Proposed:
    """The class of one AI finding, with the golden finding it speaks of where there is one."""

    ai_id: str
    match_class: MatchClass
    golden_id: str | None = None
    cost: int | None = None
    reason: MatchReason | None = None
    needs_confirmation: bool = False
    # The only candidate on both sides, sharing a line and the category.
    certain: bool = False
    explanation: str = ""


@dataclass(frozen=True)
class Rate:
    """A share with its counts; undefined (None) without a denominator, never 0 or 1."""

    numerator: int
    denominator: int

    @property
    def value(self) -> float | None:
        """The share, or None."""
        return self.numerator / self.denominator if self.denominator else None


@dataclass(frozen=True)
class Proposal:
    """The classes of all AI findings and the required golden findings that none named, in canonical order."""

    parameters: MatchingParameters
    findings: tuple[Proposed, ...]
    missed: tuple[str, ...]
    required: int

    def count(self, match_class: MatchClass) -> int:
        """Return the number of AI findings of one class."""
        return sum(finding.match_class is match_class for finding in self.findings)

    @property
    def optional_hits(self) -> int:
        """The number of AI findings that name an optional or unresolved golden finding."""
        return sum(finding.reason is MatchReason.IGNORED_GOLDEN for finding in self.findings)

    def recall(self, *, lenient: bool) -> Rate:
        """Return hits over required golden findings; lenient counts partials as hits."""
        return Rate(self._hits(lenient=lenient), self.required)

    def precision(self, *, lenient: bool) -> Rate:
        """Return hits over matches, partials and false positives; lenient counts partials as hits."""
        judged = (MatchClass.MATCH, MatchClass.PARTIAL, MatchClass.FALSE_POSITIVE)
        return Rate(self._hits(lenient=lenient), sum(self.count(kind) for kind in judged))

    def _hits(self, *, lenient: bool) -> int:
        return self.count(MatchClass.MATCH) + (self.count(MatchClass.PARTIAL) if lenient else 0)


@dataclass(frozen=True)
class _Link:
    """One possible pair of a golden and an AI finding."""

    is_match: bool
    wildcard: bool
    cost: int
    same_category: bool
    closeness: Closeness
    golden_place: Place
    ai_place: Place

    @property
    def score(self) -> tuple[int, int, int, int]:
        """What an assignment sums up, most important first."""
        return int(self.is_match), int(not self.is_match), -int(self.wildcard), -self.cost

    @property
    def explanation(self) -> str:
        """One sentence that says what links the two."""
        text = closeness_text(self.closeness, self.golden_place, self.ai_place)
        if self.wildcard:
            return f"Proposed because {text}; the AI finding gives no category."
        return f"Proposed because {text}; the " + (
            "category is the same." if self.same_category else "categories differ."
        )


def match_findings(
    golden: Sequence[GoldenInput],
    ai: Sequence[AIInput],
    *,
    files: Iterable[FilePair] = (),
    hunks: Iterable[HunkRange] = (),
    scope: Scope | None = None,
    labels_complete: bool = True,
    parameters: MatchingParameters | None = None,
) -> Proposal:
    """Propose a class for every AI finding of one case; a repeated id within a list raises ValueError.

    Optional and unresolved golden findings are in no denominator, decoys are claims known to be wrong.
    """
    if len({one.id for one in golden}) != len(golden) or len({one.id for one in ai}) != len(ai):
        raise ValueError("finding ids must be unique within a list")
    settings = parameters or MatchingParameters()
    geometry = Geometry(files, hunks)
    wanted = sorted(((one, _places(one, geometry)) for one in golden), key=_golden_order)
    said = sorted(((one, _places(one, geometry)) for one in ai), key=_ai_order)
    links = _links(wanted, said, settings)
    required = {edge: link for edge, link in links.items() if wanted[edge[0]][0].state is GoldenState.REQUIRED}
    taken = {
        ai_index: golden_index
        for golden_index, ai_index in best_assignment({edge: link.score for edge, link in required.items()})
    }
    excluded = _ExcludedFrom(scope or Scope(), geometry)
    links_of = _links_of_ai(links)
    # Candidates of any state make a match less than certain.
    rivals = Counter(golden_index for golden_index, _ in links)
    proposed = []
    for index, (one, places) in enumerate(said):
        own = links_of.get(index, [])
        if index in taken:
            position = taken[index]
            alone = len(own) == 1 and rivals[position] == 1
            proposed.append(_hit(one.id, wanted[position][0].id, links[position, index], alone=alone))
        else:
            named = [(wanted[position][0], link) for position, link in own]
            proposed.append(_other(one, places, named, excluded, labels_complete=labels_complete))
    hit = set(taken.values())
    return Proposal(
        parameters=settings,
        findings=tuple(proposed),
        missed=tuple(
            one.id
            for position, (one, _) in enumerate(wanted)
            if one.state is GoldenState.REQUIRED and position not in hit
        ),
        required=sum(one.state is GoldenState.REQUIRED for one in golden),
    )


def _places(one: GoldenInput | AIInput, geometry: Geometry) -> tuple[Place, ...]:
    return tuple(geometry.place(anchors) for anchors in (one.anchors, *one.alternates))


def _golden_order(item: tuple[GoldenInput, tuple[Place, ...]]) -> tuple[object, ...]:
    one, places = item
    return place_key(places[0]), one.category, -1 if one.severity is None else one.severity.rank, one.id


def _ai_order(item: tuple[AIInput, tuple[Place, ...]]) -> tuple[object, ...]:
    one, places = item
    return place_key(places[0]), one.category or "", one.id


def _links(
    wanted: Sequence[tuple[GoldenInput, tuple[Place, ...]]],
    said: Sequence[tuple[AIInput, tuple[Place, ...]]],
    settings: MatchingParameters,
) -> dict[Edge, _Link]:
    links: dict[Edge, _Link] = {}
    for i, (golden, golden_places) in enumerate(wanted):
        for j, (ai, ai_places) in enumerate(said):
            best: _Link | None = None
            for golden_place, ai_place in product(golden_places, ai_places):
                link = _link(golden, ai, golden_place, ai_place, settings)
                if link is not None and (best is None or link.score > best.score):
                    best = link
            if best is not None:
                links[i, j] = best
    return links


def _link(
    golden: GoldenInput, ai: AIInput, golden_place: Place, ai_place: Place, settings: MatchingParameters
) -> _Link | None:
    found = closeness(golden_place, ai_place, settings.window)
    if found is None:
        return None
    wildcard = ai.category is None
    same_category = wildcard or ai.category == golden.category
    if not (same_category or found.shares_a_line):
        return None
    localised = ai_place.size <= settings.localised_lines or found.shared * settings.localised_share >= found.union
    return _Link(
        is_match=found.shares_a_line and same_category and localised,
        wildcard=wildcard,
        cost=found.cost + (0 if same_category else settings.category_cost),
        same_category=same_category,
        closeness=found,
        golden_place=golden_place,
        ai_place=ai_place,
    )


def _links_of_ai(links: Mapping[Edge, _Link]) -> dict[int, list[tuple[int, _Link]]]:
    """Group the links by AI finding; golden positions stay in canonical order, as `links` has them."""
    grouped: dict[int, list[tuple[int, _Link]]] = {}
    for (golden_index, ai_index), link in links.items():
        grouped.setdefault(ai_index, []).append((golden_index, link))
    return grouped


def _hit(ai_id: str, golden_id: str, link: _Link, *, alone: bool) -> Proposed:
    return Proposed(
        ai_id,
        MatchClass.MATCH if link.is_match else MatchClass.PARTIAL,
        golden_id=golden_id,
        cost=link.cost,
        needs_confirmation=link.wildcard or not link.is_match,
        certain=link.is_match and not link.wildcard and alone,
        explanation=link.explanation,
    )


class _ExcludedFrom:
    """The scope of a case with its paths resolved to file entries."""

    def __init__(self, scope: Scope, geometry: Geometry) -> None:
        self._files = {geometry.file_of(path, None) for path in scope.files_excluded}
        self._categories = frozenset(scope.categories_excluded)

    def reason(self, ai: AIInput, place: Place) -> MatchReason | None:
        """Return why the scope leaves an AI finding out, or None."""
        if place.files and not place.repository and place.files <= self._files:
            return MatchReason.FILE
        return MatchReason.CATEGORY if ai.category in self._categories else None


def _other(
    ai: AIInput,
    places: Sequence[Place],
    named: Sequence[tuple[GoldenInput, _Link]],
    excluded: _ExcludedFrom,
    *,
    labels_complete: bool,
) -> Proposed:
    """Return the class of an AI finding that took no golden finding; golden places win over scope."""

    def best(*states: GoldenState, matches_only: bool = False) -> tuple[GoldenInput, _Link] | None:
        fitting = [
            (golden, link) for golden, link in named if golden.state in states and (link.is_match or not matches_only)
        ]
        return max(fitting, key=lambda item: item[1].score, default=None)

    def about(found: tuple[GoldenInput, _Link], kind: MatchClass, reason: MatchReason | None) -> Proposed:
        golden, link = found
        return Proposed(ai.id, kind, golden.id, link.cost, reason, explanation=link.explanation)

    # Every required golden finding in reach is taken, or it would have been assigned.
    if found := best(GoldenState.REQUIRED):
        return about(found, MatchClass.DUPLICATE, None)
    if found := best(GoldenState.OPTIONAL, GoldenState.UNRESOLVED):
        return about(found, MatchClass.OUT_OF_SCOPE, MatchReason.IGNORED_GOLDEN)
    if found := best(GoldenState.DECOY, matches_only=True):
        return about(found, MatchClass.FALSE_POSITIVE, MatchReason.DECOY)
    if reason := excluded.reason(ai, places[0]):
        return Proposed(ai.id, MatchClass.OUT_OF_SCOPE, reason=reason)
    return Proposed(ai.id, MatchClass.FALSE_POSITIVE if labels_complete else MatchClass.UNJUDGED)
