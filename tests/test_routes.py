"""Every route × everybody × every verb × own and foreign ids: who gets in, and who learns nothing (B5).

The rows are in `tests/route_table.py`. The only exemption is static files, which are no routes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.test.client import ClientHandler
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from pytest_django import DjangoDbBlocker

from tests.route_table import ACCOUNT_ROWS, API_ROWS, FORMS, PROJECT_ROWS, QUERIES, SITE_ROWS, Params, Row, SiteRow
from tests.route_world import Actor, RouteWorld, build_route_world

VERBS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
ClientOf = Callable[[Actor], Client]
SIGN_IN, NOTHING, NO_SUCH_ACT, IN = "sign-in", "404", "405", "in"


def routes() -> Iterator[tuple[str, str, URLPattern]]:
    """Yield name, path and pattern of every route."""

    def walk(patterns: list[URLPattern | URLResolver], prefix: str) -> Iterator[tuple[str, str, URLPattern]]:
        for pattern in patterns:
            path = prefix + str(pattern.pattern)
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns, path)
            else:
                yield pattern.name or path, path, pattern

    yield from walk(get_resolver().url_patterns, "")


def outcome(response: HttpResponse) -> str:
    """Say in a word what an answer is to the one who asked."""
    if response.status_code == 302 and response["Location"].startswith(reverse("account_login")):
        return SIGN_IN
    if response.status_code in {404, 405}:
        return str(response.status_code)
    if response.status_code == 403 or response.status_code >= 500:
        return f"fault {response.status_code}"
    return IN


class Undo(Exception):
    """Takes back what a request did."""


def ask(client: Client, verb: str, path: str, form: str = "") -> str:
    """Make a request that leaves no trace."""
    try:
        with transaction.atomic():
            response = client.generic(verb, path, form, content_type="application/x-www-form-urlencoded")
            raise Undo
    except Undo:
        return outcome(response)


@pytest.fixture(scope="module")
def handler() -> ClientHandler:
    """The middleware, loaded once for all clients."""
    handler = ClientHandler(enforce_csrf_checks=False)
    handler.load_middleware()
    return handler


@pytest.fixture(scope="module")
def standing_world(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[RouteWorld]:
    """Build the two projects once. What a test adds to them goes when its own transaction is rolled back."""
    with django_db_blocker.unblock(), suppress(Undo), transaction.atomic():
        yield build_route_world()
        raise Undo


@pytest.fixture
def world(standing_world: RouteWorld, db: None, monkeypatch: pytest.MonkeyPatch) -> RouteWorld:
    """The two projects. A 404 needs no page here: drawing thousands of them would be most of the time."""
    monkeypatch.setattr("config.urls.handler404", lambda request, exception: HttpResponse(status=404), raising=False)
    return RouteWorld(standing_world.home, standing_world.other, standing_world.actors)


@pytest.fixture
def client_of(handler: ClientHandler) -> ClientOf:
    """Return a function that gives a person's client."""

    def sign_in(actor: Actor) -> Client:
        client = Client(raise_request_exception=False)
        client.handler = handler
        if actor.user is not None:
            client.force_login(actor.user)
        return client

    return sign_in


def test_every_route_has_a_row_and_every_row_a_route() -> None:
    rows = [*PROJECT_ROWS, *SITE_ROWS, *ACCOUNT_ROWS, *API_ROWS]
    assert len(set(rows)) == len(rows)
    names = [name for name, _, _ in routes()]
    assert sorted(names) == sorted(rows)
    below = {name for name, path, _ in routes() if path.startswith("p/<slug:project>/")}
    assert below == set(PROJECT_ROWS)


def test_every_page_of_a_project_carries_the_roles_of_its_row() -> None:
    carried = {
        name: getattr(pattern.callback, "required_roles", None)
        for name, path, pattern in routes()
        if path.startswith("p/")
    }
    assert carried == {name: row.roles for name, row in PROJECT_ROWS.items()}


