"""What only leads see: how complete labels are at most, reviewers by what was decided, and what to mend."""

from __future__ import annotations

import json
from dataclasses import replace
from statistics import mean

import pytest
from django.urls import reverse

from corpus.models import CaseSeat, CorpusVersion, Exposure, GoldenFinding, GuidelinesVersion, VersionCase
from corpus.selectors.version_figures import figures_of
from corpus.services.projects import add_version
from labeling.models import Disagreement, Tally
from labeling.selectors.agreement.missed import missed_defects, missed_defects_for
from labeling.selectors.agreement.repair import guideline_repair
from labeling.selectors.agreement.reviewers import reviewer_quality
from labeling.selectors.agreement.sample import Choice, forget
from labeling.services.adjudication import undo_decision
from tests.factories import make_case
from tests.labeling.adjudicating import GUARD, compared, one, ruled
from tests.labeling.helpers import shown
from tests.labeling.seats import DEFECT
from tests.labeling.tallied import Tallied, alone, both, kind
from tests.unit.scenarios import load

pytestmark = pytest.mark.django_db

REFERENCE = {entry["id"]: entry for entry in load("agreement-reference.json")}
PROOFREADING = REFERENCE["capture-proofreading-10-12-8"]


@pytest.fixture(autouse=True)
def nothing_remembered():
    forget()


@pytest.fixture
def tallied(project, people):
    return Tallied(project, [people.reviewer_a, people.reviewer_b])


@pytest.fixture
def text_of(project, people, client_of):
    def ask(name, query=""):
        response = client_of(people.lead).get(reverse(name, args=[project.slug]) + query)
        assert response.status_code == 200
        return shown(response)

    return ask


def capture(tallied, *, first, second, both_found, **golden):
    """Store one case for each defect, as many as were found by A, by B and by both."""
    for slots, count in (("A", first - both_found), ("B", second - both_found), ("AB", both_found)):
        for _ in range(count):
            tally = tallied.add(kind())
            tallied.golden(tally, [tallied.label(tally, slot) for slot in slots], **golden)


# --- Missed defects -------------------------------------------------------------------------------------------------


def test_the_printed_estimate_of_two_proofreaders_is_reached(tallied, project, people, text_of):
    """10 and 12 found with 8 in common: Chapman says 14.8889, so 14 found are at most 94 %."""
    data = PROOFREADING["data"]
    capture(tallied, first=data["n1"], second=data["n2"], both_found=data["m"])
    found = missed_defects_for(project, people.lead, Choice()).overall
    assert (found.captures.n1, found.captures.n2, found.captures.m) == (10, 12, 8)
    assert 14 / found.at_most == pytest.approx(PROOFREADING["expected"]["chapman"], abs=1e-4)
    # Chao's bias-corrected bound for two reviewers: 14 + 6 x 5 / (2 x 9) / 2.
    assert found.symmetric_at_most == pytest.approx(14 / (14 + 30 / 36))
    assert found.at_most_low < found.at_most < found.at_most_high <= 1
    text = text_of("agreement_missed")
    assert "The labels are at most 94 % complete" in text
    assert "Read it as an upper bound" in text
    study = json.dumps({"n1": 10, "n2": 12, "m": 8})
    assert study in json.dumps(json.loads(download(project, people)))


def download(project, people):
    from django.test import Client

    client = Client()
    client.force_login(people.lead)
    return client.get(reverse("agreement_study", args=[project.slug])).content


def test_below_seven_in_common_there_is_no_estimate(tallied, text_of, project, people):
    capture(tallied, first=8, second=9, both_found=6)
    found = missed_defects_for(project, people.lead, Choice()).overall
    assert (found.is_refused, found.at_most, found.captures.m) == (True, None, 6)
    text = text_of("agreement_missed")
    assert "Not enough overlap: 6 accepted defects found by both" in text
    assert "% complete" not in text


