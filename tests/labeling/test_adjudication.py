"""Decisions on disagreements: what each outcome makes of the golden findings, and that no decision is ever lost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corpus.models import AuditEntry, CaseSeat, GoldenFinding, GoldenRevision
from labeling.domain.adjudicating import GoldenInput
from labeling.domain.states import RoundState
from labeling.models import Adjudication, Disagreement, LabelPair, Round
from labeling.selectors.pseudonyms import Pseudonyms, pseudonyms_of
from labeling.services.adjudicable import NotAdjudicable
from labeling.services.adjudication import StaleDecision, decide, undo_decision
from labeling.services.agreed import accept_all_agreed, undo_accept_all
from labeling.services.decision_input import DecisionRefused
from tests.factories import make_case, make_member, make_user
from tests.labeling.adjudicating import GUARD, compared, kinds, lines, one, ruled
from tests.labeling.seats import DEFECT

pytestmark = pytest.mark.django_db

MILDER = replace(DEFECT, title="Charged again", severity="low", category="error_handling", anchors=(lines(11, 13),))
EDITED = GoldenInput(
    title="One charge an attempt",
    severity="critical",
    category="concurrency",
    relation="introduced",
    speculative=False,
    trigger="When the gateway answers late",
    impact="each attempt is booked",
    evidence="no key is passed",
    anchors=(lines(11, 11), lines(8, 16, role="alternate", group=1)),
    mechanism="lost idempotency key",
)


@pytest.fixture
def reviewers(people):
    return [people.reviewer_a, people.reviewer_b]


@pytest.fixture
def jo(people):
    return people.adjudicator


@pytest.fixture
def case(project):
    return make_case(project)


@pytest.fixture
def pair(case, reviewers):
    """A pair whose category and severity differ."""
    return compared(case, reviewers, [DEFECT], [MILDER])


@pytest.fixture
def lone(case, reviewers):
    """A label of A alone."""
    return compared(case, reviewers, [DEFECT, GUARD], [DEFECT])


def newest(case) -> list[GoldenRevision]:
    """The revisions that hold of the case's live findings, by title."""
    found = [finding.revisions.order_by("-number")[0] for finding in GoldenFinding.objects.live().filter(case=case)]
    return sorted(found, key=lambda revision: revision.title)


def places(revision):
    rows = revision.anchors.order_by("pk")
    return [(row.role, row.side, row.first_line, row.last_line) for row in rows]


# --- One label alone ------------------------------------------------------------------------------------------------


def test_an_accepted_lone_label_becomes_a_finding_and_settles_the_case(lone, case, jo):
    act = ruled(one(lone, "existence"), jo, "accept_a", reason_code="missed_by_other", rationale="Seen in the diff.")
    guard, retry = newest(case)
    assert (guard.title, guard.severity, guard.state, guard.provenance) == (
        "A time-out charges twice",
        "high",
        "required",
        "agreed",
    )
    assert (retry.title, retry.state, retry.provenance) == ("Orders without items raise", "required", "adjudicated")
    assert (retry.decided_by, retry.reason) == (jo, "Seen in the diff.")
    assert places(retry) == [("primary", "old", 6, 7)]
    assert act.golden_revision == retry
    assert list(retry.finding.sources.values_list("slot", "label__title")) == [("A", "Orders without items raise")]
    case.refresh_from_db()
    assert (case.state, case.result) == ("settled", "defects")
    assert Round.objects.get().state == RoundState.CLOSED
    assert not CaseSeat.objects.filter(closed_at__isnull=True).exists()
    assert AuditEntry.objects.filter(verb="disagreement decided").get().after == "accept_a, missed_by_other"
    assert AuditEntry.objects.filter(verb="case settled").get().before == "adjudicating"


def test_a_rejected_label_leaves_no_finding(lone, case, jo):
    act = ruled(one(lone, "existence"), jo, "reject")
    assert act.golden_revision is None
    assert [revision.title for revision in newest(case)] == ["A time-out charges twice"]


def test_a_rejected_label_may_stay_as_a_decoy(lone, case, jo):
    ruled(one(lone, "existence"), jo, "reject", golden_state="decoy")
    assert {revision.title: revision.state for revision in newest(case)} == {
        "A time-out charges twice": "required",
        "Orders without items raise": "decoy",
    }


