"""What the viewer repeats for every file, joined from strings: a template for each would be most of the page's cost."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from html import escape
from typing import Any, cast

from django import template
from django.template import Context
from django.utils.safestring import SafeString, mark_safe

from corpus.selectors.file_heads import FileHead
from corpus.selectors.file_tree import TreeRow
from corpus.views.file_articles import article
from corpus.views.viewer import ShownFile

register = template.Library()


@register.simple_tag
def file_tree(rows: Iterable[TreeRow], marks_reading: bool) -> SafeString:
    """Return the changed files as nested lists; `marks_reading` shows which of them are read."""
    html = "".join(_tree_row(row, marks_reading) for row in rows)
    return mark_safe(f'<ul role="list">{html}</ul>')  # noqa: S308 - every path is escaped


@register.simple_tag(takes_context=True)
def changed_files(context: Context) -> SafeString:
    """Return the `files` of the page: those that have a body as articles, the others as places to load them."""
    seen = cast(dict[str, Any], context.flatten())
    read: Collection[int] = seen.get("read_positions") or ()
    html = [_waiting(file, read) if file.body is None else article(file, context=seen) for file in context["files"]]
    return mark_safe("".join(html))  # noqa: S308 - drawn by a template, or escaped


def _waiting(file: ShownFile, read: Collection[int]) -> str:
    """Return a file that loads when it comes into sight, with its header and nothing to press yet."""
    head = file.head
    name = escape(head.name)
    classes = (
        f"file diff-file{' read' if read and head.position in read else ''}{' half' if head.is_second_half else ''}"
    )
    return (
        f'<article class="{classes}" {_attributes(head)}>'
        f'<header class="file-head">{_heading(head)}{"".join(map(_badge, head.badges))}{_former(head)}{_counts(head)}'
        f'</header><div class="file-note" hx-get="{file.url}{escape(file.query)}" hx-trigger="intersect once"'
        f' hx-target="closest .diff-file" hx-swap="outerHTML" data-loads>'
        f'<a href="{file.url}">Loading {name}&hellip;</a></div></article>'
    )


@register.simple_tag
def article_attributes(head: FileHead) -> SafeString:
    """Return what tells script, links and screen readers which file an article is."""
    return mark_safe(_attributes(head))  # noqa: S308 - paths are escaped


@register.simple_tag
def counts(head: FileHead) -> SafeString:
    """Return how many lines of a file were added and removed."""
    return mark_safe(_counts(head))  # noqa: S308 - numbers


def _attributes(head: FileHead) -> str:
    at = head.position
    return (
        f'id="file-{at}" data-position="{at}" data-path-old="{escape(head.old_path)}"'
        f' data-path-new="{escape(head.new_path)}" aria-labelledby="file-{at}-path"'
    )


def _counts(head: FileHead) -> str:
    return (
        f'<span class="counts"><span class="plus">+{head.added}</span>'
        f' <span class="minus">&minus;{head.removed}</span></span>'
    )


def _heading(head: FileHead) -> str:
    return (
        f'<h2 class="file-path" id="file-{head.position}-path"><span class="file-dir">{escape(head.directory)}</span>'
        f'<span class="file-name">{escape(head.name)}</span></h2>'
    )


def _badge(words: str) -> str:
    return f'<span class="badge">{escape(words)}</span>'


def _former(head: FileHead) -> str:
    return f'<span class="file-old">from {escape(head.moved_from)}</span>' if head.moved_from else ""


def _tree_row(row: TreeRow, marks_reading: bool) -> str:
    if row.head is not None:
        return _leaf(row.head, row.is_read, marks_reading)
    if row.folder:
        return f'<li><details open><summary>{escape(row.folder)}/</summary><ul role="list">'
    return "</ul></details></li>"


def _leaf(head: FileHead, is_read: bool, marks_reading: bool) -> str:
    path, at = escape(head.path), head.position
    mark = words = read = ""
    if marks_reading:
        said = "read" if is_read else "not read"
        mark, words = '<span class="mark"></span>', f'<span class="hidden" data-read-words>, {said}</span>'
        read = ' class="read"' if is_read else ""
    return (
        f'<li data-tree-path="{path.lower()}"><a href="#file-{at}" data-tree-file="{at}"{read} title="{path}">{mark}'
        f'<span class="name">{escape(head.name)}{words}</span>{_counts(head)}</a></li>'
    )
