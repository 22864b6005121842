"""The reviewer's workbench: the page with the viewer in it, reading marks and guidelines."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from typing import Any, cast

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from corpus import clock
from corpus.access import person, roles_of
from corpus.domain.vocabulary import Channel, Role, RoundKind
from corpus.ids import new_public_id
from corpus.models import Category, SeverityLevel
from corpus.rendering.markdown import markdown_html
from corpus.selectors.diff_files import changed_files
from corpus.selectors.projects import texts_in_force
from corpus.views import viewer
from labeling.domain.reservation import is_over
from labeling.domain.states import AssignmentState
from labeling.models import Assignment, Label
from labeling.selectors.claims import claims_of
from labeling.selectors.labels import stored_label
from labeling.selectors.outcome import outcome_comparison
from labeling.selectors.workbench import (
    SEVERITY_KEYS,
    LabelForm,
    new_form,
    read_positions,
    stored_form,
    workbench_page,
)
from labeling.services import reading, seating
from labeling.services.claims import note_claims_shown, open_due_claims
from labeling.services.own_seats import ENDED, SeatClosed
from labeling.views.outcome import outcome_mount
from labeling.views.own_seat import is_open, own_seat, seat_url, sentence


@own_seat("GET")
def workbench(request: HttpRequest, seat: Assignment) -> HttpResponse:
    """Show the workbench while the seat is open, and afterwards only what became of it."""
    if is_open(seat) and is_over(expires_at=seat.expires_at, last_active_at=seat.last_active_at, now=clock.now()):
        seating.expire_due_seats(project=seat.case.project, reviewer=seat.reviewer)
        seat.refresh_from_db(fields=["state"])
    if not is_open(seat):
        return seat_ended(request, seat)
    reading.note_opened(assignment=seat, reviewer=person(request))
    if seat.round.kind == RoundKind.CLAIMS:
        return show_claims(request, seat, open_id=request.GET.get("label", ""))
    return show_workbench(request, seat, form=asked_form(request, seat))


def asked_form(request: HttpRequest, seat: Assignment) -> LabelForm | None:
    """Return the form that the address asks to have open: of a label, of a new one, or none."""
    asked = request.GET.get("label", "")
    if asked == "new":
        return new_form(f"{new_public_id()}.1")
    if not asked:
        return None
    label = get_object_or_404(Label.objects.visible_to(person(request)), assignment=seat, public_id=asked)
    return stored_form(stored_label(label), f"{new_public_id()}.1")


def show_workbench(
    request: HttpRequest, seat: Assignment, *, form: LabelForm | None, status: int = 200, **context: Any
) -> HttpResponse:
    """Render the whole workbench with a form open in it."""
    files = changed_files(seat.case)
    page = workbench_page(seat, form=form, files=files)
    mount = mount_of(seat, page.read_positions)
    return render(
        request,
        "labeling/workbench.html",
        {
            "project": seat.case.project,
            "page": page,
            "form": form,
            **viewer.page_context(request, mount, files=files, read=page.read_positions),
            "severities": SEVERITY_KEYS,
            **context,
        },
        status=status,
    )


def show_claims(
    request: HttpRequest, seat: Assignment, *, open_id: str = "", status: int = 200, **context: Any
) -> HttpResponse:
    """Render the workbench of a claims pass; showing the claims is recorded as exposure (B2)."""
    claims = claims_of(seat, open_id=open_id)
    note_claims_shown(assignment=seat, reviewer=person(request), channel=Channel.PAGE)
    opened = next((claim for claim in claims if claim.is_open), None)
    if open_id and opened is None:
        raise Http404
    return show_workbench(request, seat, form=None, status=status, claims=claims, claim=opened, **context)


def own_claims_seat(seat: Assignment) -> Assignment | None:
    """Return the person's seat in the claims pass that follows an open pass."""
    seats = Assignment.objects.visible_to(seat.reviewer).filter(
        case_id=seat.case_id, round__kind=RoundKind.CLAIMS, round__number__gt=seat.round.number
    )
    return seats.order_by("round__number").first()