def test_a_case_whose_labels_were_all_rejected_is_not_clean(case, reviewers, jo):
    result = compared(case, reviewers, [DEFECT], [GUARD])
    assert kinds(result) == ["existence", "existence"]
    for row in result.disagreements.all():
        ruled(row, jo, "reject", golden_state="decoy")
    case.refresh_from_db()
    assert (case.state, case.result) == ("settled", "no_finding_adjudicated")


def test_an_unresolved_label_is_kept_and_leaves_the_case_unresolved(lone, case, jo):
    ruled(one(lone, "existence"), jo, "unresolved", reason_code="insufficient_evidence")
    assert [revision.state for revision in newest(case)] == ["required", "unresolved"]
    case.refresh_from_db()
    assert case.result == "unresolved"


def test_an_edited_label_is_stored_as_edited_with_its_places_bound_to_bytes(lone, case, jo):
    act = ruled(one(lone, "existence"), jo, "merge", edited=EDITED, confidence="high", golden_state="optional")
    revision = act.golden_revision
    for name in ("title", "severity", "relation", "speculative", "trigger", "impact", "evidence", "mechanism"):
        assert getattr(revision, name) == getattr(EDITED, name), name
    assert (revision.category.key, revision.confidence, revision.state) == ("concurrency", "high", "optional")
    assert places(revision) == [("primary", "new", 11, 11), ("alternate", "new", 8, 16)]
    assert revision.anchors.get(role="primary").quote.strip() == "try:"
    assert all(len(row.quote_sha256) == 64 and len(row.blob_sha256) == 64 for row in revision.anchors.all())


def test_what_an_accepted_label_counts_as_follows_the_contract_unless_said(case, reviewers, jo):
    older = replace(GUARD, relation="pre_existing")
    result = compared(case, reviewers, [older, DEFECT], [DEFECT])
    row = one(result, "existence")
    assert ruled(row, jo, "accept_a").golden_revision.state == "optional"
    undo(row, jo)
    assert ruled(row, jo, "accept_a", golden_state="required").golden_revision.state == "required"


def undo(row, adjudicator):
    fresh = Disagreement.objects.get(pk=row.pk)
    undo_decision(disagreement=fresh, adjudicator=adjudicator, expected_version=fresh.version)


# --- A pair ---------------------------------------------------------------------------------------------------------


def test_several_differences_of_a_pair_fill_one_finding(pair, case, jo):
    assert kinds(pair) == ["category", "severity"]
    first = ruled(one(pair, "category"), jo, "accept_b")
    case.refresh_from_db()
    assert case.state == "adjudicating"
    second = ruled(one(pair, "severity"), jo, "accept_a")
    assert first.golden_revision.finding == second.golden_revision.finding
    (revision,) = newest(case)
    assert (revision.number, revision.category.key, revision.severity) == (2, "error_handling", "high")
    # The places were not in dispute: the narrower is primary, the other an alternate.
    assert places(revision) == [("primary", "new", 11, 13), ("alternate", "new", 10, 14)]
    shown_first = pseudonyms_of(case.public_id).first
    assert revision.title == {"A": DEFECT.title, "B": MILDER.title}[shown_first]
    assert LabelPair.objects.get().state == "confirmed"
    case.refresh_from_db()
    assert (case.state, case.result) == ("settled", "defects")


def test_a_pair_accepted_from_one_side_throughout_takes_its_wording(pair, case, jo):
    ruled(one(pair, "category"), jo, "accept_b")
    ruled(one(pair, "severity"), jo, "accept_b")
    (revision,) = newest(case)
    assert (revision.title, revision.category.key, revision.severity) == ("Charged again", "error_handling", "low")


def test_a_severity_of_note_makes_the_finding_optional(case, reviewers, jo):
    note = replace(DEFECT, severity="note")
    result = compared(case, reviewers, [DEFECT], [note])
    ruled(one(result, "severity"), jo, "accept_b")
    assert [revision.state for revision in newest(case)] == ["optional"]


