"""A settled case as its reviewers see it afterwards, where the project allows it: read-only, and noted as exposure."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from corpus.access import person
from corpus.domain.vocabulary import Channel, ExposureKind
from corpus.services.exposures import record_exposure
from corpus.views import viewer
from labeling.models import Assignment
from labeling.selectors.outcome import outcome_comparison, outcome_page
from labeling.views.adjudication import RESULT_WORDS
from labeling.views.own_seat import own_seat, seat_url


@own_seat("GET")
def seat_outcome(request: HttpRequest, seat: Assignment) -> HttpResponse:
    """Show both sides, the decisions and the golden findings of a settled case to one of its reviewers."""
    comparison = outcome_comparison(seat)
    if comparison is None:
        raise Http404
    for kind in (ExposureKind.PEER_LABEL, ExposureKind.GOLDEN_FINDING):
        record_exposure(user=person(request), cases=[seat.case], kind=kind, channel=Channel.PAGE)
    outcome = outcome_page(seat, comparison)
    return render(
        request,
        "labeling/seat_outcome.html",
        {
            "project": seat.case.project,
            "seat": seat,
            "outcome": outcome,
            "page": outcome.page,
            "golden": outcome.golden,
            "result": RESULT_WORDS.get(seat.case.result, ""),
            "page_url": seat_url(seat),
            **viewer.page_context(request, outcome_mount(seat)),
        },
    )


def outcome_mount(seat: Assignment) -> viewer.Mount:
    """Return the viewer of a seat whose case is settled: below the seat's address, without reading marks."""
    return viewer.Mount(seat.case, seat_url(seat), seat_url(seat, "seat_outcome"), "Outcome")
