"""The seats of one case, and what a lead may do with them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from corpus import clock
from corpus.access import person, role_required
from corpus.domain.vocabulary import CaseState, Channel, ExposureKind, Role
from corpus.ids import asked_id
from corpus.models import Case, Project, User
from corpus.services.exposures import record_exposure
from labeling.domain.states import RoundState
from labeling.forms import ExtendForm, ReopenForm, WithdrawForm
from labeling.models import Assignment, Round
from labeling.selectors.rounds import NEEDED, seats_page
from labeling.selectors.withdrawals import withdrawal_rows
from labeling.services.comparison import compare_due_rounds
from labeling.services.rounds import (
    RoundRefused,
    needs_fresh_verdict,
    open_round,
    restore_case,
    set_queue_open,
    withdraw_case,
)
from labeling.services.seating import (
    SeatRefused,
    assign_seat,
    draw_seats,
    extend_seat,
    reassign_seat,
    release_seat,
)
from labeling.services.submission import ReopenRefused, reopen
from labeling.services.third_seats import ThirdSeatRefused, go_on_without_third


def managed_case(request: HttpRequest, project: Project, case_id: str) -> Case:
    """Return the case if the lead manages it and holds no open seat on it, else answer 404."""
    case = (
        Case.objects.managed_by(person(request))
        .filter(project=project, public_id=case_id)
        .only(*NEEDED, "result", "withdrawn_reason")
        .first()
    )
    if case is None:
        raise Http404
    return case


def managed_seat(request: HttpRequest, project: Project, seat_id: str) -> Assignment:
    """Return the seat if the lead manages its case, else answer 404."""
    seat = (
        Assignment.objects.managed_by(person(request))
        .filter(case__project=project, public_id=seat_id)
        .select_related("case__project", "reviewer", "round")
        .first()
    )
    if seat is None:
        raise Http404
    return seat


def open_round_of(request: HttpRequest, case: Case) -> Round:
    """Return the open round of the case that the form names, the newest where it names none, else answer 404."""
    rounds = case.rounds.filter(state=RoundState.OPEN).select_related("case__project").order_by("-number")
    name = request.POST.get("round", "")
    found = (rounds.filter(public_id=asked_id(name)) if name else rounds).first()
    if found is None:
        raise Http404
    return found


def member(project: Project, public_id: str) -> User:
    """Return a person of the project, or raise SeatRefused."""
    found = User.objects.filter(memberships__project=project, public_id=asked_id(public_id)).distinct().first()
    if found is None:
        raise SeatRefused("Choose a person of this project.")
    return found


def acted(request: HttpRequest, project: Project, case: Case, act: Callable[[], str]) -> HttpResponse:
    """Run one act and lead back to the case's seats with what it says, or with why it was refused."""
    try:
        messages.success(request, act())
    except (SeatRefused, RoundRefused, ThirdSeatRefused) as refused:
        messages.error(request, str(refused))
    if Case.objects.managed_by(person(request)).filter(pk=case.pk).exists():
        return redirect("case_seats", project=project.slug, case_id=case.public_id)
    messages.info(
        request, f"You hold a seat on case {case.public_id} now: its pages are closed to you until it settles."
    )
    return redirect("round_list", project=project.slug)


@role_required(Role.LEAD)
@require_GET
def case_seats(request: HttpRequest, project: Project, case_id: str) -> HttpResponse:
    """Show who sits on a case, who could, and what can be done."""
    case = managed_case(request, project, case_id)
    needs_verdict = needs_fresh_verdict(case)
    if needs_verdict:
        # The page then tells that everything said of the case was rejected.
        record_exposure(user=person(request), cases=[case], kind=ExposureKind.GOLDEN_FINDING, channel=Channel.PAGE)
    return render(
        request,
        "labeling/case_seats.html",
        {
            "project": project,
            "page": seats_page(case=case, viewer=person(request)),
            "case": case,
            "can_open": case.state in (CaseState.READY, CaseState.STALE) or needs_verdict,
            "needs_verdict": needs_verdict,
            "is_withdrawn": case.state == CaseState.WITHDRAWN,
            "extend": ExtendForm(),
        },
    )


@role_required(Role.LEAD)
@require_POST
def round_open(request: HttpRequest, project: Project, case_id: str) -> HttpResponse:
    """Open a round on one case: by draw, by queue, or with the two people named."""
    case = managed_case(request, project, case_id)
    lead = person(request)
    how = request.POST.get("how", "")

    def act() -> str:
        if how == "draw":
            names = people_of(open_round(case=case, actor=lead))
            return f"Drawn: {names}."
        if how == "queue":
            open_round(case=case, actor=lead, queue_open=True)
            return "Reviewers can take this case from the queue."
        if how == "hand":
            pair = [member(project, request.POST.get(name, "")) for name in ("reviewer_a", "reviewer_b")]
            return f"Seated: {people_of(open_round(case=case, actor=lead, reviewers=pair))}."
        raise RoundRefused("Choose how the seats are filled: by draw, from the queue or by hand.")

    return acted(request, project, case, act)


def people_of(round: Round) -> str:
    """Name the people who sit in a round."""
    return " and ".join(seat.reviewer.name for seat in round.assignments.live().order_by("slot"))


@role_required(Role.LEAD)
@require_POST
def seats_draw(request: HttpRequest, project: Project, case_id: str) -> HttpResponse:
    """Fill the free seats of the case's open round by draw."""
    case = managed_case(request, project, case_id)
    round = open_round_of(request, case)

    def act() -> str:
        drawn = draw_seats(round=round, actor=person(request))
        if not drawn:
            raise SeatRefused("Every seat of this round is taken.")
        return f"Drawn: {' and '.join(seat.reviewer.name for seat in drawn)}."

    return acted(request, project, case, act)


