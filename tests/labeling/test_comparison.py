"""Comparison of stored seats: what becomes a disagreement, what settles by itself, and what a fault may not do."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import timedelta

import pytest

from corpus import clock
from corpus.domain.vocabulary import CaseState, DisagreementKind
from corpus.models import AuditEntry, CaseHunk, CaseSeat, GoldenFinding
from labeling.domain.label_input import AnchorInput
from labeling.domain.states import RoundState
from labeling.models import Assignment, Comparison, GoldenSource, LabelPair, Round
from labeling.selectors.claims import claims_of
from labeling.services import comparison as service
from labeling.services import submission
from labeling.services.claims import ClaimInput, save_claim_answer
from labeling.services.comparison import compare_due_rounds, compare_round, is_due
from labeling.services.rounds import open_round
from labeling.services.submission import recall, save_answer, submit
from tests.factories import make_case
from tests.labeling.adjudicating import GUARD, compared, hand_in, kinds, lines, one, seats_of
from tests.labeling.seats import DEFECT, NOTE, make_seat
from tests.unit.scenarios import load

pytestmark = pytest.mark.django_db


@pytest.fixture
def reviewers(people):
    return [people.reviewer_a, people.reviewer_b]


def test_seats_that_agree_settle_the_case_with_one_finding_recorded_as_agreed(project, reviewers):
    case = make_case(project)
    narrower = replace(DEFECT, title="Charged again", anchors=(lines(11, 13),), confidence="low")
    result = compared(case, reviewers, [DEFECT], [narrower])
    assert kinds(result) == []
    assert (case.state, case.result) == ("settled", "defects")
    revision = GoldenFinding.objects.get(case=case).revisions.get()
    assert (revision.state, revision.provenance, revision.severity) == ("required", "agreed", "high")
    assert revision.confidence == "low"
    places = revision.anchors.order_by("pk").values_list("role", "first_line", "last_line")
    assert list(places) == [("primary", 11, 13), ("alternate", 10, 14)]
    assert sorted(GoldenSource.objects.values_list("slot", "label_revision")) == [("A", 1), ("B", 1)]
    assert not CaseSeat.objects.filter(case=case, closed_at__isnull=True).exists()
    assert Round.objects.get(case=case).state == RoundState.CLOSED


def test_two_clean_verdicts_settle_as_clean(project, reviewers):
    case = make_case(project)
    compared(case, reviewers, verdicts=("clean", "clean"))
    assert (case.state, case.result, GoldenFinding.objects.count()) == ("settled", "clean", 0)


def test_two_uncertain_seats_keep_what_they_both_saw_as_unresolved(project, reviewers):
    case = make_case(project)
    compared(case, reviewers, [DEFECT], [DEFECT], verdicts=("uncertain", "uncertain"))
    assert (case.state, case.result) == ("settled", "unresolved")
    assert GoldenFinding.objects.get().revisions.get().state == "unresolved"


def test_an_agreed_note_is_optional(project, reviewers):
    case = make_case(project)
    compared(case, reviewers, [NOTE], [NOTE], verdicts=("clean", "clean"))
    assert case.result == "clean"
    assert GoldenFinding.objects.get().revisions.get().state == "optional"


def test_both_lacking_context_gives_the_case_back_with_what_is_missing(project, reviewers):
    case = make_case(project)
    lacking = ("insufficient_context", "insufficient_context")
    compared(case, reviewers, verdicts=lacking, missing=("the gateway's API", "the schema"))
    assert (case.state, case.result) == ("incomplete", "")
    assert case.missing.startswith("Both reviewers lacked context: ")
    assert "the gateway's API" in case.missing
    assert "the schema" in case.missing
    assert not CaseSeat.objects.filter(closed_at__isnull=True).exists()


def test_every_difference_of_a_pair_becomes_a_disagreement_of_the_stored_pair(project, reviewers):
    case = make_case(project)
    other = replace(DEFECT, severity="low", category="error_handling")
    result = compared(case, reviewers, [DEFECT], [other, GUARD])
    assert kinds(result) == ["category", "existence", "severity"]
    pair = LabelPair.objects.get()
    assert one(result, "severity").pair == pair
    assert one(result, "severity").distance == 2
    assert pair.explanation == "Paired because both name lines 10–14 of pay/retry.py; the categories differ."
    assert one(result, "existence").label.title == GUARD.title
    assert (result.worst_rank, case.state) == (3, "adjudicating")
    assert AuditEntry.objects.get(verb="round compared").after == "1 pairs, 3 disagreements"
    # Blinded until it settles.
    assert CaseSeat.objects.filter(case=case, closed_at__isnull=True).count() == 2


def test_a_round_waits_until_nobody_can_recall(project, reviewers, monkeypatch):
    case = make_case(project)
    seat_a, seat_b = seats_of(case, reviewers)
    hand_in(seat_a, [DEFECT])
    for seat in (seat_b,):
        submission.save_answer(
            assignment=seat, reviewer=seat.reviewer, verdict="clean", missing_context="", summary="", expected_version=0
        )
        submit(assignment=seat, reviewer=seat.reviewer, expected_version=1)
    assert compare_due_rounds() == []
    recall(assignment=seat_b, reviewer=seat_b.reviewer)
    submit(assignment=seat_b, reviewer=seat_b.reviewer, expected_version=1)
    later = clock.now() + timedelta(minutes=11)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert compare_due_rounds() == [seat_a.round]
    assert kinds(Comparison.objects.get()) == ["existence", "verdict"]
    assert compare_due_rounds() == []


def test_a_round_with_one_seat_submitted_is_not_due(project, reviewers):
    case = make_case(project)
    seat_a, _ = seats_of(case, reviewers)
    hand_in(seat_a, [DEFECT])
    opened = Round.objects.get()
    assert not is_due(opened)
    assert not compare_round(round_=opened)
    assert not Comparison.objects.exists()


def test_due_rounds_wait_for_the_claims_pass_of_everybody(project, reviewers):
    case = make_case(project)
    opened = seats_of(case, reviewers)[0].round
    policy = opened.assignments.get(slot="A").policy
    type(policy).objects.filter(pk=policy.pk).update(uses_claims=True)
    for seat in opened.assignments.all():
        hand_in(seat, verdict="clean")
    assert (compare_due_rounds(), is_due(opened)) == ([], False)
    for seat in Assignment.objects.filter(case=case, round__kind="claims").select_related("round").order_by("slot"):
        assert (list(Round.objects.due(clock.now())), is_due(opened)) == ([], False)
        for claim in claims_of(seat):
            save_claim_answer(
                assignment=seat,
                reviewer=seat.reviewer,
                claim=claim.public_id,
                fields=ClaimInput(exists="no"),
                expected_version=0,
            )
        submit(assignment=seat, reviewer=seat.reviewer, expected_version=0, final=True)
    assert Comparison.objects.get().round == opened
    case.refresh_from_db()
    assert case.state == "settled"


def test_listing_what_is_due_takes_one_query_whatever_is_open(project, reviewers, django_assert_num_queries):
    for _ in range(4):
        seats_of(make_case(project), reviewers)
    with django_assert_num_queries(1):
        assert compare_due_rounds() == []


def test_a_submission_is_stored_when_comparison_fails_and_the_sweep_tries_again(
    project, reviewers, monkeypatch, no_error_is_logged
):
    case, other = make_case(project), make_case(project)
    seat_a, seat_b = seats_of(case, reviewers)
    hand_in(seat_a, [DEFECT])

    def broken(*args: object, **kwargs: object) -> None:
        raise RuntimeError("the aligner broke")

    with monkeypatch.context() as patched:
        patched.setattr(service, "align", broken)
        hand_in(seat_b, [DEFECT])
    assert Assignment.objects.get(pk=seat_b.pk).state == "submitted"
    assert Round.objects.get(case=case).state == RoundState.OPEN
    assert not Comparison.objects.exists()
    logged = [record for record in no_error_is_logged.records if record.levelno >= logging.ERROR]
    assert [record.getMessage() for record in logged] == [
        f"Comparing round {seat_a.round.public_id} failed; the next sweep tries again."
    ]
    assert logged[0].exc_info
    no_error_is_logged.records.clear()
    compared(other, reviewers, [GUARD], [GUARD])
    assert [one.case_id for one in compare_due_rounds()] == [case.pk]
    case.refresh_from_db()
    assert case.state == "settled"


def test_one_round_that_cannot_be_compared_does_not_keep_the_others_waiting(
    project, reviewers, monkeypatch, no_error_is_logged
):
    cases = [make_case(project), make_case(project)]
    whole = service.align
    monkeypatch.setattr(submission, "compare_due_rounds", lambda rounds: [])
    for case in cases:
        for seat in seats_of(case, reviewers):
            hand_in(seat, [DEFECT])
    calls = []

    def broken_once(*args, **kwargs):
        calls.append(args)
        if len(calls) == 1:
            raise RuntimeError("the aligner broke")
        return whole(*args, **kwargs)

    monkeypatch.setattr(service, "align", broken_once)
    assert [one.case_id for one in compare_due_rounds()] == [cases[1].pk]
    assert len(no_error_is_logged.records) == 1
    no_error_is_logged.records.clear()
    assert [one.case_id for one in compare_due_rounds()] == [cases[0].pk]


# --- The scenarios with a right answer, stored as cases ------------------------------------------------------------

# The project's categories that stand for those of the scenarios: equal where they are equal, different elsewhere.
CATEGORIES = {
    "api-misuse": "authorization",
    "concurrency": "concurrency",
    "error-handling": "error_handling",
    "input-validation": "injection",
    "logic": "boundary",
    "performance": "performance",
    "resource-leak": "resource",
    "security": "data_loss",
    "test-gap": "test_quality",
}
SCENARIOS = load("alignment-scenarios.json")
LONG = b"".join(b"line %d\n" % number for number in range(1, 221))


def scenario_trees(scenario):
    """Trees in which every file that is named exists on both sides and is changed: as the hunks say, else line 1."""
    names = {
        place["file"]
        for side in ("a", "b")
        for finding in scenario[side]["findings"]
        for place in [*finding["anchors"], *(one for several in finding.get("alternates", []) for one in several)]
    }
    base = {name.encode(): ("100644", LONG) for name in names}
    head = dict.fromkeys(base, ("100644", LONG.replace(b"line 1\n", b"line one\n")))
    for hunk in scenario.get("case", {}).get("hunks", []):
        # Three lines of context before what is removed and three after it.
        rows = LONG.splitlines(keepends=True)
        removed = (hunk["old"][1] - hunk["old"][0]) - (hunk["new"][1] - hunk["new"][0])
        first = hunk["old"][0] + 2
        head[hunk["file"].encode()] = ("100644", b"".join(rows[:first] + rows[first + removed :]))
    return base, head


def scenario_labels(answers):
    for finding in answers["findings"]:
        groups = [("primary", 0, finding["anchors"])]
        groups += [("alternate", number, group) for number, group in enumerate(finding.get("alternates", []), 1)]
        places = [
            AnchorInput(role, "lines", one["file"], one["side"], first, last, group)
            for role, group, several in groups
            for one in several
            for first, last in one["lines"]
        ]
        yield replace(
            DEFECT,
            title=finding["title"],
            category=CATEGORIES[finding["category"]],
            severity=finding["severity"],
            boundary="from a caller to the store",
            anchors=tuple(places),
        )


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[scenario["id"] for scenario in SCENARIOS])
@pytest.mark.parametrize("is_exchanged", [False, True], ids=["as told", "sides exchanged"])
def test_stored_disagreements_of_a_scenario_are_its_expected_flags(project, reviewers, scenario, is_exchanged):
    base, head = scenario_trees(scenario)
    case = make_case(project, base=base, head=head)
    for hunk in scenario.get("case", {}).get("hunks", []):
        stored = CaseHunk.objects.get(case_file__case=case, case_file__new_path_text=hunk["file"])
        assert (stored.old_start, stored.new_start) == (hunk["old"][0], hunk["new"][0])
    sides = [scenario["a"], scenario["b"]]
    if is_exchanged:
        sides.reverse()
    result = compared(
        case,
        reviewers,
        list(scenario_labels(sides[0])),
        list(scenario_labels(sides[1])),
        verdicts=(sides[0]["verdict"], sides[1]["verdict"]),
        missing=("the runtime", "the runtime"),
    )
    expected = scenario["expected"]
    assert kinds(result) == sorted(flag["type"] for flag in expected["flags"])
    assert (case.state == "adjudicating") is expected["needs_adjudication"]
    assert result.pairs.count() == len(expected["pairs"])
    distances = [flag["distance"] for flag in expected["flags"] if flag["type"] == "severity"]
    assert [row.distance for row in result.disagreements.filter(kind="severity")] == distances


def test_the_scenarios_cover_every_kind_of_disagreement():
    assert {flag["type"] for scenario in SCENARIOS for flag in scenario["expected"]["flags"]} == {
        kind.value for kind in DisagreementKind
    }


def test_a_case_that_both_lacked_context_for_goes_back_to_its_lead_and_on_to_a_new_round(
    project, people, client_of
) -> None:
    case = make_case(project)
    for reviewer in (people.reviewer_a, people.reviewer_b):
        seat = make_seat(case, reviewer)
        save_answer(
            assignment=seat,
            reviewer=reviewer,
            verdict="insufficient_context",
            missing_context="the schema of the queue",
            summary="",
            expected_version=0,
        )
        submit(assignment=seat, reviewer=reviewer, expected_version=1, final=True)
    case.refresh_from_db()
    assert case.state == CaseState.INCOMPLETE
    assert "the schema of the queue" in case.missing
    client = client_of(people.lead)
    page = client.get(f"/p/{project.slug}/cases/{case.public_id}/").content.decode()
    assert "The context is there now" in page
    assert "Give it its change" not in page
    answer = client.post(f"/p/{project.slug}/cases/{case.public_id}/ready/", follow=True).content.decode()
    assert "ready for a new round" in answer
    case.refresh_from_db()
    assert (case.state, case.missing) == (CaseState.READY, "")
    round_ = open_round(case=case, actor=people.lead, queue_open=True)
    assert round_.number == 2
