"""What a row says of a route, and the roles and verbs it says it with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from corpus.domain.vocabulary import Role
from tests.route_world import Actor, RouteWorld

Params = dict[str, Any]
Own = Callable[[RouteWorld, Actor], Params]
Foreign = Callable[[RouteWorld, Actor], list[Params]]

READ = frozenset({"GET"})
WRITE = frozenset({"POST"})
BOTH = READ | WRITE
LEAD = frozenset({Role.LEAD})
MEMBERS = frozenset(Role)
READERS = frozenset({Role.LEAD, Role.ADJUDICATOR, Role.ANALYST})
LABELLERS = frozenset({Role.REVIEWER, Role.LEAD, Role.ADJUDICATOR})
ADJUDICATORS = frozenset({Role.ADJUDICATOR, Role.LEAD})
ANALYSTS = frozenset({Role.LEAD, Role.ANALYST})
REVIEWER = frozenset({Role.REVIEWER})
UNKNOWN_ID = "2222222222"


def no_params(world: RouteWorld, actor: Actor) -> Params:
    """The route names nothing but its project."""
    return {}


def no_foreign(world: RouteWorld, actor: Actor) -> list[Params]:
    """Nothing in the address can be foreign."""
    return []


@dataclass(frozen=True)
class Row:
    """A page of a project: who gets in, by which verbs, and what its address names."""

    roles: frozenset[Role]
    verbs: frozenset[str] = READ
    own: Own = no_params
    foreign: Foreign = no_foreign


@dataclass(frozen=True)
class SiteRow:
    """A page outside any project; `admits` is asked of signed-in people, `is_open` lets everybody in."""

    verbs: frozenset[str]
    admits: Callable[[Actor], bool]
    own: Own = no_params
    foreign: Foreign = no_foreign
    is_open: bool = False


def row(roles: frozenset[Role], verbs: frozenset[str], named: tuple[Own, Foreign] = (no_params, no_foreign)) -> Row:
    """Write a row with what its address names."""
    own, foreign = named
    return Row(roles, verbs, own, foreign)


def viewer_rows(name: str, roles: frozenset[Role], named: Callable[..., tuple[Own, Foreign]]) -> dict[str, Row]:
    """The pieces of one page's viewer."""
    by_file, by_side = ("file", "lines", "part", "line"), ("tree", "blob", "search", "image")
    return {
        **{f"{name}_{piece}": row(roles, READ, named(position=0)) for piece in by_file},
        **{f"{name}_{piece}": row(roles, READ, named(side="new")) for piece in by_side},
    }
