"""Pages of versions: the list, and a version as a receipt with its downloads."""

from __future__ import annotations

from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from corpus.access import person, role_required
from corpus.domain.exports.frame import PUBLIC_SPLITS, Export
from corpus.domain.signatures import Signature, signature_bytes
from corpus.domain.vocabulary import Channel, ExposureKind, Role, Split
from corpus.models import Case, CorpusVersion, Project
from corpus.selectors.version_figures import figures_of
from corpus.selectors.versions import listed_versions, receipt_of, signature_of
from corpus.services.exports import (
    LABELS,
    MANIFEST,
    QUICK,
    ExportChoice,
    ExportTooLarge,
    VersionDamaged,
    make_export,
    manifest_bytes,
    pack,
    record_leaving,
)
from corpus.services.exposures import record_exposure
from corpus.views.csv_answers import csv_answer
from corpus.views.downloads import attachment

PAGE_SIZE = 50
READERS = (Role.LEAD, Role.ANALYST)
CSV_COLUMNS = ("number", "sha256", "cases", "golden findings", "waived gates", "frozen at", "frozen by")


@require_safe
@role_required(*READERS)
def version_list(request: HttpRequest, project: Project) -> HttpResponse:
    """List the frozen versions, newest first."""
    paginator = Paginator(listed_versions(person(request), project), PAGE_SIZE)
    page = paginator.get_page(request.GET.get("page"))
    numbers = list(listed_versions(person(request), project).values_list("number", flat=True))
    return render(
        request,
        "corpus/version_list.html",
        {
            "project": project,
            "page_obj": page,
            "elided_pages": paginator.get_elided_page_range(page.number),
            "is_lead": Role.LEAD in request.roles,  # type: ignore[attr-defined]
            "numbers": numbers,
            "before_newest": numbers[1] if len(numbers) > 1 else "",
        },
    )


