"""Who may do what: the one module that answers questions of role.

Rows come from `visible_to(user)`; a route asks for roles through `role_required`. Whatever a person may not see
answers 404, so that nothing tells them it exists (B5).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, Protocol, cast

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponseBase

from corpus.domain.vocabulary import Role
from corpus.models import Membership, Project, User
from corpus.querysets.prepared import Slot, asking, prepared

View = Callable[..., HttpResponseBase]


class MemberRequest(Protocol):
    """A request that `role_required` let through."""

    user: User
    project: Project
    roles: frozenset[Role]


@dataclass(frozen=True)
class Allowed:
    """A granted question; truthy."""

    def __bool__(self) -> bool:
        return True


@dataclass(frozen=True)
class Denied:
    """A refused question with the sentence that explains it; falsy."""

    reason: str

    def __bool__(self) -> bool:
        return False


Answer = Allowed | Denied


def roles_of(user: User, project: Project) -> frozenset[Role]:
    """Return the roles of an active person in a project."""
    if not user.is_active:
        return frozenset()
    values = Membership.objects.filter(user=user, project=project).values_list("role", flat=True)
    return frozenset(Role(value) for value in values)


@prepared
def memberships_of(user: Slot) -> QuerySet[Membership]:
    """The roles of a person with their projects, in the order in which projects are shown."""
    mine = Membership.objects.held_by(asking(user)).select_related("project")
    return mine.order_by("project__name", "project_id")


def held_projects(request: HttpRequest) -> dict[Project, frozenset[Role]]:
    """Return the signed-in person's projects by name with their roles there; read once for a request."""
    held: dict[Project, frozenset[Role]] | None = getattr(request, "held_projects", None)
    if held is None:
        held = {}
        user = request.user
        if isinstance(user, User):
            for row in memberships_of.all(user=user.pk):
                held[row.project] = held.get(row.project, frozenset()) | {Role(row.role)}
        request.held_projects = held  # type: ignore[attr-defined]
    return held


def role_required(*roles: Role) -> Callable[[View], View]:
    """Let a view run only for members with one of `roles` (any member when empty); everybody else gets 404.

    The route's `project` slug is looked up, and the view is called with the `Project` in its place. The request gets
    `project` and `roles`. The decorated view carries `required_roles`, which the route table test reads.
    """
    needed = frozenset(roles) or frozenset(Role)

    def decorate(view: View) -> View:
        @wraps(view)
        def checked(request: HttpRequest, project: str, **kwargs: Any) -> HttpResponseBase:
            mine = held_projects(request)
            found = next((each for each in mine if each.slug == project), None)
            if found is None or not mine[found] & needed:
                raise Http404
            request.project = found  # type: ignore[attr-defined]
            request.roles = mine[found]  # type: ignore[attr-defined]
            return view(request, found, **kwargs)

        checked.required_roles = needed  # type: ignore[attr-defined]
        return checked

    return decorate


def administrator_required(view: View) -> View:
    """Let a view run only for an active superuser; everybody else gets 404."""

    @wraps(view)
    def checked(request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
        if not may_administer(request.user):
            raise Http404
        return view(request, **kwargs)

    return checked


def may_administer(user: object) -> bool:
    """Say whether somebody administers accounts. It opens no project to them."""
    return isinstance(user, User) and user.is_active and user.is_superuser


def may_create_projects(user: User) -> bool:
    """Say whether a person may start a project: administrators, and those who lead one already."""
    return may_administer(user) or (
        user.is_active and Membership.objects.filter(user=user, role=Role.LEAD.value).exists()
    )


def knows_route(view: Callable[..., Any], user: object, kwargs: Mapping[str, Any]) -> bool:
    """Say whether a person may learn that a route exists without naming anything that may not be theirs.

    False where the route names more than a project, and for whom the project is hidden or the page not meant. True for
    a view that `looks_first`: it refuses a verb only after it has found what the route names.
    """
    if getattr(view, "looks_first", False):
        return True
    if kwargs.keys() - {"project"}:
        return False
    needed: frozenset[Role] | None = getattr(view, "required_roles", None)
    if needed is None:
        return True
    if not isinstance(user, User):
        return False
    found = Project.objects.visible_to(user).filter(slug=kwargs.get("project", "")).first()
    return found is not None and bool(roles_of(user, found) & needed)


def person(request: HttpRequest) -> User:
    """Return the signed-in person of a request that passed the sign-in ring."""
    return cast(User, request.user)


def current_project(request: HttpRequest) -> Project | None:
    """Return the project of the page, else the one the person looked at last, else their first."""
    found = getattr(request, "project", None)
    if found is not None:
        # Only when it changes: a page view must not cost a write, for which it would wait behind every other writer.
        if request.session.get("project") != found.slug:
            request.session["project"] = found.slug
        return cast(Project, found)
    mine = held_projects(request)
    last = request.session.get("project", "")
    return next((each for each in mine if each.slug == last), next(iter(mine), None))
