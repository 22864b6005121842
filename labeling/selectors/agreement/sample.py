"""The cases that figures count: which, how many were left out and why, and what was said about them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TypeVar, cast

import numpy as np
from django.db.models import Count, Exists, Min, OuterRef, QuerySet

from corpus.domain.vocabulary import CaseState, Role, RoundKind
from corpus.models import Case, CaseSeat, Project, User
from labeling.domain.states import RoundState
from labeling.domain.statistics.kinds import CaseKind, CountedFinding
from labeling.domain.statistics.layers import Sample
from labeling.domain.statistics.tables import Numbers
from labeling.models import Assignment, Comparison, Round, Tally, TallyFinding
from labeling.models.agreement import FINDING_COLUMNS
from labeling.querysets.agreement import TallyQuerySet
from labeling.selectors.agreement.memory import Memory

Result = TypeVar("Result")

MOST_KINDS = 50_000
MOST_RESULTS = 512
# Below SQLite's limit of variables in one statement.
READ_AT_ONCE = 900


@dataclass(frozen=True)
class Choice:
    """Which cases the figures are about; an empty field chooses all."""

    language: str = ""
    source_kind: str = ""
    # Number of the guidelines both submitted under.
    guidelines: str = ""
    # Public ids of two reviewers, joined by a dot, in the order of their keys.
    pair: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was chosen."""
        return not any(getattr(self, each.name) for each in fields(self))

    def as_query(self) -> dict[str, str]:
        """Return the chosen fields as they stand in an address."""
        return {each.name: value for each in fields(self) if (value := getattr(self, each.name))}


# Chooses the cases for which a field is empty.
NONE = "none"
# What a choice and a breakdown of cases go by, and the column of a tally that holds it.
DIMENSIONS: dict[str, tuple[str, ...]] = {
    "language": ("case__language",),
    "source_kind": ("case__source_kind",),
    "guidelines": ("guidelines__number",),
    "pair": ("reviewer_low__public_id", "reviewer_high__public_id"),
}
# Who labelled with whom is told to leads alone.
LEAD_DIMENSIONS = frozenset({"pair"})


BEING_DECIDED = (
    "they are being adjudicated, and only leads see figures of those; since these differ by their nature, the"
    " agreement shown to you is too high"
)


@dataclass(frozen=True)
class LeftOut:
    """Cases that no figure counts, with the reason in words."""

    count: int
    reason: str


class CountedCases:
    """How many cases of each kind there are, over all and by group; `key` is equal for equal contents alone."""

    def __init__(self, held: Mapping[Hashable, Mapping[str, int]]) -> None:
        """`held` counts digests of kinds by group."""
        self._held = held
        self.total = sum(sum(counts.values()) for counts in held.values())
        digest = hashlib.sha256()
        for group in sorted(held, key=repr):
            digest.update(repr((group, sorted(held[group].items()))).encode())
        self.key = digest.digest()

    @cached_property
    def _digests(self) -> list[str]:
        return sorted({digest for counts in self._held.values() for digest in counts})

    @cached_property
    def sample(self) -> Sample:
        """The kinds that occur, read when they are first needed: a figure that is remembered needs none."""
        kinds = kinds_of(set(self._digests))
        return Sample([kinds[digest] for digest in self._digests])

    @cached_property
    def groups(self) -> dict[Hashable, Numbers]:
        """How often each group holds each kind of the sample, groups in the order of their names."""
        place = {digest: position for position, digest in enumerate(self._digests)}
        made = {}
        for group in sorted(self._held, key=str):
            made[group] = np.zeros(len(place))
            for digest, count in self._held[group].items():
                made[group][place[digest]] = count
        return made

    @cached_property
    def times(self) -> Numbers:
        """How often each kind of the sample is held over all groups."""
        return np.asarray(sum(self.groups.values(), start=np.zeros(len(self._digests))))

    def remember(self, name: Hashable, compute: Callable[[], Result]) -> Result:
        """Return what `compute` makes of these cases, and nothing else, computed once in this process."""
        return cast(Result, _results.remember((name, self.key), compute))


def counted_tallies(project: Project, user: User, choice: Choice | None = None) -> TallyQuerySet:
    """Return the tallies that figures for `user` may count, of the chosen cases; corrected pairings come later."""
    tallies = Tally.objects.visible_to(user).counted().filter(case__project=project)
    if choice is None:
        return tallies
    if choice.language:
        tallies = tallies.filter(case__language="" if choice.language == NONE else choice.language)
    if choice.source_kind:
        tallies = tallies.filter(case__source_kind=choice.source_kind)
    if choice.guidelines:
        number = choice.guidelines
        tallies = (
            tallies.filter(guidelines__number=int(number))
            if number.isdigit() and len(number) < 7
            else tallies.filter(guidelines__isnull=True)
        )
    if choice.pair:
        low, _, high = choice.pair.partition(".")
        tallies = tallies.filter(reviewer_low__public_id=low, reviewer_high__public_id=high)
    return tallies


def counted_cases(
    project: Project, user: User, choice: Choice | None = None, *, by: str = "", proposal: bool = False
) -> CountedCases:
    """Count the kinds of cases, by the groups of a dimension where one is named.

    One query; kinds that this process has not met yet are read when figures need them. A pairing that an adjudicator
    corrected counts as corrected, with `proposal` as the aligner proposed it.
    """
    tallies = counted_tallies(project, user, choice)
    return counts_of(tallies.filter(number=0) if proposal else tallies.newest(), by)


