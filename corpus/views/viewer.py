"""The viewer: one implementation for every page that shows a change.

A page names what it found in a `Mount` and gives `page_context` to a template that includes `corpus/_viewer.html`. The
pieces that load by themselves are served by `viewer_routes` below the page's own address and behind its own look-up:

    files/N/                one file's diff; `whole=1` all its lines, `as=LEXER` in another language
    files/N/lines/          rows of a gap              files/N/part/    further rows of a long hunk
    files/N/line/           more of a very long line
    tree/SIDE/              a folder of the snapshot   blob/SIDE/       a file of it, or lines of it
    search/SIDE/            paths or text of it        image/SIDE/      an image of the change or of it
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, Concatenate, cast
from urllib.parse import quote

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path
from django.utils.safestring import SafeString

from corpus.domain.bytestext import text_path
from corpus.domain.vocabulary import Side
from corpus.models import Blob, Case, CaseFile
from corpus.rendering import diff_rows
from corpus.rendering.diff_rows import LAYOUTS, DiffText, Layout, SideText
from corpus.rendering.highlight import HighlightStore
from corpus.rendering.images import image_type
from corpus.rendering.lexers import is_lexer, lexer_choices, lexer_name, lexer_title
from corpus.rendering.text import DecodedText, decode
from corpus.selectors.blinded import tree_of
from corpus.selectors.diff_files import (
    FileBody,
    Wanted,
    changed_files,
    diff_text,
    expands,
    file_bodies,
    file_url,
    preview_bodies,
    view_of,
)
from corpus.selectors.file_heads import NOTEBOOK, FileHead, file_heads, shows_as_image
from corpus.selectors.file_tree import build_tree
from corpus.selectors.snapshot_search import HOWS, Found, SearchRefused, find_paths, find_text
from corpus.selectors.trees import SnapshotFile, find_file, list_level
from corpus.services.changes import Change

# Files beyond this many changed lines in all are loaded when they are scrolled to.
INLINE_LINES = 200
MAX_QUERY = 200
# What an image may do in the browser: be seen. Nothing in it runs and nothing else is loaded for it.
IMAGE_POLICY = "default-src 'none'; sandbox"

_AT = re.compile(r"([0-9]{1,6})-(old|new)-([0-9]{1,9})(?:-([0-9]{1,9}))?")


@dataclass(frozen=True)
class Mount:
    """A case that the person may see the change of, and how the page around the viewer is found again."""

    case: Case
    base_url: str
    back_url: str
    back_words: str
    # What the templates of the page need in each file's header.
    context: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ShownFile:
    """A changed file as `corpus/_diff_file.html` draws it; without a body it loads when it comes into sight."""

    head: FileHead
    body: FileBody | None
    url: str
    query: str
    wanted: Wanted
    language: str


View = Callable[Concatenate[HttpRequest, ...], HttpResponseBase]
Guard = Callable[[View], View]


# --- What a page shows ----------------------------------------------------------------------------------------------


def chosen_layout(request: HttpRequest) -> Layout:
    """Return the layout that the address asks for, else the one that the person prefers."""
    asked = request.GET.get("layout", "")
    if asked not in LAYOUTS:
        asked = getattr(request.user, "layout", LAYOUTS[0])
    return cast(Layout, asked)


def page_context(
    request: HttpRequest, mount: Mount, *, files: Sequence[CaseFile] | None = None, read: Collection[int] = frozenset()
) -> dict[str, Any]:
    """Return what `corpus/_viewer.html` needs. `files` spare a query where the page has them, from `changed_files`."""
    case = mount.case
    files = changed_files(case) if files is None else files
    shown = viewer_files(request, case, mount.base_url, files)
    return {
        "files": shown,
        "tree": build_tree((file.head for file in shown), read),
        "base_url": mount.base_url,
        "has_snapshot": case.base_tree_id is not None or case.head_tree_id is not None,
        "layout": chosen_layout(request),
        "here": _address_without_layout(request),
        **mount.context,
    }


def preview_context(request: HttpRequest, change: Change) -> dict[str, Any]:
    """Return what `corpus/_viewer.html` needs for a change that is not stored: it has no snapshot and no pieces."""
    layout = chosen_layout(request)
    bodies = preview_bodies(change.patch, change.files, change.hunks, layout=layout)
    wanted = Wanted(layout)
    return {
        "files": [ShownFile(body.head, body, "", "", wanted, "") for body in bodies],
        "tree": build_tree(body.head for body in bodies),
        "base_url": "",
        "has_snapshot": False,
        "layout": layout,
        "here": _address_without_layout(request),
    }


def _address_without_layout(request: HttpRequest) -> str:
    """Return the address of the page, for which the person's own layout counts."""
    query = request.GET.copy()
    query.pop("layout", None)
    return f"{request.path}?{query.urlencode()}" if query else request.path