def test_strata_are_shown_only_where_their_own_overlap_suffices(tallied, project, people):
    capture(tallied, first=9, second=8, both_found=7, severity="high", category="boundary")
    capture(tallied, first=5, second=5, both_found=2, severity="low", category="concurrency")
    found = missed_defects_for(project, people.lead, Choice())
    assert [(row.label, row.captures.m, row.is_refused) for row in found.by_severity] == [
        ("high", 7, False),
        ("low", 2, True),
    ]
    assert {row.label: row.is_refused for row in found.by_category} == {"boundary": False, "concurrency": True}


def test_only_required_findings_of_settled_cases_count_and_claims_find_nothing(tallied, project, people):
    tally = tallied.add(kind())
    tallied.golden(tally, [tallied.label(tally, slot) for slot in "AB"])
    for state in ("optional", "decoy", "unresolved"):
        tallied.golden(tally, [tallied.label(tally, "A")], state=state)
    retracted = tallied.golden(tally, [tallied.label(tally, "A")])
    GoldenFinding.objects.filter(pk=retracted.pk).update(retracted_at=tally.labelled_at)
    # Neither found it: both only confirmed it when they were asked.
    tallied.golden(tally, [tallied.label(tally, slot, claims=True) for slot in "AB"])
    waiting = tallied.add(kind(), state="adjudicating")
    tallied.golden(waiting, [tallied.label(waiting, "A")])
    lacking = tallied.add(kind(verdicts=("has_defects", "insufficient_context")))
    tallied.golden(lacking, [tallied.label(lacking, "A")])
    found = missed_defects_for(project, people.lead, Choice())
    assert (found.overall.captures.n1, found.overall.captures.n2, found.overall.captures.m) == (1, 1, 1)
    assert (found.cases, found.found_by_neither) == (1, 1)


def test_a_gate_can_ask_about_the_cases_of_a_version(tallied):
    capture(tallied, first=8, second=8, both_found=8)
    some = Tally.objects.filter(pk__in=Tally.objects.order_by("pk").values("pk")[:7])
    assert missed_defects(some).overall.captures.m == 7
    assert missed_defects(Tally.objects.none()).overall.is_refused


# --- Reviewers ------------------------------------------------------------------------------------------------------


def test_reviewers_are_measured_by_what_was_decided(tallied, project, people):
    """Ada: 3 of 4 judged findings confirmed (one stayed unresolved), 2 of 3 required ones found."""
    first, second = tallied.add(kind()), tallied.add(kind())
    tallied.golden(first, [tallied.label(first, "A", "high"), tallied.label(first, "B", "medium")])
    tallied.golden(first, [tallied.label(first, "A", "critical")], state="optional", severity="medium")
    tallied.golden(first, [tallied.label(first, "A")], state="decoy")
    tallied.golden(first, [tallied.label(first, "A")], state="unresolved")
    tallied.golden(second, [tallied.label(second, "A", "low")], severity="low")
    tallied.golden(second, [tallied.label(second, "B", "note")])
    ada, ben = reviewer_quality(project, people.lead, Choice())
    assert (ada.name, ada.cases, ada.confirmed.counts, ada.found.counts) == ("Ada Reviewer", 2, "3 of 4", "2 of 3")
    assert (ben.confirmed.counts, ben.found.counts) == ("2 of 2", "2 of 3")
    # Three findings are too few for a mean.
    assert (ada.severity.text, ada.severity.units, ada.severity.why) == ("n/a", 3, "fewer than 5")


def test_a_reviewer_s_severity_is_a_signed_mean_with_its_interval(tallied, project, people, text_of):
    steps = [1, 0, 2, 1, 0, 1, 1, 0, 1, 2, 0, 1]
    levels = {0: "medium", 1: "high", 2: "critical"}
    for step in steps:
        tally = tallied.add(kind())
        tallied.golden(tally, [tallied.label(tally, "A", levels[step])])
        tallied.seat(tally, "B")
    ada = reviewer_quality(project, people.lead, Choice())[0]
    assert ada.severity.value == pytest.approx(mean(steps))
    assert ada.severity.low < mean(steps) < ada.severity.high
    assert "+0.83" in text_of("agreement_reviewers")
    assert "favour reviewers whose findings formed the golden set" in text_of("agreement_reviewers")


