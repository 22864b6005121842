"""Corrections of the alignment by an adjudicator: a pair is split, or two labels are paired.

No decision is dropped silently: the person is told beforehand which ones cease to stand, their questions stay in the
history as superseded, and they come back with them when the correction is taken back by its opposite.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import Max

from corpus import clock
from corpus.domain.vocabulary import CaseState, DisagreementKind
from corpus.models import Case, User
from corpus.services import audit
from labeling.domain.adjudicating import MAX_RATIONALE
from labeling.domain.label_input import FieldRefused, clean_text
from labeling.domain.states import Correction, DisagreementState, PairOrigin, PairState
from labeling.models import Comparison, Disagreement, Label, LabelPair, PairCorrection
from labeling.selectors.pairing import Group, Pairing, Regrouping, is_decided
from labeling.selectors.pairs import compared_labels, is_existence_asked, label_keys, worst_rank
from labeling.services import settlement
from labeling.services.adjudicable import locked_case
from labeling.services.golden_content import subject_of, write_subject
from labeling.services.pair_rows import pair_columns
from labeling.services.questions import move, settle_when_done
from labeling.services.tallies import count_comparison

VERBS = {Correction.UNPAIR: "labels unpaired", Correction.PAIR: "labels paired"}


class PairingRefused(Exception):
    """A correction cannot be made; `field` names what is wrong, the message is one sentence for the person."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


class StalePairing(Exception):
    """Pairs or decisions changed since the person looked; nothing was stored."""

    def __init__(self) -> None:
        super().__init__("Pairs or decisions changed since you opened this; look at what it would change now.")


@transaction.atomic
def unpair(*, case: Case, adjudicator: User, label: Label, digest: str, reason: str = "") -> PairCorrection:
    """Take a label out of its pair. `digest` is that of the `Regrouping` that the person saw.

    Raises NotAdjudicable, PairingRefused or StalePairing; nothing is stored then.
    """
    case, comparison = locked_case(case, adjudicator)
    pairing = Pairing(case, comparison)
    return _carry_out(
        pairing,
        pairing.unpairing(_compared(pairing, label)),
        adjudicator=adjudicator,
        asked=(Correction.UNPAIR, label, None),
        digest=digest,
        reason=reason,
    )


@transaction.atomic
def pair(
    *, case: Case, adjudicator: User, label: Label, partner: Label, digest: str, reason: str = ""
) -> PairCorrection:
    """Take two labels of different sides, both alone, for the same defect. `digest` as in `unpair`.

    Raises NotAdjudicable, PairingRefused or StalePairing; nothing is stored then.
    """
    case, comparison = locked_case(case, adjudicator)
    pairing = Pairing(case, comparison)
    return _carry_out(
        pairing,
        pairing.pairing(_compared(pairing, label), _compared(pairing, partner)),
        adjudicator=adjudicator,
        asked=(Correction.PAIR, label, partner),
        digest=digest,
        reason=reason,
    )


def _compared(pairing: Pairing, label: Label) -> Label:
    if label.pk not in pairing.labels:
        raise PairingRefused("label", "This label takes no part in the comparison that holds.")
    return pairing.labels[label.pk]


