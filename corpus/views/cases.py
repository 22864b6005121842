"""Pages of cases for leads, and in reading for adjudicators and analysts. Reviewers never come here (B6)."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from corpus.access import person, role_required
from corpus.domain.vocabulary import CaseState, Channel, Completeness, ExposureKind, Role
from corpus.forms.cases import CompletenessForm, FactsForm, FilterForm
from corpus.models import Case, Project
from corpus.selectors.case_list import PAGE_SIZE, SORTS, languages_of, listed_cases, shows_hidden_columns
from corpus.selectors.case_page import case_details, case_for_page
from corpus.services.case_edits import EditRefused, EditStale, declare_ready, edit_facts, set_completeness
from corpus.services.case_facts import FactsRefused
from corpus.services.exposures import record_exposure
from corpus.views.csv_answers import csv_answer

READERS = (Role.LEAD, Role.ADJUDICATOR, Role.ANALYST)
DECIDED_ON = (CaseState.ADJUDICATING, CaseState.SETTLED, CaseState.STALE)
CSV_COLUMNS = ("public_id", "state", "repository", "language", "file_count", "added_lines", "removed_lines")
CSV_HIDDEN_COLUMNS = ("title", "source_kind", "split", "family", "result")


@require_safe
@role_required(*READERS)
def case_list(request: HttpRequest, project: Project) -> HttpResponse:
    """List the cases with filters, sort and page in the address."""
    form = FilterForm(request.GET)
    filters = form.filters()
    hidden = shows_hidden_columns(request.roles)  # type: ignore[attr-defined]
    cases = listed_cases(person(request), project, filters, hidden=hidden)
    paginator = Paginator(cases, PAGE_SIZE)
    page = paginator.get_page(request.GET.get("page"))
    if hidden:
        _note(request, list(page.object_list), Channel.PAGE)
    return render(
        request,
        "corpus/case_list.html",
        {
            "project": project,
            "form": form,
            "filters": filters,
            "hidden": hidden,
            "languages": languages_of(person(request), project),
            "sorts": SORTS,
            "page_obj": page,
            "elided_pages": paginator.get_elided_page_range(page.number),
            "is_lead": Role.LEAD in request.roles,  # type: ignore[attr-defined]
        },
    )


@require_safe
@role_required(*READERS)
def case_list_csv(request: HttpRequest, project: Project) -> StreamingHttpResponse:
    """Download what the list shows, all pages of it."""
    hidden = shows_hidden_columns(request.roles)  # type: ignore[attr-defined]
    cases = listed_cases(person(request), project, FilterForm(request.GET).filters(), hidden=hidden)
    if hidden:
        _note(request, list(cases.only("pk")), Channel.DOWNLOAD)
    columns = CSV_COLUMNS + (CSV_HIDDEN_COLUMNS if hidden else ())
    return csv_answer(f"{project.slug}-cases", columns, cases.values_list(*columns).iterator())


@require_safe
@role_required(*READERS)
def case_page(request: HttpRequest, project: Project, case_id: str) -> HttpResponse:
    """Show everything about one case; that it was seen is recorded (B2)."""
    case = _case(request, project, case_id)
    return _render_case(request, project, case)


@require_POST
@role_required(Role.LEAD)
def case_completeness(request: HttpRequest, project: Project, case_id: str) -> HttpResponse:
    """Set whether the labels of the case are complete."""
    case = _case(request, project, case_id)
    form = CompletenessForm(request.POST)
    if not form.is_valid():
        return _render_case(request, project, case, completeness=form, status=422)
    completeness = Completeness(form.cleaned_data["completeness"])
    set_completeness(case=case, completeness=completeness, actor=person(request))
    messages.success(request, f"The labels of this case are now marked as {completeness}.")
    return redirect("case_page", project=project.slug, case_id=case.public_id)


@require_POST
@role_required(Role.LEAD)
def case_ready(request: HttpRequest, project: Project, case_id: str) -> HttpResponse:
    """Make a case ready again that lacked context."""
    case = _case(request, project, case_id)
    try:
        declare_ready(case=case, actor=person(request))
    except EditRefused as error:
        messages.error(request, str(error))
    else:
        messages.success(request, "The case is ready for a new round; its former reviewers are not drawn again.")
    return redirect("case_page", project=project.slug, case_id=case.public_id)


@role_required(Role.LEAD)
@require_http_methods(["GET", "HEAD", "POST"])
def case_edit(request: HttpRequest, project: Project, case_id: str) -> HttpResponse:
    """Edit what is said about a case; an edit that came between is shown beside one's own (N3)."""
    case = _case(request, project, case_id)
    status, differences = 200, []
    if request.method == "POST":
        form = FactsForm(case, request.POST)
        status = 422
        if form.is_valid():
            try:
                edit_facts(case=case, facts=form.facts(), seen=form.cleaned_data["seen"], actor=person(request))
            except EditStale as error:
                status = 409
                differences = error.stored.differences(form.facts())
                # Saving again overwrites knowingly: both versions have now been seen.
                form = FactsForm(case, {**request.POST.dict(), "seen": error.stored.digest()})
                form.add_error(None, str(error))
            except (FactsRefused, EditRefused) as error:
                form.add_error(None, str(error))
            else:
                messages.success(request, "Saved.")
                return redirect("case_page", project=project.slug, case_id=case.public_id)
    else:
        form = FactsForm(case)
    _note(request, [case], Channel.PAGE)
    context = {"project": project, "case": case, "form": form, "differences": differences}
    return render(request, "corpus/case_edit.html", context, status=status)


def _render_case(
    request: HttpRequest, project: Project, case: Case, completeness: CompletenessForm | None = None, status: int = 200
) -> HttpResponse:
    details = case_details(person(request), case)
    for kind in sorted(details.exposures):
        _note(request, [case], Channel.PAGE, kind)
    return render(
        request,
        "corpus/case.html",
        {
            "project": project,
            "case": case,
            "details": details,
            "is_lead": Role.LEAD in request.roles,  # type: ignore[attr-defined]
            "has_decisions": case.state in DECIDED_ON
            and Case.objects.adjudicable_by(person(request)).filter(pk=case.pk).exists(),
            "lacks_change": case.state == CaseState.INCOMPLETE and not case.file_count,
            "lacks_context": case.state == CaseState.INCOMPLETE and case.file_count > 0,
            "completeness": completeness or CompletenessForm(initial={"completeness": case.completeness}),
        },
        status=status,
    )


def _case(request: HttpRequest, project: Project, case_id: str) -> Case:
    case = case_for_page(person(request), project.pk, case_id)
    if case is None:
        raise Http404
    return case


def _note(
    request: HttpRequest, cases: list[Case], channel: Channel, kind: ExposureKind = ExposureKind.HIDDEN_FIELDS
) -> None:
    record_exposure(user=person(request), cases=cases, kind=kind, channel=channel)
