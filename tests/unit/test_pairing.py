"""Removed and added lines of a block meet their likes."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.domain.pairing import pair_block, side_by_side

LINES = st.lists(
    st.sampled_from(["", "}", "total = price", "  total = price", "return total", "x", "log(a, b)"]), max_size=7
)


@pytest.mark.parametrize(
    ("removed", "added", "pairs"),
    [
        (["total = price"], ["total = price * count"], [(0, 0)]),
        # One line by itself is compared whatever it says.
        (["a"], ["z"], [(0, 0)]),
        # A line that was put before the one that changed does not shift the pair.
        (["total = price(order)"], ["log(order)", "total = price(order, 2)"], [(0, 1)]),
        (["first(a)", "second(b)", "third(c)"], ["first(a, 1)", "third(c, 1)"], [(0, 0), (2, 1)]),
        # Equal but for blanks ties first, across lines that are new.
        (["if x:", "a = 1", "b = 2"], ["    a = 1", "    b = 2"], [(1, 0), (2, 1)]),
        # Lines without a likeness stay alone.
        (["alpha beta", "gamma"], ["one two", "three"], []),
        (["", ""], ["", "x"], []),
        ([], ["x"], []),
    ],
)
def test_lines_meet_their_likes(removed: list[str], added: list[str], pairs: list[tuple[int, int]]) -> None:
    assert pair_block(removed, added) == pairs


@given(LINES, LINES)
def test_pairs_keep_the_order_and_every_line_has_one_row(removed: list[str], added: list[str]) -> None:
    pairs = pair_block(removed, added)
    assert all(first[0] < second[0] and first[1] < second[1] for first, second in pairwise(pairs))
    rows = side_by_side(len(removed), len(added), pairs)
    assert [left for left, _ in rows if left is not None] == list(range(len(removed)))
    assert [right for _, right in rows if right is not None] == list(range(len(added)))
    assert set(pairs) <= set(rows)
    assert (None, None) not in rows


@pytest.mark.parametrize("size", [2_200, 20_000])
@pytest.mark.parametrize("kind", ["unlike", "alike", "reversed", "repeated"])
def test_no_block_is_slow(size: int, kind: str) -> None:
    removed = ["}" if kind == "repeated" else f"value_{number} = compute(order, {number})" for number in range(size)]
    added = {
        "unlike": [f"other({number})" for number in range(size)],
        "alike": [line + "  # seen" for line in removed],
        "reversed": removed[::-1],
        "repeated": ["{", "}"] * (size // 2),
    }[kind]
    begun = time.process_time()
    pairs = pair_block(removed, added)
    assert time.process_time() - begun < 10
    assert len(pairs) <= size


def test_what_stands_between_pairs_shares_rows() -> None:
    assert side_by_side(3, 4, [(1, 2)]) == [(0, 0), (None, 1), (1, 2), (2, 3)]
    assert side_by_side(0, 2, []) == [(None, 0), (None, 1)]
