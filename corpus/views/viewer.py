"""The diff viewer's fragments, for any page that has already found the case it may show.

Callers look the case up through their own `visible_to` and pass `base_url`, below which they mount the same routes:
`files/N/` (one file's diff), `files/N/lines/` (rows of a gap), `tree/SIDE/` and `blob/SIDE/?path=` (the snapshot).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from corpus.domain.bytestext import text_path
from corpus.domain.vocabulary import Side
from corpus.models import Blob, Case, CaseFile
from corpus.rendering import diff_rows
from corpus.rendering.diff_rows import LAYOUTS, Layout, SideText
from corpus.rendering.highlight import HighlightStore
from corpus.rendering.text import decode
from corpus.selectors.diff_files import changed_files, closed_body, diff_text, file_bodies, head_of, lines_url
from corpus.selectors.trees import find_file, list_level

# Files beyond this many changed lines in all are loaded when they are scrolled to.
INLINE_LINES = 600


def chosen_layout(request: HttpRequest) -> Layout:
    """Return the layout the person asked for now or last; asking is remembered."""
    asked = request.GET.get("layout", "")
    if asked in LAYOUTS:
        request.session["diff_layout"] = asked
        return asked
    kept = request.session.get("diff_layout", "unified")
    return cast(Layout, kept) if kept in LAYOUTS else "unified"


def viewer_files(
    request: HttpRequest, case: Case, base_url: str, files: Sequence[CaseFile] | None = None
) -> list[dict[str, Any]]:
    """Return the context of each file for `corpus/_diff_files.html`: the first ones drawn, the others to be loaded.

    `files` spare a query where the page has them, from `changed_files`. Content is read for files that are drawn for
    the first time only, in a number of queries that does not grow with them.
    """
    layout = chosen_layout(request)
    files = changed_files(case) if files is None else files
    heads = {file.pk: head_of(file) for file in files}
    drawn: list[CaseFile] = []
    shown = 0
    for file in files:
        shown += file.added + file.removed
        if not heads[file.pk].closed_because and (shown <= INLINE_LINES or not drawn):
            drawn.append(file)
    bodies = file_bodies(case, drawn, layout=layout, base_url=base_url)
    for file in files:
        if heads[file.pk].closed_because:
            bodies[file.pk] = closed_body(file, layout)
    return [
        {"head": heads[file.pk], "body": bodies.get(file.pk), "base_url": base_url, "layout": layout} for file in files
    ]


def file_fragment(request: HttpRequest, case: Case, position: int, base_url: str, **context: Any) -> HttpResponse:
    """Render one file's diff, opened even where it starts closed."""
    file = _file_or_404(case, position)
    layout = chosen_layout(request)
    body = file_bodies(case, [file], layout=layout, base_url=base_url)[file.pk]
    return render(
        request,
        "corpus/_diff_file.html",
        {"file": {"head": body.head, "body": body, "base_url": base_url, "layout": layout}, **context},
    )


def gap_fragment(request: HttpRequest, case: Case, position: int, base_url: str) -> HttpResponse:
    """Render rows of unchanged lines between hunks."""
    file = get_object_or_404(case.files.select_related("old_blob", "new_blob"), position=position)
    text = diff_text(file, HighlightStore(blob for blob in (file.old_blob, file.new_blob) if blob is not None))
    if text is None or text.old_line_count is None or text.new_line_count is None:
        raise Http404
    old, new = _number(request, "old"), _number(request, "new")
    count, show = _number(request, "count"), _number(request, "show")
    if old + count - 1 > text.old_line_count or new + count - 1 > text.new_line_count:
        raise Http404
    rows = diff_rows.context_rows(
        text,
        old=old,
        new=new,
        count=count,
        show=show,
        at="end" if request.GET.get("at") == "end" else "start",
        layout=chosen_layout(request),
        lines_url=lines_url(base_url, file),
    )
    return HttpResponse(rows)


def snapshot_tree(request: HttpRequest, case: Case, side: Side, base_url: str) -> HttpResponse:
    """Render one directory of a tree of the snapshot; `?path=` names it."""
    tree = case.base_tree if side is Side.OLD else case.head_tree
    listing = list_level(tree, _asked_path(request)) if tree is not None else None
    if listing is None:
        raise Http404
    context = {"entries": listing, "side": side, "path": request.GET.get("path", ""), "base_url": base_url}
    return render(request, "corpus/_snapshot_tree.html", context)


def snapshot_file(request: HttpRequest, case: Case, side: Side, base_url: str) -> HttpResponse:
    """Render a whole file of the snapshot, changed or not."""
    tree = case.base_tree if side is Side.OLD else case.head_tree
    path = request.GET.get("path", "")
    file = find_file(tree, _asked_path(request)) if tree is not None else None
    if file is None or file.blob_id is None:
        raise Http404
    blob = Blob.objects.get(pk=file.blob_id)
    context: dict[str, Any] = {"path": path, "side": side, "base_url": base_url, "blob": blob}
    if not blob.is_binary and blob.withdrawn_at is None:
        text = decode(bytes(blob.data))
        source = SideText(text.lines, HighlightStore([blob]).runs(blob, text, path.rpartition("/")[2]))
        context["lines"] = diff_rows.plain_rows(source, side, len(text.lines))
        context["encoding"] = text.encoding
    return render(request, "corpus/_snapshot_file.html", context)


def _asked_path(request: HttpRequest) -> bytes:
    """Return the path the query names by its text; 404 for what is no path's text."""
    try:
        return text_path(request.GET.get("path", ""))
    except ValueError:
        raise Http404 from None


def _file_or_404(case: Case, position: int) -> CaseFile:
    return get_object_or_404(case.files.all(), position=position)


def _number(request: HttpRequest, name: str) -> int:
    value = request.GET.get(name, "")
    if not value.isascii() or not value.isdigit() or len(value) > 9 or int(value) < 1:
        raise Http404
    return int(value)
