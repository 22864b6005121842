"""What happens when comparisons and adjudicators act at the same moment; on both databases."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corpus.models import AuditEntry, GoldenFinding
from labeling.models import Adjudication, Comparison, Disagreement, PairCorrection
from labeling.selectors.pairing import Pairing
from labeling.services import submission
from labeling.services.adjudication import QuestionSuperseded, StaleDecision, decide
from labeling.services.agreed import accept_all_agreed
from labeling.services.comparison import compare_due_rounds, compare_round
from labeling.services.pairing import StalePairing, unpair
from tests.factories import make_case, make_member, make_user
from tests.labeling.adjudicating import GUARD, compared, hand_in, kinds, one, seats_of
from tests.labeling.seats import DEFECT
from tests.labeling.test_labelling_races import at_once

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def reviewers(people):
    return [people.reviewer_a, people.reviewer_b]


def test_of_two_comparisons_at_once_one_wins_and_none_fails(project, reviewers, monkeypatch):
    monkeypatch.setattr(submission, "compare_due_rounds", lambda rounds: [])
    case = make_case(project)
    for seat, labels in zip(seats_of(case, reviewers), ([DEFECT, GUARD], [DEFECT]), strict=True):
        hand_in(seat, labels)
    round_ = case.rounds.get()
    results = at_once([lambda: compare_round(round_=round_), compare_due_rounds, compare_due_rounds])
    assert not [result for result in results if isinstance(result, Exception)], results
    assert sum(bool(result) for result in results) == 1
    assert kinds(Comparison.objects.get()) == ["existence"]
    assert AuditEntry.objects.filter(verb="round compared").count() == 1


def test_two_people_submit_for_good_at_once_and_the_round_is_compared_once(project, reviewers):
    case = make_case(project)
    seats = seats_of(case, reviewers)
    results = at_once([lambda seat=seat: hand_in(seat, [DEFECT]) for seat in seats])
    assert results == [None, None]
    compare_due_rounds()
    case.refresh_from_db()
    assert (case.state, Comparison.objects.count(), GoldenFinding.objects.count()) == ("settled", 1, 1)


def test_of_two_adjudicators_at_once_the_second_is_refused_with_both_versions(project, reviewers, people):
    second = make_user("Nova Adjudicator")
    make_member(project, second, "adjudicator")
    for _ in range(3):
        row = one(compared(make_case(project), reviewers, [DEFECT, GUARD], [DEFECT]), "existence")

        def act(person, outcome, row=row):
            return lambda: decide(
                disagreement=row,
                adjudicator=person,
                outcome=outcome,
                reason_code="misread_code",
                rationale=f"{outcome} it",
                expected_version=0,
            )

        results = at_once([act(people.adjudicator, "accept_a"), act(second, "reject")])
        stored = Adjudication.objects.get(disagreement=row)
        (refused,) = [result for result in results if isinstance(result, StaleDecision)]
        assert refused.stored == stored
        assert {stored.outcome, refused.yours.outcome} == {"accept_a", "reject"}
        assert refused.yours.rationale == f"{refused.yours.outcome} it"
        live = GoldenFinding.objects.live().filter(case=row.comparison.round.case)
        assert live.count() == (2 if stored.outcome == "accept_a" else 1)


def test_of_a_decision_and_an_unpairing_at_once_neither_overwrites_the_other(project, reviewers, people):
    for _ in range(3):
        milder = replace(DEFECT, title="Milder", severity="low")
        result = compared(make_case(project), reviewers, [DEFECT, GUARD], [milder])
        case, row = result.round.case, one(result, "severity")
        label = row.pair.label_a
        seen = Pairing(case, result).unpairing(label)
        results = at_once(
            [
                lambda row=row: decide(
                    disagreement=row,
                    adjudicator=people.adjudicator,
                    outcome="accept_a",
                    reason_code="severity_rule",
                    expected_version=0,
                ),
                lambda case=case, label=label, seen=seen: unpair(
                    case=case, adjudicator=people.lead, label=label, digest=seen.digest
                ),
            ]
        )
        (refused,) = [each for each in results if isinstance(each, Exception)]
        row.refresh_from_db()
        if isinstance(refused, StalePairing):
            assert (row.state, PairCorrection.objects.filter(comparison=result).count()) == ("decided", 0)
        else:
            assert isinstance(refused, QuestionSuperseded), refused
            assert (row.state, row.adjudications.count()) == ("superseded", 0)


def test_the_same_correction_sent_many_times_at_once_is_one(project, reviewers, people):
    milder = replace(DEFECT, title="Milder", severity="low")
    result = compared(make_case(project), reviewers, [DEFECT, GUARD], [milder])
    case, label = result.round.case, one(result, "severity").pair.label_b
    seen = Pairing(case, result).unpairing(label)
    results = at_once([lambda: unpair(case=case, adjudicator=people.lead, label=label, digest=seen.digest)] * 5)
    assert len({each.pk for each in results}) == 1, results
    assert PairCorrection.objects.count() == 1


def test_the_last_two_decisions_at_once_settle_the_case_once(project, reviewers, people):
    result = compared(make_case(project), reviewers, [DEFECT], [GUARD])
    rows = list(result.disagreements.order_by("pk"))

    def act(row, person):
        return lambda: decide(
            disagreement=row, adjudicator=person, outcome="reject", reason_code="duplicate", expected_version=0
        )

    results = at_once([act(rows[0], people.adjudicator), act(rows[1], people.lead)])
    assert all(isinstance(result, Adjudication) for result in results), results
    case = result.round.case
    case.refresh_from_db()
    assert (case.state, case.result) == ("settled", "no_finding_adjudicated")
    assert AuditEntry.objects.filter(verb="case settled").count() == 1


def test_the_same_decision_sent_many_times_at_once_is_one(project, reviewers, people):
    row = one(compared(make_case(project), reviewers, [DEFECT, GUARD], [DEFECT]), "existence")
    results = at_once(
        [
            lambda: decide(
                disagreement=row,
                adjudicator=people.adjudicator,
                outcome="accept_a",
                reason_code="missed_by_other",
                expected_version=0,
            )
        ]
        * 5
    )
    assert len({result.pk for result in results}) == 1
    assert Disagreement.objects.get(pk=row.pk).version == 1


def test_what_agrees_is_accepted_once_by_two_at_once(project, reviewers, people):
    case = make_case(project)
    compared(case, reviewers, [DEFECT, GUARD], [DEFECT])
    results = at_once(
        [lambda who=who: accept_all_agreed(case=case, adjudicator=who) for who in (people.adjudicator, people.lead)]
    )
    assert sorted(len(result) for result in results) == [0, 1]
    assert GoldenFinding.objects.get().revisions.count() == 1