def test_unsettled_cases_measure_nobody(tallied, project, people):
    tally = tallied.add(kind(), state="adjudicating")
    tallied.golden(tally, [tallied.label(tally, "A")])
    assert reviewer_quality(project, people.lead, Choice()) == ()


def test_a_lead_who_sits_on_a_case_is_told_nothing_of_it(tallied, project, people):
    tally = tallied.add(kind())
    tallied.golden(tally, [tallied.label(tally, slot) for slot in "AB"])
    CaseSeat.objects.create(case=tally.case, user=people.lead, opened_at=tally.labelled_at)
    assert reviewer_quality(project, people.lead, Choice()) == ()
    assert missed_defects_for(project, people.lead, Choice()).cases == 0


# --- Guideline repair -----------------------------------------------------------------------------------------------


def test_categories_mixed_up_beyond_chance_become_a_task_with_their_cases(tallied, project, people, text_of):
    """Four categories in even use; eight of ten differences fall on one pair of the six."""
    for name in ("boundary", "logic", "security", "concurrency"):
        for _ in range(4):
            tallied.add(kind(both((name, name))))
    for _ in range(8):
        tallied.add(kind(both(("logic", "boundary"))))
    for pair in (("security", "concurrency"), ("concurrency", "security")):
        for _ in range(3):
            tallied.add(kind(both(pair), both(pair)))
    tallied.add(kind(both(("logic", "security"))))
    found = guideline_repair(project, people.lead, Choice())
    first = found.confused[0]
    assert ((first.one, first.other), first.cases, first.beyond_chance) == (("boundary", "logic"), 8, True)
    assert [task.text for task in found.tasks] == ["taxonomy"]
    assert found.tasks[0].cases == 8
    text = text_of("agreement_guidelines")
    assert "One reviewer says boundary, the other logic, in 8 cases" in text
    listed = text_of("agreement_cases", "?layer=category&one=boundary&other=logic")
    assert "8 cases" in listed.replace("8 case s", "8 cases")


def test_what_was_mixed_up_under_earlier_guidelines_is_no_task_any_more(tallied, project, people):
    for name in ("boundary", "logic", "security", "concurrency"):
        for _ in range(4):
            tallied.add(kind(both((name, name))))
    for _ in range(8):
        tallied.add(kind(both(("logic", "boundary"))))
    add_version(GuidelinesVersion(text="# Two"), project=project, author=people.lead)
    tallied.add(kind(both(("logic", "logic"))), guidelines=2)
    found = guideline_repair(project, people.lead, Choice())
    assert found.version == 2
    assert [(row.one, row.other, row.cases, row.before) for row in found.confused] == [("boundary", "logic", 0, 8)]
    assert found.tasks == ()


def test_a_version_after_which_agreement_fell_becomes_a_task(tallied, project, people, text_of):
    """30 cases agree under version 1; under version 2 of 30 cases two thirds have a finding that one alone has."""
    for _ in range(30):
        tallied.add(kind(both()), guidelines=1)
    add_version(GuidelinesVersion(text="# Two"), project=project, author=people.lead)
    for number in range(30):
        tallied.add(kind(both() if number % 3 == 0 else alone("first")), guidelines=2)
    step = guideline_repair(project, people.lead, Choice()).steps[0]
    existence = next(change for change in step.changes if change.title == "Existence")
    # F1 falls from 1 to 20 / 40.
    assert (existence.before.text, existence.after.text, existence.difference) == ("1.00", "0.50", "-0.50")
    assert existence.direction == -1
    assert "Agreement on existence fell by 0.50 with version 2 of the guidelines" in text_of("agreement_guidelines")


