"""The longest common subsequence, against the usual table, and what it costs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from corpus.domain.sequences import changed_runs, common_pairs

LETTERS = st.text(alphabet="abc", max_size=14)


def longest(old: Sequence[str], new: Sequence[str]) -> int:
    """The length by the textbook's table."""
    row = [0] * (len(new) + 1)
    for item in old:
        above, row = row, [0]
        for at, other in enumerate(new):
            row.append(above[at] + 1 if item == other else max(above[at + 1], row[at]))
    return row[-1]


@given(LETTERS, LETTERS)
def test_the_pairs_are_a_longest_common_subsequence(old: str, new: str) -> None:
    pairs = common_pairs(old, new)
    assert all(old[i] == new[j] for i, j in pairs)
    assert all(first[0] < second[0] and first[1] < second[1] for first, second in pairwise(pairs))
    assert len(pairs) == longest(old, new)


@given(LETTERS, LETTERS)
def test_pairs_and_runs_together_are_both_sequences(old: str, new: str) -> None:
    pairs = common_pairs(old, new)
    runs = changed_runs(len(old), len(new), pairs)
    assert sorted([i for i, _ in pairs] + [i for a, b, _, _ in runs for i in range(a, b)]) == list(range(len(old)))
    assert sorted([j for _, j in pairs] + [j for _, _, c, d in runs for j in range(c, d)]) == list(range(len(new)))
    assert all(a < b or c < d for a, b, c, d in runs)


def test_no_order_of_2200_items_takes_a_second() -> None:
    up = list(range(2_200))
    hard = [(up, up[::-1]), ([1, 2] * 1_100, [2, 3, 1] * 733), ([0] * 2_200, [1, 0] * 1_100)]
    for old, new in hard:
        begun = time.process_time()
        common_pairs(old, new)
        assert time.process_time() - begun < 10
