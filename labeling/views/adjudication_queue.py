"""The queue of cases that wait for an adjudicator, as a page and as a download."""

from __future__ import annotations

from collections.abc import Iterator

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_safe

from corpus import clock
from corpus.access import person, role_required
from corpus.domain.vocabulary import Channel, DisagreementKind, ExposureKind, Role
from corpus.models import Case, Project
from corpus.services.exposures import record_exposure
from corpus.views.csv_answers import csv_answer
from labeling.models import Round
from labeling.selectors.adjudication import KIND_WORDS
from labeling.selectors.adjudication_queue import (
    QueueFilter,
    queue_cases,
    queue_languages,
    queue_order,
    queue_rows,
    queue_totals,
)
from labeling.services.comparison import compare_due_rounds

PAGE = 25
# Cases of a download that are read at once.
BATCH = 500
CSV_COLUMNS = (
    "case",
    "repository",
    "language",
    "files",
    "added_lines",
    "removed_lines",
    "state",
    "result",
    "worst_severity",
    "open",
    "decided",
    "about",
    "waits",
)


def asked_filter(request: HttpRequest) -> QueueFilter:
    """Return what the address asks for."""
    names = ("show", "kind", "language", "q", "sort")
    return QueueFilter(**{name: request.GET[name][:200] for name in names if request.GET.get(name)})


@role_required(Role.ADJUDICATOR, Role.LEAD)
@require_GET
def adjudication_queue(request: HttpRequest, project: Project) -> HttpResponse:
    """List the cases the person may adjudicate; what has fallen due is compared first."""
    user = person(request)
    compare_due_rounds(rounds=Round.objects.adjudicable_by(user).filter(case__project=project))
    wanted = asked_filter(request)
    pages = Paginator(queue_order(project=project, user=user, wanted=wanted), PAGE)
    page = pages.get_page(request.GET.get("page"))
    waiting = queue_cases(page.object_list)
    # A row tells how severe the labels of its case are.
    record_exposure(user=user, cases=[one.case for one in waiting], kind=ExposureKind.PEER_LABEL, channel=Channel.PAGE)
    return render(
        request,
        "labeling/adjudication_queue.html",
        {
            "project": project,
            "rows": queue_rows(waiting, now=clock.now()),
            "wanted": wanted,
            "kinds": [(kind.value, KIND_WORDS[kind]) for kind in DisagreementKind],
            "languages": queue_languages(project=project, user=user),
            "totals": queue_totals(project=project, user=user),
            "page_obj": page,
            "elided_pages": pages.get_elided_page_range(page.number),
        },
    )


@require_safe
@role_required(Role.ADJUDICATOR, Role.LEAD)
def adjudication_queue_csv(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Download what the list shows, all pages of it; it tells how severe the labels of each case are (B2)."""
    user = person(request)
    entries = list(queue_order(project=project, user=user, wanted=asked_filter(request)))
    cases = Case.objects.only("pk").in_bulk([key for key, *_ in entries])
    record_exposure(user=user, cases=cases.values(), kind=ExposureKind.PEER_LABEL, channel=Channel.DOWNLOAD)
    now = clock.now()

    def rows() -> Iterator[tuple[object, ...]]:
        for start in range(0, len(entries), BATCH):
            for row in queue_rows(queue_cases(entries[start : start + BATCH]), now=now):
                yield (
                    row.case_id,
                    row.repository,
                    row.language,
                    row.file_count,
                    row.added_lines,
                    row.removed_lines,
                    row.state,
                    row.result,
                    row.severity,
                    row.open,
                    row.decided,
                    ", ".join(words if count == 1 else f"{words} x{count}" for words, count in row.kinds),
                    row.waits,
                )

    return csv_answer(f"{project.slug}-adjudication", CSV_COLUMNS, rows())