def test_reasons_and_marked_gaps_are_told_with_their_cases(project, people, text_of):
    reviewers = [people.reviewer_a, people.reviewer_b]
    comparison = compared(
        make_case(project), reviewers, [DEFECT], [replace(DEFECT, severity="low", category="error_handling"), GUARD]
    )
    ruled(one(comparison, "severity"), people.adjudicator, "accept_a", reason_code="severity_rule")
    ruled(
        one(comparison, "category"),
        people.adjudicator,
        "accept_a",
        reason_code="guideline_unclear",
        rationale="The guidelines do not name retries",
        is_guideline_gap=True,
    )
    found = guideline_repair(project, people.lead, Choice())
    assert [(row.code, row.total) for row in found.reasons] == [("severity_rule", 1), ("guideline_unclear", 1)]
    assert [task.seen for task in found.tasks] == ["Adjudicators marked a gap in the guidelines in 1 decision."]
    assert not Exposure.objects.filter(user=people.lead).exists()
    text = text_of("agreement_guidelines")
    assert "The guidelines do not name retries" in text
    seen = Exposure.objects.get(user=people.lead)
    assert (seen.case, seen.kind) == (comparison.round.case, "golden_finding")
    # A decision that is taken back says nothing any more.
    row = Disagreement.objects.get(pk=one(comparison, "category").pk)
    undo_decision(disagreement=row, adjudicator=people.adjudicator, expected_version=row.version)
    assert guideline_repair(project, people.lead, Choice()).gap_count == 0


def test_one_act_on_several_differences_counts_once(project, people):
    reviewers = [people.reviewer_a, people.reviewer_b]
    other = replace(DEFECT, severity="low", category="error_handling")
    comparison = compared(make_case(project), reviewers, [DEFECT], [other])
    ruled(one(comparison, "severity"), people.adjudicator, "reject", reason_code="duplicate")
    found = guideline_repair(project, people.lead, Choice())
    assert [(row.code, row.total) for row in found.reasons] == [("duplicate", 1)]


def test_three_decisions_for_a_reason_that_speaks_of_a_text_become_a_task(project, people):
    reviewers = [people.reviewer_a, people.reviewer_b]
    for number in range(3):
        case = make_case(project, family=str(number))
        comparison = compared(case, reviewers, [DEFECT], [replace(DEFECT, severity="low")])
        ruled(one(comparison, "severity"), people.adjudicator, "accept_a", reason_code="severity_rule")
    tasks = guideline_repair(project, people.lead, Choice()).tasks
    assert [(task.text, task.cases) for task in tasks] == [("severity", 3)]


# --- On a version's receipt -----------------------------------------------------------------------------------------


def test_a_version_s_receipt_tells_the_agreement_on_its_cases(tallied, project, people, client_of):
    """Two cases of the version: one pair, one label alone: F1 is 2 / 3; a third case is in no version."""
    inside = [tallied.add(kind(both())), tallied.add(kind(alone("first")))]
    tallied.add(kind(alone("second")))
    version = CorpusVersion.objects.create(
        project=project, number="1.0.0", manifest=b"{}", manifest_sha256="0" * 64, frozen_by=people.lead,
        frozen_at=inside[0].labelled_at,
    )  # fmt: skip
    for tally in inside:
        VersionCase.objects.create(version=version, case=tally.case, split="dev", case_sha256="1" * 64)
    figures = figures_of(version, people.lead)
    assert [figure.label.split(" (")[0] for figure in figures] == [
        "Verdict", "Existence", "Category", "Severity", "Place",
    ]  # fmt: skip
    # Two findings are too few for a figure, which is said and not guessed.
    assert (figures[1].value, figures[1].counts) == ("n/a", "2 findings")
    text = shown(client_of(people.analyst).get(reverse("version_page", args=[project.slug, "1.0.0"])))
    assert "Agreement on these cases" in text
    assert "Existence (F1 of detection), 2 findings" in text
    CaseSeat.objects.create(case=inside[0].case, user=people.lead, opened_at=inside[0].labelled_at)
    assert figures_of(version, people.lead)[1].counts == "1 finding"
