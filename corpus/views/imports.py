"""Pages of imports: upload, preview with its located errors, commit, progress, result."""

from __future__ import annotations

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from corpus.access import person, role_required
from corpus.domain.limits import in_words
from corpus.domain.vocabulary import CaseState, Channel, ExposureKind, JobState, Role
from corpus.forms.imports import RepositoryForm, UploadForm, upload_limit
from corpus.importers.formats import GIT, LABELS
from corpus.importers.git import reference_of, source_of
from corpus.importers.records import Source
from corpus.models import Case, ImportBatch, ImportRecord, Job, Project
from corpus.services.exposures import record_exposure
from corpus.services.import_previews import NothingToShow, change_of_record
from corpus.services.imports import (
    JOB_KIND,
    ImportRefused,
    ImportStateRefused,
    Options,
    commit_import,
    discard_import,
    preview_import,
)
from corpus.views import viewer

PAGE_SIZE = 50
RUNNING = (JobState.QUEUED, JobState.RUNNING)


@require_safe
@role_required(Role.LEAD)
def import_list(request: HttpRequest, project: Project) -> HttpResponse:
    """List the imports of the project, newest first."""
    batches = ImportBatch.objects.visible_to(person(request)).filter(project=project).select_related("created_by")
    page = Paginator(batches.order_by("-pk"), PAGE_SIZE).get_page(request.GET.get("page"))
    return render(request, "corpus/import_list.html", {"project": project, "page_obj": page, "formats": LABELS})


@role_required(Role.LEAD)
@require_http_methods(["GET", "HEAD", "POST"])
def import_new(request: HttpRequest, project: Project) -> HttpResponse:
    """Offer the forms, and read what one of them brings into a preview."""
    case = _waiting_case(request, project)
    upload = UploadForm(prefix="upload")
    repository = RepositoryForm(prefix="repository") if settings.IMPORT_ROOT else None
    if request.method == "POST":
        form: UploadForm | RepositoryForm
        if repository is not None and request.POST.get("from") == "repository":
            form = repository = RepositoryForm(request.POST, prefix="repository")
        else:
            form = upload = UploadForm(request.POST, request.FILES, prefix="upload")
        batch = _preview(request, project, form, case)
        if batch is not None:
            return redirect("import_page", project=project.slug, import_id=batch.public_id)
    return render(
        request,
        "corpus/import_new.html",
        {
            "project": project,
            "upload": upload,
            "repository": repository,
            "case": case,
            "limit": in_words(upload_limit()),
        },
        status=422 if request.method == "POST" else 200,
    )


def _waiting_case(request: HttpRequest, project: Project) -> Case | None:
    """Return the incomplete case that the import is to complete, when the address names one."""
    public_id = request.GET.get("case", "")
    if not public_id:
        return None
    waiting = Case.objects.managed_by(person(request)).filter(project=project, state=CaseState.INCOMPLETE)
    return get_object_or_404(waiting, public_id=public_id)


def _preview(
    request: HttpRequest, project: Project, form: UploadForm | RepositoryForm, case: Case | None
) -> ImportBatch | None:
    """Return the preview of what the form brings, or None when the form now says why there is none."""
    refused = getattr(request, "upload_refused", None)
    if refused is not None:
        form.is_valid()
        form.errors.pop("file", None)
        form.add_error(
            "file", f"{refused} is too large: the limit is {in_words(upload_limit())}, so split it or leave files out."
        )
        return None
    if not form.is_valid():
        return None
    options = form.options()
    options = Options(options.source_kind, options.split, options.repository, options.licence, case)
    try:
        source, format_name = _source(form)
        return preview_import(
            project=project, source=source, created_by=person(request), format_name=format_name, options=options
        )
    except ImportRefused as error:
        form.add_error("file" if isinstance(form, UploadForm) else "path", forms.ValidationError(str(error)))
        return None