def viewer_files(
    request: HttpRequest, case: Case, base_url: str, files: Sequence[CaseFile] | None = None
) -> list[ShownFile]:
    """Return a case's files: the first ones drawn, and the one that the address leads to; the others to be loaded.

    Content is read for files that are drawn for the first time only, in a number of queries that does not grow.
    """
    layout = chosen_layout(request)
    files = changed_files(case) if files is None else files
    asked = _AT.fullmatch(request.GET.get("at", ""))
    position = int(asked[1]) if asked else None
    heads = {file.pk: head for file, head in zip(files, file_heads(files), strict=True)}
    drawn: list[CaseFile] = []
    shown = 0
    for file in files:
        shown += file.added + file.removed
        is_first = not heads[file.pk].closed_because and (shown <= INLINE_LINES or not drawn)
        if is_first or file.position == position:
            drawn.append(file)
    wanted = Wanted(layout)
    bodies = file_bodies(case, drawn, wanted=wanted, base_url=base_url)
    for file in files:
        if heads[file.pk].closed_because and file.pk not in bodies:
            bodies[file.pk] = FileBody(heads[file.pk], None, (), is_closed=True)
    query = _query(wanted)
    return [_shown(file, heads[file.pk], bodies.get(file.pk), wanted, base_url, query) for file in files]


def _query(wanted: Wanted) -> str:
    """Return what asks for a file to be drawn like this."""
    return f"?layout={wanted.layout}{wanted.query.replace('&amp;', '&')}"


def _shown(
    file: CaseFile, head: FileHead, body: FileBody | None, wanted: Wanted, base_url: str, query: str
) -> ShownFile:
    language = "" if body is None else _language(head.name, wanted.lexer)
    return ShownFile(head, body, file_url(base_url, file), query, wanted, language)


def _language(name: str, chosen: str | None) -> str:
    """Return what the header calls the language of a file."""
    if chosen is None and NOTEBOOK.search(name):
        return "Notebook"
    return lexer_title(lexer_name(name) if chosen is None else chosen)


# --- Pieces ---------------------------------------------------------------------------------------------------------


def viewer_routes(prefix: str, name: str, guard: Guard, mount: Callable[..., Mount]) -> list[URLPattern]:
    """Return the routes of the viewer's pieces below `prefix`, named `NAME_file` and so on.

    `guard` decorates each view as it decorates the page; `mount` is given what the guard hands to its view, and raises
    Http404 where the page shows no change.
    """

    def mounted(act: Callable[..., HttpResponse], *own: str) -> View:
        @guard
        def view(request: HttpRequest, *found: Any, **named: Any) -> HttpResponseBase:
            mine = {key: named.pop(key) for key in own}
            if "side" in mine:
                mine["side"] = side_or_404(mine["side"])
            return act(request, mount(request, *found, **named), **mine)

        return view

    file, tree = f"{prefix}files/<number:position>/", "<slug:side>/"
    return [
        path(file, mounted(file_piece, "position"), name=f"{name}_file"),
        path(f"{file}lines/", mounted(lines_piece, "position"), name=f"{name}_lines"),
        path(f"{file}part/", mounted(part_piece, "position"), name=f"{name}_part"),
        path(f"{file}line/", mounted(line_piece, "position"), name=f"{name}_line"),
        path(f"{prefix}tree/{tree}", mounted(tree_piece, "side"), name=f"{name}_tree"),
        path(f"{prefix}blob/{tree}", mounted(blob_piece, "side"), name=f"{name}_blob"),
        path(f"{prefix}search/{tree}", mounted(search_piece, "side"), name=f"{name}_search"),
        path(f"{prefix}image/{tree}", mounted(image_piece, "side"), name=f"{name}_image"),
    ]


def side_or_404(side: str) -> Side:
    """Return the side an address names."""
    try:
        return Side(side)
    except ValueError:
        raise Http404 from None


def framed(request: HttpRequest, fragment: HttpResponse, *, title: str, back_url: str, back_words: str) -> HttpResponse:
    """Return a fragment alone to htmx, and as a page of its own to a browser without script."""
    if request.headers.get("HX-Request") == "true":
        return fragment
    # The fragment was rendered by a template of this project.
    html = SafeString(fragment.content.decode())
    context = {"fragment": html, "title": title, "back_url": back_url, "back_words": back_words}
    return render(request, "corpus/framed.html", context)


