"""A lead asks for a fresh verdict where every label was rejected, and gives a submitted seat back to its owner."""

from __future__ import annotations

import pytest
from django.urls import reverse

from corpus.domain.vocabulary import Channel, ExposureKind
from corpus.models import Case, Exposure, GoldenFinding
from corpus.services.exposures import record_exposure
from corpus.services.gates import Gate
from corpus.services.version_plan import plan_version
from labeling.models import Assignment, Comparison, Round
from labeling.selectors.rounds import seats_page
from labeling.services.submission import ReopenRefused, reopen
from tests.factories import make_case, make_member, make_user
from tests.labeling.adjudicating import GUARD, compared, hand_in, ruled
from tests.labeling.helpers import shown
from tests.labeling.seats import DEFECT

pytestmark = pytest.mark.django_db


@pytest.fixture
def case(project):
    return make_case(project)


@pytest.fixture
def rejected(case, people):
    """A case whose two labels were both rejected; one of them is kept as a decoy."""
    result = compared(case, [people.reviewer_a, people.reviewer_b], [DEFECT], [GUARD])
    for row, state in zip(result.disagreements.order_by("pk"), ("decoy", ""), strict=True):
        ruled(row, people.adjudicator, "reject", golden_state=state)
    case.refresh_from_db()
    assert (case.state, case.result) == ("settled", "no_finding_adjudicated")
    return case


@pytest.fixture
def fresh_people(project):
    """Two reviewers who have not seen any case."""
    users = [make_user("Dee Reviewer"), make_user("Eli Reviewer")]
    for user in users:
        make_member(project, user, "reviewer")
    return users


@pytest.fixture
def lead(client_of, people):
    return client_of(people.lead)


def clean_gate(case: Case, people) -> Gate:
    """The gate that asks for a clean case, as a freeze would find it now."""
    plan = plan_version(case.project, actor=people.lead)
    return next(gate for gate in plan.gates if gate.key == "clean_case")


def url(case: Case, name: str, **kwargs) -> str:
    return reverse(name, kwargs={"project": case.project.slug, "case_id": case.public_id, **kwargs})


# --- A fresh verdict ------------------------------------------------------------------------------------------------


def test_the_page_of_the_decisions_offers_the_lead_a_fresh_verdict_by_new_people(
    rejected, people, lead, fresh_people, client_of
):
    text = shown(lead.get(url(rejected, "adjudication")))
    assert "Not yet clean" in text
    # Cid was never seated on it, Dee and Eli are new; Ada and Ben labelled it.
    assert "3 may be drawn." in text
    assert "Not yet clean" not in shown(client_of(people.adjudicator).get(url(rejected, "adjudication")))
    answer = lead.post(url(rejected, "round_open"), {"how": "draw"})
    assert answer["Location"] == url(rejected, "case_seats")
    round_ = Round.objects.get(case=rejected, number=2)
    drawn = set(round_.assignments.values_list("reviewer__name", flat=True))
    assert len(drawn) == 2
    assert drawn <= {"Cid Reviewer", "Dee Reviewer", "Eli Reviewer"}
    rejected.refresh_from_db()
    assert rejected.state == "labelling"
    # While it is labelled, nobody reads what was decided before.
    assert lead.get(url(rejected, "adjudication")).status_code == 404


def test_two_clean_verdicts_make_it_clean_for_the_gate_and_keep_the_decoy(rejected, people, lead, fresh_people):
    decoy = GoldenFinding.objects.live().get(case=rejected)
    assert not clean_gate(rejected, people).has_passed
    lead.post(url(rejected, "round_open"), {"how": "draw"})
    for seat in Round.objects.get(case=rejected, number=2).assignments.order_by("slot"):
        hand_in(seat, verdict="clean")
    rejected.refresh_from_db()
    assert (rejected.state, rejected.result) == ("settled", "clean")
    assert clean_gate(rejected, people).has_passed
    assert GoldenFinding.objects.live().get(case=rejected) == decoy
    assert decoy.revisions.order_by("-number")[0].state == "decoy"


def test_labels_of_the_fresh_round_are_decided_as_in_any_and_the_queue_counts_only_them(
    rejected, people, lead, fresh_people
):
    lead.post(url(rejected, "round_open"), {"how": "draw"})
    first, second = Round.objects.get(case=rejected, number=2).assignments.order_by("slot")
    hand_in(first, [DEFECT])
    hand_in(second, verdict="clean")
    rejected.refresh_from_db()
    assert rejected.state == "adjudicating"
    queue = shown(lead.get(reverse("adjudication_queue", args=[rejected.project.slug])))
    assert "2 open disagreements in 1 case" in queue
    for row in Comparison.objects.get(round__number=2).disagreements.order_by("pk"):
        ruled(row, people.adjudicator, "accept_a")
    rejected.refresh_from_db()
    assert (rejected.state, rejected.result) == ("settled", "defects")
    assert [one.revisions.last().state for one in GoldenFinding.objects.live().filter(case=rejected)] == ["required"]


