"""The change of a case, for those who may see the case whole: the viewer on its page."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from corpus.access import person, role_required
from corpus.domain.vocabulary import Role
from corpus.models import Case, Project
from corpus.views import viewer

READERS = (Role.LEAD, Role.ADJUDICATOR, Role.ANALYST)


def readers_only(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Let those read who may see cases whole."""
    return require_safe(role_required(*READERS)(view))


def mount(request: HttpRequest, project: Project, case_id: str) -> viewer.Mount:
    """Return where the viewer's pieces of a case are."""
    cases = Case.objects.visible_to(person(request)).select_related("base_tree", "head_tree")
    case = get_object_or_404(cases, project=project, public_id=case_id)
    names = {"project": project.slug, "case_id": case.public_id}
    return viewer.Mount(case, reverse("case_page", kwargs=names), reverse("case_files", kwargs=names), "The change")


@readers_only
def case_files(request: HttpRequest, project: Project, case_id: str) -> HttpResponse:
    """Show the whole change."""
    found = mount(request, project, case_id)
    context = {"project": project, "case": found.case, **viewer.page_context(request, found)}
    return render(request, "corpus/case_files.html", context)