def test_disjoint_places_take_the_accepted_side_alone(case, reviewers, jo):
    below = replace(DEFECT, anchors=(lines(15, 16),))
    above = replace(DEFECT, anchors=(lines(12, 13),))
    result = compared(case, reviewers, [above], [below])
    assert kinds(result) == ["anchors_disjoint"]
    ruled(one(result, "anchors_disjoint"), jo, "accept_b")
    assert places(newest(case)[0]) == [("primary", "new", 15, 16)]


def test_a_merge_decides_every_difference_of_the_pair_in_one_act(pair, case, jo):
    act = ruled(one(pair, "severity"), jo, "merge", edited=EDITED)
    assert not pair.disagreements.filter(state="open").exists()
    rows = Adjudication.objects.order_by("pk")
    assert [(row.disagreement.kind, row.outcome, row.along_with) for row in rows] == [
        ("severity", "merge", None),
        ("category", "merge", act),
    ]
    assert {row.golden_revision for row in rows} == {GoldenRevision.objects.get()}
    case.refresh_from_db()
    assert case.state == "settled"


def test_a_rejected_pair_leaves_nothing_and_one_act_undoes_it_whole(pair, case, jo):
    ruled(one(pair, "category"), jo, "accept_b")
    ruled(one(pair, "severity"), jo, "reject")
    assert newest(case) == []
    case.refresh_from_db()
    assert case.result == "no_finding_adjudicated"
    undo(one(pair, "category"), jo)
    assert pair.disagreements.filter(state="open").count() == 2
    case.refresh_from_db()
    assert (case.state, case.result, case.settled_at) == ("adjudicating", "", None)
    # All three decisions are kept.
    assert [(row.outcome, bool(row.undone_at)) for row in Adjudication.objects.order_by("pk")] == [
        ("accept_b", True),
        ("reject", True),
        ("reject", True),
    ]


def test_accepting_one_difference_after_a_rejection_asks_about_the_others_again(case, reviewers, jo):
    result = compared(case, reviewers, [DEFECT, GUARD], [MILDER])
    assert kinds(result) == ["category", "existence", "severity"]
    ruled(one(result, "severity"), jo, "reject")
    assert one(result, "category").state == "decided"
    ruled(one(result, "severity"), jo, "accept_a")
    assert one(result, "category").state == "open"
    assert [(revision.severity, revision.state) for revision in newest(case)] == [("high", "required")]


def test_a_difference_decided_after_a_merge_changes_only_itself(case, reviewers, jo):
    result = compared(case, reviewers, [DEFECT, GUARD], [MILDER])
    ruled(one(result, "severity"), jo, "merge", edited=EDITED)
    ruled(one(result, "severity"), jo, "accept_b")
    (revision,) = newest(case)
    assert (revision.title, revision.severity, revision.number) == (EDITED.title, "low", 2)
    assert places(revision) == [("primary", "new", 11, 11), ("alternate", "new", 8, 16)]


def test_the_confidence_of_a_finding_is_the_deciders_else_the_weaker(case, reviewers, jo):
    result = compared(case, reviewers, [DEFECT, GUARD], [replace(MILDER, confidence="low")])
    assert ruled(one(result, "severity"), jo, "accept_a").golden_revision.confidence == "low"
    assert ruled(one(result, "category"), jo, "accept_a", confidence="medium").golden_revision.confidence == "medium"


# --- Answers on the whole case --------------------------------------------------------------------------------------


def test_a_decided_verdict_settles_what_the_findings_leave_open(case, reviewers, jo):
    result = compared(case, reviewers, [], [DEFECT], verdicts=("clean", "has_defects"))
    assert kinds(result) == ["existence", "verdict"]
    ruled(one(result, "existence"), jo, "reject")
    act = ruled(one(result, "verdict"), jo, "accept_a")
    assert act.verdict == "clean"
    case.refresh_from_db()
    # One clean verdict and an adjudicator's are not two independent clean verdicts (T3).
    assert (case.state, case.result) == ("settled", "no_finding_adjudicated")


