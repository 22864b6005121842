"""The claims pass: opened by one's own clock, judged blind, complete before it is submitted."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse

from corpus import clock
from corpus.domain.decoys import STATEMENTS, decoy_statement
from corpus.domain.vocabulary import ExposureKind, RoundKind
from corpus.models import Category, Claim, Exposure, WorkingPolicyVersion
from corpus.services.claims import ClaimDraft, add_claims
from corpus.services.decoys import ensure_claims
from corpus.services.projects import add_version
from labeling.domain.completeness import ClaimFacts, claim_gaps
from labeling.domain.label_input import AnchorInput
from labeling.models import Assignment, ClaimAnswer, ClaimAnswerAnchor, Label
from labeling.selectors.claims import claims_of
from labeling.services.claims import (
    ClaimInput,
    ClaimRefused,
    NoSuchClaim,
    StaleClaimAnswer,
    open_due_claims,
    save_claim_answer,
)
from labeling.services.own_seats import SeatClosed
from labeling.services.submission import ReopenRefused, SubmissionRefused, reopen, save_answer, submit
from tests.factories import make_case
from tests.labeling.seats import label, make_seat

PLACE = AnchorInput(role="primary", path="pay/retry.py", side="new", first_line=10, last_line=12)


@pytest.fixture
def claims_project(project, people):
    add_version(WorkingPolicyVersion(uses_claims=True), project=project, author=people.lead)
    return project


@pytest.fixture
def case(claims_project):
    case = make_case(claims_project)
    drafts = [
        ClaimDraft(statement=f"Statement {number}", path="pay/retry.py", first_line=10, raw=f"raw-zq{number}")
        for number in range(4)
    ]
    add_claims(case=case, drafts=drafts)
    return case


def finish_open_pass(seat: Assignment, *, final: bool = True, verdict: str = "clean") -> None:
    save_answer(
        assignment=seat, reviewer=seat.reviewer, verdict=verdict, missing_context="", summary="", expected_version=0
    )
    submit(assignment=seat, reviewer=seat.reviewer, expected_version=1, final=final)


def claims_seat(reviewer) -> Assignment:
    return Assignment.objects.select_related("round", "case__project").get(
        reviewer=reviewer, round__kind=RoundKind.CLAIMS
    )


def answer(seat: Assignment, claim: str, version: int = 0, **fields) -> int:
    fields = {"exists": "no", **fields}
    return save_claim_answer(
        assignment=seat, reviewer=seat.reviewer, claim=claim, fields=ClaimInput(**fields), expected_version=version
    ).number


def test_the_claims_pass_opens_when_ones_own_open_pass_is_final_and_not_before(case, people, monkeypatch) -> None:
    now = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
    monkeypatch.setattr(clock, "now", lambda: now)
    seat = make_seat(case, people.reviewer_a)
    make_seat(case, people.reviewer_b)
    finish_open_pass(seat, final=False)
    assert open_due_claims() == []
    monkeypatch.setattr(clock, "now", lambda: now + timedelta(minutes=10))
    assert [opened.reviewer for opened in open_due_claims()] == [people.reviewer_a]
    assert open_due_claims() == []
    assert claims_seat(people.reviewer_a).slot == seat.slot


def test_a_final_submission_opens_it_at_once_and_the_page_leads_there(case, people, client_of) -> None:
    seat = make_seat(case, people.reviewer_a)
    finish_open_pass(seat)
    pass_ = claims_seat(people.reviewer_a)
    kwargs = {"project": case.project.slug, "seat_id": seat.public_id}
    page = client_of(people.reviewer_a).get(reverse("workbench", kwargs=kwargs)).content.decode()
    assert "Judge the claims" in page
    assert pass_.public_id in page
    assert "Statement" not in page


def test_without_the_policy_there_is_no_claims_pass(project, people) -> None:
    finish_open_pass(make_seat(make_case(project), people.reviewer_a))
    assert open_due_claims() == []
    assert not Claim.objects.exists()


def test_a_case_without_claims_gets_a_decoy_about_one_of_its_files(claims_project, people) -> None:
    case = make_case(claims_project)
    finish_open_pass(make_seat(case, people.reviewer_a))
    claim = Claim.objects.get(case=case)
    assert claim.origin == Claim.DECOY
    assert claim.category_key in set(Category.objects.values_list("key", flat=True))
    anchor = claim.anchors.get()
    assert anchor.path in {"pay/retry.py", "pay/totals.py"}
    assert anchor.path.rpartition("/")[2] in claim.statement
    ensure_claims(case=case)
    assert Claim.objects.filter(case=case).count() == 1


def test_decoys_have_sentences_for_every_default_category_and_one_for_any_other(claims_project) -> None:
    assert set(STATEMENTS) == set(Category.objects.values_list("key", flat=True))
    other = decoy_statement(category_key="licensing", category_name="Licensing", path="a/b.py", seed=b"1")
    assert "b.py" in other
    assert "licensing" in other


def test_each_person_sees_the_claims_in_an_order_of_their_own_and_nothing_of_their_origin(
    case, people, client_of
) -> None:
    for person in (people.reviewer_a, people.reviewer_b):
        finish_open_pass(make_seat(case, person))
    orders = [[claim.public_id for claim in claims_of(claims_seat(p))] for p in (people.reviewer_a, people.reviewer_b)]
    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] == [claim.public_id for claim in claims_of(claims_seat(people.reviewer_a))]
    seat = claims_seat(people.reviewer_a)
    kwargs = {"project": case.project.slug, "seat_id": seat.public_id}
    page = client_of(people.reviewer_a).get(reverse("workbench", kwargs=kwargs)).content.decode()
    assert "Statement 2" in page
    for word in ("raw-zq", "imported", "golden", "decoy"):
        assert not re.search(word, page)
    assert Exposure.objects.filter(user=people.reviewer_a, case=case, kind=ExposureKind.GOLDEN_FINDING).exists()
    assert not Exposure.objects.filter(user=people.reviewer_b).exists()


def test_answers_keep_every_number_with_their_places(case, people) -> None:
    finish_open_pass(make_seat(case, people.reviewer_a))
    seat = claims_seat(people.reviewer_a)
    claim = claims_of(seat)[0].public_id
    assert answer(seat, claim) == 1
    assert answer(seat, claim, 1, exists="yes", severity="high", reason="so it is", anchors=(PLACE,)) == 2
    assert answer(seat, claim, 0, exists="yes", severity="high", reason="so it is", anchors=(PLACE,)) == 2
    assert list(ClaimAnswer.objects.order_by("number").values_list("exists", flat=True)) == ["no", "yes"]
    assert ClaimAnswerAnchor.objects.get().quote.startswith("    for attempt in range")
    with pytest.raises(StaleClaimAnswer) as refusal:
        answer(seat, claim, 1, exists="unsure")
    assert refusal.value.stored.exists == "yes"


def test_unknown_answers_and_places_that_are_not_there_are_refused(case, people) -> None:
    finish_open_pass(make_seat(case, people.reviewer_a))
    seat = claims_seat(people.reviewer_a)
    claim = claims_of(seat)[0].public_id
    for fields, says in (
        ({"exists": "maybe"}, "'maybe' is no answer"),
        ({"severity": "blocker"}, "'blocker' is no severity"),
        ({"reason": "a\0b"}, "cannot be stored"),
        ({"anchors": (AnchorInput(role="primary", path="no.py", side="new", first_line=1, last_line=1),)}, "no file"),
    ):
        with pytest.raises(ClaimRefused, match=says):
            answer(seat, claim, **fields)
    with pytest.raises(NoSuchClaim):
        answer(seat, "XXXXXXXXXX")
    assert not ClaimAnswer.objects.exists()


def test_the_pass_is_submitted_when_every_claim_is_answered_and_keeps_the_open_verdict(case, people) -> None:
    finish_open_pass(make_seat(case, people.reviewer_a), verdict="uncertain")
    seat = claims_seat(people.reviewer_a)
    claims = [claim.public_id for claim in claims_of(seat)]
    for claim in claims[1:]:
        answer(seat, claim)
    with pytest.raises(SubmissionRefused) as refusal:
        submit(assignment=seat, reviewer=seat.reviewer, expected_version=0)
    assert [(gap.label, gap.field) for gap in refusal.value.gaps] == [(1, "exists")]
    answer(seat, claims[0], exists="yes", severity="low", anchors=(PLACE,))
    assert submit(assignment=seat, reviewer=seat.reviewer, expected_version=0).verdict == "uncertain"
    with pytest.raises(SeatClosed):
        answer(seat, claims[0], 1)


@pytest.mark.parametrize(
    ("facts", "fields"),
    [
        (ClaimFacts(1, "", "", "", False), ["exists"]),
        (ClaimFacts(1, "yes", "", "", False), ["severity", "anchors"]),
        (ClaimFacts(1, "yes", "low", "", True), []),
        (ClaimFacts(1, "no", "", "", False), []),
        (ClaimFacts(1, "unsure", "", "", False), []),
        (ClaimFacts(1, "insufficient_context", "", "", False), ["reason"]),
    ],
)
def test_what_an_answer_to_a_claim_needs(facts, fields) -> None:
    assert [gap.field for gap in claim_gaps(facts)] == fields


def test_once_the_claims_are_open_the_open_pass_can_no_longer_change(case, people) -> None:
    seat = make_seat(case, people.reviewer_a)
    make_seat(case, people.reviewer_b)
    finish_open_pass(seat)
    with pytest.raises(ReopenRefused, match="can no longer change"):
        reopen(assignment=seat, lead=people.lead, reason="please")
    with pytest.raises(SeatClosed, match="takes answers to claims"):
        label(claims_seat(people.reviewer_a))
    assert not Label.objects.exists()


def test_claims_are_answered_by_form_and_by_script_and_exist_for_their_owner_only(case, people, client_of) -> None:
    finish_open_pass(make_seat(case, people.reviewer_a))
    seat = claims_seat(people.reviewer_a)
    claim = claims_of(seat)[0].public_id
    kwargs = {"project": case.project.slug, "seat_id": seat.public_id, "claim_id": claim}
    address = reverse("claim_page", kwargs=kwargs)
    client = client_of(people.reviewer_a)
    assert client.post(address, {"exists": "no", "expected_version": "0"}).status_code == 302
    data = client.post(
        address,
        {"exists": "yes", "severity": "high", "places_primary": "pay/retry.py new 10", "expected_version": "1"},
        headers={"Accept": "application/json"},
    ).json()
    assert (data["version"], data["gaps"]) == (2, {})
    stale = client.post(address, {"exists": "unsure", "expected_version": "1"}, headers={"Accept": "application/json"})
    assert stale.status_code == 409
    refused = client.post(address, {"exists": "perhaps", "reason": "kept", "expected_version": "2"})
    assert refused.status_code == 422
    assert ">kept</textarea>" in refused.content.decode()
    for person in (people.reviewer_b, people.lead, people.outsider):
        for verb in ("get", "post", "put", "delete"):
            assert getattr(client_of(person), verb)(address).status_code == 404
    dialogue = client.get(reverse("seat_submit", kwargs={k: kwargs[k] for k in ("project", "seat_id")}))
    assert dialogue.content.decode().count("Say whether the claimed defect exists.") == 3
