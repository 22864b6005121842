"""Which removed line of a block became which added line.

Lines that are equal but for blanks belong together; of the others those that share the most words, in order. Between
more lines than are compared one by one, lines pair by their position, so that no block is slow.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest

from corpus.domain.sequences import Pair, changed_runs, common_pairs

# A block is compared as a whole up to this many lines a side, and each with each up to this many combinations.
MOST_LINES = 5_000
MOST_COMBINATIONS = 2_500
LEAST_ALIKE = 0.4

_WORD = re.compile(r"\w+")


def pair_block(removed: Sequence[str], added: Sequence[str]) -> list[Pair]:
    """Return which removed line is compared with which added line of one block, as positions, in order on both sides.

    Not every line has a counterpart. Blocks over MOST_LINES pair by position.
    """
    if max(len(removed), len(added)) > MOST_LINES:
        return _by_position(0, len(removed), 0, len(added))
    pairs: list[Pair] = []
    if min(len(removed), len(added)) > 1:
        bare = [["".join(line.split()) for line in lines] for lines in (removed, added)]
        # A line without a sign is everywhere; it ties nothing together.
        keys = [[line or (side, at) for at, line in enumerate(lines)] for side, lines in enumerate(bare)]
        pairs = common_pairs(*keys)
    between = [
        pair
        for first, last, new_first, new_last in changed_runs(len(removed), len(added), pairs)
        for pair in _pair_gap(removed, added, (first, last), (new_first, new_last))
    ]
    return sorted(pairs + between)


def side_by_side(removed: int, added: int, pairs: Sequence[Pair]) -> list[tuple[int | None, int | None]]:
    """Return the rows of a block of so many lines in two columns, as positions; None where a column is empty.

    Paired lines share a row. What stands between two pairs shares rows too, without being compared.
    """
    rows: list[tuple[int | None, int | None]] = []
    old_at = new_at = 0
    for old, new in [*pairs, (removed, added)]:
        rows += zip_longest(range(old_at, old), range(new_at, new))
        if old < removed and new < added:
            rows.append((old, new))
        old_at, new_at = old + 1, new + 1
    return rows


def _pair_gap(removed: Sequence[str], added: Sequence[str], old: Pair, new: Pair) -> list[Pair]:
    height, width = old[1] - old[0], new[1] - new[0]
    if not height or not width:
        return []
    if height == width == 1 or height * width > MOST_COMBINATIONS:
        return _by_position(old[0], old[1], new[0], new[1])
    words = [[frozenset(_WORD.findall(line)) for line in lines] for lines in (removed[slice(*old)], added[slice(*new)])]
    return [(old[0] + i, new[0] + j) for i, j in _most_alike(*words)]


def _by_position(old: int, old_end: int, new: int, new_end: int) -> list[Pair]:
    return list(zip(range(old, old_end), range(new, new_end), strict=False))


def _most_alike(removed: Sequence[frozenset[str]], added: Sequence[frozenset[str]]) -> list[Pair]:
    """Return the pairs, in order on both sides, with the greatest sum of likeness; ties go to the earlier lines."""
    likeness = [[_alike(one, other) for other in added] for one in removed]
    # best[i][j]: what the lines from i and from j on can reach.
    best = [[0.0] * (len(added) + 1) for _ in range(len(removed) + 1)]
    for i in range(len(removed) - 1, -1, -1):
        row, below, alike = best[i], best[i + 1], likeness[i]
        for j in range(len(added) - 1, -1, -1):
            most = below[j] if below[j] > row[j + 1] else row[j + 1]
            if alike[j] and alike[j] + below[j + 1] > most:
                most = alike[j] + below[j + 1]
            row[j] = most
    pairs = []
    i = j = 0
    while i < len(removed) and j < len(added):
        if likeness[i][j] and best[i][j] == likeness[i][j] + best[i + 1][j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of common words (Dice's coefficient); 0 below LEAST_ALIKE."""
    size = len(one) + len(other)
    share = 2 * len(one & other) / size if size else 0.0
    return share if share >= LEAST_ALIKE else 0.0
