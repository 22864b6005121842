"""What every page needs: the projects a person may choose and the places their roles use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from config.navigation import NavItem, items_for
from corpus.access import current_project, held_projects
from corpus.models import User


@dataclass(frozen=True)
class ProjectChoice:
    """A project as the switch shows it."""

    name: str
    url: str
    current: bool


def navigation(request: HttpRequest) -> dict[str, Any]:
    """Return `nav_items`, `projects` and `current_project` for the shell; nothing here counts anybody's work.

    All three are lazy: a fragment that shows no shell asks the database nothing.
    """
    user = getattr(request, "user", None)
    if not isinstance(user, User):
        return {"nav_items": [], "projects": [], "current_project": None}
    project = SimpleLazyObject(lambda: current_project(request))

    def items() -> list[NavItem]:
        found = current_project(request)
        return items_for(held_projects(request)[found], found, request.path) if found else []

    def choices() -> list[ProjectChoice]:
        return [
            ProjectChoice(each.name, reverse("project_home", kwargs={"project": each.slug}), each == project)
            for each in held_projects(request)
        ]

    return {
        "nav_items": SimpleLazyObject(items),
        "projects": SimpleLazyObject(choices),
        "current_project": project,
    }