@role_required(Role.LEAD)
@require_POST
def seat_assign(request: HttpRequest, project: Project, case_id: str) -> HttpResponse:
    """Seat one person by hand in the case's open round."""
    case = managed_case(request, project, case_id)
    round = open_round_of(request, case)

    def act() -> str:
        reviewer = member(project, request.POST.get("reviewer", ""))
        seat = assign_seat(round=round, reviewer=reviewer, actor=person(request))
        return f"{reviewer.name} sits in slot {seat.slot}."

    return acted(request, project, case, act)


@role_required(Role.LEAD)
@require_POST
def round_queue(request: HttpRequest, project: Project, case_id: str) -> HttpResponse:
    """Offer the free seats of the case's open round in the queue, or no longer."""
    case = managed_case(request, project, case_id)
    round = open_round_of(request, case)
    is_open = request.POST.get("open") == "1"

    def act() -> str:
        set_queue_open(round=round, is_open=is_open, actor=person(request))
        return "Free seats are in the queue." if is_open else "Free seats are no longer in the queue."

    return acted(request, project, case, act)


@role_required(Role.LEAD)
@require_POST
def round_without_third(request: HttpRequest, project: Project, case_id: str) -> HttpResponse:
    """Let the case's open round be compared with two seats, although a third was called."""
    case = managed_case(request, project, case_id)
    round = open_round_of(request, case)

    def act() -> str:
        go_on_without_third(round_=round, lead=person(request))
        compare_due_rounds(rounds=Round.objects.filter(case=case))
        return "The round goes on with two seats."

    return acted(request, project, case, act)


@role_required(Role.LEAD)
@require_POST
def seat_release(request: HttpRequest, project: Project, seat_id: str) -> HttpResponse:
    """Take a seat back; its draft stays its owner's."""
    seat = managed_seat(request, project, seat_id)

    def act() -> str:
        release_seat(assignment=seat, actor=person(request))
        return f"The seat of {seat.reviewer.name} is free. Their draft stays theirs and unseen."

    return acted(request, project, seat.case, act)


@role_required(Role.LEAD)
@require_POST
def seat_reassign(request: HttpRequest, project: Project, seat_id: str) -> HttpResponse:
    """Give a seat's slot to another person, who starts with an empty form."""
    seat = managed_seat(request, project, seat_id)

    def act() -> str:
        reviewer = member(project, request.POST.get("reviewer", ""))
        fresh = reassign_seat(assignment=seat, reviewer=reviewer, actor=person(request))
        return f"{reviewer.name} sits in slot {fresh.slot} instead of {seat.reviewer.name}."

    return acted(request, project, seat.case, act)


@role_required(Role.LEAD)
@require_POST
def seat_extend(request: HttpRequest, project: Project, seat_id: str) -> HttpResponse:
    """Let a reservation end later, or give an expired seat back to its owner."""
    seat = managed_seat(request, project, seat_id)

    def act() -> str:
        form = ExtendForm(request.POST)
        if not form.is_valid():
            raise SeatRefused("Choose by how many days: 1, 3, 7, 14 or 30.")
        until = clock.now() + timedelta(days=form.cleaned_data["days"])
        extend_seat(assignment=seat, until=until, actor=person(request))
        return f"{seat.reviewer.name} has time until {until:%Y-%m-%d %H:%M} UTC."

    return acted(request, project, seat.case, act)


@role_required(Role.LEAD)
@require_http_methods(["GET", "POST"])
def seat_reopen(request: HttpRequest, project: Project, seat_id: str) -> HttpResponse:
    """Say what it means to give a submitted seat back to its owner, ask for the reason, and do it."""
    seat = managed_seat(request, project, seat_id)
    form = ReopenForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            reopen(assignment=seat, lead=person(request), reason=form.cleaned_data["reason"])
        except ReopenRefused as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(request, f"{seat.reviewer.name} can go on with the case. You count as exposed to it.")
            return redirect("case_seats", project=project.slug, case_id=seat.case.public_id)
    return render(
        request,
        "labeling/seat_reopen.html",
        {"project": project, "seat": seat, "case": seat.case, "form": form, "is_open": seat.round.state == "open"},
        status=422 if form.errors else 200,
    )


@role_required(Role.LEAD)
@require_http_methods(["GET", "POST"])
def case_withdraw(request: HttpRequest, project: Project, case_id: str) -> HttpResponse:
    """Ask for the reason, say what ends, and withdraw the case."""
    case = managed_case(request, project, case_id)
    form = WithdrawForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():

        def act() -> str:
            withdraw_case(case=case, actor=person(request), reason=form.cleaned_data["reason"])
            return f"Case {case.public_id} is withdrawn."

        return acted(request, project, case, act)
    return render(
        request,
        "labeling/withdraw_preview.html",
        {"project": project, "rows": withdrawal_rows([case]), "form": form, "single": case},
        status=422 if form.errors else 200,
    )


@role_required(Role.LEAD)
@require_POST
def case_restore(request: HttpRequest, project: Project, case_id: str) -> HttpResponse:
    """Take a withdrawal back."""
    case = managed_case(request, project, case_id)

    def act() -> str:
        return f"Case {case.public_id} is {restore_case(case=case, actor=person(request)).state} again."

    return acted(request, project, case, act)
