"""The slim top bar: only what a person's roles in the current project use, and no counters (B1)."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import NoReverseMatch, reverse

from corpus.domain.vocabulary import Role
from corpus.models import Project


@dataclass(frozen=True)
class NavItem:
    """One link of the top bar."""

    label: str
    url: str
    current: bool


# Label, route name, roles that use it.
PLACES: tuple[tuple[str, str, frozenset[Role]], ...] = (
    ("Queue", "queue", frozenset({Role.REVIEWER})),
    ("Cases", "case_list", frozenset({Role.LEAD, Role.ADJUDICATOR, Role.ANALYST})),
    ("Rounds", "round_list", frozenset({Role.LEAD})),
    ("Adjudicate", "adjudication_queue", frozenset({Role.ADJUDICATOR, Role.LEAD})),
    ("Rulings", "ruling_queue", frozenset({Role.ADJUDICATOR, Role.LEAD})),
    ("Runs", "run_list", frozenset({Role.LEAD, Role.ANALYST})),
    ("Agreement", "agreement", frozenset({Role.LEAD, Role.ANALYST})),
    ("Versions", "version_list", frozenset({Role.LEAD, Role.ANALYST})),
    ("Members", "member_list", frozenset({Role.LEAD})),
    ("Settings", "project_settings", frozenset({Role.LEAD})),
    ("Guidelines", "guidelines", frozenset(Role)),
)


def items_for(roles: frozenset[Role], project: Project, path: str) -> list[NavItem]:
    """Return the links for a person with these roles, marking the one whose pages `path` belongs to."""
    items = []
    for label, route, needed in PLACES:
        if not roles & needed:
            continue
        try:
            url = reverse(route, kwargs={"project": project.slug})
        except NoReverseMatch:
            continue
        items.append(NavItem(label=label, url=url, current=path.startswith(url)))
    return items
