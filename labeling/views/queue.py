"""The reviewer's queue: their own open cases, the next one, and giving one back."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from corpus.access import person, role_required, roles_of
from corpus.domain.vocabulary import Role
from corpus.models import Project
from labeling.domain.states import AssignmentState, DeclineReason
from labeling.forms import DeclineForm
from labeling.models import Assignment
from labeling.selectors.queue import as_ended, case_facts, ended_seats, open_seats
from labeling.services.claims import open_due_claims
from labeling.services.rounds import take_next_case
from labeling.services.seating import SeatRefused, decline, expire_due_seats

PAGE = 50
# Leads and adjudicators may hold a seat that was given to them by hand.
LABELLERS = (Role.REVIEWER, Role.LEAD, Role.ADJUDICATOR)


def workbench_address(project: Project, seat_id: str) -> str:
    """Return where a seat is worked on."""
    return reverse("workbench", kwargs={"project": project.slug, "seat_id": seat_id})


@role_required(*LABELLERS)
@require_GET
def queue(request: HttpRequest, project: Project) -> HttpResponse:
    """List the person's own seats: what is open, then what they submitted, gave back or lost."""
    user = person(request)
    expire_due_seats(project=project, reviewer=user)
    open_due_claims(project=project, reviewer=user)
    waiting = open_seats(project=project, user=user)
    pages = Paginator(ended_seats(project=project, user=user), PAGE)
    page = pages.get_page(request.GET.get("page"))
    return render(
        request,
        "labeling/queue.html",
        {
            "project": project,
            "open_seats": waiting,
            "started": sum(seat.started is not None for seat in waiting),
            "page_obj": page,
            "elided_pages": pages.get_elided_page_range(page.number),
            "ended": [as_ended(seat) for seat in page.object_list],
            "may_pull": Role.REVIEWER in roles_of(user, project),
        },
    )


@role_required(Role.REVIEWER)
@require_POST
def queue_next(request: HttpRequest, project: Project) -> HttpResponse:
    """Lead to a case the person has not opened yet, taken from the queue where they hold none."""
    user = person(request)
    seat = take_next_case(project=project, reviewer=user)
    if seat is not None:
        return redirect(workbench_address(project, seat.public_id))
    drafts = len(open_seats(project=project, user=user))
    if drafts:
        messages.info(request, "No new case waits for you. Go on with one you have started.")
    else:
        messages.info(request, "No case waits for you now. A lead opens rounds; look again later.")
    return redirect("queue", project=project.slug)


@role_required(*LABELLERS)
@require_http_methods(["GET", "POST"])
def seat_decline(request: HttpRequest, project: Project, seat_id: str) -> HttpResponse:
    """Ask why the person gives a case back, and give it back."""
    user = person(request)
    seat = (
        Assignment.objects.visible_to(user)
        .filter(case__project=project, public_id=seat_id)
        .select_related("case__project", "round")
        .first()
    )
    if seat is None:
        raise Http404
    form = DeclineForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            decline(assignment=seat, reviewer=user, reason=DeclineReason(form.cleaned_data["reason"]))
        except SeatRefused as refused:
            messages.error(request, str(refused))
        else:
            messages.success(request, f"You gave case {seat.case.public_id} back.")
        return redirect("queue", project=project.slug)
    if seat.state != AssignmentState.ACTIVE:
        messages.info(request, f"Case {seat.case.public_id} is no longer in your hands.")
        return redirect("queue", project=project.slug)
    return render(
        request,
        "labeling/seat_decline.html",
        {"project": project, "seat_id": seat.public_id, "case": case_facts(seat), "form": form},
        status=422 if form.errors else 200,
    )
