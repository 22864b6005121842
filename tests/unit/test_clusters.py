"""Text is cut only between characters as people see them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.domain.clusters import cluster_starts, clusters


@pytest.mark.parametrize(
    "parts",
    [
        ["a", "b"],
        ["e\u0301", "x"],
        ["a\u0308\u0323", "b"],
        ["\u0301", "a"],
        ["\r\n", "a"],
        ["\U0001f468\u200d\U0001f469\u200d\U0001f467", "!"],  # a family
        ["\U0001f44d\U0001f3fd", "\U0001f44d"],  # a thumb with a skin tone, and one without
        ["\U0001f1e9\U0001f1ea", "\U0001f1eb\U0001f1f7", "\U0001f1e9"],  # two flags and half of one
        ["1\ufe0f\u20e3", "2"],  # a keycap
        ["\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "x"],  # a flag made of tags
        ["\u1112\u1161\u11ab", "\u1100\u116e\u11a8"],  # Hangul by letters
        ["\ud55c", "\uad6d"],  # Hangul by syllables
        ["\u0915\u094d\u0937\u093f", "\u0915"],  # Devanagari: two consonants bound, and a vowel sign
        ["\u0e01\u0e33", "\u0e01"],  # Thai with its vowel
        ["\u0600\u0661", "\u0662"],  # an Arabic number sign before its digit
        ["\u2764\ufe0f", " "],  # a heart with a variation selector
    ],
)
def test_what_joins_is_one_cluster(parts: list[str]) -> None:
    assert clusters("".join(parts)) == parts


@given(st.text(max_size=40))
def test_clusters_make_up_the_text(text: str) -> None:
    assert "".join(clusters(text)) == text
    starts = cluster_starts(text)
    assert starts == sorted(set(starts))
    assert starts[:1] == ([0] if text else [])


@given(st.text(alphabet=st.characters(codec="ascii"), max_size=40))
def test_plain_text_has_a_cluster_for_each_character(text: str) -> None:
    assert clusters(text.replace("\r\n", "")) == list(text.replace("\r\n", ""))
