"""Addresses that nobody would write: odd parameters, huge numbers, foreign verbs. Each is answered, none fails."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlencode

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.urls import reverse

from tests.route_table import PROJECT_ROWS, QUERIES, SITE_ROWS
from tests.route_world import Actor, RouteWorld, build_route_world

NAME = re.compile(r'<(?:input|select|textarea|button)\b[^>]*\bname="([^"]+)"')
LINKED = re.compile(r'href="[^"?]*\?([^"#]+)"')
COMMON = frozenset({"page", "q", "sort", "show", "state", "path", "split", "layout", "label", "next", "case", "line"})
ODD = ("-1", "9" * 40, "x" * 3000, "\u202e\u0430\U0001f4a3 %s{0}", "../../etc/passwd")
HUGE = 10**30
NUMBER = 987654321


class Undo(Exception):
    """Takes back what the block did."""


@contextmanager
def undone() -> Iterator[None]:
    """Take back what a route's page wanted to exist."""
    try:
        with transaction.atomic():
            yield
            raise Undo
    except Undo:
        return


@pytest.fixture
def world(db: None) -> RouteWorld:
    cache.clear()
    built = build_route_world()
    # Made here: what a route makes is taken back.
    assert built.spare
    assert built.versions(True, 2) != built.versions(False, 2)[:1]
    return built


def actor_of(world: RouteWorld, name: str) -> tuple[Actor, Client]:
    [actor] = [one for one in world.actors if one.name == name]
    client = Client(raise_request_exception=False)
    client.force_login(actor.user)
    return actor, client


def faults(client: Client, path: str, query: str) -> Iterator[str]:
    """Yield every address below `path` that is answered by a fault."""
    page = client.get(path + query)
    shown = "" if page.streaming else page.content.decode("utf-8", "replace")
    linked = {
        pair.partition("=")[0] for part in LINKED.findall(shown) for pair in part.replace("&amp;", "&").split("&")
    }
    names = (COMMON | set(NAME.findall(shown)) | linked | set(re.findall(r"(\w+)=", query))) - {"csrfmiddlewaretoken"}
    for odd in ODD:
        for asked in (dict.fromkeys(names, odd), {"page": odd}, {"sort": odd}):
            answer = client.get(path, asked)
            if answer.status_code >= 500:
                yield f"{path}?{urlencode(asked)[:200]}: {answer.status_code}"


def test_no_page_fails_on_odd_parameters(world: RouteWorld) -> None:
    found: list[str] = []
    everything, client = actor_of(world, "every role in both")
    for name, row in PROJECT_ROWS.items():
        if "GET" in row.verbs:
            with undone():
                path = reverse(name, kwargs={"project": world.home.slug, **row.own(world, everything)})
                found += faults(client, path, QUERIES.get(name, ""))
    root, client = actor_of(world, "administrator")
    for name, site_row in SITE_ROWS.items():
        if "GET" in site_row.verbs:
            with undone():
                found += faults(client, reverse(name, kwargs=site_row.own(world, root)), "")
    assert found == []


def test_a_number_that_no_column_holds_is_nobodys(world: RouteWorld) -> None:
    everything, client = actor_of(world, "every role in both")
    asked = 0
    for name, row in PROJECT_ROWS.items():
        with undone():
            params = row.own(world, everything)
            numbers = {key: NUMBER for key, value in params.items() if isinstance(value, int)}
            if numbers:
                asked += 1
                path = reverse(name, kwargs={"project": world.home.slug, **params, **numbers})
                path = path.replace(str(NUMBER), str(HUGE)) + QUERIES.get(name, "")
                for verb in row.verbs:
                    assert client.generic(verb, path).status_code == 404, f"{verb} {path}"
    assert asked > 5