def _framed(request: HttpRequest, mount: Mount, fragment: HttpResponse, title: str) -> HttpResponse:
    return framed(request, fragment, title=title, back_url=mount.back_url, back_words=mount.back_words)


def wanted_of(request: HttpRequest) -> Wanted:
    """Return how the address asks for a file to be drawn; an unknown language answers 404."""
    lexer = request.GET.get("as")
    if lexer is not None and not is_lexer(lexer):
        raise Http404
    return Wanted(chosen_layout(request), is_whole=request.GET.get("whole") == "1", lexer=lexer)


def file_piece(request: HttpRequest, mount: Mount, position: int) -> HttpResponse:
    """Render one file's diff, opened even where it starts closed."""
    near = list(mount.case.files.filter(position__in=(position - 1, position, position + 1)).order_by("position"))
    heads = {file.position: head for file, head in zip(near, file_heads(near), strict=True)}
    file = next((file for file in near if file.position == position), None)
    if file is None:
        raise Http404
    wanted = wanted_of(request)
    body = file_bodies(mount.case, [file], wanted=wanted, base_url=mount.base_url)[file.pk]
    context = {
        "file": _shown(file, heads[position], body, wanted, mount.base_url, _query(wanted)),
        "base_url": mount.base_url,
        "lexers": lexer_choices() if request.GET.get("choose") == "1" else (),
        **mount.context,
    }
    return _framed(request, mount, render(request, "corpus/_diff_file.html", context), body.head.path)


def _text_or_404(request: HttpRequest, mount: Mount, position: int) -> tuple[CaseFile, DiffText, diff_rows.View]:
    """Return a file of the case, its text and how it is drawn."""
    files = mount.case.files.select_related("old_blob", "new_blob")
    file = get_object_or_404(files, position=position)
    file.case = mount.case
    wanted = wanted_of(request)
    store = HighlightStore(blob for blob in (file.old_blob, file.new_blob) if blob is not None)
    text = diff_text(file, store, wanted)
    if text is None:
        raise Http404
    store.keep()
    return file, text, view_of(file, wanted, file_url(mount.base_url, file))


def lines_piece(request: HttpRequest, mount: Mount, position: int) -> HttpResponse:
    """Return rows of unchanged lines between hunks."""
    file, text, view = _text_or_404(request, mount, position)
    if not expands(file) or text.old_line_count is None or text.new_line_count is None:
        raise Http404
    old, new, count = (number(request, name) for name in ("old", "new", "count"))
    if old + count - 1 > text.old_line_count or new + count - 1 > text.new_line_count:
        raise Http404
    at = "end" if request.GET.get("at") == "end" else "start"
    return HttpResponse(
        diff_rows.context_rows(text, view, old=old, new=new, count=count, show=number(request, "show"), at=at)
    )


def part_piece(request: HttpRequest, mount: Mount, position: int) -> HttpResponse:
    """Return further rows of a hunk that is too long for one table."""
    file, text, view = _text_or_404(request, mount, position)
    html = diff_rows.part_table(text, view, number(request, "hunk", least=0), number(request, "from"))
    if not html:
        raise Http404
    return _framed(request, mount, HttpResponse(html), file.new_path_text or file.old_path_text)


def line_piece(request: HttpRequest, mount: Mount, position: int) -> HttpResponse:
    """Return more of a line that was cut."""
    _, text, view = _text_or_404(request, mount, position)
    side = side_or_404(request.GET.get("side", ""))
    return _line_piece(request, text.side(side), f"{view.url}line/?side={side}{view.query}")


def _line_piece(request: HttpRequest, text: SideText, url: str) -> HttpResponse:
    line = number(request, "line")
    try:
        shown = text.text(line)
    except (KeyError, IndexError):
        raise Http404 from None
    start = number(request, "from") if "from" in request.GET else None
    end = number(request, "to") if start is None else None
    return HttpResponse(diff_rows.line_piece(shown, f"{url}&amp;line={line}", start=start, end=end))


def tree_piece(request: HttpRequest, mount: Mount, side: Side) -> HttpResponse:
    """Render one folder of a tree of the snapshot; `?path=` names it."""
    tree = tree_of(mount.case, side)
    listing = list_level(tree, asked_path(request)) if tree is not None else None
    if listing is None:
        raise Http404
    where = request.GET.get("path", "")
    context = {
        "entries": listing,
        "side": side,
        "path": where,
        "parent": where.rpartition("/")[0],
        "base_url": mount.base_url,
    }
    return _framed(request, mount, render(request, "corpus/_snapshot_tree.html", context), f"Snapshot, {side} tree")


