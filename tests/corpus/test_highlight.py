"""Colours are those of the whole file, made once for each content, and never at the cost of the text."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from itertools import pairwise

import pygments
import pytest
from pygments.lexers import get_lexer_by_name
from pygments.token import STANDARD_TYPES, Token

from corpus.cpu_limit import CpuLimitReached, cpu_limit
from corpus.models import Blob, HighlightedBlob
from corpus.rendering import highlight as module
from corpus.rendering.highlight import PLAIN, HighlightStore, Runs, highlight, pack, unpack
from corpus.rendering.lexers import INTERPRETERS, NAMED, SUFFIXED, is_lexer, lexer_choices, lexer_name, lexer_title
from corpus.rendering.text import decode
from corpus.services.blobs import store_blob

SOURCES = {
    "python": 'TEXT = """one\ntwo # not a comment\n\nthree\n"""\n\n\ndef f(x):\n    return x  # a comment\n',
    "javascript": "const a = `one ${b} \n two // no comment\n`; /* open\n * on\n */ if (a) { go(); }\n",
    "c": '/* a\n   b */\n#define X 1 \\\n  + 2\nchar *s = "\\\n x";\n',
    "html": "<!-- a\n b --><p class='x\ny'>é ä</p>\n<script>\nlet a = 1;\n</script>\n",
    "ruby": "x = <<~END\n  # no comment\nEND\n=begin\ncomment\n=end\nputs x",
    "json": '{"a":\n [1, true, null],\n\n "b": "c"}\n',
}


def classes_of_whole(source: str, lexer: str) -> list[list[str]]:
    """The class of every character of each line, as Pygments gives them for the whole file."""
    lines: list[list[str]] = [[]]
    for token, value in pygments.lex(source, get_lexer_by_name(lexer, stripnl=False, ensurenl=False)):
        kind = token
        while kind not in STANDARD_TYPES:
            kind = kind.parent
        name = STANDARD_TYPES[kind]
        for character in value:
            if character == "\n":
                lines.append([])
            else:
                lines[-1].append("" if name in PLAIN else name)
    return lines if lines[-1] else lines[:-1]


@pytest.mark.parametrize("lexer", SOURCES)
def test_the_classes_of_a_line_are_those_of_the_whole_file(lexer: str) -> None:
    source = SOURCES[lexer]
    runs = highlight(decode(source.encode()), lexer)
    assert runs is not None
    assert [[name for name, length in line for _ in range(length)] for line in runs] == classes_of_whole(source, lexer)
    assert unpack(pack(runs)) == runs
    # Neighbours of one class are one run.
    assert all(one[0] != other[0] for line in runs for one, other in pairwise(line))


def test_a_lone_cr_and_a_form_feed_move_no_line() -> None:
    text = decode(b"a = 1\r# one\n\x0cb = 2\r\n\n# \xe2\x80\xa8two\n")
    runs = highlight(text, "python")
    assert runs is not None
    assert [sum(length for _, length in line) for line in runs] == [len(line) for line in text.lines]
    assert runs[3] == [("c1", 6)]


def test_a_byte_order_mark_is_no_error() -> None:
    text = decode(b"\xef\xbb\xbfimport os\n")
    assert text.lines == ["\ufeffimport os"]
    assert highlight(text, "python") == [[("", 1), ("kn", 6), ("", 1), ("nn", 2)]]


@pytest.mark.parametrize(
    "data",
    [b"x = 1\n" * 20_001, b"x = '" + b"y" * 2_000 + b"'\n", (b"#" * 99 + b"\n") * 4_100],
    ids=["lines", "line", "bytes"],
)
def test_over_a_limit_the_text_is_plain(data: bytes) -> None:
    assert highlight(decode(data), "python") is None


class Stuck:
    """A lexer whose expression takes for ever, as has happened to real ones."""

    def get_tokens_unprocessed(self, source: str) -> Iterator[tuple[int, object, str]]:
        re.match(r"(a+)+$", "a" * 60 + "b")
        yield 0, Token.Text, source


class Slow:
    """A lexer that gives one character after another, and takes its time."""

    def get_tokens_unprocessed(self, source: str) -> Iterator[tuple[int, object, str]]:
        for at, character in enumerate(source):
            sum(range(20_000))
            yield at, Token.Text, character


class Broken:
    """A lexer that fails."""

    def get_tokens_unprocessed(self, source: str) -> Iterator[tuple[int, object, str]]:
        yield 0, Token.Text, source[:1]
        raise RecursionError


class Gappy:
    """A lexer that leaves something out."""

    def get_tokens_unprocessed(self, source: str) -> Iterator[tuple[int, object, str]]:
        yield 1, Token.Text, source[1:]


@pytest.mark.parametrize("lexer", [Stuck(), Slow(), Broken(), Gappy()], ids=lambda lexer: type(lexer).__name__)
def test_a_lexer_that_hangs_or_fails_costs_colours_only(lexer: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "lexer_of", lambda name: lexer)
    monkeypatch.setattr(module, "MOST_SECONDS", 0.2)
    begun = time.process_time()
    assert highlight(decode(b"text\n" * 2_000), "python") is None
    assert time.process_time() - begun < 2


def test_time_is_limited_beside_the_main_thread_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "lexer_of", lambda name: Slow())
    monkeypatch.setattr(module, "MOST_WALL_SECONDS", 0.2)
    answers: list[object] = []
    thread = threading.Thread(target=lambda: answers.append(highlight(decode(b"text\n" * 2_000), "python")))
    thread.start()
    thread.join(20)
    assert answers == [None]


