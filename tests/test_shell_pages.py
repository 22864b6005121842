"""Pages that anybody can reach carry no inline script or style and keep the shell's promises."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser

import pytest
from django.template import Context, Template
from django.template.loader import render_to_string
from django.test import Client

from config.styleguide import SampleLabelForm, SampleSegment
from corpus.templatetags import ui
from corpus.templatetags.preferences import drawn_rows

PUBLIC = [
    "/accounts/login/",
    "/accounts/signup/",
    "/accounts/password/reset/",
    "/accounts/password/reset/done/",
    "/accounts/password/reset/key/1-set-password/",
    "/accounts/inactive/",
]
NOW = datetime(2026, 3, 3, 12, 0, tzinfo=UTC)


class Inline(HTMLParser):
    """Collects what a strict content security policy would refuse, and the headings."""

    def __init__(self) -> None:
        super().__init__()
        self.refused: list[str] = []
        self.headings = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        if tag == "style" or (tag == "script" and not names.get("src")):
            self.refused.append(tag)
        self.refused += [name for name in names if name == "style" or name.startswith(("on", "hx-on"))]
        self.headings += tag == "h1"


@pytest.mark.django_db
@pytest.mark.parametrize("path", PUBLIC)
def test_public_pages_need_no_inline_script_or_style(client: Client, path: str) -> None:
    response = client.get(path)
    page = Inline()
    page.feed(response.content.decode())
    assert response.status_code == 200
    assert page.refused == []
    assert page.headings == 1


@pytest.mark.parametrize("name", ["400", "403", "403_csrf", "404", "500"])
def test_error_pages_render_without_a_request(name: str) -> None:
    page = Inline()
    page.feed(render_to_string(f"{name}.html"))
    assert page.refused == []
    assert page.headings == 1


@pytest.mark.parametrize(
    ("before", "words"),
    [
        (timedelta(seconds=3), "just now"),
        (timedelta(seconds=59), "59 seconds ago"),
        (timedelta(seconds=60), "1 minute ago"),
        (timedelta(minutes=59, seconds=59), "59 minutes ago"),
        (timedelta(hours=1), "1 hour ago"),
        (timedelta(days=6, hours=23), "6 days ago"),
        (timedelta(days=7), "2026-02-24"),
        (timedelta(minutes=-30), "in 30 minutes"),
    ],
)
def test_relative_times_round_down(before: timedelta, words: str) -> None:
    assert ui.relative_words(NOW - before, NOW) == words


def test_a_bar_covers_its_width_exactly_and_keeps_empty_parts_in_the_legend() -> None:
    drawn = ui.draw([SampleSegment(state, state, count, "?") for state, count in (("a", 1), ("b", 0), ("c", 3))])
    assert [(part.start, part.share) for part in drawn] == [
        ("0.000", "25.000"),
        ("25.000", "0.000"),
        ("25.000", "75.000"),
    ]
    assert [part.count for part in ui.draw([SampleSegment("a", "a", 0, "?")])] == [0]


def test_an_interval_without_a_value_draws_none() -> None:
    assert ui.interval(None, None, None) == {"value": None, "low": None, "high": None, "floor": None}
    assert ui.interval(0.5, -0.1, 1.2, 0.25) == {
        "value": "50.000%",
        "low": "0.000%",
        "high": "100.000%",
        "floor": "25.000%",
    }


def test_text_of_choices_and_errors_is_escaped_in_fields() -> None:
    form = SampleLabelForm({"severity": "<script>alert(1)</script>"})
    form.fields["condition"].help_text = "<img src=x>"
    html = render_to_string("_form.html", {"form": form})
    assert "<script>alert" not in html
    assert "<img" not in html
    assert "&lt;img src=x&gt;" in html


def test_keys_go_to_the_choices_in_order_and_skip_an_empty_one() -> None:
    form = SampleLabelForm()
    form.fields["severity"].choices = [("", "not yet"), ("high", "high"), ("low", "low")]
    context = ui.segmented(form["severity"], "h l")
    assert [key for _, key in context["choices"]] == ["", "h", "l"]
    assert 'data-shortcut="h"' in context["choices"][1][0].tag()


def test_what_stands_in_once_is_rendered_once_and_sees_no_variable() -> None:
    drawn = Template("{% load ui %}{{ name }} {% once %}[{{ name }}{% now 'u' %}]{% endonce %}")
    first, second = (drawn.render(Context({"name": name})) for name in ("Ada", "Ben"))
    assert first.startswith("Ada [")
    assert second == first.replace("Ada", "Ben"), "the microseconds, or a name, were drawn anew"


def test_a_block_in_once_is_refused() -> None:
    with pytest.raises(AssertionError, match="overridden"):
        Template("{% load ui %}{% once %}{% block title %}{% endblock %}{% endonce %}")


def test_each_choice_of_settings_is_marked_where_it_was_made() -> None:
    dark, system = (drawn_rows((("theme", value), ("code_size", "14")), "menu") for value in ("dark", "system"))
    assert 'id="menu-theme-dark" value="dark" checked' in dark
    assert 'id="menu-theme-dark" value="dark">' in system
    assert dark.count(" checked") == system.count(" checked") == 2
    assert re.findall(r'value="(\d\d)"', dark) == ["12", "13", "14", "16"]
