"""What the claims pass says enters comparison: a claim that is confirmed is a label of the person who confirms it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.urls import reverse

from corpus.domain.vocabulary import CaseState, GoldenState, RoundKind
from corpus.models import Claim, GoldenFinding, GoldenRevision, WorkingPolicyVersion
from corpus.services.claims import ClaimDraft, add_claims
from corpus.services.projects import add_version
from labeling.domain.label_input import AnchorInput
from labeling.models import Assignment, Comparison, Disagreement, Label
from labeling.selectors.pseudonyms import pseudonyms_of
from labeling.services.claims import ClaimInput, open_due_claims, save_claim_answer
from labeling.services.labels import save_label
from labeling.services.submission import reopen, save_answer, submit
from tests.factories import make_case
from tests.labeling.adjudicating import ruled
from tests.labeling.seats import DEFECT, make_seat

PLACE = AnchorInput(role="primary", path="pay/retry.py", side="new", first_line=10, last_line=12)
NEARER = AnchorInput(role="primary", path="pay/retry.py", side="new", first_line=11, last_line=11)


@pytest.fixture
def case(project, people):
    add_version(WorkingPolicyVersion(uses_claims=True), project=project, author=people.lead)
    case = make_case(project)
    draft = ClaimDraft(
        statement="A retry charges the order a second time",
        path="pay/retry.py",
        first_line=10,
        category_key="concurrency",
    )
    add_claims(case=case, drafts=[draft])
    return case


def give(seat: Assignment, *, verdict: str, labels: tuple = ()) -> None:
    """Submit the open pass for good."""
    for fields in labels:
        save_label(assignment=seat, reviewer=seat.reviewer, label=None, fields=fields, expected_version=0)
    save_answer(
        assignment=seat, reviewer=seat.reviewer, verdict=verdict, missing_context="", summary="", expected_version=0
    )
    submit(assignment=seat, reviewer=seat.reviewer, expected_version=1, final=True)


def judge(seat: Assignment, **fields) -> None:
    """Answer every claim of the person's claims pass, "no" to decoys, and submit it for good."""
    open_due_claims()
    own = Assignment.objects.get(reviewer=seat.reviewer, round__kind=RoundKind.CLAIMS)
    for claim in Claim.objects.filter(case=seat.case):
        given = ClaimInput(exists="no") if claim.origin == Claim.DECOY else ClaimInput(**fields)
        save_claim_answer(
            assignment=own, reviewer=own.reviewer, claim=claim.public_id, fields=given, expected_version=0
        )
    submit(assignment=own, reviewer=own.reviewer, expected_version=own.version, final=True)


def both(case, people, first: dict, second: dict, labels: tuple = ()) -> None:
    """Let both reviewers finish: the first with `labels`, each with their answer to the claim."""
    seats = [make_seat(case, people.reviewer_a), make_seat(case, people.reviewer_b)]
    give(seats[0], verdict="has_defects" if labels else "clean", labels=labels)
    give(seats[1], verdict="clean")
    judge(seats[0], **first)
    judge(seats[1], **second)
    case.refresh_from_db()


def test_a_claim_that_both_confirm_settles_as_an_agreed_finding_at_the_narrower_place(case, people) -> None:
    yes = {"exists": "yes", "severity": "high", "reason": "charge() has no key"}
    both(case, people, {**yes, "anchors": (PLACE,)}, {**yes, "anchors": (NEARER,)})
    assert (case.state, case.result) == (CaseState.SETTLED, "defects")
    revision = GoldenRevision.objects.get()
    assert revision.title == "A retry charges the order a second time"
    assert (revision.severity, revision.state, revision.provenance) == ("high", GoldenState.REQUIRED, "agreed")
    assert revision.category is not None
    assert revision.category.key == "concurrency"
    places = {(place.role, place.first_line, place.last_line) for place in revision.anchors.all()}
    assert places == {("primary", 11, 11), ("alternate", 10, 12)}


def test_a_claim_that_one_confirms_and_one_denies_goes_to_adjudication(case, people) -> None:
    yes = {"exists": "yes", "severity": "high", "anchors": (PLACE,), "reason": "seen"}
    both(case, people, yes, {"exists": "no"})
    assert case.state == CaseState.ADJUDICATING
    disagreement = Disagreement.objects.get()
    assert disagreement.kind == "existence"
    assert disagreement.label is not None
    assert disagreement.label.assignment.reviewer == people.reviewer_a


