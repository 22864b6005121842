"""The look-up every page of a seat starts with: the seat is the person's own, or it does not exist (B5)."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.shortcuts import redirect
from django.urls import reverse

from corpus.access import person, role_required
from corpus.domain.vocabulary import Role
from corpus.models import Project
from corpus.querysets.prepared import Slot, asking, prepared
from labeling.domain.states import AssignmentState
from labeling.models import Assignment, Label

SeatView = Callable[..., HttpResponseBase]


@prepared
def seats_of(user: Slot, project: Slot, seat: Slot) -> QuerySet[Assignment]:
    """The person's own seat of this id in the project, with its round and case."""
    mine = Assignment.objects.visible_to(asking(user)).filter(case__project_id=project, public_id=seat)
    return mine.select_related("round", "case")


@prepared
def labels_of(user: Slot, seat: Slot, label: Slot) -> QuerySet[Label]:
    """The person's own label of this id on their seat."""
    mine = Label.objects.visible_to(asking(user)).filter(assignment_id=seat, public_id=label)
    return mine.select_related("category")


def own_seat(*methods: str) -> Callable[[SeatView], SeatView]:
    """Call the view with the signed-in person's own seat, and the `label` of it that the route names.

    What is somebody else's answers 404 on every verb; a wrong verb answers 405 to the owner only.
    """
    allowed = [*methods, "HEAD"] if "GET" in methods else list(methods)

    def decorate(view: SeatView) -> SeatView:
        @role_required(Role.REVIEWER, Role.LEAD, Role.ADJUDICATOR)
        @wraps(view)
        def checked(request: HttpRequest, project: Project, seat_id: str, **kwargs: Any) -> HttpResponseBase:
            seat = seats_of.first(user=person(request).pk, project=project.pk, seat=seat_id)
            if seat is None:
                raise Http404
            # Known already: joining them again would cost every page of the seat.
            seat.case.project, seat.reviewer = project, person(request)
            if "label_id" in kwargs:
                label = labels_of.first(user=person(request).pk, seat=seat.pk, label=kwargs.pop("label_id"))
                if label is None:
                    raise Http404
                kwargs["label"] = label
            if request.method not in allowed:
                return HttpResponseNotAllowed(allowed)
            return view(request, seat, **kwargs)

        checked.looks_first = True  # type: ignore[attr-defined]
        return checked

    return decorate


def is_open(seat: Assignment) -> bool:
    """Say whether the seat takes work, as far as the row tells; services ask again under a lock."""
    return seat.state == AssignmentState.ACTIVE


def seat_url(seat: Assignment, name: str = "workbench", **kwargs: Any) -> str:
    """Return the address of a page of the seat."""
    return reverse(name, kwargs={"project": seat.case.project.slug, "seat_id": seat.public_id, **kwargs})


def to_workbench(seat: Assignment, label: str = "") -> HttpResponse:
    """Lead back to the workbench, with one label open."""
    return redirect(seat_url(seat) + (f"?label={label}#label-editor" if label else ""))


def wants_json(request: HttpRequest) -> bool:
    """Say whether a script asks: it gets data where a plain form gets a page."""
    return "application/json" in request.headers.get("Accept", "")


def sentence(text: str, *, status: int) -> HttpResponse:
    """Answer with one sentence as plain text, which pages show as it is."""
    return HttpResponse(text, status=status, content_type="text/plain; charset=utf-8")
