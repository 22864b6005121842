"""Labels of one's own seat: saved while typing by script, or by a plain form."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from corpus.access import person
from corpus.ids import new_public_id
from labeling.domain.label_input import FIELD_NAMES, FieldRefused, LabelInput
from labeling.domain.place_text import group_places, place_line
from labeling.label_forms import parse_label, parse_version, place_texts, typed_label
from labeling.models import Assignment, Label
from labeling.selectors.labels import StoredLabel, stored_label
from labeling.selectors.workbench import (
    SEVERITY_KEYS,
    LabelForm,
    categories_of,
    label_row,
    new_form,
    refused_form,
    stored_form,
)
from labeling.services.labels import (
    LabelRefused,
    NoSuchLabel,
    SavedLabel,
    StaleSave,
    restore_label,
    save_label,
    withdraw_label,
)
from labeling.services.own_seats import SeatClosed
from labeling.views.own_seat import own_seat, seat_url, sentence, to_workbench, wants_json
from labeling.views.workbench import require_open_seat, show_workbench

FIELDS = ("title", "severity", "category", "relation", "speculative", "trigger", "evidence", "impact", "boundary")
MORE_FIELDS = ("accept_elements", "keywords", "confidence")


def fresh_key() -> str:
    """Return the mark of a new form's first save."""
    return f"{new_public_id()}.1"


@own_seat("POST")
def label_create(request: HttpRequest, seat: Assignment) -> HttpResponse:
    """Store a new label."""
    return save(request, seat, None)


@own_seat("GET")
def label_new(request: HttpRequest, seat: Assignment) -> HttpResponse:
    """Return the empty form of a new label."""
    require_open_seat(seat)
    return render_form(request, seat, new_form(fresh_key()))


@own_seat("GET", "POST")
def label_page(request: HttpRequest, seat: Assignment, label: Label) -> HttpResponse:
    """Return the form of a label, or save it."""
    if request.method == "POST":
        return save(request, seat, label)
    require_open_seat(seat)
    return render_form(request, seat, stored_form(stored_label(label), fresh_key()))


def render_form(request: HttpRequest, seat: Assignment, form: LabelForm) -> HttpResponse:
    """Return the form alone to script, and within the workbench to a browser without it."""
    if request.headers.get("HX-Request") != "true":
        return show_workbench(request, seat, form=form)
    context = {"seat": seat, "form": form, "severities": SEVERITY_KEYS, "categories": categories_of(seat)}
    return render(request, "labeling/_label_form.html", context)


def save(request: HttpRequest, seat: Assignment, label: Label | None) -> HttpResponse:
    """Save what was sent and acknowledge it, or say what keeps it from being stored; nothing typed is lost."""
    try:
        fields = parse_label(request.POST)
        saved = save_label(
            assignment=seat,
            reviewer=person(request),
            label=label.public_id if label else None,
            fields=fields,
            expected_version=parse_version(request.POST),
            save_key=request.POST.get("save_key", ""),
        )
    except (FieldRefused, LabelRefused) as error:
        return refused(request, seat, label, error.field, error.message)
    except StaleSave as error:
        return stale(request, seat, error)
    except NoSuchLabel:
        raise Http404 from None
    except SeatClosed as error:
        return closed(request, seat, error)
    if not wants_json(request):
        messages.success(request, f"Label {saved.number} is saved.")
        return to_workbench(seat, saved.public_id)
    return acknowledged(seat, saved)


def acknowledged(seat: Assignment, saved: SavedLabel) -> HttpResponse:
    """Tell the script what is stored, with the pieces of the page that show it."""
    stored = saved.stored
    form = stored_form(stored, "")
    return JsonResponse(
        {
            "label": saved.public_id,
            "number": saved.number,
            "version": saved.version,
            "saved_at": saved.saved_at.isoformat(),
            "url": seat_url(seat, "label_page", label_id=saved.public_id),
            "row": render_to_string("labeling/_label_row.html", {"seat": seat, "row": label_row(stored)}),
            "places": render_to_string("labeling/_places.html", {"form": form}),
            "place_texts": form.place_texts,
            "gaps": {gap.field: gap.sentence for gap in form.gaps},
        }
    )


def refused(request: HttpRequest, seat: Assignment, label: Label | None, field: str, message: str) -> HttpResponse:
    """Answer 422 with the field and the sentence; a plain form comes back as it was filled."""
    if wants_json(request):
        return JsonResponse({"errors": {field: message}}, status=422)
    if label is not None:
        label.refresh_from_db()
    base = stored_form(stored_label(label), fresh_key()) if label else new_form(fresh_key())
    form = refused_form(typed_label(request.POST), place_texts(request.POST), base=base, errors={field: message})
    return show_workbench(request, seat, form=form, status=422)


def stale(request: HttpRequest, seat: Assignment, error: StaleSave) -> HttpResponse:
    """Answer 409 with both versions; what was typed stays in the form (N3)."""
    context: dict[str, Any] = {
        "seat": seat,
        "stored": error.stored,
        "differences": differences(error.stored, error.yours),
    }
    if wants_json(request):
        html = render_to_string("labeling/_label_conflict.html", context)
        return JsonResponse({"conflict": html, "version": error.stored.version}, status=409)
    base = stored_form(error.stored, fresh_key())
    form = refused_form(typed_label(request.POST), place_texts(request.POST), base=base, errors={})
    return show_workbench(request, seat, form=form, status=409, conflict=context)


def differences(stored: StoredLabel, yours: LabelInput) -> list[tuple[str, str, str]]:
    """Return name, stored text and own text of every field in which two versions of a label differ."""
    found = []
    for field in (*FIELDS, *MORE_FIELDS):
        one, other = getattr(stored.fields, field), getattr(yours, field)
        if one != other:
            found.append((FIELD_NAMES[field], shown(one), shown(other)))
    if stored.fields.anchors != yours.anchors:
        found.append((FIELD_NAMES["anchors"], places_text(stored.fields), places_text(yours)))
    return found


def shown(value: str | bool | None) -> str:
    """Return a field's value for people."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value.replace("_", " ") if value and "\n" not in value and len(value) < 30 else value or "(empty)"


def places_text(fields: LabelInput) -> str:
    """Return a label's places, one a line, each with its role."""
    return "\n".join(f"{place[0].role}: {place_line(place)}" for place in group_places(fields.anchors)) or "(none)"


def closed(request: HttpRequest, seat: Assignment, error: SeatClosed) -> HttpResponse:
    """Answer 409 with the sentence: the seat takes no more work."""
    if wants_json(request):
        return JsonResponse({"message": str(error)}, status=409)
    messages.error(request, str(error))
    return to_workbench(seat)


@own_seat("POST")
def label_withdraw(request: HttpRequest, seat: Assignment, label: Label) -> HttpResponse:
    """Take a label back; it can be restored."""
    try:
        withdraw_label(assignment=seat, reviewer=person(request), label=label.public_id)
    except SeatClosed as error:
        return sentence(str(error), status=409)
    messages.success(request, f"Label {label.number} is withdrawn. It can be restored below the list.")
    return to_workbench(seat)


@own_seat("POST")
def label_restore(request: HttpRequest, seat: Assignment, label: Label) -> HttpResponse:
    """Bring a withdrawn label back."""
    try:
        restore_label(assignment=seat, reviewer=person(request), label=label.public_id)
    except SeatClosed as error:
        return sentence(str(error), status=409)
    return to_workbench(seat, label.public_id)
