"""What forms say of bad input: sentences that name the field and the remedy, never the library's own texts."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django import forms
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.urls import reverse

from corpus.forms.worded import WordedForm
from tests.route_table import ACCOUNT_ROWS, FORMS, PROJECT_ROWS, SITE_ROWS
from tests.route_world import RouteWorld, build_route_world

# How the texts of Django's fields and validators begin.
LIBRARY_TEXTS = (
    "This field",
    "Enter a valid",
    "Enter a whole number",
    "Enter a number",
    "Enter a list",
    "Select a valid",
    "Ensure this",
    "Ensure that",
    "Null characters",
    "No file was submitted",
    "The submitted file",
    "Upload a valid",
)
NONSENSE = ("", "x" * 9000, "-7", "nul\0here", "<script>alert(1)</script>")
NAME = re.compile(r'<(?:input|select|textarea|button)\b[^>]*\bname="([^"]+)"')


class Undo(Exception):
    """Takes back what a request did."""


@pytest.fixture
def world(db: None) -> RouteWorld:
    cache.clear()
    built = build_route_world()
    assert built.spare, "made here: what a route makes is taken back"
    return built


@contextmanager
def undone() -> Iterator[None]:
    """Take back what the block does to the world: the next route wants it as it was."""
    try:
        with transaction.atomic():
            yield
            raise Undo
    except Undo:
        return


def texts_after(client: Client, path: str, fields: dict[str, object]) -> tuple[str, list[str]]:
    """Send a form that leaves no trace; return the page that comes of it, and the library's texts in it."""
    cache.clear()
    with undone():
        response = client.post(path, fields, follow=True)
    assert response.status_code < 500, f"{path} {fields}: {response.status_code}"
    if response.streaming:
        return "", []
    page = response.content.decode()
    words = html.unescape(re.sub(r"<[^>]*>", " ", page))
    return page, [text for text in LIBRARY_TEXTS if text in words]


def nonsense_shown(client: Client, path: str, given: dict[str, object]) -> dict[str, list[str]]:
    """Send one form empty, and with one sort of nonsense in all its fields after the other."""
    page = "" if (opened := client.get(path)).status_code != 200 or opened.streaming else opened.content.decode()
    after, found = texts_after(client, path, {})
    shown = {f"POST {path} with nothing": found} if found else {}
    names = set(NAME.findall(page + after)) - {"csrfmiddlewaretoken", "next", "q"} | set(given)
    for nonsense in NONSENSE:
        fields = {name: nonsense for name in names if name not in given} | given
        if found := texts_after(client, path, fields)[1]:
            shown[f"POST {path} with {nonsense[:20]!r}"] = found
    return shown


def test_no_page_shows_a_text_of_the_forms_library(world: RouteWorld) -> None:
    actors = {actor.name: actor for actor in world.actors}
    everything, root, nobody = (actors[name] for name in ("every role in both", "administrator", "nobody"))
    shown: dict[str, list[str]] = {}
    for name, row in PROJECT_ROWS.items():
        if "POST" in row.verbs:
            client = Client()
            client.force_login(everything.user)
            given = dict(re.findall(r"(\w+)=(\w+)", FORMS.get(name, "")))
            with undone():
                path = reverse(name, kwargs={"project": world.home.slug, **row.own(world, everything)})
                shown |= nonsense_shown(client, path, given)
    for name, site_row in SITE_ROWS.items():
        if "POST" in site_row.verbs and name != "project_restore":
            for actor in [root, nobody] if site_row.is_open else [root]:
                client = Client()
                if actor.user is not None:
                    client.force_login(actor.user)
                with undone():
                    shown |= nonsense_shown(client, reverse(name, kwargs=site_row.own(world, actor)), {})
    for name, (is_open, params) in ACCOUNT_ROWS.items():
        client = Client()
        if not is_open:
            client.force_login(everything.user)
        if name != "account_logout":
            shown |= nonsense_shown(client, reverse(name, kwargs=params), {})
    assert shown == {}


class Every(WordedForm):
    """One field of each kind."""

    title = forms.CharField(max_length=3, min_length=2)
    email = forms.EmailField(label="Address")
    count = forms.IntegerField(min_value=2, max_value=4)
    kind = forms.ChoiceField(choices=[("a", "A")])
    slug = forms.SlugField()
    agreed = forms.BooleanField(label="I agree")
    file = forms.FileField(max_length=5)
    own = forms.CharField(error_messages={"required": "Say why: it stays on record."})


def test_each_kind_of_field_says_what_is_wrong_and_what_to_do() -> None:
    empty = Every({}, {})
    assert {name: errors[0] for name, errors in empty.errors.items()} == {
        "title": '"Title" is empty: fill it in.',
        "email": '"Address" is empty: fill it in.',
        "count": '"Count" is empty: fill it in.',
        "kind": 'Nothing is chosen for "Kind": choose one of its answers.',
        "slug": '"Slug" is empty: fill it in.',
        "agreed": '"I agree" is not ticked: tick it to go on.',
        "file": "No file is chosen: choose one.",
        "own": "Say why: it stays on record.",
    }
    wrong = {"title": "long", "email": "nobody", "count": "9", "kind": "b", "slug": "a b", "agreed": "on", "own": "x\0"}
    errors = Every(wrong, {"file": SimpleUploadedFile("toolong.txt", b"x")}).errors
    assert {name: texts[0] for name, texts in errors.items()} == {
        "title": '"Title" has 4 characters; the limit is 3, so shorten it.',
        "email": '"Address" holds no e-mail address: write it like name@example.org.',
        "count": '"Count" is 9: write a number up to 4.',
        "kind": '"b" is no answer to "Kind": choose one that is offered.',
        "slug": '"Slug" may hold only letters, digits, hyphens and underscores.',
        "file": "The file's name has 11 characters; the limit is 5, so rename it.",
        "own": '"Own" holds a NUL character, which cannot be stored: write it anew.',
    }
    few = Every({**wrong, "title": "x", "count": "many"}, {"file": SimpleUploadedFile("a.b", b"")}).errors
    assert few["title"] == ['"Title" has 1 characters: write at least 2.']
    assert few["count"] == ['"Count" holds no whole number: write digits only, as in 12.']
    assert few["file"] == ["The file is empty: choose one that holds something."]
