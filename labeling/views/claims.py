"""Answers to claims, in one's own claims pass."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from corpus.access import person
from corpus.domain.vocabulary import RoundKind
from labeling.domain.label_input import FieldRefused
from labeling.label_forms import parse_claim, parse_version
from labeling.models import Assignment
from labeling.selectors.claims import ClaimView, claims_of
from labeling.selectors.workbench import SEVERITY_KEYS
from labeling.services.claims import ClaimRefused, NoSuchClaim, StaleClaimAnswer, save_claim_answer
from labeling.services.own_seats import SeatClosed
from labeling.views.own_seat import own_seat, seat_url, to_workbench, wants_json
from labeling.views.workbench import require_open_seat, show_claims


def claim_or_404(seat: Assignment, claim_id: str) -> ClaimView:
    """Return a claim of the seat's pass."""
    found = next((claim for claim in claims_of(seat, open_id=claim_id) if claim.is_open), None)
    if found is None:
        raise Http404
    return found


@own_seat("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
def claim_page(request: HttpRequest, seat: Assignment, claim_id: str) -> HttpResponse:
    """Return the form of a claim, or save its answer."""
    if seat.round.kind != RoundKind.CLAIMS:
        raise Http404
    claim = claim_or_404(seat, claim_id)
    if request.method == "POST":
        return save(request, seat, claim)
    if request.method not in ("GET", "HEAD"):
        return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
    require_open_seat(seat)
    if request.headers.get("HX-Request") != "true":
        return show_claims(request, seat, open_id=claim_id)
    return render(request, "labeling/_claim_form.html", {"seat": seat, "claim": claim, "severities": SEVERITY_KEYS})


def save(request: HttpRequest, seat: Assignment, claim: ClaimView) -> HttpResponse:
    """Save an answer and acknowledge it, or say what keeps it from being stored."""
    try:
        save_claim_answer(
            assignment=seat,
            reviewer=person(request),
            claim=claim.public_id,
            fields=parse_claim(request.POST),
            expected_version=parse_version(request.POST),
        )
    except (FieldRefused, ClaimRefused) as error:
        return answer_error(request, seat, claim, {"errors": {error.field: error.message}}, status=422)
    except StaleClaimAnswer as error:
        html = render_to_string("labeling/_claim_conflict.html", {"stored": error.stored})
        data = {"conflict": html, "version": error.stored.number}
        return answer_error(request, seat, claim, data, status=409, sentence=str(error))
    except SeatClosed as error:
        return answer_error(request, seat, claim, {"message": str(error)}, status=409)
    except NoSuchClaim:
        raise Http404 from None
    if not wants_json(request):
        messages.success(request, f"Your answer to claim {claim.number} is saved.")
        return to_workbench(seat, claim.public_id)
    fresh = claim_or_404(seat, claim.public_id)
    assert fresh.answer.saved_at is not None
    return JsonResponse(
        {
            "label": fresh.public_id,
            "number": fresh.number,
            "version": fresh.answer.number,
            "saved_at": fresh.answer.saved_at.isoformat(),
            "url": seat_url(seat, "claim_page", claim_id=fresh.public_id),
            "row": render_to_string("labeling/_claim_row.html", {"seat": seat, "claim": fresh}),
            "places": render_to_string("labeling/_claim_places.html", {"claim": fresh}),
            "place_texts": {"primary": fresh.accepted_text},
            "gaps": {gap.field: gap.sentence for gap in fresh.gaps},
        }
    )


def answer_error(
    request: HttpRequest,
    seat: Assignment,
    claim: ClaimView,
    data: dict[str, object],
    *,
    status: int,
    sentence: str = "",
) -> HttpResponse:
    """Answer script with data, and a plain form with the page, filled as it was sent and saying what is wrong."""
    if wants_json(request):
        return JsonResponse(data, status=status)
    errors = data.get("errors")
    text = sentence or (next(iter(errors.values())) if isinstance(errors, dict) else str(data.get("message", "")))
    if status == 409 and not sentence:
        messages.error(request, text)
        return to_workbench(seat)
    return show_claims(request, seat, open_id=claim.public_id, status=status, claim_error=text, typed=request.POST)
