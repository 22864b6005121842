"""Lead pages over many cases: open rounds, and planning seats or withdrawals with a preview before anything is done."""

from __future__ import annotations

from collections.abc import Iterator

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST, require_safe

from corpus.access import person, role_required
from corpus.domain.vocabulary import Role
from corpus.ids import asked_id
from corpus.models import Case, Project, User
from corpus.views.csv_answers import csv_answer
from labeling.forms import CaseFilterForm, PlanForm, WithdrawForm
from labeling.selectors.eligibility import pool_for
from labeling.selectors.plans import MAX_PLANNED, Plan, PlanKind, make_plan
from labeling.selectors.rounds import filtered_cases, languages_of, managed_cases, open_rounds, round_view
from labeling.selectors.withdrawals import withdrawal_rows
from labeling.services.planning import carry_out
from labeling.services.rounds import new_seed, withdraw_case

PAGE = 25
# Rounds of a download that are read at once.
BATCH = 500
CSV_COLUMNS = (
    "case",
    "repository",
    "language",
    "files",
    "added_lines",
    "removed_lines",
    "round",
    "number",
    "opened_at",
    "slot",
    "reviewer",
    "state",
    "since",
    "ends_at",
)


def asked_filter(request: HttpRequest) -> dict[str, str]:
    """Return what the address asks for of the list of rounds."""
    return {name: request.GET.get(name, "")[:200] for name in ("seats", "person", "q")}


@role_required(Role.LEAD)
@require_GET
def round_list(request: HttpRequest, project: Project) -> HttpResponse:
    """List open rounds with who sits where, to see who waits for what."""
    chosen = asked_filter(request)
    pages = Paginator(open_rounds(project=project, viewer=person(request), **chosen), PAGE)
    page = pages.get_page(request.GET.get("page"))
    return render(
        request,
        "labeling/rounds.html",
        {
            "project": project,
            "chosen": chosen,
            "reviewers": User.objects.filter(memberships__project=project, memberships__role=Role.REVIEWER)
            .distinct()
            .order_by("name", "pk"),
            "rows": [(round.case, round_view(round)) for round in page.object_list],
            "page_obj": page,
            "elided_pages": pages.get_elided_page_range(page.number),
        },
    )


