"""Correcting pairs by page: what is named before, what is stored, and what a page from before is told."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from django.urls import reverse

from corpus.models import Case, Exposure
from labeling.models import Adjudication, ComparedLabel, Disagreement, PairCorrection
from labeling.selectors.pseudonyms import pseudonyms_of
from tests.factories import make_case
from tests.labeling.adjudicating import GUARD, compared, lines, one, ruled
from tests.labeling.helpers import shown
from tests.labeling.seats import DEFECT

pytestmark = pytest.mark.django_db

MILDER = replace(DEFECT, title="Charged again", severity="medium", anchors=(lines(11, 13),))


@pytest.fixture
def case(project):
    return make_case(project)


@pytest.fixture
def comparison(case, people):
    """A pair that differs in severity, and a label of slot A alone."""
    return compared(case, [people.reviewer_a, people.reviewer_b], [DEFECT, GUARD], [MILDER])


@pytest.fixture
def client(client_of, people):
    return client_of(people.adjudicator)


def url(case: Case, name: str = "adjudication", **kwargs) -> str:
    return reverse(name, kwargs={"project": case.project.slug, "case_id": case.public_id, **kwargs})


def pairing_url(title: str) -> str:
    named = ComparedLabel.objects.get(label__title=title)
    return url(named.comparison.round.case, "adjudication_pairing", label_id=named.public_id)


def fields_of(response) -> dict[str, str]:
    """The fields of the correction form as a browser sends them without a choice of one's own."""
    form = response.content.decode().split('name="act"', 1)[1].split("</form>", 1)[0]
    form = f'<input name="act"{form}'
    sent = {}
    for field in re.findall(r"<input[^>]*>", form):
        attributes = dict(re.findall(r'([\w-]+)="([^"]*)"', field))
        if attributes.get("type") != "radio" or " checked" in field:
            sent[attributes["name"]] = attributes["value"]
    return sent


def test_the_panel_says_why_two_labels_are_paired_and_leads_to_the_correction(case, comparison, client):
    page = client.get(f"{url(case)}?item={one(comparison, 'severity').public_id}")
    text = shown(page)
    # Lines 10-14 and 11-13 share 3 of 5: place cost 1 - (3/5 + 3/3)/2.
    assert "Paired because both name lines 11–13 of pay/retry.py; the category is the same. Distance 0.20;" in text
    assert "the aligner leaves labels alone above 1.60." in text
    first = {"A": DEFECT.title, "B": MILDER.title}[pseudonyms_of(case.public_id).first]
    assert f'href="{pairing_url(first)}"' in page.content.decode()
    alone = client.get(f"{url(case)}?item={one(comparison, 'existence').public_id}")
    assert "Paired with no label of the other side." in shown(alone)
    assert f'href="{pairing_url(GUARD.title)}"' in alone.content.decode()


def test_what_a_correction_supersedes_is_named_before_and_kept_in_the_history(case, comparison, client, people):
    ruled(one(comparison, "severity"), people.lead, "accept_a", rationale="Every day.")
    page = client.get(pairing_url("Charged again"))
    text = shown(page)
    assert "Are these two not the same defect?" in text
    assert "Then asked: existence ×2." in text
    letter = pseudonyms_of(case.public_id).letter("A")
    assert f"Superseded, kept in the history: Severity: Accepted {letter} , required" in text
    assert "“Every day.” Lea Lead" in text
    sent = fields_of(page)
    assert sent["act"] == "unpair"
    answer = client.post(pairing_url("Charged again"), {**sent, "reason": "Two things."})
    about = Disagreement.objects.current().get(label__title="Charged again")
    assert answer["Location"] == f"{url(case)}?item={about.public_id}"
    text = shown(client.get(answer["Location"]))
    assert "Pairing, corrected Unpaired A: “" in text
    assert "“Two things.” Jo Adjudicator" in text
    assert "1 superseded decision" in text
    assert re.search(r"“Every day.” Lea Lead, [^,]*, superseded", text)
    assert Exposure.objects.filter(case=case, user=people.adjudicator, kind="peer_label").exists()


