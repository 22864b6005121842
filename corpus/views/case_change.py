"""The change of a case, for those who may see the case whole: the diff viewer on its page."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from corpus.access import person, role_required
from corpus.domain.vocabulary import Role, Side
from corpus.models import Case, Project
from corpus.views import viewer

READERS = (Role.LEAD, Role.ADJUDICATOR, Role.ANALYST)


@require_safe
@role_required(*READERS)
def case_files(request: HttpRequest, project: Project, case_id: str) -> HttpResponse:
    """Show the whole change."""
    case = _case(request, project, case_id)
    files = viewer.viewer_files(request, case, _base_url(project, case))
    layout = viewer.chosen_layout(request)
    return render(
        request, "corpus/case_files.html", {"project": project, "case": case, "files": files, "layout": layout}
    )


@require_safe
@role_required(*READERS)
def case_file(request: HttpRequest, project: Project, case_id: str, position: int) -> HttpResponse:
    """Return the diff of one file."""
    case = _case(request, project, case_id)
    return viewer.file_fragment(request, case, position, _base_url(project, case))


@require_safe
@role_required(*READERS)
def case_lines(request: HttpRequest, project: Project, case_id: str, position: int) -> HttpResponse:
    """Return unchanged lines between two hunks."""
    case = _case(request, project, case_id)
    return viewer.gap_fragment(request, case, position, _base_url(project, case))


@require_safe
@role_required(*READERS)
def case_tree(request: HttpRequest, project: Project, case_id: str, side: str) -> HttpResponse:
    """Return one folder of the snapshot."""
    case = _case(request, project, case_id)
    return viewer.snapshot_tree(request, case, _side(side), _base_url(project, case))


@require_safe
@role_required(*READERS)
def case_blob(request: HttpRequest, project: Project, case_id: str, side: str) -> HttpResponse:
    """Return one whole file of the snapshot."""
    case = _case(request, project, case_id)
    return viewer.snapshot_file(request, case, _side(side), _base_url(project, case))


def _case(request: HttpRequest, project: Project, case_id: str) -> Case:
    return get_object_or_404(Case.objects.visible_to(person(request)), project=project, public_id=case_id)


def _base_url(project: Project, case: Case) -> str:
    return reverse("case_page", kwargs={"project": project.slug, "case_id": case.public_id})


def _side(side: str) -> Side:
    try:
        return Side(side)
    except ValueError as error:
        raise Http404 from error
