"""What correcting the alignment would change: which decisions would cease to stand, and what would be asked instead.

A correction takes a label out of its pair, or adds one to a label or pair of the others. In both cases some groups of
labels (a pair, or a label alone) give way to others. The questions about the old groups are superseded, with their
decisions; those about the new groups are asked, or come back with what was decided on them before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from corpus.models import Case
from labeling.domain.alignment import AlignmentParameters, Pair
from labeling.domain.states import ASKED, Correction, DisagreementState
from labeling.domain.third_seat import Asked, group_differences, joined, nearest_member
from labeling.domain.third_seat import Group as FindingGroup
from labeling.models import Comparison, Disagreement, Label, LabelPair
from labeling.selectors.findings import as_findings, change_shape
from labeling.selectors.pairs import ask_policy, compared_labels, is_existence_asked, labels_of

# One label alone, or the labels of a pair, in the order of their slots.
Group = tuple[Label, ...]


@dataclass(frozen=True)
class Regrouping:
    """One correction before it is made. `digest` changes with everything it was worked out from."""

    act: Correction
    label: Label
    partner: Label
    before: tuple[Group, ...]
    after: tuple[Group, ...]
    # Questions that are superseded, and those that come back with the decisions made on them before.
    ending: tuple[Disagreement, ...]
    returning: tuple[Disagreement, ...]
    # What is asked for the first time.
    new_kinds: tuple[str, ...]
    # How the aligner measures a label that is added; None where labels are taken apart.
    pair: Pair | None
    digest: str


class Pairing:
    """How the labels of a comparison are grouped, read once."""

    def __init__(self, case: Case, comparison: Comparison) -> None:
        self.case = case
        self.comparison = comparison
        self.labels = {label.pk: label for label in compared_labels(comparison)}
        pairs = comparison.pairs.select_related("label_a__assignment", "label_b__assignment", "label_c__assignment")
        self.pairs: dict[frozenset[int], LabelPair] = {
            frozenset(label.pk for label in labels_of(pair).values()): pair for pair in pairs.order_by("pk")
        }
        holding = {pair.pk for pair in comparison.pairs.holding()}
        self.groups: dict[int, Group] = {pk: (label,) for pk, label in self.labels.items()}
        for members, pair in self.pairs.items():
            if pair.pk in holding and members <= self.labels.keys():
                for pk in members:
                    self.groups[pk] = self.in_slots([self.labels[one] for one in members])
        self.questions = list(comparison.disagreements.select_related("pair", "label").order_by("pk"))
        self.shape = change_shape(case)

    def by_public_id(self, public_id: str) -> Label | None:
        """Return a label of the comparison."""
        return next((label for label in self.labels.values() if label.public_id == public_id), None)

    def in_slots(self, labels: Sequence[Label]) -> Group:
        """Return labels in the order of their slots."""
        return tuple(sorted(labels, key=lambda label: (label.assignment.slot, label.pk)))

    def group_of(self, label: Label) -> Group:
        """Return the labels that are taken for the same defect as one, itself among them."""
        return self.groups[label.pk]

    def partners_for(self, label: Label) -> list[Label]:
        """Return what a label that stands alone could be added to: the first label of each group of the others."""
        firsts = {group[0].pk: group for group in self.groups.values()}
        return [
            group[0] for group in firsts.values() if label.assignment.slot not in {one.assignment.slot for one in group}
        ]

    def pair_row(self, group: Group) -> LabelPair | None:
        """Return the stored pair of exactly these labels, whether or not it holds."""
        return self.pairs.get(frozenset(label.pk for label in group)) if len(group) > 1 else None

    def questions_about(self, group: Group) -> list[Disagreement]:
        """Return the questions about a group, superseded ones among them."""
        if len(group) == 1:
            return [row for row in self.questions if row.label_id == group[0].pk]
        pair = self.pair_row(group)
        return [row for row in self.questions if pair is not None and row.pair_id == pair.pk]

    def measured(self, group: Group) -> FindingGroup:
        """Return labels that a person takes for one defect as the aligner measures them."""
        members = {label.assignment.slot: found for label, found in zip(group, as_findings(group), strict=True)}
        return joined(members, **self._settings())

    def distance(self, label: Label, group: Group) -> Pair:
        """Return how the aligner measures a label against the nearest one of a group."""
        return nearest_member(self.measured(group), as_findings([label])[0], **self._settings())

    def _settings(self) -> dict[str, Any]:
        parameters = parameters_of(self.comparison)
        return {"files": self.shape.files, "hunks": self.shape.hunks, "parameters": parameters}

    def unpairing(self, label: Label) -> Regrouping | None:
        """Return what taking a label out of its pair would change, or None where it stands alone."""
        group = self.group_of(label)
        if len(group) == 1:
            return None
        rest = tuple(one for one in group if one != label)
        return self._regrouping(Correction.UNPAIR, label, rest[0], (group,), ((label,), rest))

    def pairing(self, label: Label, partner: Label) -> Regrouping | None:
        """Return what adding a label that stands alone to another one's group would change, or None if it cannot be."""
        partner = self.group_of(partner)[0]
        if len(self.group_of(label)) > 1 or partner not in self.partners_for(label):
            return None
        before = (self.group_of(label), self.group_of(partner))
        whole = self.in_slots([*before[0], *before[1]])
        return self._regrouping(Correction.PAIR, label, partner, before, (whole,))

    def differences(self, group: Group) -> list[Asked]:
        """Return what the labels of a group differ in, as far as a person decides it."""
        return group_differences(self.measured(group), ask_policy(self.comparison))

    def _regrouping(
        self, act: Correction, label: Label, partner: Label, before: tuple[Group, ...], after: tuple[Group, ...]
    ) -> Regrouping:
        ending = [row for group in before for row in self.questions_about(group) if row.state in ASKED]
        returning = [row for group in after for row in self.questions_about(group)]
        known = [group for group in after if self.questions_about(group) or self.pair_row(group) is not None]
        pair = self.distance(label, before[1]) if act is Correction.PAIR else None
        new_kinds: list[str] = []
        for group in after:
            if group not in known:
                new_kinds += [asked.kind.value for asked in self.differences(group)]
                new_kinds += ["existence"] if is_existence_asked(self.comparison, group) else []
        return Regrouping(
            act=act,
            label=label,
            partner=partner,
            before=before,
            after=after,
            ending=tuple(ending),
            returning=tuple(returning),
            new_kinds=tuple(new_kinds),
            pair=pair,
            digest=self._digest(act, before, after),
        )

    def _digest(self, act: Correction, before: tuple[Group, ...], after: tuple[Group, ...]) -> str:
        parts = [str(self.comparison.pk), act.value]
        for group in (*before, *after):
            pair = self.pair_row(group)
            parts.append(" ".join(label.public_id for label in group) + (f" {pair.state}" if pair else ""))
            parts += [f"{row.public_id} {row.state} {row.version}" for row in self.questions_about(group)]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


def parameters_of(comparison: Comparison) -> AlignmentParameters:
    """Return the parameters that a comparison was made with."""
    return AlignmentParameters(
        version=comparison.aligner,
        window=comparison.window,
        no_match_cost=comparison.no_match_cost,
        category_cost=comparison.category_cost,
    )


def is_decided(row: Disagreement) -> bool:
    """Say whether a question has a decision that nobody took back, though it may be superseded by now."""
    return row.state == DisagreementState.DECIDED or (
        row.state == DisagreementState.SUPERSEDED and row.adjudications.filter(undone_at__isnull=True).exists()
    )
