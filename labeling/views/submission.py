"""The answer on the case, the submit dialogue, and what its owner may do with a submission."""

from __future__ import annotations

from dataclasses import replace

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string

from corpus import clock
from corpus.access import person
from corpus.domain.vocabulary import RoundKind, Verdict
from labeling.label_forms import parse_version
from labeling.models import Assignment
from labeling.selectors.claims import claims_of
from labeling.selectors.workbench import VERDICT_WORDS, SubmitPage, submit_page
from labeling.services.own_seats import SeatClosed
from labeling.services.submission import (
    Answer,
    AnswerRefused,
    RecallRefused,
    StaleAnswer,
    SubmissionRefused,
    give_up_recall,
    recall,
    save_answer,
    submit,
)
from labeling.views.own_seat import own_seat, seat_url, sentence, to_workbench, wants_json
from labeling.views.workbench import require_open_seat


def save_posted(request: HttpRequest, seat: Assignment) -> Answer:
    """Save verdict, missing context and summary as they were sent."""
    return save_answer(
        assignment=seat,
        reviewer=person(request),
        verdict=request.POST.get("verdict", ""),
        missing_context=request.POST.get("missing_context", ""),
        summary=request.POST.get("summary", ""),
        expected_version=parse_version(request.POST),
    )


@own_seat("POST")
def seat_answer(request: HttpRequest, seat: Assignment) -> HttpResponse:
    """Save the draft of the answer while it is typed."""
    try:
        answer = save_posted(request, seat)
    except AnswerRefused as error:
        return JsonResponse({"errors": {error.field: error.message}}, status=422)
    except StaleAnswer as error:
        html = render_to_string("labeling/_answer_conflict.html", {"stored": error.stored, "verdicts": VERDICT_WORDS})
        return JsonResponse({"conflict": html, "version": error.stored.version}, status=409)
    except SeatClosed as error:
        return JsonResponse({"message": str(error)}, status=409)
    if not wants_json(request):
        return redirect(seat_url(seat, "seat_submit"))
    return JsonResponse({"version": answer.version, "saved_at": clock.now().isoformat()})


@own_seat("GET", "POST")
def seat_submit(request: HttpRequest, seat: Assignment) -> HttpResponse:
    """Show what the submission would say and what it lacks, or submit."""
    if request.method == "GET":
        require_open_seat(seat)
        return show_dialogue(request, seat, submit_page(seat))
    is_claims = seat.round.kind == RoundKind.CLAIMS
    try:
        version = seat.version if is_claims else save_posted(request, seat).version
        submit(
            assignment=seat,
            reviewer=person(request),
            expected_version=version,
            final=request.POST.get("final") == "1",
        )
    except AnswerRefused as error:
        return show_dialogue(request, seat, submit_page(seat), status=422, error=error.message)
    except StaleAnswer as error:
        page = as_typed(request, submit_page(fresh(seat)))
        return show_dialogue(request, seat, page, status=409, stored=error.stored)
    except SubmissionRefused:
        return show_dialogue(request, seat, submit_page(fresh(seat)), status=422, was_refused=True)
    except SeatClosed:
        pass
    return leave_to(request, seat_url(seat))


def fresh(seat: Assignment) -> Assignment:
    """Read the seat again, with what was just saved."""
    return Assignment.objects.select_related("round", "case__project", "policy", "reviewer").get(pk=seat.pk)


def as_typed(request: HttpRequest, page: SubmitPage) -> SubmitPage:
    """Return the page with the answer as it was typed, so that nothing typed is lost."""
    return replace(
        page,
        verdict=request.POST.get("verdict", ""),
        missing_context=request.POST.get("missing_context", ""),
        summary=request.POST.get("summary", ""),
    )


def show_dialogue(
    request: HttpRequest,
    seat: Assignment,
    page: SubmitPage,
    *,
    status: int = 200,
    stored: Answer | None = None,
    error: str = "",
    was_refused: bool = False,
) -> HttpResponse:
    """Render the dialogue alone to script, and as a page to a browser without it."""
    is_htmx = request.headers.get("HX-Request") == "true"
    return render(
        request,
        "labeling/_submit.html" if is_htmx else "labeling/submit.html",
        {
            "claims": claims_of(seat),
            "is_claims": seat.round.kind == RoundKind.CLAIMS,
            "project": seat.case.project,
            "seat": seat,
            "case_id": seat.case.public_id,
            "page": page,
            "base_url": seat_url(seat),
            "verdicts": [(verdict.value, words, BUTTONS[verdict]) for verdict, words in VERDICT_WORDS.items()],
            "button": BUTTONS.get(Verdict(page.verdict)) if page.verdict in set(Verdict) else "Submit",
            "stored": stored,
            "stored_verdict": VERDICT_WORDS.get(Verdict(stored.verdict), "") if stored and stored.verdict else "",
            "error": error,
            "was_refused": was_refused,
        },
        status=status,
    )


BUTTONS = {
    Verdict.HAS_DEFECTS: "Submit with defects",
    Verdict.CLEAN: "Submit as clean",
    Verdict.UNCERTAIN: "Submit as uncertain",
    Verdict.INSUFFICIENT_CONTEXT: "Submit as insufficient context",
}


def leave_to(request: HttpRequest, url: str) -> HttpResponse:
    """Move the whole page, also out of a fragment."""
    if request.headers.get("HX-Request") == "true":
        response = HttpResponse(status=204)
        response["HX-Redirect"] = url
        return response
    return redirect(url)


@own_seat("POST")
def seat_recall(request: HttpRequest, seat: Assignment) -> HttpResponse:
    """Take the submission back while its time runs."""
    try:
        recall(assignment=seat, reviewer=person(request))
    except RecallRefused as error:
        messages.error(request, str(error))
    return to_workbench(seat)


@own_seat("POST")
def seat_finish(request: HttpRequest, seat: Assignment) -> HttpResponse:
    """Give the recall up at once."""
    try:
        give_up_recall(assignment=seat, reviewer=person(request))
    except SeatClosed as error:
        return sentence(str(error), status=409)
    return to_workbench(seat)
