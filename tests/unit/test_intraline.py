"""Changed words are marked, whole characters only, and never at a cost that grows with the line."""

from __future__ import annotations

import time
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from corpus.domain.intraline import changed_spans


def marked(text: str, spans: list[tuple[int, int]]) -> list[str]:
    return [text[start:end] for start, end in spans]


def test_only_the_words_that_changed_are_marked() -> None:
    old, new = "return total(order, key=order.id)", "return total(order)"
    old_spans, new_spans = changed_spans(old, new)
    assert marked(old, old_spans) == [", key=order.id"]
    assert marked(new, new_spans) == []


def test_a_rewritten_line_is_not_peppered_with_marks() -> None:
    assert changed_spans("for item in queue:", "raise ValueError(message)") == ([], [])


def test_a_joined_character_is_marked_whole() -> None:
    old, new = "name = 'e\u0301'", "name = 'e\u0300'"
    old_spans, new_spans = changed_spans(old, new)
    assert all(unicodedata.combining(old[start]) == 0 for start, _ in old_spans)
    assert marked(new, new_spans) == ["e\u0300"]


def test_very_long_lines_are_left_unmarked_at_once() -> None:
    start = time.monotonic()
    assert changed_spans("a b " * 50_000, "a c " * 50_000) == ([], [])
    assert time.monotonic() - start < 2


@given(st.text(max_size=60), st.text(max_size=60))
def test_unmarked_text_is_the_same_on_both_sides(old: str, new: str) -> None:
    old_spans, new_spans = changed_spans(old, new)
    if not old_spans and not new_spans:
        return

    def unmarked(text: str, spans: list[tuple[int, int]]) -> str:
        kept, position = [], 0
        for start, end in spans:
            assert position <= start < end <= len(text)
            kept.append(text[position:start])
            position = end
        return "".join([*kept, text[position:]])

    # Widening to whole characters may take a shared character into a mark on one side only.
    if not any(unicodedata.category(c) in {"Mn", "Mc", "Me"} or c in "\u200d\ufe0e\ufe0f" for c in old + new):
        assert unmarked(old, old_spans) == unmarked(new, new_spans)
