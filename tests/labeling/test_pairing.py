"""Corrections of the alignment: what they change, and that no decision is dropped silently or lost."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

import pytest
from django.apps import apps

from corpus.domain.vocabulary import RoundKind
from corpus.models import AuditEntry, CaseSeat, GoldenFinding
from labeling.domain.states import PairState
from labeling.models import Adjudication, ComparedLabel, Comparison, Disagreement, Label, LabelPair, PairCorrection
from labeling.selectors.pairing import Pairing
from labeling.selectors.pseudonyms import pseudonyms_of
from labeling.services import pairing
from labeling.services.adjudicable import NotAdjudicable
from labeling.services.adjudication import QuestionSuperseded
from labeling.services.agreed import accept_all_agreed
from labeling.services.pairing import PairingRefused, StalePairing
from tests.factories import make_case
from tests.labeling.adjudicating import GUARD, compared, kinds, lines, one, ruled
from tests.labeling.seats import DEFECT

pytestmark = pytest.mark.django_db

MILDER = replace(DEFECT, title="Charged again", severity="low", category="error_handling", anchors=(lines(11, 13),))
# Far from the guard's place, in another category: no candidate for the aligner.
ELSEWHERE = replace(GUARD, title="Totals fail", severity="high", category="data_loss", anchors=(lines(2, 3),))


@pytest.fixture
def reviewers(people):
    return [people.reviewer_a, people.reviewer_b]


@pytest.fixture
def jo(people):
    return people.adjudicator


@pytest.fixture
def case(project):
    return make_case(project)


def label(case, title: str) -> Label:
    return Label.objects.get(assignment__case=case, title=title)


def unpair(case, who, title: str, **other) -> PairCorrection:
    """Take a label out of its pair, as a person does who looked a moment ago."""
    comparison = Comparison.objects.current().get(round__case=case)
    plan = Pairing(case, comparison).unpairing(label(case, title))
    digest = plan.digest if plan else ""
    return pairing.unpair(case=case, adjudicator=who, label=label(case, title), **{"digest": digest, **other})


def pair(case, who, first: str, second: str, **other) -> PairCorrection:
    """Pair two labels, as a person does who looked a moment ago."""
    comparison = Comparison.objects.current().get(round__case=case)
    plan = Pairing(case, comparison).pairing(label(case, first), label(case, second))
    return pairing.pair(
        case=case,
        adjudicator=who,
        label=label(case, first),
        partner=label(case, second),
        **{"digest": plan.digest if plan else "", **other},
    )


def asked(case) -> list[tuple[str, str]]:
    """Kind and state of what is asked about a case, by kind and title."""
    rows = Disagreement.objects.current().filter(comparison__round__case=case)
    return sorted((row.kind, row.state) for row in rows)


def titles(case) -> list[str]:
    found = GoldenFinding.objects.live().filter(case=case)
    return sorted(finding.revisions.order_by("-number")[0].title for finding in found)


# --- Taking a pair apart --------------------------------------------------------------------------------------------


def test_a_pair_taken_apart_asks_whether_each_label_exists_and_keeps_the_proposal(case, reviewers, jo):
    result = compared(case, reviewers, [DEFECT], [MILDER])
    assert kinds(result) == ["category", "severity"]
    done = unpair(case, jo, "Charged again", reason="One is about the loop.")
    assert asked(case) == [("existence", "open"), ("existence", "open")]
    proposed = LabelPair.objects.get()
    assert (proposed.state, proposed.origin, proposed.relation) == ("split", "aligner", "overlap")
    assert (done.act, done.pair, done.actor, done.number, done.reason) == (
        "unpair",
        proposed,
        jo,
        1,
        "One is about the loop.",
    )
    assert sorted(Disagreement.objects.filter(state="superseded").values_list("kind", flat=True)) == [
        "category",
        "severity",
    ]
    entry = AuditEntry.objects.get(verb="labels unpaired")
    assert (entry.actor, entry.before, entry.after) == (jo, "0 decisions superseded", "One is about the loop.")
    # Statistics count the proposal, then the pairing as corrected.
    found = [(tally.number, tally.findings.count()) for tally in result.tallies.order_by("number")]
    assert found == [(0, 1), (1, 2)]
    # Worst of the two that are asked about now.
    result.refresh_from_db()
    assert result.worst_rank == 3


def test_decisions_on_a_pair_are_superseded_with_what_they_made_and_stay_in_the_history(case, reviewers, jo):
    result = compared(case, reviewers, [DEFECT, GUARD], [MILDER])
    ruled(one(result, "severity"), jo, "accept_a", rationale="Every day.")
    assert titles(case) == ["A time-out charges twice"]
    unpair(case, jo, "A time-out charges twice")
    assert titles(case) == []
    kept = Adjudication.objects.get()
    assert (kept.undone_at, kept.disagreement.state, kept.rationale) == (None, "superseded", "Every day.")
    assert AuditEntry.objects.get(verb="labels unpaired").before == "1 decision superseded"
    assert asked(case) == [("existence", "open")] * 3


def test_pairing_the_same_labels_again_brings_the_decisions_back(case, reviewers, jo):
    result = compared(case, reviewers, [DEFECT, GUARD], [MILDER])
    severity = one(result, "severity")
    ruled(severity, jo, "accept_b")
    unpair(case, jo, "Charged again")
    pair(case, jo, "Charged again", "A time-out charges twice")
    assert asked(case) == [("category", "open"), ("existence", "open"), ("severity", "decided")]
    assert LabelPair.objects.get().state == PairState.CONFIRMED
    finding = GoldenFinding.objects.live().get()
    assert finding.revisions.order_by("-number")[0].severity == "low"
    # A page that was opened before either correction is refused: the question was away in between.
    severity.refresh_from_db()
    assert severity.version == 3


def test_an_agreed_pair_that_was_accepted_is_taken_apart_with_its_finding(case, reviewers, jo):
    compared(case, reviewers, [DEFECT, GUARD], [replace(DEFECT, title="The same")])
    accept_all_agreed(case=case, adjudicator=jo)
    assert titles(case) != []
    unpair(case, jo, "The same")
    assert titles(case) == []
    assert asked(case) == [("existence", "open")] * 3


def test_a_case_that_settled_by_itself_is_adjudicated_again_and_blind_again(case, reviewers, jo):
    compared(case, reviewers, [DEFECT], [replace(DEFECT, title="The same")])
    assert case.state == "settled"
    unpair(case, jo, "The same")
    case.refresh_from_db()
    assert (case.state, case.result, case.settled_at) == ("adjudicating", "", None)
    assert CaseSeat.objects.filter(case=case, closed_at__isnull=True).count() == 2
    assert titles(case) == []
    for row in Disagreement.objects.current():
        ruled(row, jo, "reject")
    case.refresh_from_db()
    assert (case.state, case.result) == ("settled", "no_finding_adjudicated")


# --- Pairing --------------------------------------------------------------------------------------------------------


def test_labels_that_the_aligner_left_alone_are_paired_with_their_differences(case, reviewers, jo):
    compared(case, reviewers, [GUARD], [ELSEWHERE])
    assert asked(case) == [("existence", "open"), ("existence", "open")]
    pair(case, jo, "Totals fail", "Orders without items raise")
    assert asked(case) == [("anchors_disjoint", "open"), ("category", "open"), ("severity", "open")]
    held = LabelPair.objects.get()
    assert (held.origin, held.state, held.relation) == ("adjudicator", "proposed", "apart")
    # Twice 0.8 for leaving both alone, and 0.5 for the categories.
    assert held.cost == 21_000
    assert held.explanation == "No places of theirs are close; the categories differ."
    assert Disagreement.objects.current().get(kind="severity").distance == 1


def test_decisions_on_labels_alone_are_superseded_when_they_are_paired(case, reviewers, jo):
    result = compared(case, reviewers, [GUARD], [ELSEWHERE])
    ruled(result.disagreements.order_by("pk")[0], jo, "reject", golden_state="decoy")
    assert titles(case) == ["Orders without items raise"]
    pair(case, jo, "Orders without items raise", "Totals fail")
    assert titles(case) == []
    assert Adjudication.objects.get().disagreement.state == "superseded"
    unpair(case, jo, "Totals fail")
    assert asked(case) == [("existence", "decided"), ("existence", "open")]
    assert titles(case) == ["Orders without items raise"]
    assert list(PairCorrection.objects.order_by("number").values_list("number", "act")) == [(1, "pair"), (2, "unpair")]
    with pytest.raises(QuestionSuperseded):
        ruled(Disagreement.objects.filter(state="superseded")[0], jo, "accept_a")


def test_pairing_what_says_the_same_leaves_nothing_to_ask_and_settles_the_case(case, reviewers, jo):
    twin = replace(DEFECT, title="Twin", anchors=(lines(9, 9),))
    other = replace(DEFECT, title="Twin too", anchors=(lines(9, 9),))
    compared(case, reviewers, [twin, GUARD], [other])
    unpair(case, jo, "Twin")
    for row in Disagreement.objects.current().filter(label__title__startswith="Twin"):
        ruled(row, jo, "reject")
    ruled(Disagreement.objects.current().get(label__title=GUARD.title), jo, "reject")
    case.refresh_from_db()
    assert (case.state, case.result) == ("settled", "no_finding_adjudicated")
    pair(case, jo, "Twin", "Twin too")
    case.refresh_from_db()
    assert (case.state, case.result) == ("settled", "defects")
    # The wording is that of the side shown as A.
    assert titles(case) == [{"A": "Twin", "B": "Twin too"}[pseudonyms_of(case.public_id).first]]
    assert GoldenFinding.objects.live().get().revisions.order_by("-number")[0].provenance == "agreed"


def test_a_finding_of_labels_that_a_person_paired_is_no_agreed_one(case, reviewers, jo):
    wide = replace(DEFECT, title="Wide", anchors=(lines(8, 16),))
    near = replace(DEFECT, title="Near", anchors=(lines(8, 16),))
    third = replace(DEFECT, title="Third", anchors=(lines(8, 9),))
    compared(case, reviewers, [wide, third], [near])
    unpair(case, jo, "Wide")
    ruled(Disagreement.objects.current().get(label__title="Wide"), jo, "reject")
    pair(case, jo, "Third", "Near")
    case.refresh_from_db()
    assert case.state == "settled"
    revision = GoldenFinding.objects.live().get().revisions.order_by("-number")[0]
    assert (revision.provenance, revision.decided_by, revision.reason) == (
        "adjudicated",
        jo,
        "An adjudicator paired its labels.",
    )


# --- Refusals and races ---------------------------------------------------------------------------------------------


def test_a_decision_made_since_the_page_was_opened_is_named_before_it_is_superseded(case, reviewers, jo, people):
    result = compared(case, reviewers, [DEFECT, GUARD], [MILDER])
    seen = Pairing(case, result).unpairing(label(case, "Charged again"))
    ruled(one(result, "severity"), people.lead, "accept_a")
    with pytest.raises(StalePairing):
        unpair(case, jo, "Charged again", digest=seen.digest)
    assert not PairCorrection.objects.exists()
    now = Pairing(case, result).unpairing(label(case, "Charged again"))
    assert [row.kind for row in now.ending if row.state == "decided"] == ["severity"]


def test_a_decision_about_something_else_does_not_stand_in_the_way(case, reviewers, jo, people):
    result = compared(case, reviewers, [DEFECT, GUARD], [MILDER])
    seen = Pairing(case, result).unpairing(label(case, "Charged again"))
    ruled(one(result, "existence"), people.lead, "accept_a")
    assert unpair(case, jo, "Charged again", digest=seen.digest).number == 1


def test_repeating_a_correction_answers_the_same_and_another_person_is_refused(case, reviewers, jo, people):
    result = compared(case, reviewers, [DEFECT], [MILDER])
    digest = Pairing(case, result).unpairing(label(case, "Charged again")).digest
    first = unpair(case, jo, "Charged again", digest=digest)
    assert unpair(case, jo, "Charged again", digest=digest) == first
    with pytest.raises(StalePairing):
        unpair(case, people.lead, "Charged again", digest=digest)
    assert PairCorrection.objects.count() == 1


def test_labels_of_one_side_or_taken_ones_cannot_be_paired(case, reviewers, jo):
    compared(case, reviewers, [DEFECT, GUARD], [MILDER])
    for first, second in (("A time-out charges twice", GUARD.title), (GUARD.title, "Charged again")):
        with pytest.raises(StalePairing):
            pair(case, jo, first, second)
    elsewhere = make_case(case.project)
    compared(elsewhere, reviewers, [replace(DEFECT, title="Foreign")], [MILDER])
    with pytest.raises(PairingRefused):
        pairing.unpair(case=case, adjudicator=jo, label=label(elsewhere, "Foreign"), digest="")


def test_a_labeller_corrects_nothing(case, reviewers, people):
    compared(case, reviewers, [DEFECT], [MILDER])
    with pytest.raises(NotAdjudicable):
        unpair(case, people.reviewer_a, "Charged again")


# --- Context that one side lacked -----------------------------------------------------------------------------------


def test_no_existence_is_asked_where_the_other_lacked_the_context(case, reviewers, jo):
    result = compared(
        case,
        reviewers,
        [DEFECT],
        [MILDER],
        verdicts=("has_defects", "insufficient_context"),
        missing=("", "the gateway's documentation"),
    )
    unpair(case, jo, "Charged again")
    rows = result.disagreements.asked().filter(kind="existence")
    # B lacked the context: A's label is not contradicted, B's own is.
    assert [row.label.title for row in rows] == ["Charged again"]


def test_what_was_compared_is_stored_in_its_revision(case, reviewers):
    compared(case, reviewers, [DEFECT, GUARD], [MILDER])
    rows = ComparedLabel.objects.select_related("label__assignment__round")
    assert {(row.label.title, row.revision, row.label.assignment.round.kind) for row in rows} == {
        (DEFECT.title, 1, RoundKind.INITIAL),
        (GUARD.title, 1, RoundKind.INITIAL),
        (MILDER.title, 1, RoundKind.INITIAL),
    }


def test_the_migration_notes_of_older_comparisons_what_took_part(case, reviewers):
    result = compared(case, reviewers, [DEFECT, GUARD], [MILDER])
    before = set(result.compared_labels.values_list("label", "revision"))
    ComparedLabel.objects.all().delete()
    import_module("labeling.migrations.0004_fill_compared_labels").fill(apps, None)
    assert set(result.compared_labels.values_list("label", "revision")) == before
    assert len(before) == 3