def test_another_verdict_than_both_may_be_chosen(case, reviewers, jo):
    result = compared(case, reviewers, [], [], verdicts=("clean", "uncertain"))
    with pytest.raises(DecisionRefused, match="Choose the verdict"):
        ruled(one(result, "verdict"), jo, "merge")
    act = ruled(one(result, "verdict"), jo, "merge", verdict="insufficient_context")
    assert act.verdict == "insufficient_context"
    case.refresh_from_db()
    assert case.result == "unresolved"


def test_verdicts_cannot_be_rejected(case, reviewers, jo):
    result = compared(case, reviewers, [], [], verdicts=("clean", "uncertain"))
    with pytest.raises(DecisionRefused, match="cannot be rejected"):
        ruled(one(result, "verdict"), jo, "reject")
    assert not Adjudication.objects.exists()


LACKING = {"verdicts": ("insufficient_context", "has_defects"), "missing": ("the pool's source", "")}


def test_labels_that_the_other_could_not_judge_are_asked_about_once_the_case_can_be_judged(case, reviewers, jo):
    result = compared(case, reviewers, [], [DEFECT, GUARD], **LACKING)
    assert kinds(result) == ["insufficient_context", "verdict"]
    ruled(one(result, "insufficient_context"), jo, "accept_b")
    # One question: both are decided; each label is now a question of its own.
    assert kinds(result) == ["existence", "existence", "insufficient_context", "verdict"]
    assert result.disagreements.filter(state="open").count() == 2
    for row in result.disagreements.filter(kind="existence"):
        ruled(row, jo, "accept_b")
    case.refresh_from_db()
    assert (case.state, case.result, len(newest(case))) == ("settled", "defects", 2)


def test_labels_stay_unresolved_where_the_context_was_decided_to_be_missing(case, reviewers, jo):
    result = compared(case, reviewers, [], [DEFECT], **LACKING)
    ruled(one(result, "verdict"), jo, "accept_a")
    case.refresh_from_db()
    assert (case.state, case.result) == ("settled", "unresolved")
    (revision,) = newest(case)
    assert (revision.state, revision.title) == ("unresolved", DEFECT.title)


def test_questions_that_a_verdict_raised_go_with_it_when_nobody_answered_them(case, reviewers, jo):
    result = compared(case, reviewers, [], [DEFECT], **LACKING)
    ruled(one(result, "verdict"), jo, "accept_b")
    undo(one(result, "verdict"), jo)
    assert kinds(result) == ["insufficient_context", "verdict"]
    assert result.disagreements.filter(state="open").count() == 2


# --- Versions, repeats, history -------------------------------------------------------------------------------------


def test_the_same_decision_again_changes_nothing(lone, case, jo):
    row = one(lone, "existence")
    sent = {"golden_state": "required", "rationale": "  Seen.\r\n"}
    first = ruled(row, jo, "accept_a", expected_version=0, **sent)
    again = ruled(row, jo, "accept_a", expected_version=0, **sent)
    later = ruled(row, jo, "accept_a", **sent)
    assert first == again == later
    assert (Adjudication.objects.count(), Disagreement.objects.get(pk=row.pk).version) == (1, 1)


def test_the_same_merge_again_changes_nothing(pair, jo):
    row = one(pair, "severity")
    first = ruled(row, jo, "merge", edited=EDITED, expected_version=0)
    assert ruled(row, jo, "merge", edited=EDITED, expected_version=0) == first
    assert GoldenRevision.objects.count() == 1


def test_a_decision_on_an_older_version_is_refused_with_both_versions(lone, case, jo, people):
    row = one(lone, "existence")
    stored = ruled(row, jo, "reject", rationale="Not reachable.")
    with pytest.raises(StaleDecision) as refused:
        ruled(row, people.lead, "accept_a", expected_version=0, rationale="Reachable from refund.")
    assert refused.value.stored == stored
    assert (refused.value.yours.outcome, refused.value.yours.rationale) == ("accept_a", "Reachable from refund.")
    assert refused.value.version == 1
    assert [decision.outcome for decision in Adjudication.objects.all()] == ["reject"]
    assert [revision.title for revision in newest(case)] == ["A time-out charges twice"]