@require_safe
@role_required(Role.LEAD)
def round_list_csv(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Download what the list shows, all pages of it: one line a seat, free ones among them."""
    rounds = open_rounds(project=project, viewer=person(request), **asked_filter(request))

    def rows() -> Iterator[tuple[object, ...]]:
        for round in rounds.iterator(chunk_size=BATCH):
            view, case = round_view(round), round.case
            about = (
                case.public_id,
                case.repository,
                case.language,
                case.file_count,
                case.added_lines,
                case.removed_lines,
                view.kind,
                view.number,
                view.opened_at.isoformat(timespec="seconds"),
            )
            for seat in view.seats:
                moment = seat.moment.isoformat(timespec="seconds") if seat.moment else ""
                ends = seat.ends.isoformat(timespec="seconds") if seat.ends else ""
                yield (*about, seat.slot, seat.name, seat.words, moment, ends)
            for slot in view.free:
                yield (*about, slot, "", "free, in the queue" if view.is_queue_open else "free", "", "")

    return csv_answer(f"{project.slug}-rounds", CSV_COLUMNS, rows())


@role_required(Role.LEAD)
@require_GET
def round_plan(request: HttpRequest, project: Project) -> HttpResponse:
    """List cases to choose from for a draw, the queue or a withdrawal."""
    return plan_page(request, project, chosen=CaseFilterForm(request.GET).chosen())


def plan_page(
    request: HttpRequest, project: Project, *, chosen: dict[str, str], error: str = "", status: int = 200
) -> HttpResponse:
    """Render the list of cases to plan for."""
    viewer = person(request)
    pages = Paginator(filtered_cases(project=project, viewer=viewer, **chosen), PAGE)
    page = pages.get_page(request.GET.get("page"))
    cases = list(page.object_list)
    pool = pool_for(project=project, cases=cases, viewer=viewer)
    return render(
        request,
        "labeling/round_plan.html",
        {
            "project": project,
            "filters": CaseFilterForm(initial=chosen),
            "chosen": chosen,
            "languages": languages_of(project=project, viewer=viewer),
            "rows": [(case, len(pool.eligible(case))) for case in cases],
            "reviewers": len(pool.reviewers),
            "page_obj": page,
            "elided_pages": pages.get_elided_page_range(page.number),
            "error": error,
            "limit": MAX_PLANNED,
        },
        status=status,
    )


@role_required(Role.LEAD)
@require_safe
def plan_preview(request: HttpRequest, project: Project) -> HttpResponse:
    """Show what a draw, an opened queue or a withdrawal would do to the chosen cases. Nothing is changed.

    All that it depends on stands in the address, so that the back button and a reload show it anew. A draw without a
    seed gets one first.
    """
    chosen = CaseFilterForm(request.GET).chosen()
    form = PlanForm(request.GET)
    if not form.is_valid():
        error = "; ".join(str(message) for errors in form.errors.values() for message in errors)
        return plan_page(request, project, chosen=chosen, error=error, status=422)
    viewer = person(request)
    if form.cleaned_data["scope"] == "all":
        found = filtered_cases(project=project, viewer=viewer, **chosen)
    else:
        found = chosen_cases(request, project, request.GET.getlist("case"))
    count = found.count()
    if not count:
        return plan_page(request, project, chosen=chosen, error="Choose at least one case.", status=422)
    if count > MAX_PLANNED:
        error = f"{count} cases match; at most {MAX_PLANNED} are planned at once. Narrow the filter."
        return plan_page(request, project, chosen=chosen, error=error, status=422)
    act = form.cleaned_data["act"]
    if act == "withdraw":
        return withdraw_preview(request, project, list(found), WithdrawForm())
    seed = form.cleaned_data["seed"]
    if seed is None:
        seeded = request.GET.copy()
        seeded["seed"] = str(new_seed())
        return redirect(f"{request.path}?{seeded.urlencode()}")
    plan = make_plan(project=project, viewer=viewer, cases=list(found), kind=PlanKind(act), seed=seed)
    return preview_page(request, project, plan)


def chosen_cases(request: HttpRequest, project: Project, names: list[str]) -> QuerySet[Case]:
    """Return the managed cases of these ids, one more than may be planned at most."""
    names = [asked_id(name) for name in names[: MAX_PLANNED + 1]]
    return managed_cases(project, person(request)).filter(public_id__in=names).order_by("pk")


def preview_page(
    request: HttpRequest, project: Project, plan: Plan, *, changed: bool = False, status: int = 200
) -> HttpResponse:
    """Render a plan with the button that carries it out."""
    return render(
        request,
        "labeling/plan_preview.html",
        {
            "project": project,
            "plan": plan,
            "is_draw": plan.kind == PlanKind.DRAW,
            "changed": changed,
            "case_ids": [case.public_id for case in plan.cases],
        },
        status=status,
    )


@role_required(Role.LEAD)
@require_POST
def plan_carry_out(request: HttpRequest, project: Project) -> HttpResponse:
    """Do what the preview showed; if something has changed since, show the new preview instead."""
    viewer = person(request)
    form = PlanForm({**request.POST.dict(), "scope": "selected"})
    if not form.is_valid() or form.cleaned_data["act"] == "withdraw" or form.cleaned_data["seed"] is None:
        return plan_page(
            request, project, chosen=CaseFilterForm({}).chosen(), error="Look at the preview again.", status=422
        )
    plan = make_plan(
        project=project,
        viewer=viewer,
        cases=list(chosen_cases(request, project, request.POST.getlist("case"))),
        kind=PlanKind(form.cleaned_data["act"]),
        seed=form.cleaned_data["seed"],
    )
    if plan.digest != request.POST.get("digest"):
        return preview_page(request, project, plan, changed=True, status=409)
    outcome = carry_out(plan=plan, actor=viewer)
    if outcome.done:
        many = "" if len(outcome.done) == 1 else "s"
        did = "Seats drawn" if plan.kind == PlanKind.DRAW else "Queue opened"
        messages.success(request, f"{did} on {len(outcome.done)} case{many}.")
    for case_id, reason in outcome.refused[:10]:
        messages.warning(request, f"Case {case_id}: {reason}")
    return redirect("round_list", project=project.slug)


def withdraw_preview(
    request: HttpRequest, project: Project, cases: list[Case], form: WithdrawForm, *, status: int = 200
) -> HttpResponse:
    """Render what a withdrawal would end, with the field for its reason."""
    return render(
        request,
        "labeling/withdraw_preview.html",
        {"project": project, "rows": withdrawal_rows(cases), "form": form},
        status=status,
    )


@role_required(Role.LEAD)
@require_POST
def bulk_withdraw(request: HttpRequest, project: Project) -> HttpResponse:
    """Withdraw the previewed cases with one reason."""
    cases = list(chosen_cases(request, project, request.POST.getlist("case"))[:MAX_PLANNED])
    form = WithdrawForm(request.POST)
    if not cases:
        return plan_page(
            request, project, chosen=CaseFilterForm({}).chosen(), error="Choose at least one case.", status=422
        )
    if not form.is_valid():
        return withdraw_preview(request, project, cases, form, status=422)
    for case in cases:
        withdraw_case(case=case, actor=person(request), reason=form.cleaned_data["reason"])
    messages.success(request, f"{len(cases)} case{'' if len(cases) == 1 else 's'} withdrawn.")
    return redirect("round_plan", project=project.slug)