def test_the_limit_interrupts_an_expression_and_leaves_no_clock_behind() -> None:
    with pytest.raises(CpuLimitReached), cpu_limit(0.05):
        re.match(r"(a+)+$", "a" * 60 + "b")
    with cpu_limit(0.05):
        pass
    begun = time.process_time()
    while time.process_time() - begun < 0.15:
        pass


def stored(data: bytes):
    return store_blob(data)


def coloured(blob: Blob, data: bytes, name: str) -> list[Runs] | None:
    """The runs of a blob as one answer makes and keeps them; asked for twice, as both sides of a file may be."""
    store = HighlightStore([blob])
    runs = store.runs(blob, decode(data), name)
    assert store.runs(blob, decode(data), name) == runs
    store.keep()
    return runs


@pytest.mark.django_db
def test_a_content_is_coloured_once_wherever_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def counted(text: object, lexer: str) -> list[Runs] | None:
        made.append(lexer)
        return highlight(text, lexer)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "highlight", counted)
    data = b"x = 1  # one\n"
    blob = stored(data)
    first = coloured(blob, data, "a.py")
    assert first == coloured(blob, data, "folder.py") == [[("", 4), ("mi", 1), ("", 2), ("c1", 5)]]
    assert made == ["python"]
    # Another name asks for another language of the same content.
    assert coloured(blob, data, "a.c") != first
    assert made == ["python", "c"]
    # What another version made is made anew, and takes its place.
    monkeypatch.setattr(module, "VERSION", "0")
    assert coloured(blob, data, "a.py") == first
    assert made == ["python", "c", "python"]
    assert [(row.lexer, row.version) for row in HighlightedBlob.objects.all()] == [("python", "0")]


@pytest.mark.django_db
def test_a_chosen_language_colours_one_answer_and_is_not_kept() -> None:
    data = b"// a comment\n"
    blob = stored(data)
    store = HighlightStore([blob])
    assert store.runs(blob, decode(data), "notes.txt") is None
    assert store.runs(blob, decode(data), "notes.txt", chosen_lexer="javascript") == [[("c1", 12)]]
    assert store.runs(blob, decode(data), "a.js", chosen_lexer="") is None
    store.keep()
    assert not HighlightedBlob.objects.exists()


@pytest.mark.parametrize(
    ("name", "lexer"),
    [
        ("a.py", "python"), ("A.PY", "python"), ("a.js", "javascript"), ("a.ts", "typescript"), ("a.tsx", "tsx"),
        ("a.vue", "vue"), ("a.svelte", "html"), ("a.html.erb", "rhtml"), ("a.ipynb", "json"), ("a.cpp", "cpp"),
        ("a.h", "c"), ("a.hh", "cpp"), ("a.m", "objective-c"), ("a.mm", "objective-c++"), ("a.pl", "perl"),
        ("a.pm", "perl"), ("a.t", "perl"), ("a.sql", "sql"), ("a.inc", "php"), ("a.s", "gas"), ("a.fs", "fsharp"),
        ("a.v", "verilog"), ("a.1", "groff"), ("Makefile", "make"), ("Makefile.am", "make"), ("Dockerfile", "docker"),
        ("go.mod", "go"), ("Jenkinsfile", "groovy"), (".bashrc", "bash"), ("CMakeLists.txt", "cmake"),
        ("go.sum", ""), ("a.txt", ""), ("LICENSE", ""), ("", ""), (".", ""), ("a.", ""),
    ],
)  # fmt: skip
def test_the_name_tells_the_language(name: str, lexer: str) -> None:
    assert lexer_name(name) == lexer


@pytest.mark.parametrize(
    ("name", "head", "lexer"),
    [
        ("run", "#!/bin/sh\necho\n", "bash"),
        ("run", "#!/usr/bin/env python3\n", "python"),
        ("run", "#!/usr/bin/env -S node --x\n", "javascript"),
        ("run", "#! /usr/bin/python2.7\n", "python"),
        ("run", "#!/opt/unheard/of\n", ""),
        ("page", "\ufeff<?xml version='1.0'?>\n<a/>\n", "xml"),
        ("page", "\n<!DOCTYPE HTML>\n", "html"),
        ("index", "<?php echo 1;\n", "php"),
        ("notes", "# vim: set ft=ruby:\n", "ruby"),
        ("notes", "; -*- mode: python -*-\n", "python"),
        ("notes", "/* -*- C++ -*- */\n", "cpp"),
        ("notes", "dear all,\n", ""),
        # The name goes before the content, and content decides between the languages of one name.
        ("a.py", "#!/bin/sh\n", "python"),
        ("a.h", "#import <Foundation/Foundation.h>\n@interface A\n@end\n", "objective-c"),
        ("a.m", "% comment\nfunction y = f(x)\n", "matlab"),
        ("a.pl", "#!/usr/bin/perl\nuse strict;\nmy $x = 1;\n", "perl"),
    ],
)
def test_where_the_name_does_not_tell_the_content_does(name: str, head: str, lexer: str) -> None:
    assert lexer_name(name, head) == lexer


def test_every_language_that_is_named_exists_and_can_be_chosen() -> None:
    choices = dict(lexer_choices())
    assert lexer_choices()[0] == ("", "Plain text")
    assert choices["python"] == lexer_title("python") == "Python"
    assert len(choices) > 500
    for name in {*NAMED.values(), *SUFFIXED.values(), *INTERPRETERS.values(), *module_usual()}:
        assert is_lexer(name), name
        assert name in choices
    assert not is_lexer("no such language")
    assert lexer_title("no such language") == "Plain text"


def module_usual() -> tuple[str, ...]:
    from corpus.rendering.lexers import BEGINNINGS, USUAL

    return (*USUAL, *(alias for _, alias in BEGINNINGS))