def seat_ended(request: HttpRequest, seat: Assignment) -> HttpResponse:
    """Say that the seat was submitted, with its recall while there is time, or how else it ended; nothing more (B1)."""
    now = clock.now()
    is_submitted = seat.state == AssignmentState.SUBMITTED
    if is_submitted and seat.policy.uses_claims:
        open_due_claims(project=seat.case.project, reviewer=seat.reviewer)
    claims_seat = own_claims_seat(seat) if is_submitted else None
    return render(
        request,
        "labeling/seat_ended.html",
        {
            "project": seat.case.project,
            "seat": seat,
            "case_id": seat.case.public_id,
            "is_submitted": is_submitted,
            "can_recall": is_submitted and seat.final_at is not None and seat.final_at > now,
            "claims_url": seat_url(claims_seat) if claims_seat and is_open(claims_seat) else "",
            "outcome_url": seat_url(seat, "seat_outcome") if outcome_comparison(seat) else "",
            "reason": "" if is_submitted else ENDED[AssignmentState(seat.state)],
            "queue_url": reverse("queue", kwargs={"project": seat.case.project.slug}),
            "may_pull": Role.REVIEWER in roles_of(seat.reviewer, seat.case.project),
        },
    )


def require_open_seat(seat: Assignment) -> None:
    """Show the change only while the seat is open."""
    if not is_open(seat):
        raise Http404


def seat_mount(request: HttpRequest, seat: Assignment) -> viewer.Mount:
    """Return where the viewer's pieces are: the change is shown while the seat is open, and with its outcome."""
    if not is_open(seat):
        if outcome_comparison(seat) is None:
            raise Http404
        return outcome_mount(seat)
    read = SimpleLazyObject(lambda: read_positions(seat))
    return mount_of(seat, cast(Collection[int], read))


def mount_of(seat: Assignment, read: Collection[int]) -> viewer.Mount:
    """Return the viewer of a seat, with the reading mark in each file's header."""
    context = {
        "seat": seat,
        "read_positions": read,
        "marks_reading": True,
        "place_files": True,
        "tools_template": "labeling/_file_tools.html",
    }
    return viewer.Mount(seat.case, seat_url(seat), seat_url(seat), "Workbench", context)


@own_seat("GET")
def seat_guidelines(request: HttpRequest, seat: Assignment) -> HttpResponse:
    """Return guidelines, severity policy and categories, to be read beside the work."""
    texts = texts_in_force(seat.case.project)
    fragment = render(
        request,
        "labeling/_guidelines.html",
        {
            "guidelines": markdown_html(texts.guidelines.text, top_level=3),
            "number": texts.guidelines.number,
            "levels": sorted(
                SeverityLevel.objects.filter(policy=texts.severity_policy), key=lambda level: -level.weight
            ),
            "categories": Category.objects.filter(taxonomy_id=seat.taxonomy_id, in_scope=True).order_by("position"),
        },
    )
    return viewer.framed(request, fragment, title="Guidelines", back_url=seat_url(seat), back_words="Workbench")


@own_seat("POST")
def seat_file_read(request: HttpRequest, seat: Assignment, position: int) -> HttpResponse:
    """Mark a file as read or unread."""
    wanted = request.POST.get("read") == "1"
    try:
        is_read = reading.mark_file(assignment=seat, reviewer=person(request), position=position, is_read=wanted)
    except SeatClosed as error:
        return sentence(str(error), status=409)
    except reading.NoSuchFile:
        raise Http404 from None
    if request.headers.get("HX-Request") != "true":
        return redirect(f"{seat_url(seat)}#file-{position}")
    read = read_positions(seat)
    return render(
        request,
        "labeling/_read_mark.html",
        {
            "base_url": seat_url(seat),
            "position": position,
            "is_read": is_read,
            "read_count": len(read),
            "file_count": seat.case.files.count(),
            "oob": True,
        },
    )


@own_seat("POST")
def seat_activity(request: HttpRequest, seat: Assignment) -> HttpResponse:
    """Count a sign of activity; a seat that ended counts none."""
    with suppress(SeatClosed):
        reading.note_activity(assignment=seat, reviewer=person(request))
    return HttpResponse(status=204)
