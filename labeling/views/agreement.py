"""Pages of agreement: figures for leads and analysts, the work behind them for leads.

The selectors need numpy, which costs a process 30 MB and a quarter of a second, so they are imported by the first page
of figures and not with the routes.
"""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from corpus.access import person, role_required
from corpus.domain.vocabulary import Channel, ExposureKind, Role
from corpus.models import Project
from corpus.services.exposures import record_exposure
from corpus.views.csv_answers import csv_answer

if TYPE_CHECKING:
    from labeling.selectors.agreement.sample import Choice

READERS = (Role.LEAD, Role.ANALYST)
PAGE_SIZE = 50
# Route, title, and whether only leads see it.
TABS = (
    ("agreement", "Layers", False),
    ("agreement_breakdown", "Breakdown", False),
    ("agreement_time", "Over time", False),
    ("agreement_confusion", "Confusion", False),
    ("agreement_missed", "Missed defects", True),
    ("agreement_guidelines", "Guideline repair", True),
    ("agreement_reviewers", "Reviewers", True),
    ("agreement_planning", "Planning", False),
)
CHOICE_WORDS = {"language": "language", "source_kind": "source kind", "guidelines": "guidelines version"}


@require_safe
@role_required(*READERS)
def agreement(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the five layers, each with its interval and companions, and what was left out."""
    from labeling.selectors.agreement.overview import RELIABLE, TENTATIVE, as_proposed, overview
    from labeling.selectors.agreement.sample import counted_cases, left_out

    choice = _choice(request)
    found = overview(counted_cases(project, person(request), choice))
    return _page(
        request,
        project,
        choice,
        "agreement",
        page=found,
        corrected=as_proposed(project, person(request), choice),
        left_out=left_out(project, person(request), _roles(request)),
        reliable=RELIABLE,
        tentative=TENTATIVE,
    )


@require_safe
@role_required(*READERS)
def agreement_breakdown(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the figures by group; each group of cases leads to its own pages."""
    from labeling.selectors.agreement.breakdown import breakdown, dimensions_for

    choice = _choice(request)
    dimensions = dimensions_for(_roles(request))
    by = request.GET.get("by", "category")
    if by not in dimensions:
        raise Http404
    found = breakdown(project, person(request), choice, by)
    rows = [(group, _address(project, "agreement", group.query)) for group in found.groups]
    return _page(request, project, choice, "agreement_breakdown", page=found, rows=rows, dimensions=dimensions, by=by)


@require_safe
@role_required(*READERS)
def agreement_time(request: HttpRequest, project: Project) -> HttpResponse:
    """Show how one layer developed, as a picture and as a table."""
    from labeling.domain.statistics.layers import Layer
    from labeling.selectors.agreement.over_time import WINDOW, development
    from labeling.selectors.agreement.words import HEADLINES, LAYER_TITLES
    from labeling.views.agreement_chart import chart_of

    choice = _choice(request)
    layers = {layer.value: layer for layer in Layer}
    name = request.GET.get("layer", Layer.EXISTENCE.value)
    if name not in layers:
        raise Http404
    found = development(project, person(request), choice, layers[name])
    return _page(
        request,
        project,
        choice,
        "agreement_time",
        page=found,
        chart=chart_of(found),
        window=WINDOW,
        layer=name,
        headline=HEADLINES[layers[name]],
        layers=[(layer.value, title) for layer, title in LAYER_TITLES.items()],
    )


@require_safe
@role_required(*READERS)
def agreement_confusion(request: HttpRequest, project: Project) -> HttpResponse:
    """Show who said what where both spoke of one thing; for leads each cell leads to its cases."""
    from labeling.selectors.agreement.confusion import confusion
    from labeling.selectors.agreement.sample import counted_cases

    choice = _choice(request)
    tables = confusion(counted_cases(project, person(request), choice))
    return _page(request, project, choice, "agreement_confusion", tables=tables)


@require_safe
@role_required(Role.LEAD)
def agreement_cases(request: HttpRequest, project: Project) -> HttpResponse:
    """List the cases behind a cell; who looks has seen others' labels of them (B2)."""
    from labeling.selectors.agreement.evidence import LAYERS, Cell, cell_words, evidence_page, evidence_tallies

    choice = _choice(request)
    layer, one, other = (request.GET.get(name, "")[:60] for name in ("layer", "one", "other"))
    cell = Cell(layer or LAYERS[0], one, other)
    if cell.layer not in LAYERS:
        raise Http404
    paginator = Paginator(evidence_tallies(project, person(request), choice, cell), PAGE_SIZE)
    listed = paginator.get_page(request.GET.get("page"))
    rows = evidence_page(listed, person(request), cell)
    seen = [row.case for row in rows]
    record_exposure(user=person(request), cases=seen, kind=ExposureKind.PEER_LABEL, channel=Channel.PAGE)
    return _page(
        request,
        project,
        choice,
        "agreement_cases",
        rows=rows,
        cell=cell,
        words=cell_words(cell),
        page_obj=listed,
        elided_pages=paginator.get_elided_page_range(listed.number),
    )


@require_safe
@role_required(Role.LEAD)
def agreement_missed(request: HttpRequest, project: Project) -> HttpResponse:
    """Show how complete the labels are at most."""
    from labeling.selectors.agreement.missed import missed_defects_for

    choice = _choice(request)
    found = missed_defects_for(project, person(request), choice)
    return _page(request, project, choice, "agreement_missed", page=found)


@require_safe
@role_required(Role.LEAD)
def agreement_guidelines(request: HttpRequest, project: Project) -> HttpResponse:
    """Show what disagreements say about the texts; rationales shown are decisions seen (B2)."""
    from labeling.selectors.agreement.repair import guideline_repair

    choice = _choice(request)
    found = guideline_repair(project, person(request), choice)
    seen = [gap.case for gap in found.gaps]
    record_exposure(user=person(request), cases=seen, kind=ExposureKind.GOLDEN_FINDING, channel=Channel.PAGE)
    tasks = [
        (task, _evidence(project, choice, task.evidence), _text_address(project, task.text)) for task in found.tasks
    ]
    confused = [
        (row, _evidence(project, choice, {"layer": "category", "one": row.one, "other": row.other}))
        for row in found.confused
    ]
    return _page(request, project, choice, "agreement_guidelines", page=found, tasks=tasks, confused=confused)


@require_safe
@role_required(Role.LEAD)
def agreement_reviewers(request: HttpRequest, project: Project) -> HttpResponse:
    """Show reviewers measured by what was decided."""
    from labeling.selectors.agreement.reviewers import reviewer_quality

    choice = _choice(request)
    rows = reviewer_quality(project, person(request), choice)
    return _page(request, project, choice, "agreement_reviewers", rows=rows)


@require_safe
@role_required(*READERS)
def agreement_planning(request: HttpRequest, project: Project) -> HttpResponse:
    """Show how many more cases an interval of the wished width takes."""
    from labeling.domain.statistics.planning import NARROWEST, WIDEST
    from labeling.selectors.agreement.overview import overview
    from labeling.selectors.agreement.plan import DEFAULT_WIDTH, planning
    from labeling.selectors.agreement.sample import counted_cases

    choice = _choice(request)
    typed = request.GET.get("width", "")
    refusal = ""
    wished = DEFAULT_WIDTH
    if typed:
        try:
            given = float(typed)
            if not NARROWEST <= given <= WIDEST:
                raise ValueError
            wished = given
        except ValueError:
            refusal = f"Give a width from {NARROWEST} to {WIDEST}, such as {DEFAULT_WIDTH}."
    found = planning(overview(counted_cases(project, person(request), choice)), wished)
    return _page(
        request,
        project,
        choice,
        "agreement_planning",
        status=422 if refusal else 200,
        page=found,
        typed=typed[:20] if refusal else f"{wished:g}",
        refusal=refusal,
    )


@require_safe
@role_required(*READERS)
def agreement_csv(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Download every figure of the layers and of all breakdowns."""
    from labeling.selectors.agreement.breakdown import breakdown, dimensions_for
    from labeling.selectors.agreement.export import CSV_COLUMNS, csv_rows
    from labeling.selectors.agreement.overview import overview
    from labeling.selectors.agreement.sample import counted_cases

    choice, user = _choice(request), person(request)
    found = overview(counted_cases(project, user, choice))
    breakdowns = [breakdown(project, user, choice, by) for by in dimensions_for(_roles(request))]
    return csv_answer(f"{project.slug}-agreement", CSV_COLUMNS, csv_rows(found, breakdowns))


@require_safe
@role_required(*READERS)
def agreement_study(request: HttpRequest, project: Project) -> HttpResponse:
    """Download the counts behind the figures, for `touchstone agree`."""
    from labeling.selectors.agreement.export import study_entries
    from labeling.selectors.agreement.missed import missed_defects_for
    from labeling.selectors.agreement.sample import counted_cases

    choice, user = _choice(request), person(request)
    missed = missed_defects_for(project, user, choice) if Role.LEAD in _roles(request) else None
    response = _download(f"{project.slug}-agreement.json", "application/json")
    entries = study_entries(counted_cases(project, user, choice), choice, missed)
    response.write(json.dumps(entries, separators=(",", ":")))
    return response


def _page(
    request: HttpRequest, project: Project, choice: Choice, name: str, *, status: int = 200, **context: Any
) -> HttpResponse:
    """Render a page of agreement with its tabs, which keep what was chosen."""
    query = choice.as_query()
    is_lead = Role.LEAD in _roles(request)
    tabs = [
        {"title": title, "url": _address(project, route, query), "current": route == name}
        for route, title, leads_only in TABS
        if is_lead or not leads_only
    ]
    chosen = [f"{CHOICE_WORDS[field]} {value}" for field, value in query.items() if field != "pair"]
    if "pair" in query:
        chosen.append(f"the pair {_pair_words(request, project, choice)}")
    return render(
        request,
        f"labeling/{name}.html",
        {
            "project": project,
            "is_lead": is_lead,
            "tabs": tabs,
            "chosen": ", ".join(chosen),
            "query": query,
            "suffix": f"?{urlencode(query)}" if query else "",
            "more": f"&{urlencode(query)}" if query else "",
            "without_choice": _address(project, name if name != "agreement_cases" else "agreement", {}),
            **context,
        },
        status=status,
    )


def _choice(request: HttpRequest) -> Choice:
    """Return what the address chooses; who labelled with whom is told to leads alone."""
    from labeling.selectors.agreement.sample import LEAD_DIMENSIONS, Choice

    given = {each.name: request.GET.get(each.name, "")[:120] for each in fields(Choice)}
    if Role.LEAD not in _roles(request):
        given |= dict.fromkeys(LEAD_DIMENSIONS, "")
    return Choice(**given)


def _pair_words(request: HttpRequest, project: Project, choice: Choice) -> str:
    from labeling.selectors.agreement.sample import counted_tallies, pair_names

    return pair_names(counted_tallies(project, person(request), choice)).get(choice.pair, "nobody here")


def _roles(request: HttpRequest) -> frozenset[Role]:
    roles: frozenset[Role] = request.roles  # type: ignore[attr-defined]
    return roles


def _address(project: Project, route: str, query: Any) -> str:
    found = reverse(route, kwargs={"project": project.slug})
    return f"{found}?{urlencode(query)}" if query else found


def _evidence(project: Project, choice: Choice, cell: Any) -> str:
    return _address(project, "agreement_cases", {**choice.as_query(), **cell}) if cell else ""


def _text_address(project: Project, kind: str) -> str:
    return reverse("text_edit", kwargs={"project": project.slug, "kind": kind}) if kind else ""


def _download(name: str, kind: str) -> HttpResponse:
    response = HttpResponse(content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
