"""Near-duplicates against brute force over all pairs."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.domain.diff import parse_patch
from corpus.domain.near_duplicates import FEWEST_LINES, THRESHOLD, changed_lines, near_duplicates

pytestmark = pytest.mark.pure


def lines(*numbers: int) -> frozenset[bytes]:
    return frozenset(b"%08d" % number for number in numbers)


def by_brute_force(changes: dict[str, frozenset[bytes]]) -> set[tuple[str, str]]:
    return {
        (one, other)
        for one, other in combinations(sorted(changes), 2)
        if min(len(changes[one]), len(changes[other])) >= FEWEST_LINES
        and len(changes[one] & changes[other]) >= THRESHOLD * len(changes[one] | changes[other])
    }


def test_the_threshold_is_exact() -> None:
    nine_of_ten = {"a": lines(*range(10)), "b": lines(*range(9))}
    [pair] = near_duplicates(nine_of_ten)
    assert (pair.one, pair.other, pair.shared, pair.either) == ("a", "b", 9, 10)
    # 8 of 10 is at the threshold, 7 of 9 below it.
    assert near_duplicates({"a": lines(*range(10)), "b": lines(*range(8))})
    assert not near_duplicates({"a": lines(*range(9)), "b": lines(*range(7))})


def test_small_changes_are_left_alone() -> None:
    assert not near_duplicates({"a": lines(1, 2, 3, 4), "b": lines(1, 2, 3, 4)})
    assert near_duplicates({"a": lines(1, 2, 3, 4, 5), "b": lines(1, 2, 3, 4, 5)})


def test_pairs_are_those_of_brute_force_in_a_corpus_of_variants() -> None:
    source = random.Random(11)
    changes = {}
    for family in range(40):
        whole = [family * 1000 + number for number in range(source.randint(5, 60))]
        for variant in range(4):
            kept = [number for number in whole if source.random() > variant * 0.08]
            changes[f"{family:02}-{variant}"] = lines(*kept, *(source.sample(range(10**6, 10**7), variant)))
    found = {(pair.one, pair.other) for pair in near_duplicates(changes)}
    assert found == by_brute_force(changes)
    assert len(found) > 40


@given(st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.frozensets(st.integers(0, 12), max_size=10)))
def test_order_of_the_cases_makes_no_difference(numbers) -> None:
    changes = {name: lines(*values) for name, values in numbers.items()}
    turned = dict(reversed(changes.items()))
    assert near_duplicates(changes) == near_duplicates(turned)
    assert {(pair.one, pair.other) for pair in near_duplicates(changes)} <= by_brute_force(changes)


def test_blanks_and_signs_alone_are_no_lines() -> None:
    patch = b"--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,7 @@\n one\n-two\n+two\n+  two   words \n+\ttwo words\n+}\n+\n three\n"
    found = changed_lines(parse_patch(patch))
    # Removed "two", added "two", added "two words" once: blanks make no difference, sides do.
    assert len(found) == 3
