"""What a later edit puts in question, and how it is confirmed (N7)."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from django.urls import reverse

from corpus.defaults import load_defaults
from corpus.models import AuditEntry, Case, CaseSeat, GoldenFinding, GuidelinesVersion, WorkingPolicyVersion
from corpus.services.projects import add_version, store_taxonomy
from labeling.domain.states import RoundState
from labeling.models import Adjudication, Assignment, Comparison, Disagreement, Label
from labeling.selectors.pseudonyms import pseudonyms_of
from labeling.services.adjudicable import NotAdjudicable
from labeling.services.labels import save_label, withdraw_label
from labeling.services.rounds import open_round
from labeling.services.staleness import ConfirmationRefused, confirm_again
from labeling.services.submission import ReopenRefused, reopen
from tests.factories import make_case, make_member, make_user
from tests.labeling.adjudicating import GUARD, compared, hand_in, kinds, lines, one, ruled
from tests.labeling.helpers import shown
from tests.labeling.seats import DEFECT

pytestmark = pytest.mark.django_db


@pytest.fixture
def reviewers(people):
    return [people.reviewer_a, people.reviewer_b]


@pytest.fixture
def cases(project, reviewers, people):
    """Settled about concurrency, about compatibility (rejected), clean; and one that is being adjudicated."""
    concurrency, rejected, clean, waiting = (make_case(project) for _ in range(4))
    compared(concurrency, reviewers, [DEFECT], [DEFECT])
    ruled(one(compared(rejected, reviewers, [GUARD, DEFECT], [DEFECT]), "existence"), people.adjudicator, "reject")
    compared(clean, reviewers, verdicts=("clean", "clean"))
    compared(waiting, reviewers, [DEFECT], [GUARD])
    return concurrency, rejected, clean, waiting


def edit(project, *, scope: str = "", kind: str = "substantive") -> None:
    add_version(
        GuidelinesVersion(text="Anew."), project=project, author=project.created_by, edit_kind=kind, scope=scope
    )


def states(cases) -> list[str]:
    return [Case.objects.get(pk=case.pk).state for case in cases]


def test_a_substantive_edit_makes_every_settled_case_stale_with_the_reason(project, cases):
    edit(project)
    assert states(cases) == ["stale", "stale", "stale", "adjudicating"]
    case = Case.objects.get(pk=cases[0].pk)
    assert case.stale_reason == "Version 2 of the guidelines changed what labels mean."
    assert case.result == "defects"
    entry = AuditEntry.objects.get(verb="case marked stale", case=case)
    assert (entry.before, entry.after, entry.actor) == ("settled", case.stale_reason, project.created_by)


def test_an_editorial_edit_changes_nothing(project, cases):
    edit(project, kind="editorial")
    assert states(cases) == ["settled", "settled", "settled", "adjudicating"]


def test_an_edit_for_one_category_reaches_only_decisions_about_it_rejected_ones_too(project, cases):
    edit(project, scope="compatibility")
    assert states(cases) == ["settled", "stale", "settled", "adjudicating"]
    assert Case.objects.get(pk=cases[1].pk).stale_reason.endswith("changed what labels mean for compatibility.")


def test_a_taxonomy_edit_counts_and_a_working_policy_does_not(project, cases):
    add_version(WorkingPolicyVersion(recall_minutes=3), project=project, author=project.created_by)
    assert "stale" not in states(cases)
    categories = [replace(category, name=f"{category.name}!") for category in load_defaults().categories]
    store_taxonomy(project=project, author=project.created_by, categories=categories, scope="concurrency")
    # The rejected case holds an agreed label of this category as well.
    assert states(cases) == ["stale", "stale", "settled", "adjudicating"]


def test_a_stale_case_is_confirmed_again_with_its_result(project, cases, people):
    edit(project)
    case = cases[0]
    reason = Case.objects.get(pk=case.pk).stale_reason
    with pytest.raises(ConfirmationRefused, match="Something else changed"):
        confirm_again(case=case, actor=people.adjudicator, stale_reason="Something older.")
    for person in (people.reviewer_a, people.reviewer_c, people.analyst, people.outsider):
        with pytest.raises(NotAdjudicable):
            confirm_again(case=case, actor=person, stale_reason=reason)
    assert states([case]) == ["stale"]
    for _ in range(2):
        confirmed = confirm_again(case=case, actor=people.adjudicator, stale_reason=reason)
        assert (confirmed.state, confirmed.result, confirmed.stale_reason) == ("settled", "defects", "")
    entry = AuditEntry.objects.get(verb="case confirmed again")
    assert (entry.before, entry.after) == (f"stale: {reason}", "defects")


def test_a_case_that_is_being_adjudicated_or_labelled_again_cannot_be_confirmed(project, cases, people):
    with pytest.raises(ConfirmationRefused):
        confirm_again(case=cases[3], actor=people.adjudicator, stale_reason="")
    edit(project)
    open_round(case=cases[0], actor=people.lead, queue_open=True)
    with pytest.raises(NotAdjudicable):
        confirm_again(case=cases[0], actor=people.adjudicator, stale_reason="")


def test_a_stale_case_says_why_on_its_page_and_is_confirmed_or_decided_anew_there(project, cases, people, client_of):
    edit(project)
    client = client_of(people.adjudicator)
    kwargs = {"project": project.slug, "case_id": cases[1].public_id}
    assert (
        cases[1].public_id
        in client.get(reverse("adjudication_queue", args=[project.slug]) + "?show=stale").content.decode()
    )
    page = client.get(reverse("adjudication", kwargs=kwargs)).content.decode()
    reason = Case.objects.get(pk=cases[1].pk).stale_reason
    assert reason in page
    assert "Undo and decide again" in page
    [texts] = re.findall(r'name="texts" value="([^"]*)"', page)
    assert texts == "guidelines 2 taxonomy 1 severity 1 contract 1"
    client.post(reverse("adjudication_confirm", kwargs=kwargs), {"stale_reason": reason, "texts": texts})
    assert states([cases[1]]) == ["settled"]
    assert reason not in client.get(reverse("adjudication", kwargs=kwargs)).content.decode()


def test_a_stale_case_shows_what_changed_in_the_texts_since_it_was_decided(project, cases, people, client_of):
    first = GuidelinesVersion.objects.get(project=project)
    line = next(line for line in first.text.splitlines() if len(line) > 40)
    text = first.text.replace(line, "A line that was written anew.")
    add_version(
        GuidelinesVersion(text=text), project=project, author=project.created_by, note="Clearer.", edit_kind="editorial"
    )
    add_version(
        GuidelinesVersion(text=text + "\nAlways name the trigger.\n"),
        project=project,
        author=project.created_by,
        note="Triggers are named.",
        edit_kind="substantive",
    )
    client = client_of(people.adjudicator)
    kwargs = {"project": project.slug, "case_id": cases[0].public_id}
    text = shown(client.get(reverse("adjudication", kwargs=kwargs)))
    assert "What changed since Guidelines, version 1 to 3 Clearer. Triggers are named." in text
    assert "added: Always name the trigger." in text
    assert "added: A line that was written anew." in text
    assert "Taxonomy, version" not in text
    confirm_again(case=cases[0], actor=people.adjudicator, stale_reason=Case.objects.get(pk=cases[0].pk).stale_reason)
    assert "What changed since" not in shown(client.get(reverse("adjudication", kwargs=kwargs)))
    # From now on the confirmed versions are what later ones are compared with.
    edit(project)
    text = shown(client.get(reverse("adjudication", kwargs=kwargs)))
    assert "Guidelines, version 3 to 4" in text


def test_a_text_that_changed_since_the_page_was_opened_has_to_be_read_before_confirming(
    project, cases, people, client_of
):
    edit(project)
    client = client_of(people.adjudicator)
    kwargs = {"project": project.slug, "case_id": cases[0].public_id}
    page = client.get(reverse("adjudication", kwargs=kwargs)).content.decode()
    [texts] = re.findall(r'name="texts" value="([^"]*)"', page)
    add_version(
        GuidelinesVersion(text="Once more."), project=project, author=project.created_by, edit_kind="substantive"
    )
    sent = {"stale_reason": Case.objects.get(pk=cases[0].pk).stale_reason, "texts": texts}
    answer = client.post(reverse("adjudication_confirm", kwargs=kwargs), sent, follow=True)
    assert "Another version of a text came into force since you opened the page" in answer.content.decode()
    assert states([cases[0]]) == ["stale"]


def test_a_case_compared_again_shows_what_changed_in_its_labels_and_the_decisions_of_before(
    project, reviewers, people, client_of
):
    case = make_case(project)
    first = compared(case, reviewers, [DEFECT], [replace(DEFECT, title="Charged again", severity="low")])
    ruled(one(first, "severity"), people.adjudicator, "accept_a", rationale="Every day.")
    reopen(assignment=seat_of(case, "B"), lead=people.lead, reason="wrong tree shown")
    seat = seat_of(case, "B")
    label = Label.objects.get(assignment=seat)
    save_label(
        assignment=seat,
        reviewer=seat.reviewer,
        label=label.public_id,
        fields=replace(DEFECT, title="Charged again", severity="medium", anchors=(lines(11, 12),)),
        expected_version=label.version,
    )
    hand_in(seat)
    case.refresh_from_db()
    assert case.state == "adjudicating"
    page = client_of(people.adjudicator).get(
        reverse("adjudication", kwargs={"project": project.slug, "case_id": case.public_id})
    )
    text = shown(page)
    letter = pseudonyms_of(case.public_id).letter("B")
    assert f"Changed since it was compared before {letter}: “Charged again”" in text
    assert "Severity changed − removed: low + added: medium" in text
    assert "Places changed" in text
    assert "Evidence changed" not in text
    assert re.search("1 superseded decision .*“Every day.” Jo Adjudicator, [^,]*, superseded", text)


def test_deciding_anew_on_a_stale_case_settles_it_without_the_mark(project, reviewers, people):
    case = make_case(project)
    row = one(
        compared(case, reviewers, [DEFECT], [replace(DEFECT, severity="low", anchors=(lines(11, 12),))]), "severity"
    )
    ruled(row, people.adjudicator, "accept_a")
    edit(project, scope="concurrency")
    assert states([case]) == ["stale"]
    from tests.labeling.test_adjudication import undo

    undo(row, people.adjudicator)
    assert states([case]) == ["adjudicating"]
    ruled(row, people.adjudicator, "accept_b")
    case.refresh_from_db()
    assert (case.state, case.stale_reason, case.result) == ("settled", "", "defects")


# --- A reopened seat ------------------------------------------------------------------------------------------------


def seat_of(case, slot: str) -> Assignment:
    return Assignment.objects.get(case=case, slot=slot)


def test_reopening_a_seat_of_a_settled_case_makes_it_stale_and_blinds_everybody_again(
    project, reviewers, people, client_of
):
    case = make_case(project)
    ruled(one(compared(case, reviewers, [DEFECT, GUARD], [DEFECT]), "existence"), people.adjudicator, "accept_a")
    reopen(assignment=seat_of(case, "B"), lead=people.lead, reason="wrong tree shown")
    case.refresh_from_db()
    assert (case.state, case.stale_reason) == ("stale", "A seat was reopened: wrong tree shown")
    assert CaseSeat.objects.filter(case=case, closed_at__isnull=True).count() == 2
    assert case.rounds.get().state == RoundState.OPEN
    seat = seat_of(case, "B")
    assert (seat.state, seat.is_excluded_from_agreement) == ("active", True)
    address = reverse("adjudication", kwargs={"project": project.slug, "case_id": case.public_id})
    assert client_of(people.adjudicator).get(address).status_code == 404
    with pytest.raises(NotAdjudicable):
        confirm_again(case=case, actor=people.adjudicator, stale_reason=case.stale_reason)


def test_a_reopened_round_is_compared_anew_and_no_decision_is_lost(project, reviewers, people):
    case = make_case(project)
    first = compared(case, reviewers, [DEFECT, GUARD], [DEFECT])
    kept = ruled(one(first, "existence"), people.adjudicator, "accept_a")
    agreed = GoldenFinding.objects.exclude(pk=kept.golden_revision.finding_id).get(case=case)
    reopen(assignment=seat_of(case, "B"), lead=people.lead, reason="wrong tree shown")
    hand_in(seat_of(case, "B"), [replace(GUARD, severity="low")])
    case.refresh_from_db()
    second = Comparison.objects.current().get(round__case=case)
    assert (case.state, case.stale_reason) == ("adjudicating", "")
    assert (second != first, Comparison.objects.get(pk=first.pk).superseded_at is not None) == (True, True)
    assert kinds(second) == ["severity"]
    # The former decision is history: nothing of it can be decided or undone any more.
    assert Adjudication.objects.get().pk == kept.pk
    with pytest.raises(NotAdjudicable):
        ruled(one(first, "existence"), people.adjudicator, "reject")
    assert not Disagreement.objects.open().filter(comparison=first).exists()
    ruled(one(second, "severity"), people.adjudicator, "accept_b")
    live = GoldenFinding.objects.live().filter(case=case)
    # What two labels agreed on is the same finding as before; what one label alone had made is replaced by the pair's.
    assert agreed in live
    assert agreed.revisions.count() == 2
    assert sorted(one.revisions.last().severity for one in live) == ["high", "low"]
    assert GoldenFinding.objects.get(pk=kept.golden_revision.finding_id).retracted_at is not None
    case.refresh_from_db()
    assert (case.state, case.result) == ("settled", "defects")


def test_reopening_while_adjudicating_takes_the_case_back_to_labelling(project, reviewers, people):
    case = make_case(project)
    result = compared(case, reviewers, [DEFECT, GUARD], [GUARD])
    reopen(assignment=seat_of(case, "A"), lead=people.lead, reason="asked for")
    case.refresh_from_db()
    assert case.state == "labelling"
    with pytest.raises(NotAdjudicable):
        ruled(one(result, "existence"), people.adjudicator, "reject")
    withdraw_label(
        assignment=seat_of(case, "A"),
        reviewer=reviewers[0],
        label=seat_of(case, "A").labels.get(title=DEFECT.title).public_id,
    )
    hand_in(seat_of(case, "A"))
    case.refresh_from_db()
    assert (case.state, case.result) == ("settled", "defects")


def test_only_the_newest_round_is_reopened(project, reviewers, people):
    case = make_case(project)
    for row in compared(case, reviewers, [DEFECT], [GUARD]).disagreements.all():
        ruled(row, people.adjudicator, "reject")
    old = seat_of(case, "A")
    open_round(case=case, actor=people.lead, queue_open=True)
    with pytest.raises(ReopenRefused, match="open a new round"):
        reopen(assignment=old, lead=people.lead, reason="too late")


def test_a_fresh_open_pass_replaces_what_the_earlier_one_found(project, people):
    case = make_case(project)
    compared(case, [people.reviewer_a, people.reviewer_b], [DEFECT, GUARD], [DEFECT, GUARD])
    edit(project)
    fourth = make_user("Dot Reviewer")
    make_member(project, fourth, "reviewer")
    compared(case, [people.reviewer_c, fourth], [GUARD], [GUARD])
    assert (case.state, case.result) == ("settled", "defects")
    assert [one.revisions.last().title for one in GoldenFinding.objects.live().filter(case=case)] == [GUARD.title]
    assert GoldenFinding.objects.filter(case=case).count() == 3
