"""Pages of runs: the list, a run with its cases, and what was said of one case."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from corpus.access import person, role_required
from corpus.domain.vocabulary import Channel, ExposureKind, Role
from corpus.models import Case, CaseSeat, Project
from corpus.services.exposures import record_exposure
from corpus.views.csv_answers import csv_answer
from reviews.models import CaseRun, Intake, Run
from reviews.selectors import runs as selectors

PAGE_SIZE = 50
READERS = (Role.LEAD, Role.ANALYST)
RUN_COLUMNS = (
    "run",
    "tool",
    "configuration",
    "version",
    "name",
    "repeat",
    "cases",
    "reviewed",
    "findings",
    "unresolved places",
    "parse failures",
    "created at",
)
CASE_COLUMNS = (
    "case",
    "state",
    "detail",
    "findings",
    "held back",
    "unresolved places",
    "declared",
    "head commit",
    "tokens in",
    "tokens out",
    "cost",
    "latency ms",
)


@require_safe
@role_required(*READERS)
def run_list(request: HttpRequest, project: Project) -> HttpResponse:
    """List the runs, newest first."""
    user = person(request)
    paginator = Paginator(selectors.listed_runs(user, project), PAGE_SIZE)
    page = paginator.get_page(request.GET.get("page"))
    return render(
        request,
        "reviews/run_list.html",
        {
            "project": project,
            "page_obj": page,
            "elided_pages": paginator.get_elided_page_range(page.number),
            "lines": selectors.run_lines(user, page.object_list),
            "is_lead": Role.LEAD in request.roles,  # type: ignore[attr-defined]
            "holds_seat": CaseSeat.objects.filter(case__project=project, user=user, closed_at__isnull=True).exists(),
        },
    )


@require_safe
@role_required(*READERS)
def run_list_csv(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Download what the list shows, all pages of it."""
    user = person(request)
    rows = (
        (
            line.run.public_id,
            line.run.configuration.tool.name,
            line.run.configuration.number,
            line.version or "",
            line.run.name,
            line.run.repeat,
            line.cases,
            line.reviewed,
            line.findings,
            line.unresolved,
            line.parse_failures,
            line.run.created_at.isoformat(timespec="seconds"),
        )
        for line in selectors.run_lines(user, selectors.listed_runs(user, project))
    )
    return csv_answer(f"{project.slug}-runs", RUN_COLUMNS, rows)


@require_safe
@role_required(*READERS)
def run_page(request: HttpRequest, project: Project, run_id: str) -> HttpResponse:
    """Show a run: states of its cases, what could not be read, and how it was read."""
    user = person(request)
    run = _run(request, project, run_id)
    state, sort = request.GET.get("state", ""), request.GET.get("sort", "case")
    paginator = Paginator(selectors.case_rows(user, run, state=state, sort=sort), PAGE_SIZE)
    page = paginator.get_page(request.GET.get("page"))
    lines = selectors.case_lines(page.object_list)
    # How much was said of a case is output of the tool too.
    record_exposure(
        user=user, cases=[line.row.case for line in lines], kind=ExposureKind.AI_OUTPUT, channel=Channel.PAGE
    )
    failures = selectors.parse_failures(user, run)
    return render(
        request,
        "reviews/run.html",
        {
            "project": project,
            "run": run,
            "version": selectors.version_numbers(user, [run]).get(run.pk, ""),
            "states": selectors.state_counts(user, run),
            "records": selectors.record_counts(user, run),
            "costs": selectors.costs_of(user, run),
            "page_obj": page,
            "elided_pages": paginator.get_elided_page_range(page.number),
            "lines": lines,
            "state": state,
            "sort": sort,
            "sorts": selectors.SORT_WORDS.items(),
            "failures": failures[:100],
            "failure_count": failures.count(),
            "intakes": Intake.objects.visible_to(user)
            .filter(raw_records__run=run)
            .select_related("settings", "created_by")
            .distinct()
            .order_by("pk"),
        },
    )


@require_safe
@role_required(*READERS)
def run_cases_csv(request: HttpRequest, project: Project, run_id: str) -> HttpResponseBase:
    """Download the cases of a run as the page lists them."""
    user = person(request)
    run = _run(request, project, run_id)
    lines = selectors.case_lines(
        selectors.case_rows(user, run, state=request.GET.get("state", ""), sort=request.GET.get("sort", "case"))
    )
    record_exposure(
        user=user, cases=[line.row.case for line in lines], kind=ExposureKind.AI_OUTPUT, channel=Channel.DOWNLOAD
    )
    rows = (
        (
            line.row.case.public_id,
            line.row.state,
            line.row.detail,
            line.findings,
            line.suppressed,
            line.unresolved,
            "" if line.row.declared_findings is None else line.row.declared_findings,
            line.row.head_commit,
            "" if line.row.tokens_in is None else line.row.tokens_in,
            "" if line.row.tokens_out is None else line.row.tokens_out,
            "" if line.row.cost is None else line.row.cost,
            "" if line.row.latency_ms is None else line.row.latency_ms,
        )
        for line in lines
    )
    return csv_answer(f"{project.slug}-run-{run.public_id}", CASE_COLUMNS, rows)


@require_safe
@role_required(*READERS)
def run_case(request: HttpRequest, project: Project, run_id: str, case_id: str) -> HttpResponse:
    """Show what a run said of one case, word for word; whoever looks has seen it (B2)."""
    user = person(request)
    run = _run(request, project, run_id)
    row = get_object_or_404(CaseRun.objects.visible_to(user).select_related("case"), run=run, case__public_id=case_id)
    record_exposure(user=user, cases=[row.case], kind=ExposureKind.AI_OUTPUT, channel=Channel.PAGE)
    said = selectors.said_of(user, row)
    return render(
        request,
        "reviews/run_case.html",
        {
            "project": project,
            "run": run,
            "row": row,
            "line": selectors.case_lines(selectors.case_rows(user, run).filter(pk=row.pk))[0],
            "said": said,
            "others": selectors.other_records(user, row),
            "context": selectors.read_context(row),
            "opens_case": Case.objects.visible_to(user).filter(pk=row.case_id).exists(),
        },
    )


def _run(request: HttpRequest, project: Project, run_id: str) -> Run:
    visible = Run.objects.visible_to(person(request)).select_related("configuration__tool", "created_by")
    return get_object_or_404(visible, project=project, public_id=run_id)
