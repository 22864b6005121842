"""A reviewer's queue shows their own work alone and what B6 allows of each case."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse

from corpus import clock
from corpus.models import Case
from labeling.domain.assigning import queue_order
from labeling.domain.states import AssignmentState, DeclineReason
from labeling.models import Assignment, Label
from labeling.selectors.queue import open_seats, queue_key
from labeling.services.rounds import open_round, take_next_case, withdraw_case
from labeling.services.seating import assign_seat, decline, expire_due_seats, release_seat
from tests.factories import make_case
from tests.labeling.helpers import shown, submit_seat


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch):
    """Freeze the clock and CSRF salts, so that whole responses can be compared; return what moves the clock."""
    moment = [datetime(2027, 3, 1, 9, 0, tzinfo=UTC)]
    monkeypatch.setattr(clock, "now", lambda: moment[0])
    monkeypatch.setattr("django.middleware.csrf.get_random_string", lambda length, allowed_chars="a": "a" * length)

    def move(**by: int) -> None:
        moment[0] += timedelta(**by)

    return move


def pair_on(case, people):
    round = open_round(case=case, actor=people.lead, reviewers=[people.reviewer_a, people.reviewer_b])
    return list(round.assignments.order_by("slot"))


def test_the_queue_lists_own_open_cases_with_their_draft_and_nothing_hidden(people, project, client_of, still) -> None:
    case = make_case(
        project,
        title="Retry loses the idempotency key",
        message="Charge again on timeout",
        change_author="Mallory Author",
        family="retry-family",
        variant="mutant-7",
        tier="gold-tier",
        tags=("secret-tag",),
    )
    mine, peers = pair_on(case, people)
    Label.objects.create(assignment=mine, number=1, title="own", created_at=clock.now(), saved_at=clock.now())
    Label.objects.create(assignment=peers, number=1, title="peer", created_at=clock.now(), saved_at=clock.now())
    Assignment.objects.filter(pk=mine.pk).update(first_opened_at=clock.now())
    still(minutes=7)
    page = client_of(people.reviewer_a).get(reverse("queue", args=[project.slug]))
    text = shown(page)
    assert "1 case left in your hands, 1 started." in text
    assert f"{case.public_id} payments-api Python 2 files +7 −4 1 label, saved 7 minutes ago no limit" in text
    assert "Continue case" in text
    for hidden in (
        "idempotency",
        "Charge again",
        "Mallory",
        "retry-family",
        "mutant",
        "gold-tier",
        "secret-tag",
        "Ben Reviewer",
    ):
        assert hidden not in page.content.decode()


def test_the_order_of_the_queue_is_the_keyed_hash_of_person_and_case(people, project) -> None:
    cases = [make_case(project) for _ in range(7)]
    for case in cases:
        pair_on(case, people)
    orders = []
    for user in (people.reviewer_a, people.reviewer_b):
        seen = [seat.case.public_id for seat in open_seats(project=project, user=user)]
        wanted = sorted(
            (case.public_id for case in cases),
            key=lambda one, user=user: queue_order(key=queue_key(), person=user.public_id, case=one),
        )
        assert seen == wanted
        orders.append(seen)
    assert orders[0] != orders[1]


def test_the_queue_page_does_not_change_whatever_the_other_reviewer_does(people, project, client_of, still) -> None:
    cases = [make_case(project) for _ in range(4)]
    pairs = [pair_on(case, people) for case in cases]
    submit_seat(pairs[3][0])
    client = client_of(people.reviewer_a)
    address = reverse("queue", args=[project.slug])
    before = client.get(address).content
    for number, (_, peer) in enumerate(pairs):
        Label.objects.create(
            assignment=peer, number=1, title=f"x{number}", created_at=clock.now(), saved_at=clock.now()
        )
    submit_seat(pairs[0][1])
    submit_seat(pairs[3][1])
    decline(assignment=pairs[1][1], reviewer=people.reviewer_b, reason=DeclineReason.OTHER)
    release_seat(assignment=pairs[2][1], actor=people.lead)
    assign_seat(round=pairs[2][1].round, reviewer=people.reviewer_c, actor=people.lead)
    assert client.get(address).content == before


def test_ended_seats_are_told_in_words_and_no_more(people, project, client_of, still) -> None:
    by_state = {}
    for state in ("submitted", "declined", "released", "withdrawn"):
        case = make_case(project)
        mine, _ = pair_on(case, people)
        by_state[state] = mine
    submit_seat(by_state["submitted"])
    decline(assignment=by_state["declined"], reviewer=people.reviewer_a, reason=DeclineReason.CONFLICT)
    release_seat(assignment=by_state["released"], actor=people.lead)
    withdraw_case(case=by_state["withdrawn"].case, actor=people.lead, reason="A customer's token is in it")
    queued = make_case(project)
    open_round(case=queued, actor=people.lead, queue_open=True)
    take_next_case(project=project, reviewer=people.reviewer_a)
    still(hours=80)
    page = client_of(people.reviewer_a).get(reverse("queue", args=[project.slug]))
    text = shown(page)
    assert "No case is in your hands." in text
    assert "5 cases" in text
    assert text.count("taken back by a lead") == 2
    for words in ("submitted", "declined by you", "time is over"):
        assert text.count(words) == 1
    assert "token" not in text
    assert Assignment.objects.get(case=queued).state == AssignmentState.EXPIRED


def test_next_case_takes_one_and_leads_to_it(people, project, client_of) -> None:
    case = make_case(project)
    open_round(case=case, actor=people.lead, queue_open=True)
    client = client_of(people.reviewer_a)
    answer = client.post(reverse("queue_next", args=[project.slug]))
    seat = Assignment.objects.get()
    assert (seat.reviewer, seat.case, seat.slot) == (people.reviewer_a, case, "A")
    assert answer.status_code == 302
    # Asking again, as a double click does, gives the same case and no second seat.
    assert client.post(reverse("queue_next", args=[project.slug])).url == answer.url
    assert Assignment.objects.count() == 1
    assert client.get(reverse("queue_next", args=[project.slug])).status_code == 405


def test_an_empty_queue_says_so_and_points_at_started_work(people, project, client_of) -> None:
    client = client_of(people.reviewer_a)
    page = client.post(reverse("queue_next", args=[project.slug]), follow=True)
    assert "No case waits for you now" in page.content.decode()
    open_round(case=make_case(project), actor=people.lead, queue_open=True)
    seat = take_next_case(project=project, reviewer=people.reviewer_a)
    Assignment.objects.filter(pk=seat.pk).update(first_opened_at=clock.now())
    page = client.post(reverse("queue_next", args=[project.slug]), follow=True)
    assert "Go on with one you have started" in page.content.decode()


def test_a_case_is_declined_with_a_reason_from_the_list_alone(people, project, client_of) -> None:
    mine, _ = pair_on(make_case(project), people)
    client = client_of(people.reviewer_a)
    address = reverse("seat_decline", args=[project.slug, mine.public_id])
    assert "You will not be given this case again" in shown(client.get(address))
    assert client.post(address, {}).status_code == 422
    assert client.post(address, {"reason": "boredom"}).status_code == 422
    mine.refresh_from_db()
    assert mine.state == AssignmentState.ACTIVE
    for _ in range(2):
        page = client.post(address, {"reason": "wrong_expertise"}, follow=True)
        assert f"You gave case {mine.case.public_id} back." in page.content.decode()
    mine.refresh_from_db()
    assert (mine.state, mine.decline_reason) == (AssignmentState.DECLINED, DeclineReason.EXPERTISE)
    assert mine.events.count() == 2


def test_a_seat_that_is_over_cannot_be_declined(people, project, client_of) -> None:
    open_round(case=make_case(project), actor=people.lead, queue_open=True)
    seat = take_next_case(project=project, reviewer=people.reviewer_a)
    expire_due_seats(clock.now() + timedelta(days=4))
    client = client_of(people.reviewer_a)
    address = reverse("seat_decline", args=[project.slug, seat.public_id])
    assert "no longer in your hands" in client.get(address, follow=True).content.decode()
    assert "only an active seat" in client.post(address, {"reason": "other"}, follow=True).content.decode()


def test_foreign_seats_and_foreign_roles_answer_404(people, project, client_of) -> None:
    _, peers = pair_on(make_case(project), people)
    address = reverse("seat_decline", args=[project.slug, peers.public_id])
    for user in (people.reviewer_a, people.reviewer_c, people.lead, people.analyst, people.outsider):
        client = client_of(user)
        assert client.get(address).status_code == 404
        assert client.post(address, {"reason": "other"}).status_code == 404
    for user in (people.analyst, people.outsider):
        assert client_of(user).get(reverse("queue", args=[project.slug])).status_code == 404
    assert client_of(people.lead).post(reverse("queue_next", args=[project.slug])).status_code == 404
    peers.refresh_from_db()
    assert peers.state == AssignmentState.ACTIVE


def test_the_queue_asks_a_constant_number_of_queries_and_never_for_hidden_columns(
    people, project, client_of, django_assert_max_num_queries
) -> None:
    client = client_of(people.reviewer_a)
    address = reverse("queue", args=[project.slug])

    def ask() -> list[str]:
        with django_assert_max_num_queries(40) as captured:
            client.get(address)
        return [query["sql"] for query in captured.captured_queries]

    pair_on(make_case(project), people)
    few = ask()
    for number in range(12):
        mine, _ = pair_on(make_case(project), people)
        if number % 2:
            submit_seat(mine)
    many = ask()
    assert len(many) <= len(few) + 1  # the pages of ended seats are asked for once there are some
    hidden = {"title", "message", "change_author", "patch_id", "family", "split", "source_kind"}
    columns = {f'"{Case._meta.db_table}"."{name}"' for name in hidden}
    assert not [sql for sql in many for column in columns if column in sql]