def blob_piece(request: HttpRequest, mount: Mount, side: Side) -> HttpResponse:
    """Render a whole file of the snapshot, changed or not; `first` asks for lines from there on, `line` for one."""
    shown = request.GET.get("path", "")
    entry = _entry_or_404(request, mount, side)
    url = f"{mount.base_url}blob/{side}/?path={quote(shown, safe='')}"
    context: dict[str, Any] = {"path": shown, "side": side, "base_url": mount.base_url, "entry": entry, **mount.context}
    if entry.blob_id is not None:
        blob = Blob.objects.get(pk=entry.blob_id)
        context["blob"] = blob
        context["image"] = blob.is_binary and shows_as_image(shown)
        if not blob.is_binary and blob.withdrawn_at is None:
            text = decode(bytes(blob.data))
            lexer = wanted_of(request).lexer
            query = "" if lexer is None else f"&as={quote(lexer, safe='')}"
            source = _snapshot_text(blob, text, shown, lexer)
            if "line" in request.GET:
                return _line_piece(request, source, escape(url + query))
            first = number(request, "first") if "first" in request.GET else 1
            if first > max(1, len(text.lines)):
                raise Http404
            context["lines"] = diff_rows.plain_tables(source, side, shown, escape(url + query), first)
            if first > 1:
                return _framed(request, mount, HttpResponse(context["lines"]), shown)
            context["encoding"] = text.encoding
            context["language"] = lexer_title(lexer_name(shown.rpartition("/")[2]) if lexer is None else lexer)
    return _framed(request, mount, render(request, "corpus/_snapshot_file.html", context), shown)


def _snapshot_text(blob: Blob, text: DecodedText, shown: str, lexer: str | None) -> SideText:
    store = HighlightStore([blob])
    runs = store.runs(blob, text, shown.rpartition("/")[2], lexer)
    store.keep()
    return SideText(text.lines, runs, text.encoding)


def search_piece(request: HttpRequest, mount: Mount, side: Side) -> HttpResponse:
    """Find files of the snapshot by name, or lines by their text (`in=text`; `how` and `paths` say how and where)."""
    tree = tree_of(mount.case, side)
    if tree is None:
        raise Http404
    query, paths = (request.GET.get(name, "")[:MAX_QUERY] for name in ("q", "paths"))
    in_text = request.GET.get("in") == "text"
    how = request.GET.get("how", HOWS[0])
    if how not in HOWS:
        raise Http404
    refused = ""
    found = Found()
    try:
        found = find_text(tree, query, how=how, paths=paths) if in_text else find_paths(tree, query)
    except SearchRefused as error:
        refused = str(error)
    context = {
        "found": found,
        "query": query,
        "paths": paths,
        "side": side.value,
        "base_url": mount.base_url,
        "in_text": in_text,
        "refused": refused,
    }
    fragment = render(request, "corpus/_snapshot_found.html", context, status=422 if refused else 200)
    return _framed(request, mount, fragment, f"Search: {query}")


def image_piece(request: HttpRequest, mount: Mount, side: Side) -> HttpResponse:
    """Send an image of the change or of the snapshot, which the browser may show and nothing else."""
    entry = _entry_or_404(request, mount, side)
    if entry.blob_id is None or not shows_as_image(entry.path_text):
        raise Http404
    blob = Blob.objects.get(pk=entry.blob_id)
    data = bytes(blob.data)
    kind = image_type(data)
    if blob.withdrawn_at is not None or kind is None:
        raise Http404
    response = HttpResponse(data, content_type=kind)
    response["Content-Security-Policy"] = IMAGE_POLICY
    response["X-Content-Type-Options"] = "nosniff"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    response["Content-Disposition"] = "inline"
    return response


def _entry_or_404(request: HttpRequest, mount: Mount, side: Side) -> SnapshotFile:
    """Return the file of the snapshot that the address names."""
    tree = tree_of(mount.case, side)
    entry = find_file(tree, asked_path(request)) if tree is not None else None
    if entry is None:
        raise Http404
    return entry


def asked_path(request: HttpRequest) -> bytes:
    """Return the path the query names by its text; 404 for what is no path's text."""
    try:
        return text_path(request.GET.get("path", ""))
    except ValueError:
        raise Http404 from None


def number(request: HttpRequest, name: str, *, least: int = 1) -> int:
    """Return a number of the query; 404 for what is none or too small."""
    value = request.GET.get(name, "")
    if not value.isascii() or not value.isdigit() or len(value) > 9 or int(value) < least:
        raise Http404
    return int(value)