def test_a_revised_decision_keeps_the_former(case, reviewers, jo, people):
    result = compared(case, reviewers, [DEFECT, GUARD], [MILDER])
    row = one(result, "existence")
    ruled(row, jo, "accept_a")
    ruled(row, people.lead, "reject", golden_state="decoy")
    rows = Adjudication.objects.order_by("number")
    assert [(one.number, one.adjudicator, one.outcome) for one in rows] == [
        (1, jo, "accept_a"),
        (2, people.lead, "reject"),
    ]
    (revision,) = newest(case)
    assert (revision.number, revision.state, GoldenFinding.objects.count()) == (2, "decoy", 1)


def test_a_settled_case_takes_no_decision_until_one_is_undone(lone, case, jo):
    row = one(lone, "existence")
    ruled(row, jo, "accept_a")
    with pytest.raises(DecisionRefused, match="settled; undo"):
        ruled(row, jo, "reject")
    undo(row, jo)
    case.refresh_from_db()
    assert (case.state, case.result) == ("adjudicating", "")
    assert Round.objects.get().state == RoundState.COMPARED
    assert CaseSeat.objects.filter(closed_at__isnull=True).count() == 2
    ruled(row, jo, "reject")
    case.refresh_from_db()
    assert (case.state, len(newest(case))) == ("settled", 1)


def test_undoing_an_old_version_is_refused_and_undoing_twice_changes_nothing(lone, jo, people):
    row = one(lone, "existence")
    ruled(row, jo, "accept_a")
    with pytest.raises(StaleDecision):
        undo_decision(disagreement=row, adjudicator=people.lead, expected_version=0)
    undo(row, jo)
    undo(row, jo)
    assert Disagreement.objects.get(pk=row.pk).version == 2


# --- Rights and input -----------------------------------------------------------------------------------------------


def test_nobody_decides_on_a_case_they_labelled(case, reviewers, project, people):
    make_member(project, people.reviewer_a, "adjudicator")
    make_member(project, people.reviewer_b, "lead")
    result = compared(case, reviewers, [DEFECT], [GUARD])
    row = result.disagreements.first()
    for person in (people.reviewer_a, people.reviewer_b, people.reviewer_c, people.analyst, people.outsider):
        with pytest.raises(NotAdjudicable):
            ruled(row, person, "reject")
        with pytest.raises(NotAdjudicable):
            accept_all_agreed(case=case, adjudicator=person)
    assert not Adjudication.objects.exists()


@pytest.mark.parametrize(
    ("sent", "field", "message"),
    [
        ({"outcome": "accept_b"}, "outcome", "That side did not find it"),
        ({"outcome": "split"}, "outcome", "'split' is no outcome that is known."),
        ({"golden_state": "decoy"}, "golden_state", "After accept_a a finding counts as required or optional"),
        ({"golden_state": "vital"}, "golden_state", "'vital' is no golden state that is known."),
        ({"reason_code": ""}, "reason_code", "Choose the reason that decides it."),
        ({"reason_code": "because"}, "reason_code", "'because' is no reason code that is known."),
        ({"reason_code": "other"}, "rationale", "Say the reason in words"),
        ({"confidence": "total"}, "confidence", "'total' is no confidence that is known."),
        ({"rationale": "x" * 10_001}, "rationale", "the limit is 10000"),
        ({"outcome": "merge"}, "edited", "A merge needs the finding"),
        ({"edited": EDITED}, "edited", "Only a merge takes an edited finding."),
        ({"outcome": "merge", "edited": replace(EDITED, impact="")}, "impact", "Say what follows"),
        ({"outcome": "merge", "edited": replace(EDITED, category="magic")}, "category", "'magic' is no category"),
        ({"outcome": "merge", "edited": replace(EDITED, severity="blocker")}, "severity", "'blocker' is no severity"),
        ({"outcome": "merge", "edited": replace(EDITED, anchors=(lines(400, 401),))}, "anchors", "there is no line"),
        ({"outcome": "merge", "edited": replace(EDITED, mechanism="x" * 121)}, "mechanism", "the limit is 120"),
    ],
)
def test_what_cannot_be_stored_is_refused_by_field(lone, jo, sent, field, message):
    row = one(lone, "existence")
    with pytest.raises(DecisionRefused) as refused:
        ruled(row, jo, **{"outcome": "accept_a", **sent})
    assert field in dict(refused.value.errors)
    assert message in dict(refused.value.errors)[field]
    assert not Adjudication.objects.exists()
    assert Disagreement.objects.get(pk=row.pk).state == "open"


