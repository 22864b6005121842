"""A third seat called by policy: who is asked, what nobody learns, and how three people's labels are decided."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.urls import reverse

from corpus.models import AuditEntry, Case, CaseSeat, GoldenFinding, WorkingPolicyVersion
from corpus.services.projects import add_version
from labeling.domain.states import Slot, ThirdSeat
from labeling.models import Assignment, Comparison, LabelPair, Round
from labeling.selectors.pairing import Pairing
from labeling.selectors.pseudonyms import pseudonyms_of
from labeling.services import pairing
from labeling.services.comparison import compare_due_rounds
from labeling.services.rounds import open_round, take_next_case
from labeling.services.seating import decline
from labeling.services.third_seats import ThirdSeatRefused, go_on_without_third, is_sampled
from tests.factories import make_case, make_member, make_user
from tests.labeling.adjudicating import GUARD, hand_in, kinds, lines, one, ruled, seats_of
from tests.labeling.helpers import shown
from tests.labeling.seats import DEFECT

pytestmark = pytest.mark.django_db

MILDER = replace(DEFECT, title="Charged again", severity="medium", anchors=(lines(11, 13),))
SAME = replace(DEFECT, title="Charged twice", anchors=(lines(12, 12),))


@pytest.fixture
def policy(project, people):
    """Put a working policy in force that calls a third seat as told, on no other case unless told."""

    def set_policy(**values) -> WorkingPolicyVersion:
        return add_version(WorkingPolicyVersion(**values), project=project, author=people.lead)

    return set_policy


@pytest.fixture
def case(project):
    return make_case(project)


def two_submit(case: Case, people, a=(), b=(), verdicts=("has_defects", "has_defects")) -> Round:
    """Let the first two submit for good; return their round."""
    seats = seats_of(case, [people.reviewer_a, people.reviewer_b])
    hand_in(seats[0], a, verdicts[0])
    hand_in(seats[1], b, verdicts[1])
    case.refresh_from_db()
    return Round.objects.get(pk=seats[0].round_id)


def third_of(case: Case) -> Assignment:
    return Assignment.objects.get(case=case, slot=Slot.C)


def decided(case: Case, people, a=(), b=(), c=(), verdicts=("has_defects",) * 3) -> Comparison:
    """Let three people submit; return what is compared."""
    two_submit(case, people, a, b, verdicts[:2])
    hand_in(third_of(case), c, verdicts[2])
    case.refresh_from_db()
    return Comparison.objects.current().get(round__case=case)


# --- When it is called ----------------------------------------------------------------------------------------------


def test_low_agreement_calls_a_third_person_who_is_drawn_and_labels_blind(case, people, policy):
    policy(third_seat_below=60, third_seat_share=5)
    round_ = two_submit(case, people, [DEFECT, GUARD], [SAME])
    # One pair that differs in nothing of three labels: 66 %.
    assert round_.third_seat in (ThirdSeat.NOT_CALLED, ThirdSeat.SAMPLED)
    other = make_case(case.project)
    round_ = two_submit(other, people, [DEFECT, GUARD], [MILDER])
    assert (round_.third_seat, round_.seats_wanted, round_.state) == ("low_agreement", 3, "open")
    assert other.state == "labelling"
    seat = third_of(other)
    assert (seat.reviewer, seat.state, seat.source, seat.expires_at) == (people.reviewer_c, "active", "draw", None)
    assert CaseSeat.objects.filter(case=other, closed_at__isnull=True).count() == 3
    assert not Comparison.objects.filter(round=round_).exists()
    entry = AuditEntry.objects.get(verb="third seat called", case=other)
    assert (entry.before, entry.after) == ("", "")


def test_without_such_a_policy_nothing_is_called(case, people):
    round_ = two_submit(case, people, [DEFECT, GUARD], [MILDER])
    assert (round_.third_seat, round_.seats_wanted, case.state) == ("", 2, "adjudicating")


def test_a_share_of_agreeing_cases_calls_one_too_and_settles_when_all_agree(case, people, policy):
    policy(third_seat_below=50, third_seat_share=100)
    round_ = two_submit(case, people, [DEFECT], [SAME])
    assert (round_.third_seat, case.state) == ("sampled", "labelling")
    hand_in(third_of(case), [replace(DEFECT, title="Thrice", anchors=(lines(8, 16),))])
    case.refresh_from_db()
    assert (case.state, case.result) == ("settled", "defects")
    finding = GoldenFinding.objects.live().get(case=case)
    revision = finding.revisions.get()
    assert sorted(finding.sources.values_list("slot", flat=True)) == ["A", "B", "C"]
    assert revision.provenance == "agreed"
    # The narrowest of the three places is primary, the others are accepted alternates.
    places = revision.anchors.order_by("pk").values_list("role", "first_line", "last_line")
    assert list(places) == [("primary", 12, 12), ("alternate", 10, 14), ("alternate", 8, 16)]


def test_the_draw_of_the_share_follows_the_servers_secret_and_not_what_leads_see(case, people, settings):
    rounds = [Round(public_id=f"ROUND{n:05}", seed=1) for n in range(2000)]
    drawn = [is_sampled(round_, 20) for round_ in rounds]
    assert 320 < sum(drawn) < 480
    assert drawn == [is_sampled(round_, 20) for round_ in rounds]
    settings.SECRET_KEY = "another secret, long enough for everything that asks"
    assert drawn != [is_sampled(round_, 20) for round_ in rounds]


def test_where_nobody_else_may_sit_two_are_compared(case, people, policy):
    policy(third_seat_below=100, third_seat_share=100)
    people.reviewer_c.is_active = False
    people.reviewer_c.save(update_fields=["is_active"])
    round_ = two_submit(case, people, [DEFECT], [GUARD])
    assert (round_.third_seat, round_.seats_wanted, case.state) == ("nobody", 2, "adjudicating")


def test_a_round_of_the_queue_offers_its_third_seat_there(case, people, policy):
    policy(third_seat_below=100, third_seat_share=5)
    open_round(case=case, actor=people.lead, queue_open=True)
    for user, labels in ((people.reviewer_a, [DEFECT]), (people.reviewer_b, [GUARD])):
        hand_in(take_next_case(project=case.project, reviewer=user), labels)
    assert not Assignment.objects.filter(case=case, slot=Slot.C).exists()
    seat = take_next_case(project=case.project, reviewer=people.reviewer_c)
    assert (seat.slot, seat.case, seat.source) == ("C", case, "queue")
    hand_in(seat, [DEFECT])
    case.refresh_from_db()
    assert case.state == "adjudicating"


def test_a_third_seat_takes_part_in_the_claims_pass(case, people, policy):
    policy(uses_claims=True, third_seat_below=100, third_seat_share=5)
    seats = seats_of(case, [people.reviewer_a, people.reviewer_b])
    hand_in(seats[0], [DEFECT])
    hand_in(seats[1], [GUARD])
    for seat in Assignment.objects.filter(case=case, round__kind="claims").order_by("slot"):
        answer_all(seat)
    seat = third_of(case)
    assert seat.round.kind == "initial"
    hand_in(seat, verdict="clean")
    answer_all(Assignment.objects.get(case=case, round__kind="claims", slot=Slot.C))
    case.refresh_from_db()
    assert case.state == "adjudicating"
    assert Comparison.objects.get(round__case=case).seat_count == 3


def answer_all(seat: Assignment) -> None:
    """Say no to every claim of a claims pass and submit it for good."""
    from labeling.selectors.claims import claims_of
    from labeling.services.claims import ClaimInput, save_claim_answer
    from labeling.services.submission import submit

    for claim in claims_of(seat):
        save_claim_answer(
            assignment=seat,
            reviewer=seat.reviewer,
            claim=claim.public_id,
            fields=ClaimInput(exists="no"),
            expected_version=0,
        )
    submit(assignment=seat, reviewer=seat.reviewer, expected_version=seat.version, final=True)


def test_a_lead_goes_on_with_two_where_the_third_seat_stays_empty(case, people, policy, client_of):
    policy(third_seat_below=100, third_seat_share=5)
    round_ = two_submit(case, people, [DEFECT], [GUARD])
    with pytest.raises(ThirdSeatRefused, match="Somebody sits in the third seat"):
        go_on_without_third(round_=round_, lead=people.lead)
    decline(assignment=third_of(case), reviewer=people.reviewer_c, reason="other")
    lead = client_of(people.lead)
    page = lead.get(reverse("case_seats", args=[case.project.slug, case.public_id]))
    assert "The working policy called a third seat here." in shown(page)
    assert ThirdSeat.LOW_AGREEMENT not in page.content.decode()
    lead.post(reverse("round_without_third", args=[case.project.slug, case.public_id]), {"round": round_.public_id})
    case.refresh_from_db()
    round_.refresh_from_db()
    assert (case.state, round_.third_seat, round_.seats_wanted) == ("adjudicating", "waived", 2)
    assert compare_due_rounds() == []


# --- Two against one ------------------------------------------------------------------------------------------------


def test_two_against_one_is_asked_and_said_as_such_under_drawn_letters(case, people, policy, client_of):
    policy(third_seat_below=100, third_seat_share=5)
    result = decided(case, people, [DEFECT], [MILDER], [SAME])
    assert kinds(result) == ["severity"]
    assert (result.seat_count, result.policy.number) == (3, 2)
    names = pseudonyms_of(case.public_id, seats=3)
    said = {names.letter(slot): severity for slot, severity in (("A", "high"), ("B", "medium"), ("C", "high"))}
    two = " and ".join(letter for letter in "ABC" if said[letter] == "high")
    [against] = [letter for letter in "ABC" if said[letter] == "medium"]
    client = client_of(people.adjudicator)
    page = client.get(reverse("adjudication", args=[case.project.slug, case.public_id]))
    text = shown(page)
    parts = sorted([(two, "say high"), (against, "says medium")])
    assert f"All three found it; {parts[0][0]} {parts[0][1]}, {parts[1][0]} {parts[1][1]}." in text
    assert "two against one" in text
    for letter in "ABC":
        assert f"Accept {letter}" in text
    assert "Reject all" in text
    html = page.content.decode()
    assert html.count('data-slot="c" data-mark-name') == 1
    address = reverse(
        "adjudication_decide", args=[case.project.slug, case.public_id, one(result, "severity").public_id]
    )
    outcome = f"accept_{against.lower()}"
    client.post(address, {"outcome": outcome, "reason_code": "severity_rule", "expected_version": 0})
    stored = one(result, "severity").adjudications.get()
    assert stored.outcome == "accept_b"
    assert stored.golden_revision.severity == "medium"
    case.refresh_from_db()
    assert (case.state, case.result) == ("settled", "defects")


def test_the_third_ones_word_can_be_the_one_that_is_accepted(case, people, policy):
    policy(third_seat_below=100, third_seat_share=5)
    result = decided(case, people, [DEFECT], [MILDER], [replace(SAME, severity="critical")])
    assert one(result, "severity").distance == 2
    act = ruled(one(result, "severity"), people.adjudicator, "accept_c")
    assert act.golden_revision.severity == "critical"


def test_what_two_of_three_found_is_accepted_in_the_words_of_one_of_them(case, people, policy, client_of):
    policy(third_seat_on_verdict=True, third_seat_share=5)
    result = decided(case, people, [DEFECT], [], [SAME], ("has_defects", "clean", "has_defects"))
    assert kinds(result) == ["existence", "verdict"]
    existence = one(result, "existence")
    assert (existence.label, existence.pair.label_a.title, existence.pair.label_b.title) == (
        None,
        DEFECT.title,
        SAME.title,
    )
    names = pseudonyms_of(case.public_id, seats=3)
    found = " and ".join(sorted(names.letter(slot) for slot in "AC"))
    page = client_of(people.adjudicator).get(
        reverse("adjudication", args=[case.project.slug, case.public_id]) + f"?item={existence.public_id}"
    )
    assert f"{found} found it; {names.letter('B')} did not." in shown(page)
    assert "two against one" in shown(page)
    with pytest.raises(Exception, match="did not find it"):
        ruled(existence, people.adjudicator, "accept_b")
    act = ruled(existence, people.adjudicator, "accept_c")
    assert act.golden_revision.title == SAME.title
    assert sorted(act.golden_revision.finding.sources.values_list("slot", flat=True)) == ["A", "C"]
    ruled(one(result, "verdict"), people.adjudicator, "accept_a")
    case.refresh_from_db()
    assert (case.state, case.result) == ("settled", "defects")


def test_a_third_label_is_taken_out_of_a_pair_and_added_to_it_again(case, people, policy):
    policy(third_seat_below=100, third_seat_share=5)
    result = decided(case, people, [DEFECT], [MILDER], [SAME])
    whole = LabelPair.objects.get(comparison=result)
    label = whole.label_c
    plan = Pairing(case, result).unpairing(label)
    pairing.unpair(case=case, adjudicator=people.adjudicator, label=label, digest=plan.digest)
    rows = result.disagreements.asked()
    # The two that stay together differ, and a third person does not have what they found; nor they what she found.
    assert sorted((row.kind, row.pair_id is not None) for row in rows) == [
        ("existence", False),
        ("existence", True),
        ("severity", True),
    ]
    pair = result.pairs.holding().get()
    assert (pair.label_a, pair.label_b, pair.label_c) == (whole.label_a, whole.label_b, None)
    plan = Pairing(case, result).pairing(label, whole.label_b)
    pairing.pair(case=case, adjudicator=people.adjudicator, label=label, partner=whole.label_b, digest=plan.digest)
    assert result.pairs.holding().get() == whole
    assert [row.kind for row in result.disagreements.asked()] == ["severity"]


def test_a_case_is_clean_by_three_clean_verdicts(case, people, policy):
    policy(third_seat_below=50, third_seat_share=100)
    decided(case, people, verdicts=("clean", "clean", "clean"))
    assert (case.state, case.result) == ("settled", "clean")


def test_letters_of_three_are_drawn_so_that_the_third_is_not_told_from_the_others(settings):
    orders = {tuple(pseudonyms_of(f"CASE{n:06}", seats=3).letters.values()) for n in range(200)}
    assert len(orders) == 6
    names = pseudonyms_of("CASE000001", seats=3)
    for slot in "ABC":
        assert names.slot(names.letter(slot)) == slot


# --- Policies about what needs a person -----------------------------------------------------------------------------


def test_severities_within_the_tolerance_need_no_decision_and_the_more_severe_holds(case, people, policy):
    policy(severity_tolerance=1)
    two_submit(case, people, [MILDER], [SAME])
    assert (case.state, case.result) == ("settled", "defects")
    assert GoldenFinding.objects.live().get(case=case).revisions.get().severity == "high"
    further = make_case(case.project)
    two_submit(further, people, [DEFECT], [replace(SAME, severity="low")])
    assert further.state == "adjudicating"


def test_places_apart_need_no_decision_where_the_policy_says_so(case, people, policy):
    policy(asks_about_places=False)
    two_submit(case, people, [replace(DEFECT, anchors=(lines(10, 11),))], [replace(SAME, anchors=(lines(13, 13),))])
    assert case.state == "settled"
    places = GoldenFinding.objects.live().get(case=case).revisions.get().anchors.order_by("pk")
    assert list(places.values_list("role", "first_line", "last_line")) == [("primary", 13, 13), ("alternate", 10, 11)]


def test_the_policy_of_the_comparison_holds_for_later_corrections(case, people, policy):
    policy(severity_tolerance=1)
    two_submit(case, people, [MILDER, GUARD], [SAME])
    policy()
    result = Comparison.objects.get(round__case=case)
    label = LabelPair.objects.get().label_a
    plan = Pairing(case, result).unpairing(label)
    pairing.unpair(case=case, adjudicator=people.adjudicator, label=label, digest=plan.digest)
    partner = LabelPair.objects.get().label_b
    assert Pairing(case, result).pairing(label, partner).new_kinds == ()


def test_the_settings_page_refuses_a_third_seat_that_would_tell(project, people, client_of):
    from tests.corpus.test_project_texts import SUBSTANTIVE, posted

    lead = client_of(people.lead)
    address = reverse("text_edit", args=[project.slug, "policy"])
    data = posted(lead.get(address)) | SUBSTANTIVE | {"third_seat_below": "60", "third_seat_share": "0"}
    refused = lead.post(address, data)
    assert refused.status_code == 422
    assert "Let at least 5 % of all other cases call a third seat too" in shown(refused)
    assert lead.post(address, data | {"third_seat_share": "20", "severity_tolerance": "1"}).status_code == 302
    stored = WorkingPolicyVersion.objects.get(project=project, number=2)
    assert (stored.third_seat_below, stored.third_seat_share, stored.severity_tolerance) == (60, 20, 1)
    assert stored.asks_about_places
    version = lead.get(reverse("text_version", args=[project.slug, "policy", 2]))
    assert "added: below 60 % agreement on a case" in shown(version)
    assert "added: on 20 % of all other cases" in shown(version)


def test_the_reviewers_learn_nothing_of_a_third_seat(case, people, policy, client_of):
    policy(third_seat_below=100, third_seat_share=5)
    two_submit(case, people, [DEFECT], [GUARD])
    spare = make_user("Sue Spare")
    make_member(case.project, spare, "reviewer")
    for user in (people.reviewer_a, people.reviewer_c):
        client = client_of(user)
        text = shown(client.get(reverse("queue", args=[case.project.slug])))
        assert "third" not in text.lower()
    seat = third_of(case)
    page = client_of(people.reviewer_c).get(reverse("workbench", args=[case.project.slug, seat.public_id]))
    assert "slot" not in shown(page).lower()
    assert "third" not in shown(page).lower()
