"""A project itself: its start, its name, its end."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from corpus.access import may_create_projects, person, role_required
from corpus.domain.vocabulary import Role
from corpus.forms.projects import ProjectForm
from corpus.models import Project
from corpus.services.projects import (
    ProjectRefused,
    archive_project,
    create_project,
    describe_project,
    restore_project,
)


@require_http_methods(["GET", "HEAD", "POST"])
def project_new(request: HttpRequest) -> HttpResponse:
    """Start a project with default texts; its creator is its first lead."""
    user = person(request)
    if not may_create_projects(user):
        raise Http404
    form = ProjectForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            project = create_project(lead=user, **form.cleaned_data)
        except ProjectRefused as refused:
            form.add_error("name", str(refused))
        else:
            messages.success(
                request, f"{project.name} is there, with texts to start from. Read them, then invite people."
            )
            return redirect("project_home", project=project.slug)
    return render(request, "corpus/project_new.html", {"form": form}, status=422 if form.errors else 200)


@role_required(Role.LEAD)
@require_http_methods(["GET", "HEAD", "POST"])
def project_edit(request: HttpRequest, project: Project) -> HttpResponse:
    """Change name and description."""
    form = ProjectForm(
        request.POST if request.method == "POST" else None,
        initial={"name": project.name, "description": project.description},
    )
    if request.method == "POST" and form.is_valid():
        try:
            describe_project(project=project, actor=person(request), **form.cleaned_data)
        except ProjectRefused as refused:
            form.add_error("name", str(refused))
        else:
            messages.success(request, "Name and description are stored.")
            return redirect("project_settings", project=project.slug)
    return render(
        request,
        "corpus/project_edit.html",
        {"project": project, "form": form},
        status=422 if form.errors else 200,
    )


@role_required(Role.LEAD)
@require_http_methods(["GET", "HEAD", "POST"])
def project_archive(request: HttpRequest, project: Project) -> HttpResponse:
    """Ask whether the project is to go out of sight, and archive it when its name was repeated."""
    wrong = False
    if request.method == "POST":
        if " ".join(request.POST.get("name", "").split()) == project.name:
            archive_project(project=project, actor=person(request))
            messages.success(request, f"{project.name} is archived. You can restore it from your profile.")
            return redirect("me")
        wrong = True
    return render(
        request,
        "corpus/project_archive.html",
        {"project": project, "wrong": wrong, "typed": request.POST.get("name", "")},
        status=422 if wrong else 200,
    )


@require_POST
def project_restore(request: HttpRequest, slug: str) -> HttpResponse:
    """Bring back an archived project that the person leads."""
    project = get_object_or_404(Project.objects.restorable_by(person(request)), slug=slug)
    restore_project(project=project, actor=person(request))
    messages.success(request, f"{project.name} is back as it was.")
    return redirect("project_home", project=project.slug)
