"""Blind rulings: the queue, and one question beside its change."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from corpus import clock
from corpus.access import person, role_required
from corpus.domain.vocabulary import Channel, ExposureKind, Role
from corpus.models import Project
from corpus.services.exposures import record_exposure
from corpus.views import viewer
from reviews.forms.rulings import RulingForm, sent_form, typed_ruling
from reviews.models import Match
from reviews.selectors.ruling_pages import MOST_COUNTED, golden_of, ruling_page, waiting, waiting_count
from reviews.services.rulings import AlreadyRuled, RulingRefused, rule


@role_required(Role.ADJUDICATOR, Role.LEAD)
@require_safe
def ruling_queue(request: HttpRequest, project: Project) -> HttpResponse:
    """Say how many questions wait for the person, and offer the next one."""
    count = waiting_count(person(request), project)
    return render(
        request,
        "reviews/ruling_queue.html",
        {"project": project, "count": min(count, MOST_COUNTED), "is_more": count > MOST_COUNTED},
    )


@role_required(Role.ADJUDICATOR, Role.LEAD)
@require_POST
def ruling_next(request: HttpRequest, project: Project) -> HttpResponse:
    """Go to the next question that waits for the person."""
    return _to_next(request, project)


@role_required(Role.ADJUDICATOR, Role.LEAD)
def ruling(request: HttpRequest, project: Project, match_id: str) -> HttpResponse:
    """Show one question, or take the answer to it."""
    match = (
        Match.objects.rulable_by(person(request))
        .filter(case__project=project, public_id=match_id)
        .select_related("finding", "case__project", "case__base_tree", "case__head_tree", "matching", "golden")
        .first()
    )
    if match is None:
        raise Http404
    if request.method == "POST":
        return _take(request, project, match)
    if request.method not in ("GET", "HEAD"):
        return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
    return _show(request, project, match, RulingForm())


ruling.looks_first = True  # type: ignore[attr-defined]


def _take(request: HttpRequest, project: Project, match: Match) -> HttpResponse:
    form = sent_form(request.POST)
    golden = {revision.finding.public_id: revision for revision in golden_of(match)}
    try:
        said = typed_ruling(form, golden, seconds=_seconds(request.POST.get("opened", "")))
        rule(match=match, ruler=person(request), said=said)
    except RulingRefused as refusal:
        return _show(request, project, match, replace(form, errors={refusal.field: str(refusal)}), status=422)
    except AlreadyRuled:
        messages.info(request, "Somebody answered this question meanwhile; here is the next one.")
    return _to_next(request, project)


def _show(request: HttpRequest, project: Project, match: Match, form: RulingForm, status: int = 200) -> HttpResponse:
    record_exposure(user=person(request), cases=[match.case], kind=ExposureKind.AI_OUTPUT, channel=Channel.PAGE)
    record_exposure(user=person(request), cases=[match.case], kind=ExposureKind.GOLDEN_FINDING, channel=Channel.PAGE)
    # Whoever may rule on a case may read it, so the pieces of the viewer are those of the case's own page.
    base_url = reverse("case_page", kwargs={"project": project.slug, "case_id": match.case.public_id})
    mount = viewer.Mount(match.case, base_url, request.path, "Ruling")
    return render(
        request,
        "reviews/ruling.html",
        {
            **viewer.page_context(request, mount),
            "project": project,
            "page": ruling_page(match),
            "case": match.case,
            "form": form,
            "opened": request.POST.get("opened") or clock.now().isoformat(),
        },
        status=status,
    )


def _to_next(request: HttpRequest, project: Project) -> HttpResponse:
    match = waiting(person(request), project).first()
    if match is None:
        return redirect("ruling_queue", project=project.slug)
    return redirect("ruling", project=project.slug, match_id=match.public_id)


def _seconds(opened: str) -> int:
    """Return how long ago the page was opened by its own word; 0 where that cannot be read."""
    try:
        passed = clock.now() - datetime.fromisoformat(opened)
    except (ValueError, TypeError, OverflowError):
        return 0
    return max(int(passed.total_seconds()), 0)
