"""Tallies: what comparison counts, what it leaves out, and that nothing changes what was counted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.db import IntegrityError, transaction

from corpus.models import Claim, WorkingPolicyVersion
from corpus.services.claims import ClaimDraft, add_claims
from corpus.services.projects import add_version
from labeling.domain.states import PairState
from labeling.models import Assignment, Comparison, LabelPair, Round, Tally, TallyFinding
from labeling.selectors.pseudonyms import pseudonyms_of
from labeling.services.claims import ClaimInput, open_due_claims, save_claim_answer
from labeling.services.submission import reopen
from labeling.services.tallies import count_comparison, count_missing
from tests.factories import make_case
from tests.labeling.adjudicating import GUARD, compared, hand_in, lines, seats_of
from tests.labeling.seats import DEFECT

pytestmark = pytest.mark.django_db


@pytest.fixture
def reviewers(people):
    return [people.reviewer_a, people.reviewer_b]


def sides(case, a, b):
    """What slot A and slot B said, in the order in which the case shows them."""
    return (a, b) if pseudonyms_of(case.public_id).first == "A" else (b, a)


def test_a_comparison_is_counted_side_by_side(project, reviewers):
    case = make_case(project)
    # Lines 10 to 14 and 13 to 16: two in common, seven in all.
    other = replace(DEFECT, severity="low", category="error_handling", anchors=(lines(13, 16),))
    comparison = compared(case, reviewers, [DEFECT], [other, GUARD])
    tally = Tally.objects.get()
    assert (tally.comparison, tally.number, tally.case) == (comparison, 0, case)
    assert (tally.verdict_first, tally.verdict_second) == ("has_defects", "has_defects")
    seats = {seat.slot: seat for seat in comparison.round.assignments.all()}
    shown_first, _ = sides(case, seats["A"], seats["B"])
    low = min(seats.values(), key=lambda seat: seat.reviewer_id)
    assert (tally.reviewer_low_id, tally.is_low_first) == (low.reviewer_id, low == shown_first)
    assert tally.guidelines.number == 1
    assert tally.labelled_at == max(seat.submitted_at for seat in seats.values())
    pair, alone = tally.findings.order_by("pk")
    assert (pair.category_first, pair.category_second) == sides(case, "concurrency", "error_handling")
    assert (pair.severity_first, pair.severity_second) == sides(case, "high", "low")
    assert (pair.found_by, pair.shares_a_line, pair.shared_lines, pair.union_lines) == ("both", True, 2, 7)
    assert alone.found_by == sides(case, "first", "second")[1]
    assert {alone.category_first, alone.category_second} == {"", "compatibility"}
    assert {alone.severity_first, alone.severity_second} == {"", "medium"}


def test_a_near_miss_is_counted_with_its_gap(project, reviewers):
    compared(make_case(project), reviewers, [DEFECT], [replace(DEFECT, anchors=(lines(16, 16),))])
    pair = TallyFinding.objects.get()
    assert (pair.found_by, pair.shares_a_line, pair.shared_lines, pair.line_gap) == ("both", False, 0, 2)


def test_verdicts_are_counted_where_nothing_was_found(project, reviewers):
    case = make_case(project)
    compared(case, reviewers, verdicts=("clean", "uncertain"))
    tally = Tally.objects.get()
    assert (tally.verdict_first, tally.verdict_second) == sides(case, "clean", "uncertain")
    assert not tally.findings.exists()


def test_a_label_that_a_claims_pass_brought_in_was_not_found_by_its_owner(project, people, reviewers):
    add_version(WorkingPolicyVersion(uses_claims=True), project=project, author=people.lead)
    case = make_case(project)
    add_claims(case=case, drafts=[ClaimDraft(statement="The charge is repeated", category_key="concurrency")])
    seats = seats_of(case, reviewers)
    for seat, found in zip(seats, ([DEFECT], []), strict=True):
        hand_in(seat, found, "has_defects" if found else "clean")
    open_due_claims()
    for seat in Assignment.objects.filter(case=case, round__kind="claims"):
        for claim in Claim.objects.filter(case=case):
            said = {"exists": "yes", "severity": "high", "reason": "It is", "anchors": (lines(10, 14),)}
            given = ClaimInput(exists="no") if claim.origin == Claim.DECOY else ClaimInput(**said)
            save_claim_answer(
                assignment=seat, reviewer=seat.reviewer, claim=claim.public_id, fields=given, expected_version=0
            )
        hand_in(seat)
    assert LabelPair.objects.filter(comparison__round=seats[0].round).count() == 1
    finding = TallyFinding.objects.get()
    assert finding.found_by == sides(case, "first", "second")[0]


def test_a_superseded_comparison_and_a_reopened_seat_are_not_counted(project, people, reviewers):
    case = make_case(project)
    comparison = compared(case, reviewers, [DEFECT], [DEFECT])
    assert Tally.objects.counted().count() == 1
    seat = comparison.round.assignments.get(reviewer=reviewers[0])
    reopen(assignment=seat, lead=people.lead, reason="Wrong file")
    assert Tally.objects.counted().count() == 0
    seat.refresh_from_db()
    hand_in(seat, [], "has_defects")
    assert Comparison.objects.current().get().superseded_at is None
    assert Comparison.objects.count() == 2
    assert Tally.objects.counted().count() == 0


def test_a_case_is_counted_once_by_its_first_round(project, people, reviewers):
    case = make_case(project)
    first = compared(case, reviewers, [DEFECT], [DEFECT])
    later = Round.objects.create(
        case=case, kind="initial", number=2, seed=1, opened_by=people.lead, opened_at=case.settled_at, state="compared"
    )
    second = Comparison.objects.create(
        round=later, aligner="1", window=5, no_match_cost=8000, category_cost=5000, compared_at=case.settled_at
    )
    assert count_comparison(second) is None
    assert Tally.objects.get().comparison == first


def test_rounds_that_are_not_open_passes_are_not_counted(project, reviewers):
    comparison = compared(make_case(project), reviewers, [DEFECT], [DEFECT])
    Round.objects.filter(pk=comparison.round_id).update(kind="challenge")
    assert count_comparison(Comparison.objects.get(pk=comparison.pk)) is None


def test_a_corrected_pairing_is_counted_anew_beside_the_proposal(project, reviewers):
    comparison = compared(make_case(project), reviewers, [DEFECT], [DEFECT])
    comparison.pairs.update(state=PairState.SPLIT)
    again = count_comparison(comparison)
    assert again.number == 1
    assert sorted(again.findings.values_list("found_by", flat=True)) == ["first", "second"]
    assert Tally.objects.get(number=0).findings.get().found_by == "both"


def test_the_database_keeps_tallies_as_they_were_counted(project, reviewers):
    compared(make_case(project), reviewers, [DEFECT], [DEFECT])
    for rows, change in ((Tally.objects, {"verdict_first": "clean"}), (TallyFinding.objects, {"found_by": "first"})):
        with pytest.raises(IntegrityError, match="only ever added"), transaction.atomic():
            rows.update(**change)
        with pytest.raises(IntegrityError, match="only ever added"), transaction.atomic():
            rows.all()._raw_delete("default")


def test_the_sweep_counts_what_was_compared_before_there_were_tallies(project, reviewers, monkeypatch):
    from labeling.services import comparison as service

    with monkeypatch.context() as patch:
        patch.setattr(service, "count_comparison", lambda comparison: None)
        compared(make_case(project), reviewers, [DEFECT], [GUARD])
    assert Tally.objects.count() == 0
    assert count_missing() == 1
    assert Tally.objects.get().findings.count() == 2
    assert count_missing() == 0
