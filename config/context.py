"""What every page needs: the projects a person may choose and the places their roles use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from config.navigation import NavItem, items_for


@dataclass(frozen=True)
class ProjectChoice:
    """A project as the switch shows it."""

    name: str
    url: str
    current: bool


def navigation(request: HttpRequest) -> dict[str, Any]:
    """Return `nav_items`, `projects` and `current_project` for the shell; nothing here counts anybody's work."""
    from corpus.access import current_project

    if not request.user.is_authenticated:
        return {"nav_items": [], "projects": [], "current_project": None}
    project = current_project(request)
    items: list[NavItem] = items_for(request, project) if project else []
    return {"nav_items": items, "current_project": project}
