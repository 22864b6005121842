"""Markdown as inert HTML: no raw HTML, no images, no links that are followed by themselves (S1)."""

from __future__ import annotations

from functools import lru_cache

from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.token import Token


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False, "typographer": False})
    return parser.enable("table").disable(["image", "html_block", "html_inline"])


@lru_cache(maxsize=32)
def markdown_html(text: str, *, top_level: int = 2) -> SafeString:
    """Return `text` as HTML whose highest heading is h`top_level`. Everything the text holds is escaped.

    Addresses are shown as text beside their words, so that no click leaves the page for a place the author chose.
    """
    parser = _parser()
    tokens = parser.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + top_level - 1)}"
        _spell_links_out(token.children or [])
    # Raw HTML is off, so everything the text holds is escaped.
    return SafeString(parser.renderer.render(tokens, parser.options, {}))


def _spell_links_out(children: list[Token]) -> None:
    """Turn each link into its words followed by the address in brackets."""
    addresses: list[str] = []
    for child in children:
        if child.type == "link_open":
            addresses.append(str(child.attrGet("href") or ""))
            child.type, child.content = "text", ""
        elif child.type == "link_close":
            address = addresses.pop()
            child.type, child.content = "text", f" ({address})" if address else ""
