"""The audit trail for leads: who changed what, when, through what, from what to what."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from corpus.access import person, role_required
from corpus.domain.vocabulary import Channel, ExposureKind, Role
from corpus.forms.audit import AuditFilterForm
from corpus.models import AuditEntry, Project
from corpus.selectors.audit_trail import PAGE_SIZE, actors_of, listed_entries, told_of, verbs_of
from corpus.services.exposures import record_exposure
from corpus.views.csv_answers import csv_answer

COLUMNS = ("at", "person", "person_id", "origin", "verb", "subject", "case", "before", "after")


@require_safe
@role_required(Role.LEAD)
def audit_trail(request: HttpRequest, project: Project) -> HttpResponse:
    """List the entries with filters and page in the address."""
    filters = AuditFilterForm(request.GET).filters()
    paginator = Paginator(listed_entries(person(request), project, filters), PAGE_SIZE)
    page = paginator.get_page(request.GET.get("page"))
    entries = list(page.object_list)
    _note(request, entries, Channel.PAGE)
    return render(
        request,
        "corpus/audit_trail.html",
        {
            "project": project,
            "filters": filters,
            "entries": entries,
            "verbs": verbs_of(person(request), project),
            "actors": actors_of(person(request), project),
            "page_obj": page,
            "elided_pages": paginator.get_elided_page_range(page.number),
        },
    )


@require_safe
@role_required(Role.LEAD)
def audit_trail_csv(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Download what the page shows, all pages of it."""
    entries = listed_entries(person(request), project, AuditFilterForm(request.GET).filters())
    _note(request, list(entries.filter(case__isnull=False)), Channel.DOWNLOAD)
    rows = (
        (
            entry.at.isoformat(),
            entry.actor.name if entry.actor else "",
            entry.actor.public_id if entry.actor else "",
            entry.origin,
            entry.verb,
            entry.subject,
            entry.case.public_id if entry.case else "",
            entry.before,
            entry.after,
        )
        for entry in entries.iterator()
    )
    return csv_answer(f"{project.slug}-audit", COLUMNS, rows)


def _note(request: HttpRequest, entries: list[AuditEntry], channel: Channel) -> None:
    """Record that the person was told of labels and decisions (B2)."""
    record_exposure(user=person(request), cases=told_of(entries), kind=ExposureKind.PEER_LABEL, channel=channel)