def test_every_gap_of_an_edited_finding_is_named(lone, jo):
    with pytest.raises(DecisionRefused) as refused:
        ruled(one(lone, "existence"), jo, "merge", edited=GoldenInput())
    assert [field for field, _ in refused.value.errors] == [
        "severity",
        "category",
        "anchors",
        "relation",
        "speculative",
        "trigger",
        "impact",
    ]


# --- What agrees ----------------------------------------------------------------------------------------------------


def test_all_that_agree_are_accepted_as_one_undoable_act(case, reviewers, jo):
    other = replace(GUARD, severity="low")
    result = compared(case, reviewers, [DEFECT, GUARD], [DEFECT, other])
    accepted = accept_all_agreed(case=case, adjudicator=jo)
    assert [(one.title, one.provenance, one.decided_by) for one in accepted] == [(DEFECT.title, "agreed", jo)]
    assert accept_all_agreed(case=case, adjudicator=jo) == []
    assert undo_accept_all(case=case, adjudicator=jo) == 1
    assert newest(case) == []
    assert undo_accept_all(case=case, adjudicator=jo) == 0
    ruled(one(result, "severity"), jo, "accept_a")
    # Settling accepts them again, as further revisions of the same finding.
    assert [(one.title, one.number, one.provenance) for one in newest(case)] == [
        (DEFECT.title, 2, "agreed"),
        (GUARD.title, 1, "adjudicated"),
    ]
    verbs = AuditEntry.objects.filter(verb__startswith="agreed findings").order_by("pk").values_list("verb", "after")
    assert list(verbs) == [("agreed findings accepted", "1 pairs"), ("agreed findings taken back", "1 pairs")]
    with pytest.raises(DecisionRefused):
        undo_accept_all(case=case, adjudicator=jo)


# --- Pseudonyms -----------------------------------------------------------------------------------------------------


def test_letters_differ_between_cases_and_depend_on_the_secret(settings):
    names = [f"CASE{number}" for number in range(64)]
    before = [pseudonyms_of(name).is_swapped for name in names]
    assert 16 < sum(before) < 48
    assert before == [pseudonyms_of(name).is_swapped for name in names]
    settings.SECRET_KEY = "another-secret-key-that-is-long-enough-0123456789"
    assert before != [pseudonyms_of(name).is_swapped for name in names]


def test_outcomes_translate_between_letters_and_slots():
    swapped, plain = Pseudonyms({"A": "B", "B": "A"}), Pseudonyms({"A": "A", "B": "B"})
    assert swapped.stored("accept_a") == "accept_b"
    assert swapped.shown("accept_b") == "accept_a"
    assert plain.stored("accept_a") == "accept_a"
    assert swapped.stored("reject") == "reject"
    assert (swapped.letter("A"), swapped.slot("A"), swapped.letter("C")) == ("B", "B", "C")
    of_three = Pseudonyms({"A": "C", "B": "A", "C": "B"})
    assert [of_three.stored(outcome) for outcome in ("accept_a", "accept_b", "accept_c")] == [
        "accept_b",
        "accept_c",
        "accept_a",
    ]
    assert [of_three.shown(of_three.stored(outcome)) for outcome in ("accept_a", "merge")] == ["accept_a", "merge"]


def test_a_stranger_to_the_comparison_sees_no_disagreement(lone, people, project):
    other = make_user("Nova Adjudicator")
    assert list(Disagreement.objects.visible_to(other)) == []
    make_member(project, other, "adjudicator")
    assert Disagreement.objects.visible_to(other).count() == 1
    assert list(Disagreement.objects.visible_to(people.reviewer_a)) == []


def test_deciding_needs_the_version_that_was_seen(lone, jo):
    with pytest.raises(TypeError):
        decide(disagreement=one(lone, "existence"), adjudicator=jo, outcome="reject", reason_code="duplicate")
