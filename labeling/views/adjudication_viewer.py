"""The diff and the snapshot of a case that is adjudicated: the shared viewer below the case's own address."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString

from corpus.domain.vocabulary import Side
from corpus.models import Case
from corpus.views import viewer
from labeling.models import Comparison
from labeling.views.adjudicable import adjudicable, case_url


@adjudicable("GET")
def adjudication_file(request: HttpRequest, case: Case, comparison: Comparison, position: int) -> HttpResponse:
    """Return one file's diff."""
    fragment = viewer.file_fragment(request, case, position, case_url(case))
    return framed(request, fragment, title=f"File {position + 1}", case=case)


@adjudicable("GET")
def adjudication_gap(request: HttpRequest, case: Case, comparison: Comparison, position: int) -> HttpResponse:
    """Return unchanged lines between hunks."""
    return viewer.gap_fragment(request, case, position, case_url(case))


@adjudicable("GET")
def adjudication_tree(request: HttpRequest, case: Case, comparison: Comparison, side: str) -> HttpResponse:
    """Return one directory of the snapshot."""
    fragment = viewer.snapshot_tree(request, case, side_or_404(side), case_url(case))
    return framed(request, fragment, title="Snapshot", case=case)


@adjudicable("GET")
def adjudication_blob(request: HttpRequest, case: Case, comparison: Comparison, side: str) -> HttpResponse:
    """Return one whole file of the snapshot."""
    fragment = viewer.snapshot_file(request, case, side_or_404(side), case_url(case))
    return framed(request, fragment, title=request.GET.get("path", ""), case=case)


def side_or_404(side: str) -> Side:
    """Return the side an address names."""
    try:
        return Side(side)
    except ValueError:
        raise Http404 from None


def framed(request: HttpRequest, fragment: HttpResponse, *, title: str, case: Case) -> HttpResponse:
    """Return a fragment alone to htmx, and as a page of its own to a browser without script."""
    if request.headers.get("HX-Request") == "true":
        return fragment
    # The fragment was rendered by a template of this project.
    html = SafeString(fragment.content.decode())
    return render(request, "labeling/framed.html", {"fragment": html, "title": title, "back": case_url(case)})
