"""B1: in two worlds that differ only in hidden work, every answer to the subject is byte for byte the same."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest
from django.db import connection, reset_queries, transaction
from django.http import HttpResponse
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.urls import path

from config import views
from config.urls import urlpatterns
from corpus.domain.vocabulary import Role
from labeling.models import Assignment, Label
from tests.blinding.requests import ROUTES, Ask, route_names
from tests.blinding.worlds import (
    HIDDEN,
    Hidden,
    Moment,
    World,
    build_world,
    nothing,
    partner_says_clean,
    seeded_secrets,
    submit_with,
)

Answers = list[tuple[str, int, bytes, tuple[tuple[str, str], ...], int]]


class Undo(Exception):
    """Leaves a world without a trace."""


def answers_in(
    moment: Moment, hidden: Hidden, also: Role | None, phase: Callable[[World], None], *, third: bool = False
) -> Answers:
    """Build a world, do the hidden work and the subject's own, make every request, and take everything back."""
    collected: Answers = []
    try:
        with transaction.atomic():
            world = build_world(moment, also=also, third=third)
            with seeded_secrets(2):
                phase(world)
            with seeded_secrets(3):
                hidden(world)
            moment.set(6)
            world.seat.refresh_from_db()
            with seeded_secrets(4):
                client = Client(raise_request_exception=False)
                client.force_login(world.subject)
                for asks in ROUTES.values():
                    for ask in asks(world):
                        collected.append(answer(client, ask))
            raise Undo
    except Undo:
        return collected


def answer(client: Client, ask: Ask) -> tuple[str, int, bytes, tuple[tuple[str, str], ...], int]:
    """Return all of an answer: status, body, headers and cookies, and the number of queries it took."""
    # The log of queries has a limit, and what was asked before is not looked at again.
    reset_queries()
    with CaptureQueriesContext(connection) as queries:
        if ask.method == "GET":
            response = client.get(ask.path, headers=ask.headers)
        else:
            response = client.post(ask.path, ask.data, headers=ask.headers)
        body = b"".join(response.streaming_content) if response.streaming else response.content
    cookies = tuple((name, morsel.OutputString()) for name, morsel in sorted(response.cookies.items()))
    headers = tuple(sorted(response.headers.items())) + cookies
    return f"{ask.method} {ask.path}", response.status_code, body, headers, len(queries)


def labelling(world: World) -> None:
    """The subject has just been seated."""


def submitted(world: World) -> None:
    """The subject has submitted for good."""
    world.moment.set(1)
    submit_with(world.seat, world.subject, titles=["my own finding"], verdict="has_defects")


def recallable(world: World) -> None:
    """The subject has submitted and could still recall."""
    world.moment.set(1)
    submit_with(world.seat, world.subject, titles=["my own finding"], verdict="has_defects", final=False)


def partner_agrees(world: World) -> None:
    """The partner writes what the subject wrote, without a submission for good, so that nothing is compared."""
    world.moment.set(4)
    submit_with(world.partner_seat, world.partner, titles=["SECRET but the same"], verdict="has_defects", final=False)


PHASES = {"labelling": labelling, "submitted": submitted, "recallable": recallable}
ALSO = [None, Role.LEAD, Role.ADJUDICATOR, Role.ANALYST]


def drawn(phase: str, also: Role | None) -> Iterator[tuple[str, Hidden]]:
    """Yield the kinds of hidden work that are tried in a phase with a role.

    Every two of phase, role and hidden work meet; all three do where `make blinding` asks for it, which takes three
    times as long.
    """
    shift = ALSO.index(also) - list(PHASES).index(phase)
    for index, (name, hidden) in enumerate(HIDDEN.items()):
        if os.environ.get("TOUCHSTONE_WHOLE_BLINDING") or (index + shift) % len(PHASES) == 0:
            yield name, hidden


def test_every_route_is_asked_for() -> None:
    assert set(route_names()) == set(ROUTES)


def test_every_two_of_phase_role_and_hidden_work_meet() -> None:
    met = {(phase, also, name) for phase in PHASES for also in ALSO for name, _ in drawn(phase, also)}
    assert {(also, name) for _, also, name in met} == {(also, name) for also in ALSO for name in HIDDEN}
    assert {(phase, name) for phase, _, name in met} == {(phase, name) for phase in PHASES for name in HIDDEN}
    assert {(phase, also) for phase, also, _ in met} == {(phase, also) for phase in PHASES for also in ALSO}


@pytest.mark.django_db
@pytest.mark.parametrize("also", ALSO, ids=lambda role: role.value if role else "reviewer only")
@pytest.mark.parametrize("phase", PHASES)
def test_hidden_work_changes_no_byte_that_reaches_the_subject(moment, phase: str, also: Role | None) -> None:
    plain = answers_in(moment, nothing, also, PHASES[phase])
    assert any(status == 200 for _, status, *_ in plain)
    for name, hidden in drawn(phase, also):
        for expected, got in zip(plain, answers_in(moment, hidden, also, PHASES[phase]), strict=True):
            assert got == expected, f"{name}: {got[0]} differs"


@pytest.mark.django_db
@pytest.mark.parametrize("also", [None, Role.LEAD], ids=lambda role: role.value if role else "reviewer only")
def test_that_a_third_seat_was_called_changes_no_byte_that_reaches_the_subject(moment, also: Role | None) -> None:
    plain = answers_in(moment, nothing, also, submitted, third=True)
    called = []
    for hidden in (partner_says_clean, partner_agrees):

        def hide(world: World, hidden: Hidden = hidden) -> None:
            hidden(world)
            called.append(Assignment.objects.filter(case=world.case, slot="C").exists())

        for expected, got in zip(plain, answers_in(moment, hide, also, submitted, third=True), strict=True):
            assert got == expected, f"{hidden.__name__}: {got[0]} differs"
    assert called == [True, False]


LEAKS = {
    "a count": lambda: str(Label.objects.count()),
    "the size of an id": lambda: str(Assignment.objects.order_by("-version")[0].version),
    "a time": lambda: str(Assignment.objects.filter(submitted_at__isnull=False).count()),
}


@pytest.mark.django_db
@pytest.mark.parametrize("leak", LEAKS)
def test_the_comparison_notices_a_leak(moment, monkeypatch, leak: str) -> None:
    """A page that shows one figure of the other seat's work is found out."""
    monkeypatch.setattr(views, "home", lambda request: HttpResponse(LEAKS[leak]()))
    monkeypatch.setattr("tests.blinding.test_non_interference.ROUTES", {"home": ROUTES["home"]})
    with override_settings(ROOT_URLCONF=(path("", views.home, name="home"), *urlpatterns)):
        plain = answers_in(moment, nothing, None, labelling)
        assert any(answers_in(moment, hidden, None, labelling) != plain for hidden in HIDDEN.values())