def counts_of(tallies: TallyQuerySet, by: str = "") -> CountedCases:
    """Count the kinds of these tallies, one of each case."""
    tallies = tallies.order_by()
    if not by:
        return CountedCases({"": dict(tallies.values_list("digest").annotate(cases=Count("pk")))})
    held: dict[Hashable, dict[str, int]] = {}
    rows = tallies.values_list(*DIMENSIONS[by], "digest").annotate(cases=Count("pk"))
    for *values, digest, cases in rows:
        group = values[0] if len(values) == 1 else ".".join(map(str, values))
        held.setdefault(group, {})[digest] = cases
    return CountedCases(held)


def kinds_of(digests: AbstractSet[str]) -> dict[str, CaseKind]:
    """Return what each digest stands for; read from any tally that has it, if this process has not met it yet."""
    known = {digest: kind for digest in digests if (kind := _kinds.get(digest)) is not None}
    unknown = sorted(digests - known.keys())
    for start in range(0, len(unknown), READ_AT_ONCE):
        found = _read_kinds(unknown[start : start + READ_AT_ONCE])
        for digest, kind in found.items():
            _kinds.put(digest, kind)
        known |= found
    return known


def _read_kinds(digests: Sequence[str]) -> dict[str, CaseKind]:
    chosen = Tally.objects.filter(digest__in=digests).order_by().values("digest").annotate(one=Min("pk"))
    rows = Tally.objects.filter(pk__in=[row["one"] for row in chosen])
    tallies = {pk: said for pk, *said in rows.values_list("pk", "digest", "verdict_first", "verdict_second")}
    findings: dict[int, list[CountedFinding]] = {pk: [] for pk in tallies}
    listed = TallyFinding.objects.filter(tally_id__in=list(tallies)).order_by("pk")
    for pk, *said in listed.values_list("tally_id", *FINDING_COLUMNS):
        findings[pk].append(CountedFinding(*said))
    return {digest: CaseKind(first, second, tuple(findings[pk])) for pk, (digest, first, second) in tallies.items()}


# --- What was left out ---------------------------------------------------------------------------------------------


def left_out(project: Project, user: User, roles: frozenset[Role]) -> tuple[LeftOut, ...]:
    """Return how many of the project's cases no figure counts, by reason; each query starts from the few it is about.

    That the viewer holds a seat is told by their own seats alone, whatever became of the case otherwise (B1).
    """
    everything = Case.objects.visible_to(user).filter(project=project)
    seen = everything.exclude(state=CaseState.WITHDRAWN)
    tallied = Exists(Tally.objects.filter(case_id=OuterRef("pk")))
    reopened = Assignment.objects.filter(is_excluded_from_agreement=True, round__kind=RoundKind.INITIAL)
    uncounted = Comparison.objects.current().filter(
        ~Exists(Tally.objects.filter(comparison_id=OuterRef("pk"))), round__kind=RoundKind.INITIAL
    )
    found = [
        (
            CaseSeat.objects.filter(user=user, closed_at__isnull=True, case__project=project).count(),
            "you hold a seat on them that has not settled",
        ),
        (
            seen.filter(pk__in=reopened.values("case_id")).count(),
            "a seat was reopened, so the work is no longer a first, blinded submission",
        ),
        (everything.filter(tallied, state=CaseState.WITHDRAWN).count(), "the case was withdrawn"),
        (
            seen.filter(~tallied, pk__in=uncounted.values("round__case_id"))
            .exclude(pk__in=reopened.values("case_id"))
            .count(),
            "they were compared and are not counted yet; the worker does it within minutes",
        ),
    ]
    if Role.LEAD in roles:
        waiting = Round.objects.filter(kind=RoundKind.INITIAL, state=RoundState.OPEN)
        unfinished = seen.filter(~tallied, pk__in=waiting.values("case_id"))
        found.append(
            (
                unfinished.exclude(pk__in=reopened.values("case_id")).count(),
                "their reviewers have not both submitted for good",
            )
        )
    else:
        being_decided = Case.objects.filter(project=project, state=CaseState.ADJUDICATING).without_open_seat(user)
        found.append((being_decided.count(), BEING_DECIDED))
    return tuple(LeftOut(count, reason) for count, reason in found if count)


def pair_names(tallies: QuerySet[Tally]) -> dict[str, str]:
    """Return the pairs of reviewers who labelled counted cases together, by the value of a choice."""
    rows = tallies.values_list(
        "reviewer_low__public_id", "reviewer_high__public_id", "reviewer_low__name", "reviewer_high__name"
    ).distinct()
    return {f"{low}.{high}": " and ".join(sorted((one, other))) for low, high, one, other in rows.order_by()}


_kinds: Memory[CaseKind] = Memory(MOST_KINDS)
_results: Memory[object] = Memory(MOST_RESULTS)


def forget() -> None:
    """Drop all that this process remembers; pages say the same afterwards, later."""
    _kinds.forget()
    _results.forget()


def remembered(key: Hashable, compute: Callable[[], Result]) -> Result:
    """Return what `compute` gives, computed once in this process; `key` names everything that goes into it."""
    return cast(Result, _results.remember(key, compute))