@require_safe
@role_required(*READERS)
def version_list_csv(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Download what the list shows, all pages of it."""
    rows = (
        (
            version.number,
            version.manifest_sha256,
            version.case_count,  # type: ignore[attr-defined]
            version.finding_count,  # type: ignore[attr-defined]
            version.waived_count,  # type: ignore[attr-defined]
            version.frozen_at.isoformat(timespec="seconds"),
            version.frozen_by.name,
        )
        for version in listed_versions(person(request), project)
    )
    return csv_answer(f"{project.slug}-versions", CSV_COLUMNS, rows)


@require_safe
@role_required(*READERS)
def version_page(request: HttpRequest, project: Project, number: str) -> HttpResponseBase:
    """Show a version as a receipt; the cases whose findings it tells of are recorded as seen (B2)."""
    version = _version(request, project, number)
    receipt = receipt_of(version)
    told = Case.objects.filter(project=project, public_id__in=receipt.told)
    record_exposure(user=person(request), cases=told, kind=ExposureKind.GOLDEN_FINDING, channel=Channel.PAGE)
    splits = _splits(request)
    return render(
        request,
        "corpus/version.html",
        {
            "project": project,
            "version": version,
            "receipt": receipt,
            "figures": figures_of(version, person(request)),
            "splits": [(split.value, split in splits) for split in Split],
            "exports": [
                {"name": name, "label": label, "waits": name not in QUICK}
                for name, label in LABELS.items()
                if name != MANIFEST
            ],
            "compare_with": _visible_parent(request, version),
            "manifest_label": LABELS[MANIFEST],
            "manifest_file": f"{project.slug}-{version.number}.json",
            "query": _query(splits),
        },
    )


@require_safe
@role_required(*READERS)
def version_manifest(request: HttpRequest, project: Project, number: str) -> HttpResponseBase:
    """Download the manifest byte for byte as it was stored at the freeze."""
    version = _version(request, project, number)
    choice = ExportChoice(format=MANIFEST)
    try:
        data = manifest_bytes(version)
    except VersionDamaged as damaged:
        return _refused(str(damaged))
    record_leaving(
        version=version,
        choice=choice,
        export=Export(((MANIFEST, data),), ()),
        user=person(request),
        channel=Channel.DOWNLOAD,
    )
    name = f"{project.slug}-{version.number}.json"
    return attachment(request, data, kind="application/json", name=name, sha256=version.manifest_sha256)


@require_safe
@role_required(*READERS)
def version_signature(request: HttpRequest, project: Project, number: str) -> HttpResponseBase:
    """Download the signature over the manifest; it tells nothing of a case."""
    found = signature_of(_version(request, project, number))
    if found is None:
        raise Http404
    data = signature_bytes(Signature(found.public_key, found.signature))
    answer = HttpResponse(data, content_type="application/json")
    answer["Content-Disposition"] = f'attachment; filename="{project.slug}-{number}.sig"'
    return answer


@require_safe
@role_required(*READERS)
def version_export(request: HttpRequest, project: Project, number: str, format_name: str) -> HttpResponseBase:
    """Download one of the other formats as a zip whose bytes are the same every time."""
    version, choice = _chosen(request, project, number, format_name)
    try:
        export = make_export(version=version, choice=choice)
    except (VersionDamaged, ExportTooLarge) as refused:
        return _refused(str(refused))
    record_leaving(version=version, choice=choice, export=export, user=person(request), channel=Channel.DOWNLOAD)
    folder = f"{project.slug}-{version.number}-{choice.format}"
    packed = pack(export, folder)
    return attachment(request, packed.file, kind="application/zip", name=f"{folder}.zip", sha256=packed.sha256)


@require_safe
@role_required(*READERS)
def version_export_facts(request: HttpRequest, project: Project, number: str, format_name: str) -> HttpResponseBase:
    """Return the row of a download with its size, hash and what the format loses."""
    version, choice = _chosen(request, project, number, format_name)
    context = {
        "project": project,
        "version": version,
        "export": {"name": choice.format, "label": LABELS[choice.format]},
        "query": _query(choice.splits),
        "is_known": True,
        "is_asked": choice.format not in QUICK,
    }
    try:
        export = make_export(version=version, choice=choice)
    except (VersionDamaged, ExportTooLarge) as refused:
        context["refusal"] = str(refused)
    else:
        packed = pack(export, f"{project.slug}-{version.number}-{choice.format}")
        packed.file.close()
        context |= {
            "size": packed.size,
            "sha256": packed.sha256,
            "files": len(export.files),
            "losses": len(export.losses),
        }
    return render(request, "corpus/_version_export.html", context)


def _version(request: HttpRequest, project: Project, number: str) -> CorpusVersion:
    version = (
        CorpusVersion.objects.visible_to(person(request))
        .filter(project=project, number=number)
        .defer("parent__manifest")
        .select_related("frozen_by", "parent", "project")
        .first()
    )
    if version is None:
        raise Http404
    return version


def _visible_parent(request: HttpRequest, version: CorpusVersion) -> str:
    """Return the number of the version before where the person may see that one too, else an empty text."""
    seen = CorpusVersion.objects.visible_to(person(request)).filter(children=version)
    return seen.values_list("number", flat=True).first() or ""


def _chosen(
    request: HttpRequest, project: Project, number: str, format_name: str
) -> tuple[CorpusVersion, ExportChoice]:
    version = _version(request, project, number)
    if format_name not in LABELS or format_name == MANIFEST:
        raise Http404
    return version, ExportChoice(format=format_name, splits=_splits(request))


def _splits(request: HttpRequest) -> frozenset[Split]:
    """Return the splits that the address names, else the public ones; unknown words name none."""
    known = {split.value: split for split in Split}
    return frozenset(known[word] for word in request.GET.getlist("split") if word in known) or PUBLIC_SPLITS


def _query(splits: frozenset[Split]) -> str:
    return "" if splits == PUBLIC_SPLITS else "?" + urlencode([("split", split.value) for split in sorted(splits)])


def _refused(sentence: str) -> HttpResponse:
    return HttpResponse(sentence, status=409, content_type="text/plain; charset=utf-8")
