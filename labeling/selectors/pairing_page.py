"""Correcting the alignment: what a label is or could be paired with, and what follows from each correction."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from corpus.domain.vocabulary import DisagreementKind
from labeling.domain.states import Correction, DisagreementState
from labeling.models import Comparison, Disagreement, Label
from labeling.selectors.adjudication import KIND_WORDS
from labeling.selectors.decisions import PastDecision, told_decision
from labeling.selectors.pairing import Pairing, Regrouping
from labeling.selectors.pairs import label_keys
from labeling.selectors.sides import Sides
from labeling.selectors.workbench import title_of

CORRECTION_WORDS = {Correction.UNPAIR: "Unpaired", Correction.PAIR: "Paired"}


@dataclass(frozen=True)
class ShownLabel:
    """A label in one line, under its letter."""

    label_id: str
    letter: str
    title: str
    severity: str
    category: str
    where: str


@dataclass(frozen=True)
class Effect:
    """A decision that a correction supersedes or brings back, with the kind of its question."""

    kind_words: str
    decision: PastDecision


@dataclass(frozen=True)
class PairingChoice:
    """One correction that can be made, and what follows from it."""

    partner: ShownLabel
    digest: str
    explanation: str
    cost: str
    superseded: tuple[Effect, ...]
    returning: tuple[Effect, ...]
    asked: tuple[str, ...]
    takes_back_agreed: bool


@dataclass(frozen=True)
class PairingPage:
    """A label with the corrections that can be made on it; the closest partner comes first."""

    label: ShownLabel
    is_paired: bool
    choices: tuple[PairingChoice, ...]
    limit: str


@dataclass(frozen=True)
class PastCorrection:
    """A correction as the history tells it."""

    words: str
    labels: tuple[ShownLabel, ...]
    by: str
    at: datetime
    reason: str


def pairing_page(sides: Sides, comparison: Comparison, label: Label) -> PairingPage:
    """Return what can be corrected about a label of the comparison."""
    pairing = Pairing(sides.case, comparison)
    label = pairing.labels[label.pk]
    taken_apart = pairing.unpairing(label)
    if taken_apart is not None:
        plans = [taken_apart]
    else:
        possible = [pairing.pairing(label, partner) for partner in pairing.partners_for(label)]
        plans = sorted(
            (plan for plan in possible if plan is not None and plan.pair is not None),
            key=lambda plan: (plan.pair.cost if plan.pair else 0, sides.weight(plan.partner)),
        )
    return PairingPage(
        label=shown_label(sides, label),
        is_paired=taken_apart is not None,
        choices=tuple(_choice(sides, pairing, plan) for plan in plans),
        limit=cost_words(2 * comparison.no_match_cost),
    )


def _choice(sides: Sides, pairing: Pairing, plan: Regrouping) -> PairingChoice:
    held = pairing.pair_row(plan.before[0]) if plan.pair is None else None
    kinds = [row.kind for row in plan.returning] + list(plan.new_kinds)
    return PairingChoice(
        partner=shown_label(sides, plan.partner),
        digest=plan.digest,
        explanation=held.explanation if held is not None else plan.pair.explanation if plan.pair is not None else "",
        cost=cost_words(held.cost if held is not None else plan.pair.cost if plan.pair is not None else 0),
        superseded=_effects(sides, plan.ending),
        returning=_effects(sides, plan.returning),
        asked=tuple(
            KIND_WORDS[DisagreementKind(kind)] + (f" ×{count}" if count > 1 else "")
            for kind, count in Counter(kinds).items()
        ),
        takes_back_agreed=held is not None and held.state == "confirmed" and not plan.ending,
    )


def _effects(sides: Sides, rows: tuple[Disagreement, ...]) -> tuple[Effect, ...]:
    found = []
    for row in rows:
        if row.state == DisagreementState.OPEN:
            continue
        decisions = row.adjudications.filter(undone_at__isnull=True).select_related(
            "adjudicator", "golden_revision", "disagreement"
        )
        held = decisions.order_by("-number").first()
        if held is not None:
            told = told_decision(sides, held, holds=row.state == DisagreementState.DECIDED)
            found.append(Effect(KIND_WORDS[DisagreementKind(row.kind)], told))
    return tuple(found)


def shown_label(sides: Sides, label: Label) -> ShownLabel:
    """Return a label in one line."""
    return ShownLabel(
        label_id=sides.ids[label.pk],
        letter=sides.letter_of(label),
        title=title_of(sides.typed(label)),
        severity=label.severity,
        category=label.category.name if label.category else "",
        where=sides.where(label),
    )


def cost_words(cost: int) -> str:
    """Return a cost as a number with two decimals."""
    return f"{cost / 10_000:.2f}"


def past_corrections(sides: Sides, comparison: Comparison) -> tuple[PastCorrection, ...]:
    """Return the corrections of a comparison, the newest first."""
    rows = comparison.corrections.select_related("actor", "pair").order_by("-number")
    return tuple(
        PastCorrection(
            words=CORRECTION_WORDS[Correction(row.act)],
            labels=tuple(
                shown_label(sides, one) for one in sides.in_order(sides.labels[pk] for pk in label_keys(row.pair))
            ),
            by=row.actor.name,
            at=row.at,
            reason=row.reason,
        )
        for row in rows
    )
