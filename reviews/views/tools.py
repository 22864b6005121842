"""Pages of tools: the list, one tool with its configurations, and how its files are read."""

from __future__ import annotations

from django.contrib import messages
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from corpus.access import person, role_required
from corpus.domain.vocabulary import Role
from corpus.models import Project
from reviews.domain.formats.catalogue import FORMATS
from reviews.domain.vocabulary import ContextMode, ToolKind
from reviews.forms.tools import ConfigurationForm, SettingsForm, ToolEditForm, ToolForm
from reviews.models import Tool
from reviews.selectors.runs import listed_runs, run_lines
from reviews.selectors.source_settings import latest_settings
from reviews.services.tools import ToolRefused, add_configuration, create_tool, edit_tool, save_source_settings

READERS = (Role.LEAD, Role.ANALYST)
# Runs that the page of a tool lists.
LATEST = 20


@require_safe
@role_required(*READERS)
def tool_list(request: HttpRequest, project: Project) -> HttpResponse:
    """List the tools by name."""
    tools = Tool.objects.visible_to(person(request)).filter(project=project)
    rows = tools.annotate(configuration_count=Count("configurations")).order_by("name", "pk")
    return render(request, "reviews/tool_list.html", {"project": project, "tools": rows, "is_lead": _is_lead(request)})


def _is_lead(request: HttpRequest) -> bool:
    return Role.LEAD in request.roles  # type: ignore[attr-defined]


@role_required(Role.LEAD)
@require_http_methods(["GET", "HEAD", "POST"])
def tool_new(request: HttpRequest, project: Project) -> HttpResponse:
    """Add a tool."""
    form = ToolForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            tool = create_tool(
                project=project,
                name=data["name"],
                kind=ToolKind(data["kind"]),
                aliases=form.alias_list(),
                note=data["note"],
                actor=person(request),
            )
        except ToolRefused as error:
            form.add_error("name", str(error))
        else:
            return redirect("tool_page", project=project.slug, tool_id=tool.public_id)
    context = {"project": project, "form": form}
    return render(request, "reviews/tool_new.html", context, status=422 if request.method == "POST" else 200)


@require_safe
@role_required(*READERS)
def tool_page(request: HttpRequest, project: Project, tool_id: str) -> HttpResponse:
    """Show a tool; leads find the form for its further names and its note here."""
    tool = _tool(request, project, tool_id)
    return _page(request, project, tool, ToolEditForm(initial={"aliases": tool.aliases, "note": tool.note}))


@require_POST
@role_required(Role.LEAD)
def tool_edit(request: HttpRequest, project: Project, tool_id: str) -> HttpResponse:
    """Change the further names of a tool and its note."""
    tool = _tool(request, project, tool_id)
    form = ToolEditForm(request.POST)
    if not form.is_valid():
        return _page(request, project, tool, form, status=422)
    edit_tool(tool=tool, aliases=form.alias_list(), note=form.cleaned_data["note"], actor=person(request))
    messages.success(request, f"{tool.name} was saved.")
    return redirect("tool_page", project=project.slug, tool_id=tool.public_id)


def _page(request: HttpRequest, project: Project, tool: Tool, form: ToolEditForm, *, status: int = 200) -> HttpResponse:
    runs = listed_runs(person(request), project).filter(configuration__tool=tool)[:LATEST]
    context = {
        "project": project,
        "tool": tool,
        "form": form,
        "is_lead": _is_lead(request),
        "configurations": tool.configurations.prefetch_related("parameters").order_by("-number"),
        "lines": run_lines(person(request), runs),
        "formats": [(name, one.title, latest_settings(tool, name)) for name, one in FORMATS.items()],
    }
    return render(request, "reviews/tool.html", context, status=status)


def _tool(request: HttpRequest, project: Project, tool_id: str) -> Tool:
    return get_object_or_404(Tool.objects.visible_to(person(request)), project=project, public_id=tool_id)


@role_required(Role.LEAD)
@require_http_methods(["GET", "HEAD", "POST"])
def configuration_new(request: HttpRequest, project: Project, tool_id: str) -> HttpResponse:
    """Add a configuration; what was there before stays as it is."""
    tool = _tool(request, project, tool_id)
    form = ConfigurationForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            configuration = add_configuration(
                tool=tool,
                name=data["name"],
                context_mode=ContextMode(data["context_mode"]),
                model=None if data["hides_model"] else data["model"],
                prompt=None if data["hides_prompt"] else data["prompt"],
                prompt_sha256=data["prompt_sha256"],
                parameters=data["parameters"],
                actor=person(request),
            )
        except ToolRefused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"Configuration {configuration.number} was added.")
            return redirect("tool_page", project=project.slug, tool_id=tool.public_id)
    context = {"project": project, "tool": tool, "form": form}
    return render(request, "reviews/configuration_new.html", context, status=422 if request.method == "POST" else 200)


@role_required(Role.LEAD)
@require_http_methods(["GET", "HEAD", "POST"])
def source_settings(request: HttpRequest, project: Project, tool_id: str, format_name: str) -> HttpResponse:
    """Show and change how the tool's files of one format are read."""
    tool = _tool(request, project, tool_id)
    if format_name not in FORMATS:
        raise Http404
    form = SettingsForm.of(latest_settings(tool, format_name))
    if request.method == "POST":
        form = SettingsForm(request.POST)
        if form.is_valid():
            save_source_settings(tool=tool, format_name=format_name, actor=person(request), **form.cleaned_data)
            messages.success(request, "The settings were saved; they hold for the next file.")
            return redirect("tool_page", project=project.slug, tool_id=tool.public_id)
    context = {"project": project, "tool": tool, "format": FORMATS[format_name], "form": form}
    return render(request, "reviews/source_settings.html", context, status=422 if request.method == "POST" else 200)