def _carry_out(
    pairing: Pairing,
    planned: Regrouping | None,
    *,
    adjudicator: User,
    asked: tuple[Correction, Label, Label | None],
    digest: str,
    reason: str,
) -> PairCorrection:
    case, comparison = pairing.case, pairing.comparison
    try:
        reason = clean_text("reason", reason, MAX_RATIONALE)
    except FieldRefused as error:
        raise PairingRefused(error.field, error.message) from error
    if planned is None or planned.digest != digest:
        done = _repeated(comparison, adjudicator, *asked)
        if done is None:
            raise StalePairing
        return done
    if case.state != CaseState.ADJUDICATING:
        settlement.unsettle_case(case=case, round_=comparison.round, actor=adjudicator)
    superseded = sum(is_decided(row) for row in planned.ending)
    for group in planned.before:
        _end(pairing, group, adjudicator)
    rows = [_begin(pairing, group, adjudicator) for group in planned.after]
    held = pairing.pair_row(planned.before[0]) if planned.act is Correction.UNPAIR else rows[0]
    assert held is not None
    number = comparison.corrections.aggregate(newest=Max("number"))["newest"] or 0
    correction = PairCorrection.objects.create(
        comparison=comparison,
        number=number + 1,
        act=planned.act,
        pair=held,
        actor=adjudicator,
        reason=reason,
        at=clock.now(),
    )
    comparison.worst_rank = worst_rank(comparison, compared_labels(comparison))
    comparison.save(update_fields=["worst_rank"])
    count_comparison(comparison)
    audit.record(
        actor=adjudicator,
        verb=VERBS[planned.act],
        subject=f"labels {planned.label.public_id} and {planned.partner.public_id}",
        case=case,
        before=f"{superseded} decision{'' if superseded == 1 else 's'} superseded",
        after=reason,
    )
    settle_when_done(case, comparison, adjudicator)
    return correction


def _repeated(
    comparison: Comparison, adjudicator: User, act: Correction, label: Label, partner: Label | None
) -> PairCorrection | None:
    """Return the newest correction if it is what is asked for again by the same person (N2)."""
    newest = comparison.corrections.select_related("pair").order_by("-number").first()
    if newest is None or newest.actor_id != adjudicator.pk or newest.act != act:
        return None
    members = set(label_keys(newest.pair))
    return newest if {label.pk, partner.pk if partner else label.pk} <= members else None


def _end(pairing: Pairing, group: Group, adjudicator: User) -> None:
    """Let a group hold no longer: its questions are superseded, and what was made of it is retracted."""
    for row in pairing.questions_about(group):
        if row.state != DisagreementState.SUPERSEDED:
            move(row, DisagreementState.SUPERSEDED)
    held = pairing.pair_row(group)
    if held is not None:
        LabelPair.objects.filter(pk=held.pk).update(state=PairState.SPLIT)
    settlement.retract_finding(case=pairing.case, labels=group, actor=adjudicator)


def _begin(pairing: Pairing, group: Group, adjudicator: User) -> LabelPair | None:
    """Let a group hold: its earlier questions come back with their decisions, else they are asked."""
    held = pairing.pair_row(group)
    earlier = pairing.questions_about(group)
    if held is not None:
        LabelPair.objects.filter(pk=held.pk).update(state=PairState.PROPOSED)
    for row in earlier:
        move(row, DisagreementState.DECIDED if is_decided(row) else DisagreementState.OPEN)
    decided = [row for row in earlier if row.state == DisagreementState.DECIDED]
    if decided:
        write_subject(subject_of(pairing.case, decided[0]), actor=adjudicator)
    if earlier or held is not None:
        return held
    pair = _paired(pairing, group) if len(group) > 1 else None
    if is_existence_asked(pairing.comparison, group):
        _ask(pairing.comparison, DisagreementKind.EXISTENCE, pair=pair, label=None if pair else group[0])
    return pair


def _paired(pairing: Pairing, group: Group) -> LabelPair:
    measured = pairing.measured(group)
    pair = LabelPair.objects.create(
        comparison=pairing.comparison, origin=PairOrigin.ADJUDICATOR, **pair_columns(measured, group)
    )
    for asked in pairing.differences(group):
        _ask(pairing.comparison, asked.kind, pair=pair, distance=asked.distance)
    return pair


def _ask(
    comparison: Comparison,
    kind: DisagreementKind,
    *,
    pair: LabelPair | None = None,
    label: Label | None = None,
    distance: int | None = None,
) -> None:
    Disagreement.objects.create(
        comparison=comparison, kind=kind, pair=pair, label=label, distance=distance, created_at=clock.now()
    )
