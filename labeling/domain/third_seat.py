"""When a third person labels a case, and how three people's labels are compared.

A third seat is called where two blinded passes agree too little, and on a seeded share of all other cases, so that
being called tells nothing (B4). The third label list is aligned with what the first two already make: a pair of them,
or a label alone. All acceptable places and both categories of a pair count for it. Where two stand against one that is
said, and a person still decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from corpus.domain.places import FilePair, HunkRange
from corpus.domain.vocabulary import DisagreementKind, Verdict
from labeling.domain.alignment import Alignment, AlignmentParameters, AskPolicy, Finding, Pair, align, paired_by_person
from labeling.domain.states import Slot, ThirdSeat

CALLED = (ThirdSeat.LOW_AGREEMENT, ThirdSeat.VERDICT, ThirdSeat.SAMPLED)


@dataclass(frozen=True)
class ThirdSeatPolicy:
    """When a third seat is called: percentages from 0 to 100, where 0 is never."""

    below: int = 0
    on_verdict: bool = False
    share: int = 0

    @property
    def is_off(self) -> bool:
        """Say whether no round ever calls one."""
        return not (self.below or self.on_verdict or self.share)


def agreement_percent(alignment: Alignment, policy: AskPolicy) -> int:
    """Return how many of both label lists have a partner that differs in nothing, in per cent rounded down.

    Where nobody wrote a label there is nothing to differ in: 100.
    """
    labels = 2 * len(alignment.pairs) + len(alignment.unmatched_a) + len(alignment.unmatched_b)
    agreed = sum(2 for pair in alignment.pairs if not policy.differences(pair))
    return 100 * agreed // labels if labels else 100


def third_seat(
    policy: ThirdSeatPolicy, *, verdicts: tuple[Verdict, Verdict], agreement: int, is_sampled: bool
) -> ThirdSeat:
    """Return whether a third seat is called, and why. Two people without sufficient context are not outvoted."""
    if set(verdicts) == {Verdict.INSUFFICIENT_CONTEXT}:
        return ThirdSeat.NOT_CALLED
    if policy.on_verdict and verdicts[0] is not verdicts[1]:
        return ThirdSeat.VERDICT
    if agreement < policy.below:
        return ThirdSeat.LOW_AGREEMENT
    return ThirdSeat.SAMPLED if is_sampled else ThirdSeat.NOT_CALLED


@dataclass(frozen=True)
class Group:
    """Labels of different people taken for one defect, by slot; `pairs` say how each is joined to the ones before."""

    members: Mapping[str, Finding]
    pairs: tuple[Pair, ...] = ()

    @property
    def slots(self) -> tuple[str, ...]:
        """The slots whose owners found it, in order."""
        return tuple(sorted(self.members))


@dataclass(frozen=True)
class Asked:
    """One difference that a person decides: about a group, or about the answers where `group` is None."""

    kind: DisagreementKind
    group: Group | None = None
    distance: int | None = None


def groups_of_two(alignment: Alignment, a: Sequence[Finding], b: Sequence[Finding]) -> tuple[Group, ...]:
    """Return the pairs and the findings left alone as groups, in the order of the alignment."""
    first, second = ({finding.id: finding for finding in found} for found in (a, b))
    paired = [Group({Slot.A: first[pair.a_id], Slot.B: second[pair.b_id]}, (pair,)) for pair in alignment.pairs]
    alone = [Group({Slot.A: first[name]}) for name in alignment.unmatched_a]
    alone += [Group({Slot.B: second[name]}) for name in alignment.unmatched_b]
    return (*paired, *alone)


def with_third(
    groups: Sequence[Group],
    c: Sequence[Finding],
    *,
    files: Iterable[FilePair] = (),
    hunks: Iterable[HunkRange] = (),
    parameters: AlignmentParameters | None = None,
) -> tuple[Group, ...]:
    """Return the groups with the third person's findings added to them, and what of these stands alone."""
    files, hunks = tuple(files), tuple(hunks)
    units = {group.members[group.slots[0]].id: group for group in groups}
    third = {finding.id: finding for finding in c}
    found = align([_unit(group) for group in groups], c, files=files, hunks=hunks, parameters=parameters)
    added = {pair.a_id: pair for pair in found.pairs}
    whole = []
    for name, group in units.items():
        pair = added.get(name)
        if pair is None:
            whole.append(group)
            continue
        joined = nearest_member(group, third[pair.b_id], files=files, hunks=hunks, parameters=parameters)
        joined = replace(joined, explanation=pair.explanation, decided_by_severity=pair.decided_by_severity)
        whole.append(Group({**group.members, Slot.C: third[pair.b_id]}, (*group.pairs, joined)))
    return (*whole, *(Group({Slot.C: third[name]}) for name in found.unmatched_b))