def _source(form: UploadForm | RepositoryForm) -> tuple[Source, str]:
    data = form.cleaned_data
    if isinstance(form, RepositoryForm):
        return source_of(reference_of(repository=data["path"], base=data["base"], head=data["head"])), GIT
    return Source(data["file"].name, data["file"].read()), data["format"]


@require_safe
@role_required(Role.LEAD)
def import_page(request: HttpRequest, project: Project, import_id: str) -> HttpResponse:
    """Show an import: its counts, every record with place and reason, and what can be done with it."""
    batch = _batch(request, project, import_id)
    records = ImportRecord.objects.visible_to(person(request)).filter(batch=batch)
    outcome = request.GET.get("outcome", "")
    if outcome in (ImportRecord.ACCEPTED, ImportRecord.REJECTED, ImportRecord.DUPLICATE):
        records = records.filter(outcome=outcome)
    page = Paginator(records.select_related("case").order_by("position"), PAGE_SIZE).get_page(request.GET.get("page"))
    shown = [record.case for record in page.object_list if record.case is not None]
    if shown:
        record_exposure(user=person(request), cases=shown, kind=ExposureKind.HIDDEN_FIELDS, channel=Channel.PAGE)
    context = {"page_obj": page, "outcome": outcome, "format": LABELS.get(batch.format, batch.format)}
    return render(request, "corpus/import.html", {**_progress_context(project, batch), **context})


@require_safe
@role_required(Role.LEAD)
def import_record(request: HttpRequest, project: Project, import_id: str, position: int) -> HttpResponse:
    """Show the change that one record of an import brings, before or after it is committed."""
    batch = _batch(request, project, import_id)
    record = get_object_or_404(ImportRecord.objects.visible_to(person(request)), batch=batch, position=position)
    context = {"project": project, "batch": batch, "record": record}
    try:
        change = change_of_record(batch=batch, record=record)
    except NothingToShow as nothing:
        return render(request, "corpus/import_record.html", {**context, "nothing": str(nothing)})
    return render(request, "corpus/import_record.html", {**context, **viewer.preview_context(request, change)})


@require_safe
@role_required(Role.LEAD)
def import_progress(request: HttpRequest, project: Project, import_id: str) -> HttpResponse:
    """Return the fragment that the page polls; when the work is over it asks for the whole page."""
    context = _progress_context(project, _batch(request, project, import_id))
    response = render(request, "corpus/_import_progress.html", context)
    if not context["is_running"]:
        response["HX-Refresh"] = "true"
    return response


def _progress_context(project: Project, batch: ImportBatch) -> dict[str, object]:
    job = Job.objects.filter(project=project, kind=JOB_KIND, subject=batch.public_id).order_by("-pk").first()
    is_running = batch.state == ImportBatch.COMMITTING and job is not None and job.state in RUNNING
    return {"project": project, "batch": batch, "job": job, "is_running": is_running}


@require_POST
@role_required(Role.LEAD)
def import_commit(request: HttpRequest, project: Project, import_id: str) -> HttpResponse:
    """Import what the preview accepted."""
    batch = _batch(request, project, import_id)
    try:
        batch = commit_import(batch=batch, actor=person(request))
    except ImportStateRefused as error:
        messages.error(request, str(error))
    return redirect("import_page", project=project.slug, import_id=batch.public_id)


@require_POST
@role_required(Role.LEAD)
def import_discard(request: HttpRequest, project: Project, import_id: str) -> HttpResponse:
    """Set a preview aside."""
    batch = _batch(request, project, import_id)
    try:
        discard_import(batch=batch, actor=person(request))
    except ImportStateRefused as error:
        messages.error(request, str(error))
        return redirect("import_page", project=project.slug, import_id=batch.public_id)
    messages.success(request, f"The import of {batch.source_name} was discarded; no case came of it.")
    return redirect("import_list", project=project.slug)


def _batch(request: HttpRequest, project: Project, import_id: str) -> ImportBatch:
    visible = ImportBatch.objects.visible_to(person(request)).select_related("created_by", "for_case")
    return get_object_or_404(visible, project=project, public_id=import_id)
