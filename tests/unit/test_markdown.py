"""Markdown comes out inert, whatever went in."""

from __future__ import annotations

import time
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.defaults import load_defaults
from corpus.rendering.markdown import markdown_html, render

TAGS = {"h1", "h2", "h3", "h4", "h5", "h6", "p", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong", "hr"}
TAGS |= {"br", "div", "table", "thead", "tbody", "tr", "th", "td", "span"}
ATTRIBUTES = frozenset({"id", "class", "tabindex", "start", "data-c"})


class Seen(HTMLParser):
    """Collects the tags and attributes of a text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.ids: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.ids += [value or "" for name, value in attrs if name == "id"]


HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[a](javascript:alert(1)) [b](JaVaScRiPt&colon;alert(1)) <javascript:alert(1)>",
    "[a](data:text/html;base64,PHNjcmlwdD4=) ![i](https://example.org/track.png)",
    "[r]\n\n[r]: vbscript:x 'title\" onclick=\"x'",
    "| a | b |\n|:-:|--:|\n| <b>1</b> | 2 |",
    '```py" onclick="x\n</code><script>\n```',
    "<https://example.org/?a=1&b=2>",
    "# <style>*{display:none}</style>",
    "&lt;script&gt; &#x202e; \u202e \u200b",
    "    <iframe>\n",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_markdown_yields_plain_elements_alone(text: str) -> None:
    seen = Seen(markdown_html(text))
    assert seen.tags <= TAGS
    assert seen.attributes <= ATTRIBUTES


PIECES = st.sampled_from(
    ["<", ">", '"', "[", "](", ")", "!", "`", "```", "\n", "#", "|", "-", "*", " ", "a", "javascript:"]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=40).map("".join))
def test_no_mixture_of_marks_yields_anything_else(text: str) -> None:
    seen = Seen(render.__wrapped__(text).html)
    assert seen.tags <= TAGS
    assert seen.attributes <= ATTRIBUTES
    assert len(set(seen.ids)) == len(seen.ids)


def test_addresses_stand_beside_their_words() -> None:
    assert "<p>the docs (https://example.org/a)</p>" in markdown_html("[the docs](https://example.org/a)")
    assert "<p>https://example.org/a</p>" in markdown_html("<https://example.org/a>")


def test_headings_go_below_the_page_title_and_are_listed_with_distinct_ids() -> None:
    text = render("# One `x`\n\n## Two\n\n## Two\n\n###### Six", prefix="g")
    assert [(heading.level, heading.text) for heading in text.headings] == [
        (1, "One x"),
        (2, "Two"),
        (2, "Two"),
        (6, "Six"),
    ]
    assert [heading.id for heading in text.headings] == Seen(text.html).ids
    assert len({heading.id for heading in text.headings}) == 4
    assert "<h1" not in text.html
    assert "<h6" in text.html


def test_invisible_characters_are_made_visible_in_text_and_code() -> None:
    assert markdown_html("a\u202eb `c\u200bd`").count('class="inv"') == 2


def test_the_default_guidelines_keep_their_words() -> None:
    text = load_defaults().guidelines
    html = markdown_html(text)
    assert html.count("<h3") == text.count("\n## ")
    assert "When <strong>trigger</strong> happens" in html


@pytest.mark.parametrize("piece", ["[", "*a ", "[a](", "![", "> ", "- ", "`", "<", "_a", "a**", "|"])
def test_a_pathological_text_of_the_largest_size_stays_quick(piece: str) -> None:
    text = piece * (30_000 // len(piece))
    start = time.perf_counter()
    render.__wrapped__(text)
    assert time.perf_counter() - start < 10
