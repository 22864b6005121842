"""The assignment solver against plain enumeration and against scipy."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from corpus.domain.assignment import best_assignment

SCORE = st.tuples(st.integers(1, 3), st.integers(-2, 2), st.integers(-2, 0))
INSTANCE = st.dictionaries(st.tuples(st.integers(0, 4), st.integers(0, 4)), SCORE, min_size=1, max_size=14)


def every_assignment(edges):
    """Yield every one-to-one subset of `edges`."""
    if not edges:
        yield ()
        return
    first, rest = edges[0], edges[1:]
    yield from every_assignment(rest)
    free = [edge for edge in rest if edge[0] != first[0] and edge[1] != first[1]]
    for others in every_assignment(free):
        yield (first, *others)


def enumerated(scores):
    """Return the best assignment by looking at all of them."""
    lefts = sorted({left for left, _ in scores})
    width = len(next(iter(scores.values())))

    def rank(assignment):
        partner = dict(assignment)
        total = tuple(sum(scores[edge][position] for edge in assignment) for position in range(width))
        return total, tuple(-partner.get(left, 10**9) for left in lefts)

    return sorted(max(every_assignment(sorted(scores)), key=rank))


@given(INSTANCE)
def test_the_best_assignment_is_the_one_that_enumeration_finds(scores):
    assert best_assignment(scores) == enumerated(scores)


@given(INSTANCE, st.randoms(use_true_random=False))
def test_the_order_of_the_pairs_does_not_matter(scores, shuffler):
    shuffled = list(scores.items())
    shuffler.shuffle(shuffled)
    assert best_assignment(dict(shuffled)) == best_assignment(scores)


def test_a_large_instance_reaches_the_total_that_scipy_reaches():
    source = random.Random(20)
    for rows, columns, density in [(60, 60, 1.0), (25, 180, 0.3), (90, 40, 0.1)]:
        gain = np.zeros((rows, columns))
        scores = {}
        for left in range(rows):
            for right in range(columns):
                if source.random() < density:
                    gain[left, right] = source.randint(1, 50)
                    scores[left, right] = (int(gain[left, right]), -source.randint(0, 9))
        found = best_assignment(scores)
        assert len({left for left, _ in found}) == len({right for _, right in found}) == len(found)
        left_index, right_index = linear_sum_assignment(gain, maximize=True)
        assert sum(scores[edge][0] for edge in found) == gain[left_index, right_index].sum()


def test_a_lower_aim_never_outweighs_a_higher_one_however_large_its_numbers():
    scores = {(0, 0): (1, 0), (0, 1): (2, -(10**30)), (1, 1): (1, 0)}
    assert best_assignment(scores) == [(0, 0), (1, 1)]
    scores[1, 0] = (1, -(10**40))
    assert best_assignment(scores) == [(0, 1), (1, 0)]


def test_of_equal_assignments_the_first_in_order_is_taken():
    even = {(left, right): (1,) for left in range(3) for right in range(5)}
    assert best_assignment(even) == [(0, 0), (1, 1), (2, 2)]
    assert best_assignment({(right, left): (1,) for left, right in even}) == [(0, 0), (1, 1), (2, 2)]


def test_nothing_to_assign_gives_an_empty_assignment():
    assert best_assignment({}) == []
