"""Any two versions compared: chosen on the list, shown as a page, taken away as JSON or Markdown."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from corpus.access import person, role_required
from corpus.domain.version_compare import (
    Comparison,
    comparison_markdown,
    comparison_plain,
    count_words,
    edit_words,
)
from corpus.domain.vocabulary import Channel
from corpus.models import CorpusVersion, Project
from corpus.selectors.versions import CHANGE_WORDS, SHOWN_CHANGES, listed_versions
from corpus.services.comparisons import compare_frozen, record_compared
from corpus.services.exports import VersionDamaged
from corpus.views.versions import READERS

JSON, MARKDOWN = "json", "markdown"


@require_safe
@role_required(*READERS)
def version_compare_choose(request: HttpRequest, project: Project) -> HttpResponse:
    """Lead from two chosen numbers to the page that compares them; without two known ones, back to the list."""
    known = set(listed_versions(person(request), project).values_list("number", flat=True))
    chosen = [request.GET.get(name, "") for name in ("from", "to")]
    if not known.issuperset(chosen):
        return redirect("version_list", project=project.slug)
    return redirect("version_compare", project=project.slug, number=chosen[0], other=chosen[1])


@require_safe
@role_required(*READERS)
def version_compare(request: HttpRequest, project: Project, number: str, other: str) -> HttpResponse:
    """Show what leads from one version to another; the cases whose findings are told of are recorded as seen (B2)."""
    versions = listed_versions(person(request), project)
    before, after = _pair(request, project, number, other)
    context: dict[str, object] = {
        "project": project,
        "before": before,
        "after": after,
        "numbers": [version.number for version in versions],
    }
    try:
        comparison = compare_frozen(before, after)
    except VersionDamaged as damaged:
        return render(request, "corpus/version_compare.html", context | {"refusal": str(damaged)}, status=409)
    record_compared(comparison=comparison, version=after, user=person(request), channel=Channel.PAGE)
    shown = comparison.changes[:SHOWN_CHANGES]
    context |= {
        "comparison": comparison,
        "counts": [
            (count_words(count), count.before, count.after, count.after - count.before)
            for count in comparison.counts
            if count.before != count.after
        ],
        "changes": [
            {
                "words": CHANGE_WORDS[change.kind],
                "case_id": change.case_id,
                "finding_id": change.finding_id,
                "document": (change.document or "").replace("_", " "),
                "edits": [edit_words(edit) for edit in change.edits],
                "reason": change.reason,
            }
            for change in shown
        ],
        "hidden_changes": len(comparison.changes) - len(shown),
    }
    return render(request, "corpus/version_compare.html", context)


@require_safe
@role_required(*READERS)
def version_compare_as(request: HttpRequest, project: Project, number: str, other: str, form: str) -> HttpResponseBase:
    """Download the comparison as JSON or as Markdown."""
    if form not in (JSON, MARKDOWN):
        raise Http404
    before, after = _pair(request, project, number, other)
    try:
        comparison = compare_frozen(before, after)
    except VersionDamaged as damaged:
        return HttpResponse(str(damaged), status=409, content_type="text/plain; charset=utf-8")
    record_compared(comparison=comparison, version=after, user=person(request), channel=Channel.DOWNLOAD)
    answer = _written(comparison, form)
    ending = "json" if form == JSON else "md"
    answer["Content-Disposition"] = f'attachment; filename="{project.slug}-{number}-to-{other}.{ending}"'
    return answer


def _written(comparison: Comparison, form: str) -> HttpResponse:
    if form == JSON:
        return JsonResponse(comparison_plain(comparison), json_dumps_params={"indent": 1})
    return HttpResponse(comparison_markdown(comparison), content_type="text/markdown; charset=utf-8")


def _pair(request: HttpRequest, project: Project, number: str, other: str) -> tuple[CorpusVersion, CorpusVersion]:
    """Return two versions that the person may see, or raise Http404."""
    mine = CorpusVersion.objects.visible_to(person(request)).filter(project=project, number__in={number, other})
    found = {version.number: version for version in mine.defer("parent__manifest").select_related("project")}
    if number not in found or other not in found:
        raise Http404
    return found[number], found[other]