def test_too_few_unexposed_people_are_said_and_the_seats_page_says_who_is_barred(rejected, people, lead):
    page = lead.get(url(rejected, "adjudication"))
    assert "1 may be drawn." in shown(page)
    assert "Too few may be drawn" in shown(page)
    before = Exposure.objects.filter(user=people.lead, case=rejected, kind="golden_finding")
    assert not before.exists()
    seats = shown(lead.get(url(rejected, "case_seats")))
    assert "Ask for a fresh verdict" in seats
    assert "Ada Reviewer They labelled this case in an earlier round." in seats
    assert before.get().channel == "page"


def test_other_settled_cases_are_offered_no_round(case, people, lead):
    compared(case, [people.reviewer_a, people.reviewer_b], [DEFECT], [DEFECT])
    assert "fresh verdict" not in shown(lead.get(url(case, "case_seats")))
    lead.post(url(case, "round_open"), {"how": "draw"})
    assert Round.objects.filter(case=case).count() == 1


def test_the_home_page_leads_to_the_cases_that_wait_for_a_fresh_verdict(rejected, lead):
    home = lead.get(reverse("project_home", args=[rejected.project.slug]))
    assert "1 case is settled with every label rejected" in shown(home)
    address = reverse("adjudication_queue", args=[rejected.project.slug]) + "?show=unclean"
    assert address in home.content.decode()
    assert rejected.public_id in shown(lead.get(address))
    make_other = make_case(rejected.project, repository="other")
    assert make_other.public_id not in shown(lead.get(address))


# --- Reopening ------------------------------------------------------------------------------------------------------


@pytest.fixture
def seat(case, people) -> Assignment:
    """Ada's submitted seat of a compared round whose case settled."""
    compared(case, [people.reviewer_a, people.reviewer_b], [DEFECT], [DEFECT])
    return Assignment.objects.get(case=case, reviewer=people.reviewer_a)


def reopen_url(seat: Assignment) -> str:
    return reverse("seat_reopen", args=[seat.case.project.slug, seat.public_id])


def test_the_page_says_what_reopening_means_before_anything_happens(seat, people, lead):
    page = lead.get(url(seat.case, "case_seats"))
    assert f'href="{reopen_url(seat)}"' in page.content.decode()
    text = shown(lead.get(reopen_url(seat)))
    assert "Reopen the seat of Ada Reviewer" in text
    assert "The case leaves agreement statistics for good" in text
    assert "You count as exposed: you can no longer be given a seat on this case." in text
    assert "a settled case is stale until the seat is submitted again" in text
    seat.refresh_from_db()
    assert seat.state == "submitted"
    assert not Exposure.objects.filter(user=people.lead).exists()


def test_reopening_by_page_needs_a_reason_and_exposes_the_lead(seat, people, lead):
    refused = lead.post(reopen_url(seat), {"reason": " "})
    assert refused.status_code == 422
    assert "Say why: the reason stays on record." in shown(refused)
    answer = lead.post(reopen_url(seat), {"reason": "Ada asked for it."}, follow=True)
    assert "Ada Reviewer can go on with the case. You count as exposed to it." in answer.content.decode()
    seat.refresh_from_db()
    assert (seat.state, seat.is_excluded_from_agreement) == ("active", True)
    seat.case.refresh_from_db()
    assert (seat.case.state, seat.case.stale_reason) == ("stale", "A seat was reopened: Ada asked for it.")
    assert Exposure.objects.get(user=people.lead).case == seat.case
    choices = seats_page(case=seat.case, viewer=people.lead).choices
    assert "Lea Lead" not in [choice.name for choice in choices]


def test_a_seat_that_is_not_submitted_is_not_reopened(seat, lead):
    lead.post(reopen_url(seat), {"reason": "Once"})
    again = lead.post(reopen_url(seat), {"reason": "Twice"})
    assert again.status_code == 422
    assert "Only a submitted seat can be reopened." in shown(again)


def test_whoever_saw_the_others_labels_does_not_get_their_seat_back(seat, people):
    record_exposure(user=people.reviewer_a, cases=[seat.case], kind=ExposureKind.PEER_LABEL, channel=Channel.PAGE)
    with pytest.raises(ReopenRefused, match="has seen others' work"):
        reopen(assignment=seat, lead=people.lead, reason="please")
