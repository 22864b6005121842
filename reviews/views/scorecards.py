"""Scorecards: the table of figures, the findings behind each, and what reproduces it offline."""

from __future__ import annotations

from collections.abc import Iterable

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from corpus.access import person, role_required
from corpus.domain.vocabulary import Channel, ExposureKind, Role
from corpus.models import Project
from corpus.services.exposures import record_exposure
from reviews.domain.matching import MatchClass
from reviews.models import Run
from reviews.selectors.run_comparison import comparable_runs, compared_runs
from reviews.selectors.scorecards import CLASS_WORDS, findings_lines, ruling_lines, scorecard, told_cases

PAGE_SIZE = 100
READERS = (Role.LEAD, Role.ANALYST)


@role_required(*READERS)
@require_safe
def scorecard_page(request: HttpRequest, project: Project, run_id: str) -> HttpResponse:
    """Show the figures with counts, intervals and bounds; `?class=` lists the findings of one class below them."""
    run = _run(request, project, run_id)
    card = scorecard(run, viewer=person(request))
    _note(request, run, Channel.PAGE)
    wanted = request.GET.get("class", "")
    if wanted and wanted not in {*MatchClass, "open"}:
        raise Http404
    pages = Paginator(list(card.findings(wanted)), PAGE_SIZE)
    page = pages.get_page(request.GET.get("page"))
    return render(
        request,
        "reviews/scorecard.html",
        {
            "project": project,
            "run": run,
            "card": card,
            "matching": run.matchings.filter(is_current=True).first(),
            "wanted": wanted,
            "classes": [(kind.value, words, card.metrics.counts[kind.value]) for kind, words in CLASS_WORDS.items()],
            "page_obj": page,
            "elided_pages": pages.get_elided_page_range(page.number),
        },
    )


@role_required(*READERS)
@require_safe
def scorecard_json(request: HttpRequest, project: Project, run_id: str) -> HttpResponse:
    """Send the scorecard as `touchstone score` prints it for one run."""
    run = _run(request, project, run_id)
    _note(request, run, Channel.DOWNLOAD)
    return JsonResponse(scorecard(run, viewer=person(request)).record)


@role_required(*READERS)
@require_safe
def run_findings_file(request: HttpRequest, project: Project, run_id: str) -> HttpResponseBase:
    """Send what the run says, for `touchstone score`."""
    run = _run(request, project, run_id)
    _note(request, run, Channel.DOWNLOAD)
    return _lines(f"{run.public_id}-findings", findings_lines(run, person(request)))


@role_required(*READERS)
@require_safe
def run_rulings_file(request: HttpRequest, project: Project, run_id: str) -> HttpResponseBase:
    """Send the rulings that hold for the run, for `touchstone score --rulings`."""
    run = _run(request, project, run_id)
    _note(request, run, Channel.DOWNLOAD)
    return _lines(f"{run.public_id}-rulings", ruling_lines(run, person(request)))


@role_required(*READERS)
@require_safe
def run_comparison(request: HttpRequest, project: Project) -> HttpResponse:
    """Compare the two runs that the address names; without them, let the person choose."""
    runs = comparable_runs(person(request), project)
    by_id = {run.public_id: run for run in runs}
    chosen = [request.GET.get(name, "") for name in ("first", "second")]
    if any(each and each not in by_id for each in chosen):
        raise Http404
    compared = None
    if all(chosen):
        compared = compared_runs(by_id[chosen[0]], by_id[chosen[1]], viewer=person(request))
        for each in chosen:
            _note(request, by_id[each], Channel.PAGE)
    return render(
        request,
        "reviews/run_comparison.html",
        {"project": project, "runs": runs, "compared": compared, "first": chosen[0], "second": chosen[1]},
    )


def _run(request: HttpRequest, project: Project, run_id: str) -> Run:
    found = (
        Run.objects.visible_to(person(request))
        .filter(project=project, version__isnull=False, public_id=run_id)
        .select_related("version", "configuration__tool")
        .first()
    )
    if found is None:
        raise Http404
    return found


def _lines(name: str, lines: Iterable[str]) -> StreamingHttpResponse:
    answer = StreamingHttpResponse(lines, content_type="application/x-ndjson; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{name}.jsonl"'
    return answer


def _note(request: HttpRequest, run: Run, channel: Channel) -> None:
    """Record that the person was told of golden findings and of what a tool said (B2)."""
    cases = told_cases(run, person(request))
    for kind in (ExposureKind.AI_OUTPUT, ExposureKind.GOLDEN_FINDING):
        record_exposure(user=person(request), cases=cases, kind=kind, channel=channel)
