"""What a reviewer sees of a settled case, where the project allows it, and when they do not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.urls import reverse

from corpus.models import CaseSeat, Exposure, WorkingPolicyVersion
from corpus.services.projects import add_version
from labeling.models import Assignment, Comparison
from labeling.selectors.pseudonyms import pseudonyms_of
from labeling.services.adjudication import undo_decision
from labeling.services.submission import ReopenRefused, reopen
from tests.factories import make_case
from tests.labeling.adjudicating import GUARD, compared, one, ruled
from tests.labeling.helpers import shown
from tests.labeling.seats import DEFECT

pytestmark = pytest.mark.django_db

MILDER = replace(DEFECT, title="Charged again", severity="medium")


@pytest.fixture
def allowed(project, people):
    return add_version(WorkingPolicyVersion(shows_labels_after_settlement=True), project=project, author=people.lead)


@pytest.fixture
def seat(project, people) -> Assignment:
    """Ada's seat of a case that an adjudicator decided."""
    case = make_case(project, title="Hidden title")
    result = compared(case, [people.reviewer_a, people.reviewer_b], [DEFECT, GUARD], [MILDER])
    ruled(one(result, "severity"), people.adjudicator, "accept_b", rationale="Once a day at most.")
    ruled(one(result, "existence"), people.adjudicator, "reject", golden_state="decoy")
    return Assignment.objects.get(case=case, reviewer=people.reviewer_a)


def url(seat: Assignment, name: str = "seat_outcome", **kwargs) -> str:
    return reverse(name, kwargs={"project": seat.case.project.slug, "seat_id": seat.public_id, **kwargs})


def test_a_reviewer_reads_both_sides_and_what_was_decided(seat, people, client_of, allowed):
    client = client_of(people.reviewer_a)
    ended = client.get(url(seat, "workbench"))
    assert f'href="{url(seat)}"' in ended.content.decode()
    assert "whoever looks counts as exposed" in shown(ended)
    page = client.get(url(seat))
    text = shown(page)
    letter = pseudonyms_of(seat.case.public_id).letter("A")
    assert f"You wrote as {letter}." in text
    assert "Settled: it has defects." in text
    assert "Charged again" in text
    assert "“Once a day at most.”" in text
    assert "decoy" in text
    html = page.content.decode()
    for hidden in ("Jo Adjudicator", "Ben Reviewer", "Hidden title", '<form method="post" action="/p/'):
        assert hidden not in html.split("<main", 1)[1].replace(f'action="{reverse("preferences")}"', ""), hidden
    assert set(Exposure.objects.filter(user=people.reviewer_a).values_list("kind", flat=True)) == {
        "peer_label",
        "golden_finding",
    }
    # The change and its files are shown with it.
    assert client.get(url(seat, "seat_file", position=0)).status_code == 200


def test_whoever_looked_does_not_get_their_seat_back(seat, people, client_of, allowed):
    client_of(people.reviewer_a).get(url(seat))
    with pytest.raises(ReopenRefused, match="has seen others' work"):
        reopen(assignment=seat, lead=people.lead, reason="please")
    other = Assignment.objects.get(case=seat.case, reviewer=people.reviewer_b)
    reopen(assignment=other, lead=people.lead, reason="please")
    # The case is labelled again: nobody sees anything of it.
    assert client_of(people.reviewer_a).get(url(seat)).status_code == 404


def test_it_stays_closed_where_the_project_does_not_allow_it(seat, people, client_of):
    client = client_of(people.reviewer_a)
    assert client.get(url(seat)).status_code == 404
    assert "outcome" not in client.get(url(seat, "workbench")).content.decode()
    assert client.get(url(seat, "seat_file", position=0)).status_code == 404
    assert not Exposure.objects.filter(user=people.reviewer_a).exists()


def test_it_is_closed_until_the_case_is_settled_and_again_when_a_decision_is_undone(
    seat, people, client_of, allowed, project
):
    client = client_of(people.reviewer_a)
    assert client.get(url(seat)).status_code == 200
    row = one(Comparison.objects.get(round=seat.round_id), "severity")
    undo_decision(disagreement=row, adjudicator=people.adjudicator, expected_version=row.version)
    assert CaseSeat.objects.filter(case=seat.case, closed_at__isnull=True).count() == 2
    assert client.get(url(seat)).status_code == 404
    fresh = make_case(project)
    compared(fresh, [people.reviewer_a, people.reviewer_b], [DEFECT], [MILDER])
    other = Assignment.objects.get(case=fresh, reviewer=people.reviewer_a)
    assert client.get(url(other)).status_code == 404


def test_another_persons_seat_is_nobody_elses(seat, people, client_of, allowed):
    for user in (people.reviewer_b, people.reviewer_c, people.lead, people.adjudicator):
        assert client_of(user).get(url(seat)).status_code == 404
