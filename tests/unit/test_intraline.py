"""Changed words and characters are marked, whole characters only, and never at a cost that grows with the line."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.domain.clusters import cluster_starts
from corpus.domain.intraline import Span, changed_spans, words_of


def marked(text: str, spans: list[Span]) -> list[str]:
    return [text[start:end] for start, end in spans]


def unmarked(text: str, spans: list[Span]) -> str:
    kept, position = [], 0
    for start, end in spans:
        assert position <= start < end <= len(text)
        kept.append(text[position:start])
        position = end
    return "".join([*kept, text[position:]])


@pytest.mark.parametrize(
    ("old", "new", "old_marks", "new_marks"),
    [
        # Words that went, came, or became others.
        ("return total(order, key=order.id)", "return total(order)", [", key=order.id"], []),
        ("if ready:", "if ready and open:", [], [" and open"]),
        ("total = price", "total = amount", ["price"], ["amount"]),
        ("call(old name here)", "call(new title here)", ["old name"], ["new title"]),
        # Characters inside a word that stayed mostly the same.
        ("user = getUserName()", "user = getUserNames()", [], ["s"]),
        ("retries = 100000", "retries = 100500", ["0"], ["5"]),
        ("colour_map(x)", "color_map(x)", ["u"], []),
        ("value = fetch_all_items", "value = fetch_some_items", ["all"], ["some"]),
        # A word of which little stayed is a new word.
        ("let cat = 1", "let dog = 1", ["cat"], ["dog"]),
        ("send(order, abcdefgh)", "send(order, hgfedcba)", ["abcdefgh"], ["hgfedcba"]),
        # Blanks alone.
        ("    return 1", "        return 1", [], ["    "]),
        ("return 1", "return 1  ", [], ["  "]),
        ("f( a )", "f(a)", [" ", " "], []),
        ("\tx", "    x", ["\t"], ["    "]),
        # Lines that have nothing in common are not peppered with marks.
        ("for item in queue:", "raise ValueError(message)", [], []),
        ("same", "same", [], []),
        ("", "x", [], []),
    ],
)
def test_what_changed_is_marked_and_nothing_else(
    old: str, new: str, old_marks: list[str], new_marks: list[str]
) -> None:
    old_spans, new_spans = changed_spans(old, new)
    assert (marked(old, old_spans), marked(new, new_spans)) == (old_marks, new_marks)


@pytest.mark.parametrize(
    ("old", "new", "mark"),
    [
        ("name = 'e\u0301'", "name = 'e\u0300'", "e\u0300"),
        ("mood = '\U0001f44d\U0001f3fd'", "mood = '\U0001f44d\U0001f3ff'", "\U0001f44d\U0001f3ff"),
        ("flag = '\U0001f1e9\U0001f1ea'", "flag = '\U0001f1e9\U0001f1f0'", "\U0001f1e9\U0001f1f0"),
        ("team = '\U0001f468\u200d\U0001f469'", "team = '\U0001f468\u200d\U0001f467'", "\U0001f468\u200d\U0001f467"),
    ],
)
def test_a_joined_character_is_marked_whole(old: str, new: str, mark: str) -> None:
    assert marked(new, changed_spans(old, new)[1]) == [mark]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a b " * 50_000, "a c " * 50_000),
        ("x" * 500_000, "x" * 499_999 + "y"),
        ("( " * 990, ") " * 990 + "( "),
        (" ".join(map(str, range(990))), " ".join(map(str, reversed(range(990))))),
    ],
)
def test_no_line_is_slow(old: str, new: str) -> None:
    begun = time.process_time()
    changed_spans(old, new)
    assert time.process_time() - begun < 10


WORDS = st.lists(
    st.one_of(
        st.sampled_from(
            ["total", "totals", "order", " ", "  ", "\t", "(", ")", ".", "e\u0301", "\U0001f1e9\U0001f1ea"]
        ),
        st.text(max_size=3),
    ),
    max_size=12,
).map("".join)


@given(WORDS, WORDS)
def test_unmarked_text_is_the_same_on_both_sides_and_no_character_is_cut(old: str, new: str) -> None:
    old_spans, new_spans = changed_spans(old, new)
    if not old_spans and not new_spans:
        return
    assert unmarked(old, old_spans) == unmarked(new, new_spans)
    for text, spans in ((old, old_spans), (new, new_spans)):
        edges = {*cluster_starts(text), len(text)}
        assert {edge for span in spans for edge in span} <= edges
        assert all(first[1] < second[0] for first, second in pairwise(spans))


@given(st.text(max_size=40))
def test_words_make_up_the_line_and_cut_no_character(text: str) -> None:
    words = words_of(text)
    assert "".join(words) == text
    starts, position = set(cluster_starts(text)), 0
    for word in words:
        assert position in starts
        position += len(word)
