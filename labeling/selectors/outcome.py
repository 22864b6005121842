"""What a reviewer may see of their case once it is settled, where the project allows it: for learning, never to change.

Until then nothing here depends on anybody else's work (B1): whether a case is settled is asked first.
"""

from __future__ import annotations

from dataclasses import dataclass

from corpus.domain.vocabulary import CaseState
from corpus.models import Case, CaseSeat
from corpus.selectors.projects import working_policy
from labeling.domain.states import AssignmentState, RoundState
from labeling.models import Assignment, Comparison
from labeling.selectors.adjudication import AdjudicationPage, Item, adjudication_page, question_rows
from labeling.selectors.adjudication_cards import Card, cards_of
from labeling.selectors.decisions import GoldenRow, PastDecision, golden_rows, history_of


@dataclass(frozen=True)
class DecidedQuestion:
    """A question with all sides and the decision that holds."""

    item: Item
    cards: tuple[Card, ...]
    decision: PastDecision | None


@dataclass(frozen=True)
class OutcomePage:
    """What became of a case, for one of its reviewers, who is told which letter is theirs."""

    page: AdjudicationPage
    letter: str
    questions: tuple[DecidedQuestion, ...]
    golden: tuple[GoldenRow, ...]


def outcome_comparison(seat: Assignment) -> Comparison | None:
    """Return the comparison that the owner of a seat may see, or None.

    The project has to allow it, the case to be settled, nobody to label it, and the person to have labelled in that
    comparison's round.
    """
    if seat.state != AssignmentState.SUBMITTED or seat.case.state != CaseState.SETTLED:
        return None
    if not working_policy(seat.case.project).shows_labels_after_settlement:
        return None
    is_seated = CaseSeat.objects.filter(case=seat.case, user=seat.reviewer, closed_at__isnull=True).exists()
    if is_seated or seat.case.rounds.filter(state=RoundState.OPEN).exists():
        return None
    own = Assignment.objects.filter(case=seat.case, reviewer=seat.reviewer, state=AssignmentState.SUBMITTED)
    found = Comparison.objects.current().filter(round__case=seat.case, round__in=own.values("round"))
    return found.select_related("round").order_by("-round__number").first()


def outcome_page(seat: Assignment, comparison: Comparison) -> OutcomePage:
    """Return what was decided on the case, under letters and without the names of those who decided."""
    case = Case.objects.select_related("project", "base_tree", "head_tree").get(pk=seat.case_id)
    page, sides = adjudication_page(case, comparison)
    rows = {row.public_id: row for row in question_rows(comparison).asked()}
    questions = []
    for item in page.items:
        row = rows[item.public_id]
        held = next((past for past in history_of(sides, row) if past.holds), None)
        questions.append(DecidedQuestion(item, cards_of(sides, row), held))
    return OutcomePage(
        page=page, letter=sides.names.letter(seat.slot), questions=tuple(questions), golden=golden_rows(case)
    )
