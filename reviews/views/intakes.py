"""Pages of intakes: upload, preview that accounts for every record, confirmation, progress."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from corpus.access import person, role_required
from corpus.domain.limits import in_words
from corpus.domain.vocabulary import Channel, ExposureKind, JobState, Role
from corpus.forms.imports import upload_limit
from corpus.importers.records import Source
from corpus.models import Job, Project
from corpus.services.exposures import record_exposure
from reviews.domain.formats.catalogue import FORMATS
from reviews.domain.vocabulary import RecordKind
from reviews.forms.intakes import IntakeForm
from reviews.forms.tools import SettingsForm
from reviews.models import Intake, IntakeRecord, Run
from reviews.selectors.intakes import account_of, listed_intakes, remarks_of
from reviews.services.intakes import (
    JOB_KIND,
    IntakeRefused,
    IntakeStateRefused,
    commit_intake,
    discard_intake,
    preview_intake,
    read_again,
)
from reviews.services.sources import format_of, pieces_of
from reviews.services.tools import remember_author, save_source_settings

PAGE_SIZE = 50
RUNNING = (JobState.QUEUED, JobState.RUNNING)


@role_required(Role.LEAD)
@require_http_methods(["GET", "HEAD", "POST"])
def intake_new(request: HttpRequest, project: Project) -> HttpResponse:
    """Offer the form, and read what it brings into a preview."""
    user = person(request)
    form = IntakeForm(user=user, project=project, initial={"tool": request.GET.get("tool", "")})
    if request.method == "POST":
        form = IntakeForm(request.POST, request.FILES, user=user, project=project)
        intake = _preview(request, project, form)
        if intake is not None:
            return redirect("intake_page", project=project.slug, intake_id=intake.public_id)
    return render(
        request,
        "reviews/intake_new.html",
        {
            "project": project,
            "form": form,
            "limit": in_words(upload_limit()),
            "intakes": listed_intakes(user, project),
        },
        status=422 if request.method == "POST" else 200,
    )


def _preview(request: HttpRequest, project: Project, form: IntakeForm) -> Intake | None:
    """Return the preview of what the form brings, or None when the form now says why there is none."""
    refused = getattr(request, "upload_refused", None)
    if refused is not None:
        form.is_valid()
        form.errors.pop("file", None)
        form.add_error("file", f"{refused} is too large: the limit is {in_words(upload_limit())}, so split it.")
        return None
    if not form.is_valid():
        return None
    data = form.cleaned_data
    source = Source(data["file"].name, data["file"].read())
    try:
        if data["author"] and form.chosen_tool is not None:
            found = format_of(source, pieces_of(source), data["format"])
            remember_author(tool=form.chosen_tool, format_name=found.name, author=data["author"], actor=person(request))
        return preview_intake(
            project=project,
            source=source,
            target=form.target(),
            created_by=person(request),
            format_name=data["format"],
        )
    except IntakeRefused as error:
        form.add_error("file", str(error))
        return None


@require_safe
@role_required(Role.LEAD)
def intake_page(request: HttpRequest, project: Project, intake_id: str) -> HttpResponse:
    """Show an intake: what becomes of every record, and what can be done with it."""
    intake = _intake(request, project, intake_id)
    records = IntakeRecord.objects.visible_to(person(request)).filter(intake=intake)
    kind, outcome = request.GET.get("kind", ""), request.GET.get("outcome", "")
    if kind in {one.value for one in RecordKind}:
        records = records.filter(kind=kind)
    if outcome in IntakeRecord.OUTCOMES:
        records = records.filter(outcome=outcome)
    paginator = Paginator(records.select_related("case").order_by("position"), PAGE_SIZE)
    page = paginator.get_page(request.GET.get("page"))
    shown = [record.case for record in page.object_list if record.case is not None]
    record_exposure(user=person(request), cases=shown, kind=ExposureKind.AI_OUTPUT, channel=Channel.PAGE)
    context = {
        "page_obj": page,
        "elided_pages": paginator.get_elided_page_range(page.number),
        "kind": kind,
        "outcome": outcome,
        "account": account_of(intake),
        "remarks": remarks_of(intake),
        "format": FORMATS.get(intake.format),
        "settings_form": SettingsForm.of(intake.settings) if intake.tool else None,
        "runs": Run.objects.visible_to(person(request))
        .filter(raw_records__intake=intake)
        .select_related("configuration__tool")
        .distinct()
        .order_by("pk"),
    }
    return render(request, "reviews/intake.html", {**_progress_context(project, intake), **context})


@require_safe
@role_required(Role.LEAD)
def intake_progress(request: HttpRequest, project: Project, intake_id: str) -> HttpResponse:
    """Return the fragment that the page polls; when the work is over it asks for the whole page."""
    context = _progress_context(project, _intake(request, project, intake_id))
    response = render(request, "reviews/_intake_progress.html", context)
    if not context["is_running"]:
        response["HX-Refresh"] = "true"
    return response


def _progress_context(project: Project, intake: Intake) -> dict[str, object]:
    job = Job.objects.filter(project=project, kind=JOB_KIND, subject=intake.public_id).order_by("-pk").first()
    is_running = intake.state == Intake.COMMITTING and job is not None and job.state in RUNNING
    return {"project": project, "intake": intake, "job": job, "is_running": is_running}


@require_POST
@role_required(Role.LEAD)
def intake_commit(request: HttpRequest, project: Project, intake_id: str) -> HttpResponse:
    """Take in what is new."""
    intake = _intake(request, project, intake_id)
    try:
        intake = commit_intake(intake=intake, actor=person(request))
    except IntakeStateRefused as error:
        messages.error(request, str(error))
    return redirect("intake_page", project=project.slug, intake_id=intake.public_id)


@require_POST
@role_required(Role.LEAD)
def intake_discard(request: HttpRequest, project: Project, intake_id: str) -> HttpResponse:
    """Set a preview aside."""
    intake = _intake(request, project, intake_id)
    try:
        discard_intake(intake=intake, actor=person(request))
    except IntakeStateRefused as error:
        messages.error(request, str(error))
        return redirect("intake_page", project=project.slug, intake_id=intake.public_id)
    messages.success(request, f"The upload of {intake.source_name} was discarded; nothing of it is in a run.")
    return redirect("run_list", project=project.slug)


@require_POST
@role_required(Role.LEAD)
def intake_reread(request: HttpRequest, project: Project, intake_id: str) -> HttpResponse:
    """Remember other settings for the source, and preview the same bytes with them."""
    intake = _intake(request, project, intake_id)
    here = redirect("intake_page", project=project.slug, intake_id=intake.public_id)
    form = SettingsForm(request.POST)
    if intake.tool is None or not form.is_valid():
        for listed in form.errors.values():
            messages.error(request, " ".join(map(str, listed)))
        return here
    try:
        save_source_settings(tool=intake.tool, format_name=intake.format, actor=person(request), **form.cleaned_data)
        again = read_again(intake=intake, actor=person(request))
    except (IntakeRefused, IntakeStateRefused) as error:
        messages.error(request, str(error))
        return here
    messages.success(request, "The file was read again with these settings, which are remembered.")
    return redirect("intake_page", project=project.slug, intake_id=again.public_id)


def _intake(request: HttpRequest, project: Project, intake_id: str) -> Intake:
    visible = Intake.objects.visible_to(person(request)).select_related(
        "created_by", "tool", "configuration__tool", "version", "for_case", "settings"
    )
    return get_object_or_404(visible, project=project, public_id=intake_id)
