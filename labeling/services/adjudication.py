"""Decisions on disagreements: made, revised and undone.

Every act first takes the lock of its case (on SQLite the write lock), so two adjudicators act one after the other, and
the second one, whose page shows an older version, is refused with both versions (N3). Nothing is overwritten (N4).
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Max

from corpus import clock
from corpus.domain.vocabulary import CaseState, Confidence, DisagreementKind, GoldenState, Outcome, Verdict
from corpus.models import User
from corpus.services import audit
from labeling.domain.adjudicating import ABOUT_ANSWERS, WHOLE, GoldenInput, ReasonCode
from labeling.domain.states import DisagreementState
from labeling.models import Adjudication, Disagreement
from labeling.services import settlement
from labeling.services.adjudicable import DECIDABLE, locked_disagreement
from labeling.services.decision_input import Decision, DecisionRefused, checked_decision, decision_of, edited_finding
from labeling.services.golden_content import subject_of, write_subject
from labeling.services.questions import (
    ask_about_lone_labels,
    ask_again,
    move,
    reopen,
    settle_when_done,
    siblings_of,
    standing_decision,
)


class StaleDecision(Exception):
    """Somebody decided since the page was opened: `stored` is what stands (None: undone), `yours` what was sent."""

    def __init__(self, stored: Adjudication | None, yours: Decision, version: int) -> None:
        super().__init__("This disagreement was decided elsewhere since you opened it.")
        self.stored = stored
        self.yours = yours
        self.version = version


class QuestionSuperseded(Exception):
    """The labels of this disagreement were paired otherwise since the page was opened; it is no longer asked."""

    def __init__(self) -> None:
        super().__init__("The labels were paired otherwise since you opened this, so the question is no longer asked.")


@transaction.atomic
def decide(
    *,
    disagreement: Disagreement,
    adjudicator: User,
    outcome: Outcome | str,
    edited: GoldenInput | None = None,
    golden_state: GoldenState | str = "",
    reason_code: ReasonCode | str,
    rationale: str = "",
    confidence: Confidence | str = "",
    is_guideline_gap: bool = False,
    expected_version: int,
    verdict: Verdict | str | None = None,
) -> Adjudication:
    """Store a decision on a disagreement and what it makes of the golden finding; the last one settles the case.

    `outcome` names stored slots, whatever letters were shown. `edited` is the finding's content, for merge. An empty
    `golden_state` is the default of the reviewer contract; `decoy` keeps a rejected label as known wrong. `verdict` is
    the case's, for merge on a difference of answers. Merge, reject and unresolved decide every difference of a pair;
    accepting a side decides one, and opens those again that had been rejected or left unresolved.

    The same decision by the same person again answers as before, whatever version it was made on (N2). Raises
    NotAdjudicable, QuestionSuperseded, DecisionRefused or StaleDecision; nothing is stored then.
    """
    case, row = locked_disagreement(disagreement, adjudicator)
    if row.state == DisagreementState.SUPERSEDED:
        raise QuestionSuperseded
    kind = DisagreementKind(row.kind)
    subject = subject_of(case, row)
    decision = checked_decision(
        row, subject, outcome, edited, golden_state, reason_code, rationale, confidence, is_guideline_gap, verdict
    )
    standing = standing_decision(row)
    if standing is not None and standing.adjudicator_id == adjudicator.pk and decision_of(standing) == decision:
        return standing
    if row.version != expected_version:
        raise StaleDecision(standing, decision, row.version)
    if case.state not in DECIDABLE:
        raise DecisionRefused("outcome", "This case is settled; undo its decision first.")
    content = edited_finding(subject, decision.edited) if decision.edited is not None else None
    carried = siblings_of(row) if decision.outcome in WHOLE or kind in ABOUT_ANSWERS else []
    if not carried:
        ask_again(row)
    act = _unsaved(row, adjudicator, decision)
    pending = [act, *(_unsaved(sibling, adjudicator, decision) for sibling in carried)]
    if kind not in ABOUT_ANSWERS:
        act.golden_revision = write_subject(subject, actor=adjudicator, pending=pending, edited=content)
    _insert(pending)
    if kind in ABOUT_ANSWERS:
        ask_about_lone_labels(row.comparison, act.verdict)
    audit.record(
        actor=adjudicator,
        verb="disagreement decided",
        subject=f"disagreement {row.public_id}",
        case=case,
        before=standing.outcome if standing else DisagreementState.OPEN,
        after=f"{act.outcome}, {act.reason_code}" + (f", with {len(carried)} more" if carried else ""),
    )
    settle_when_done(case, row.comparison, adjudicator)
    return act


@transaction.atomic
def undo_decision(*, disagreement: Disagreement, adjudicator: User, expected_version: int) -> None:
    """Open a disagreement again, with all that the same act decided; the decision stays in the history.

    A settled case is being adjudicated again. Undoing what is open changes nothing. Raises NotAdjudicable, or
    StaleDecision when somebody decided otherwise since.
    """
    case, row = locked_disagreement(disagreement, adjudicator)
    standing = standing_decision(row)
    if standing is None:
        return
    if row.version != expected_version:
        raise StaleDecision(standing, decision_of(standing), row.version)
    root = standing.along_with or standing
    rows = Disagreement.objects.filter(comparison=row.comparison, state=DisagreementState.DECIDED)
    of_act = [one for one in rows if (held := standing_decision(one)) and (held.along_with or held) == root]
    reopen(of_act)
    if row.kind in ABOUT_ANSWERS:
        ask_about_lone_labels(row.comparison, "")
    else:
        write_subject(subject_of(case, row), actor=adjudicator)
    audit.record(
        actor=adjudicator,
        verb="decision undone",
        subject=f"disagreement {row.public_id}",
        case=case,
        before=standing.outcome,
        after=DisagreementState.OPEN,
    )
    if case.state != CaseState.ADJUDICATING:
        settlement.unsettle_case(case=case, round_=row.comparison.round, actor=adjudicator)


def _unsaved(row: Disagreement, adjudicator: User, decision: Decision) -> Adjudication:
    newest = row.adjudications.aggregate(newest=Max("number"))["newest"] or 0
    return Adjudication(
        disagreement=row,
        number=newest + 1,
        adjudicator=adjudicator,
        outcome=decision.outcome,
        golden_state=decision.golden_state,
        verdict=decision.verdict,
        reason_code=decision.reason_code,
        rationale=decision.rationale,
        confidence=decision.confidence,
        is_guideline_gap=decision.is_guideline_gap,
        decided_at=clock.now(),
    )


def _insert(pending: Sequence[Adjudication]) -> None:
    """Store the rows of one act; the others point to the first. Rows are inserted whole and never changed (N4)."""
    act = pending[0]
    for row in pending:
        if row is not act:
            row.along_with, row.golden_revision = act, act.golden_revision
        row.save(force_insert=True)
        move(row.disagreement, DisagreementState.DECIDED)
