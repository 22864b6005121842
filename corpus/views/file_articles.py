"""A changed file as an article of the code pane, cast from a mould of its template."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from corpus.rendering.moulds import Mould, mould_of, place
from corpus.selectors.diff_files import Wanted
from corpus.views.viewer import ShownFile

ARTICLE = "corpus/_diff_file.html"


@dataclass(frozen=True)
class ArticleShape:
    """What the template of an article asks about; whatever else it shows is text."""

    status: str
    badges: tuple[str, ...]
    is_second_half: bool
    has_moved: bool
    is_read: bool
    wanted: Wanted
    is_closed: bool
    # Whether its pieces can be had: those of a preview cannot.
    has_url: bool
    has_html: bool
    can_expand: bool
    warning: str
    notes: tuple[str, ...]
    tools_template: str


@lru_cache(maxsize=256)
def article_mould(shape: ArticleShape) -> Mould:
    """Return the mould of articles of one shape."""
    position = place("position")
    head = SimpleNamespace(
        position=position,
        path=place("path"),
        old_path=place("old_path"),
        new_path=place("new_path"),
        directory=place("directory"),
        name=place("name"),
        status=shape.status,
        badges=shape.badges,
        added=place("added"),
        removed=place("removed"),
        closed_because=place("closed_because"),
        is_second_half=shape.is_second_half,
        moved_from=place("old_path") if shape.has_moved else "",
    )
    body = SimpleNamespace(
        html=place("html") if shape.has_html else None,
        is_closed=shape.is_closed,
        can_expand=shape.can_expand,
        warning=shape.warning,
        notes=shape.notes,
        images=(),
    )
    file = SimpleNamespace(
        head=head,
        body=body,
        url=place("url") if shape.has_url else "",
        query=place("query"),
        wanted=shape.wanted,
        language=place("language"),
    )
    context = {
        "file": file,
        "read_positions": (position,) if shape.is_read else (),
        "tools_template": shape.tools_template,
        "base_url": place("base_url"),
        "csrf_token": place("csrf_token"),
    }
    return mould_of(ARTICLE, context)


def article(file: ShownFile, *, context: Mapping[str, Any]) -> SafeString:
    """Return the article of a file that has a body. Of the page's `context` it and its tools see `read_positions`,
    `tools_template`, `base_url` and `csrf_token`.
    """
    head, body = file.head, file.body
    assert body is not None, "a file without a body is drawn as a place to load it"
    seen = {name: context.get(name, "") for name in ("read_positions", "tools_template", "base_url", "csrf_token")}
    if body.images:
        return render_to_string(ARTICLE, {**seen, "file": file})
    shape = ArticleShape(
        status=head.status,
        badges=head.badges,
        is_second_half=head.is_second_half,
        has_moved=bool(head.moved_from),
        is_read=head.position in (seen["read_positions"] or ()),
        wanted=file.wanted,
        is_closed=body.is_closed,
        has_url=bool(file.url),
        has_html=body.html is not None,
        can_expand=body.can_expand,
        warning=body.warning,
        notes=body.notes,
        tools_template=seen["tools_template"],
    )
    texts = {
        "position": head.position,
        "path": head.path,
        "old_path": head.old_path,
        "new_path": head.new_path,
        "directory": head.directory,
        "name": head.name,
        "added": head.added,
        "removed": head.removed,
        "closed_because": head.closed_because,
        "html": body.html or "",
        "url": file.url,
        "query": file.query,
        "language": file.language,
        "base_url": seen["base_url"],
        "csrf_token": seen["csrf_token"],
    }
    return article_mould(shape).cast(texts)