def expected_in_project(row: Row, actor: Actor, params: Params, verb: str) -> set[str]:
    """Return what an address with the person's own ids may answer."""
    if not actor.is_signed_in:
        return {SIGN_IN}
    if not actor.at_home & row.roles:
        return {NOTHING}
    if verb in row.verbs:
        return {IN}
    # A page with ids may answer an unknown verb like a foreign id; one without tells its members what it can.
    unknown = {NOTHING, NO_SUCH_ACT} if params else {NO_SUCH_ACT}
    return unknown | ({IN} if verb == "HEAD" and "GET" in row.verbs else set())


@pytest.mark.parametrize("name", PROJECT_ROWS)
def test_a_page_of_a_project_answers_by_role_and_hides_foreign_ids(
    world: RouteWorld, client_of: ClientOf, name: str
) -> None:
    row = PROJECT_ROWS[name]
    wrong = []

    def check(actor: Actor, client: Client, verb: str, params: Params, slug: str, expected: set[str]) -> None:
        path = reverse(name, kwargs={"project": slug, **params}) + QUERIES.get(name, "")
        got = ask(client, verb, path, FORMS.get(name, ""))
        if got not in expected:
            wrong.append(f"{actor.name}: {verb} {path}: {got} instead of {' or '.join(sorted(expected))}")

    for actor in world.actors:
        client = client_of(actor)
        own = row.own(world, actor)
        for verb in VERBS:
            check(actor, client, verb, own, world.home.slug, expected_in_project(row, actor, own, verb))
        if len(actor.at_home) > 1:
            check(actor, client, "GET", own, "unheard-of", {NOTHING if actor.is_signed_in else SIGN_IN})
        if not actor.at_home:
            # To them the whole project is foreign, and the loop above has shown it.
            continue
        for foreign in row.foreign(world, actor):
            for verb in VERBS:
                check(actor, client, verb, foreign, world.home.slug, {NOTHING if actor.is_signed_in else SIGN_IN})
    assert not wrong, "\n".join(wrong)


def expected_outside(row: SiteRow, actor: Actor, params: Params, verb: str) -> set[str]:
    """Return what an address with the person's own ids may answer."""
    if not actor.is_signed_in and not row.is_open:
        return {SIGN_IN}
    if actor.is_signed_in and not row.admits(actor):
        # A verb that nobody may use tells nothing of who may use the page.
        return {NOTHING} if verb in row.verbs or params else {NOTHING, NO_SUCH_ACT}
    if verb in row.verbs:
        return {IN}
    unknown = {NOTHING, NO_SUCH_ACT} if params else {NO_SUCH_ACT}
    return unknown | ({IN} if verb == "HEAD" and "GET" in row.verbs else set())


@pytest.mark.parametrize("name", SITE_ROWS)
def test_a_page_outside_projects_answers_by_right_and_hides_foreign_ids(
    world: RouteWorld, client_of: ClientOf, name: str
) -> None:
    row = SITE_ROWS[name]
    wrong = []
    for actor in world.actors:
        client = client_of(actor)
        hidden = {NOTHING} if actor.is_signed_in or row.is_open else {SIGN_IN}
        asked = [(foreign, hidden, True) for foreign in row.foreign(world, actor)]
        for params, expected, is_foreign in [*asked, (row.own(world, actor), set(), False)]:
            path = reverse(name, kwargs=params)
            for verb in VERBS:
                allowed = expected if is_foreign else expected_outside(row, actor, params, verb)
                got = ask(client, verb, path)
                if got not in allowed:
                    wrong.append(f"{actor.name}: {verb} {path}: {got} instead of {' or '.join(sorted(allowed))}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", ACCOUNT_ROWS)
def test_the_sign_in_pages_show_strangers_what_is_theirs_and_fail_for_nobody(
    world: RouteWorld, client_of: ClientOf, name: str
) -> None:
    is_open, params = ACCOUNT_ROWS[name]
    path = reverse(name, kwargs=params)
    actors = [actor for actor in world.actors if actor.name in {"nobody", "outsider", "lead at home", "deactivated"}]
    for actor in actors:
        client = client_of(actor)
        for verb in VERBS:
            got = ask(client, verb, path)
            assert got in {IN, SIGN_IN, NOTHING, NO_SUCH_ACT}, f"{actor.name}: {verb} {path}: {got}"
            if verb == "GET" and not actor.is_signed_in:
                assert (got in {IN, NOTHING}) if is_open else (got == SIGN_IN), f"{verb} {path}: {got}"
