"""Markdown is shown as inert HTML: nothing in it runs, loads or leads away by a click (S1)."""

from __future__ import annotations

import pytest

from corpus.rendering.markdown import markdown_html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "a <img src=x onerror=alert(1)> b",
        "<iframe src='https://example.org'></iframe>\n\ntext",
        "![picture](https://example.org/x.png)",
        "[words](javascript:alert(1))",
        "[words](https://example.org)",
        "<https://example.org>",
        "[words][ref]\n\n[ref]: https://example.org 'title'",
        '**[bold link](https://example.org/"onmouseover=alert(1))**',
        "| a |\n|---|\n| <b onclick=x>b</b> |",
        "```html\n<script>alert(1)</script>\n```",
    ],
)
def test_nothing_in_a_text_becomes_a_tag_that_acts(text: str) -> None:
    html = markdown_html(text)
    for forbidden in ("<script", "<img", "<iframe", "<a ", "<b ", "href=", 'src="'):
        assert forbidden not in html.lower()


def test_a_link_is_spelt_out_beside_its_words() -> None:
    assert markdown_html("see [the page](https://example.org/p)") == "<p>see the page (https://example.org/p)</p>\n"


def test_headings_start_where_the_page_wants_them_and_tables_are_drawn() -> None:
    html = markdown_html("# One\n\n## Two\n\n| a | b |\n|---|---|\n| 1 | 2 |", top_level=3)
    assert [tag[:3] for tag in html.split("<") if tag.startswith("h")] == ["h3 ", "h4 "]
    assert "<td>1</td>" in html
