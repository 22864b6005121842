"""The menu and the links of pages lead where a person may go, and everywhere they should."""

from __future__ import annotations

import html
import re
from collections import Counter
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.urls import resolve, reverse

from config.navigation import PLACES
from corpus.domain.vocabulary import Role
from tests.route_table import PROJECT_ROWS
from tests.route_world import RouteWorld, build_route_world

# A lead or adjudicator gets a seat only by name; their home page leads to it, since their menu has no use for it.
SEATED_BY_NAME = {("Queue", Role.LEAD), ("Queue", Role.ADJUDICATOR)}
HREF = re.compile(r'href="([^"#]+)')
PER_ROUTE = 2


@pytest.fixture
def world(db: None) -> RouteWorld:
    built = build_route_world()
    built.versions(True, 1)
    built.case()
    built.ready_case()
    built.disagreement()
    built.batch()
    for actor in built.actors:
        if actor.at_home == {Role.REVIEWER} and actor.user is not None:
            built.label(built.seat(actor.user))
    return built


def client_of(world: RouteWorld, role: Role) -> Client:
    client = Client()
    [actor] = [actor for actor in world.actors if actor.at_home == {role} and actor.is_signed_in]
    client.force_login(actor.user)
    return client


def links_of(page: str) -> list[str]:
    return [html.unescape(link) for link in HREF.findall(page)]


@pytest.mark.parametrize("role", list(Role))
def test_the_menu_shows_what_a_role_may_open_and_nothing_else(world: RouteWorld, role: Role) -> None:
    page = client_of(world, role).get(reverse("project_home", args=[world.home.slug])).content.decode()
    menu = links_of(page[page.index('<nav class="topbar-nav"') : page.index("</nav>")])
    shown = {label for label, route, _ in PLACES if reverse(route, args=[world.home.slug]) in menu}
    may_open = {
        label for label, route, _ in PLACES if role in PROJECT_ROWS[route].roles and (label, role) not in SEATED_BY_NAME
    }
    assert shown == may_open


@pytest.mark.parametrize("role", list(Role))
def test_every_link_of_every_page_leads_somewhere(world: RouteWorld, role: Role) -> None:
    """Follow the links of the home page on and on, some of each route."""
    client = client_of(world, role)
    waiting, seen, dead = [(reverse("project_home", args=[world.home.slug]), "")], Counter(), []
    while waiting:
        path, where = waiting.pop()
        name = resolve(urlsplit(path).path).url_name
        if seen[name] >= PER_ROUTE:
            continue
        seen[name] += 1
        answer = client.get(path, follow=True)
        if answer.status_code != 200:
            dead.append(f"{where} leads to {path}: {answer.status_code}")
        elif not answer.streaming and answer["Content-Type"].startswith("text/html"):
            links = links_of(answer.content.decode())
            waiting += [(link, path) for link in links if link.startswith(("/p/", "/me"))]
            waiting += [(urlsplit(path).path + link, path) for link in links if link.startswith("?")]
    assert dead == []
    assert len(seen) > 5