def test_labels_alone_are_offered_the_closest_first_and_paired_by_plain_form(case, comparison, client):
    client.post(pairing_url("Charged again"), fields_of(client.get(pairing_url("Charged again"))))
    page = client.get(pairing_url("Charged again"))
    text = shown(page)
    assert "Which label of the other side is the same defect?" in text
    assert text.index(DEFECT.title) < text.index(GUARD.title)
    assert "No places of theirs are close; the categories differ. Distance 2.10;" in text
    sent = fields_of(page)
    assert sent["partner"] == ComparedLabel.objects.get(label__title=DEFECT.title).public_id
    guard = ComparedLabel.objects.get(label__title=GUARD.title).public_id
    answer = client.post(pairing_url("Charged again"), {**sent, "partner": guard})
    assert answer.status_code == 302
    text = shown(client.get(answer["Location"]))
    assert "An adjudicator paired them. No places of theirs are close; the categories differ." in text
    assert list(PairCorrection.objects.order_by("number").values_list("act", flat=True)) == ["unpair", "pair"]
    items = Disagreement.objects.current().filter(pair__isnull=False)
    assert sorted(items.values_list("kind", flat=True)) == ["anchors_disjoint", "category"]


def test_a_page_from_before_is_told_what_changed_and_keeps_what_was_typed(case, comparison, client, people):
    before = fields_of(client.get(pairing_url("Charged again")))
    ruled(one(comparison, "severity"), people.lead, "reject")
    refused = client.post(pairing_url("Charged again"), {**before, "reason": "Two things."})
    assert refused.status_code == 409
    text = shown(refused)
    assert "Pairs or decisions changed since you opened this" in text
    assert "Superseded, kept in the history: Severity: Rejected" in text
    assert ">Two things.</textarea>" in refused.content.decode()
    again = fields_of(refused)
    assert client.post(pairing_url("Charged again"), again).status_code == 302
    gone = Disagreement.objects.get(kind="severity")
    stale = client.post(
        url(case, "adjudication_decide", item_id=gone.public_id),
        {"outcome": "reject", "reason_code": "duplicate", "rationale": "My long reason", "expected_version": 0},
    )
    assert stale.status_code == 409
    assert "that question is no longer asked; yours is not stored" in shown(stale)
    assert ">My long reason</textarea>" in stale.content.decode()
    assert Adjudication.objects.count() == 1
    assert client.get(f"{url(case)}?item={gone.public_id}").status_code == 200


def test_without_a_choice_nothing_is_stored_and_the_page_says_what_to_choose(case, comparison, client):
    refused = client.post(pairing_url(GUARD.title), {"act": "pair", "partner": "nonsense\x00"})
    assert refused.status_code == 422
    assert "Choose the label of the other side that is the same defect." in shown(refused)
    assert "No label of the other side stands alone." in shown(refused)
    assert not PairCorrection.objects.exists()


def test_a_settled_case_shows_its_agreed_pairs_and_a_correction_opens_it_again(case, client, people):
    compared(case, [people.reviewer_a, people.reviewer_b], [DEFECT], [DEFECT])
    page = client.get(url(case))
    assert "1 finding agreed without a decision." in shown(page)
    [address] = set(re.findall(r'href="([^"]*/pairing/[^"]*)"', page.content.decode()))
    form = client.get(address)
    assert "Then asked: existence ×2." in shown(form)
    assert client.post(address, fields_of(form)).status_code == 302
    case.refresh_from_db()
    assert case.state == "adjudicating"


def test_script_is_given_the_panel_alone(case, comparison, client):
    answer = client.get(pairing_url("Charged again"), headers={"HX-Request": "true"})
    assert answer.content.decode().lstrip().startswith('<section class="work-panel judging-panel" id="panel"')