def _unit(group: Group) -> Finding:
    """Return a group as one finding: the places of all its labels, and every category that one of them names."""
    first, *others = (group.members[slot] for slot in group.slots)
    alternates = list(first.alternates)
    for other in others:
        alternates += [other.anchors, *other.alternates]
    return replace(
        first,
        alternates=tuple(alternates),
        also=frozenset(other.category for other in others) - {first.category},
    )


def nearest_member(
    group: Group,
    finding: Finding,
    *,
    files: Iterable[FilePair] = (),
    hunks: Iterable[HunkRange] = (),
    parameters: AlignmentParameters | None = None,
) -> Pair:
    """Return how a finding lies to the member of a group that is closest to it."""
    files, hunks = tuple(files), tuple(hunks)
    pairs = [
        paired_by_person(group.members[slot], finding, files=files, hunks=hunks, parameters=parameters)
        for slot in group.slots
    ]
    return min(pairs, key=lambda pair: pair.cost)


def joined(
    members: Mapping[str, Finding],
    *,
    files: Iterable[FilePair] = (),
    hunks: Iterable[HunkRange] = (),
    parameters: AlignmentParameters | None = None,
) -> Group:
    """Return the group of findings that a person takes for one defect, joined in the order of their slots."""
    files, hunks = tuple(files), tuple(hunks)
    first, *others = sorted(members)
    group = Group({first: members[first]})
    for slot in others:
        pair = nearest_member(group, members[slot], files=files, hunks=hunks, parameters=parameters)
        group = Group({**group.members, slot: members[slot]}, (*group.pairs, pair))
    return group


def group_differences(group: Group, policy: AskPolicy) -> list[Asked]:
    """Return what the labels of a group differ in, as far as a person decides it by policy.

    Places differ where a label shares no line with any other one.
    """
    if len(group.members) < 2:
        return []
    found = []
    if len({finding.category for finding in group.members.values()}) > 1:
        found.append(Asked(DisagreementKind.CATEGORY, group))
    ranks = [finding.severity.rank for finding in group.members.values()]
    distance = max(ranks) - min(ranks)
    if distance > policy.severity_tolerance:
        found.append(Asked(DisagreementKind.SEVERITY, group, distance))
    if policy.asks_about_places and not all(pair.same_place for pair in group.pairs):
        found.append(Asked(DisagreementKind.ANCHORS_DISJOINT, group))
    return found


def questions(groups: Sequence[Group], verdicts: Mapping[str, Verdict], policy: AskPolicy) -> list[Asked]:
    """Return what a person decides about the labels of two or three people; nothing where all lacked context.

    Whoever lacked the context has not judged, so what the others found is not contradicted by them.
    """
    lacking = {slot for slot, verdict in verdicts.items() if verdict is Verdict.INSUFFICIENT_CONTEXT}
    if lacking == set(verdicts):
        return []
    found = []
    if len(set(verdicts.values())) > 1:
        found.append(Asked(DisagreementKind.VERDICT))
    if lacking:
        found.append(Asked(DisagreementKind.INSUFFICIENT_CONTEXT))
    for group in groups:
        found += group_differences(group, policy)
    for group in groups:
        if set(verdicts) - set(group.members) - lacking:
            found.append(Asked(DisagreementKind.EXISTENCE, group))
    return found