def test_different_severities_of_one_claim_are_a_disagreement_on_severity(case, people) -> None:
    both(
        case,
        people,
        {"exists": "yes", "severity": "critical", "anchors": (PLACE,), "reason": "seen"},
        {"exists": "yes", "severity": "medium", "anchors": (PLACE,), "reason": "seen"},
    )
    assert list(Disagreement.objects.values_list("kind", "distance")) == [("severity", 2)]


def test_a_claim_that_repeats_ones_own_label_adds_nothing_to_it(case, people) -> None:
    own = replace(DEFECT, title="charged twice", category="concurrency", severity="high", anchors=(PLACE,))
    yes = {"exists": "yes", "severity": "high", "anchors": (PLACE,), "reason": "seen"}
    both(case, people, yes, yes, labels=(own,))
    comparison = Comparison.objects.get()
    assert comparison.pairs.count() == 1
    pair = comparison.pairs.get()
    assert {pair.label_a.title, pair.label_b.title} == {"charged twice", "A retry charges the order a second time"}
    assert set(comparison.disagreements.values_list("kind", flat=True)) == {"verdict"}


def test_a_yes_to_a_decoy_makes_no_label(project, people) -> None:
    add_version(WorkingPolicyVersion(uses_claims=True), project=project, author=people.lead)
    case = make_case(project)
    seats = [make_seat(case, people.reviewer_a), make_seat(case, people.reviewer_b)]
    for seat in seats:
        give(seat, verdict="clean")
    open_due_claims()
    for seat in seats:
        own = Assignment.objects.get(reviewer=seat.reviewer, round__kind=RoundKind.CLAIMS)
        for claim in Claim.objects.filter(case=case):
            answer = ClaimInput(exists="yes", severity="low", anchors=(PLACE,), reason="perhaps")
            save_claim_answer(
                assignment=own, reviewer=own.reviewer, claim=claim.public_id, fields=answer, expected_version=0
            )
        submit(assignment=own, reviewer=own.reviewer, expected_version=own.version, final=True)
    case.refresh_from_db()
    assert Claim.objects.filter(case=case, origin=Claim.DECOY).exists()
    assert not Label.objects.exists()
    assert (case.state, case.result) == (CaseState.SETTLED, "clean")


def test_an_accepted_claim_stays_a_finding_and_the_page_shows_whose_it_is(case, people, client_of) -> None:
    yes = {"exists": "yes", "severity": "high", "anchors": (PLACE,), "reason": "charge() has no key"}
    both(case, people, yes, {"exists": "no"})
    row = Disagreement.objects.get()
    client = client_of(people.adjudicator)
    address = reverse("adjudication", args=[case.project.slug, case.public_id])
    letter = pseudonyms_of(case.public_id).letter("A")
    page = client.get(address).content.decode()
    assert f"{letter} found it; {'B' if letter == 'A' else 'A'} did not." in page
    assert "A retry charges the order a second time" in page
    ruled(row, people.adjudicator, "accept_a")
    case.refresh_from_db()
    assert (case.state, case.result) == (CaseState.SETTLED, "defects")
    assert GoldenFinding.objects.live().get(case=case).sources.get().label == row.label
    assert client.get(address).status_code == 200


def test_a_claims_seat_that_a_lead_reopens_is_compared_again_with_its_new_answers(case, people) -> None:
    yes = {"exists": "yes", "severity": "high", "anchors": (PLACE,), "reason": "seen"}
    both(case, people, yes, {"exists": "no"})
    own = Assignment.objects.get(reviewer=people.reviewer_a, round__kind=RoundKind.CLAIMS)
    reopen(assignment=own, lead=people.lead, reason="The claim was worded badly.")
    case.refresh_from_db()
    assert case.state == CaseState.LABELLING
    own.refresh_from_db()
    [claim] = Claim.objects.filter(case=case).exclude(origin=Claim.DECOY)
    save_claim_answer(
        assignment=own,
        reviewer=own.reviewer,
        claim=claim.public_id,
        fields=ClaimInput(exists="no"),
        expected_version=1,
    )
    submit(assignment=own, reviewer=own.reviewer, expected_version=own.version, final=True)
    case.refresh_from_db()
    assert (case.state, case.result) == (CaseState.SETTLED, "clean")
    label = Label.objects.get()
    assert list(label.revisions.order_by("number").values_list("number", "is_withdrawn")) == [(1, False), (2, True)]
