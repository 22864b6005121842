"""Markdown as inert HTML (S1): no raw HTML, no images, no link that can be followed, no inline style.

Whoever wrote the text is trusted with words alone. Everything is escaped, invisible and bidi characters are made
visible, and an address stands as text beside its words, so that no click leaves the page for a place the author chose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from corpus.rendering.text import code_html

DEEPEST = 20
TABLE = '<table class="table dense">'
FLAT = frozenset({"inline", "text", "code_inline", "softbreak"})


@dataclass(frozen=True)
class Heading:
    """A heading of a rendered text, for a list of contents; `level` is the one in the text, from 1."""

    level: int
    id: str
    text: str


@dataclass(frozen=True)
class RenderedText:
    """Inert HTML and its headings in order."""

    html: SafeString
    headings: tuple[Heading, ...]


class InertRenderer(RendererHTML):
    """Writes tokens as HTML in which nothing is invisible and nothing needs an inline style."""

    def text(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return code_html(tokens[idx].content)

    def code_inline(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f"<code>{code_html(tokens[idx].content)}</code>"

    def code_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        # Lines keep their breaks: the mark of an invisible line feed is for code lines alone.
        lines = "\n".join(code_html(line) for line in tokens[idx].content.split("\n"))
        return f'<pre class="code-block" tabindex="0"><code>{lines}</code></pre>\n'

    fence = code_block


def markdown_html(text: str, *, top_level: int = 2) -> SafeString:
    """Return `text` as HTML whose highest heading is h`top_level`: a page has one h1 of its own."""
    return render(text, top_level=top_level).html


@lru_cache(maxsize=32)
def render(text: str, *, top_level: int = 2, prefix: str = "text") -> RenderedText:
    """Render Markdown; headings begin at h`top_level` and get ids that begin with `prefix`."""
    parser = _parser()
    tokens = parser.parse(text)
    headings: list[Heading] = []
    used: set[str] = set()
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            words = _plain(tokens[at + 1])
            name = f"{prefix}-{slugify(words)[:60] or 'part'}"
            while name in used:
                name += "-"
            used.add(name)
            token.attrSet("id", name)
            headings.append(Heading(int(token.tag[1]), name, words))
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(int(token.tag[1]) + top_level - 1, 6)}"
        elif token.type in {"th_open", "td_open"}:
            aligned = str(token.attrs.pop("style", ""))
            if aligned.endswith("right"):
                token.attrSet("class", "num")
        elif token.type == "table_open":
            token.attrSet("class", "table dense")
        _spell_links_out(token.children or [])
    html = parser.renderer.render(tokens, parser.options, {})
    # Text cannot hold a tag of its own, so these are the parser's. A wide table scrolls, also by keyboard.
    html = html.replace(TABLE, f'<div class="table-wrap" tabindex="0">{TABLE}').replace("</table>", "</table></div>")
    return RenderedText(mark_safe(html), tuple(headings))  # noqa: S308 - escaped by the renderer above


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": DEEPEST}, renderer_cls=InertRenderer)
    return parser.enable("table").disable(["image", "html_block", "html_inline"])


def _spell_links_out(children: Sequence[Token]) -> None:
    """Turn each link into its words followed by the address in brackets, unless the words are the address."""
    opened: list[tuple[str, int]] = []
    for at, child in enumerate(children):
        if child.type == "link_open":
            opened.append((str(child.attrGet("href") or ""), at))
            child.type, child.content = "text", ""
        elif child.type == "link_close":
            address, start = opened.pop()
            words = "".join(inner.content for inner in children[start:at])
            child.type, child.content = "text", f" ({address})" if address and address != words else ""


def _plain(inline: Token) -> str:
    """Return the words of a heading without its marks."""
    return " ".join("".join(child.content for child in inline.children or () if child.type in FLAT).split())
