"""The longest common subsequence of two sequences, by whole machine words at a time.

One long integer holds a row of the usual table, a bit for each item, so 2,200 by 2,200 items cost milliseconds
(H. Hyyrö, "Bit-parallel LCS-length computation revisited", 2004). There is no input for which it costs more.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

Pair = tuple[int, int]


def common_pairs(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Pair]:
    """Return the positions (in `old`, in `new`) of a longest common subsequence, in order.

    Equal beginnings and ends are always part of it. Time is len(old) * len(new) / 64, memory an eighth of a byte for
    each product: callers bound the lengths.
    """
    start = 0
    shorter = min(len(old), len(new))
    while start < shorter and old[start] == new[start]:
        start += 1
    end = 0
    while end < shorter - start and old[-1 - end] == new[-1 - end]:
        end += 1
    pairs = [(index, index) for index in range(start)]
    pairs += _inner_pairs(old, new, start, len(old) - end, len(new) - end)
    pairs += [(len(old) - back, len(new) - back) for back in range(end, 0, -1)]
    return pairs


def _inner_pairs(
    old: Sequence[Hashable], new: Sequence[Hashable], start: int, old_end: int, new_end: int
) -> list[Pair]:
    """Return the pairs of the parts between `start` and the two ends."""
    size = old_end - start
    if not size or new_end == start:
        return []
    where: dict[Hashable, int] = {}
    for index in range(size):
        item = old[start + index]
        where[item] = where.get(item, 0) | 1 << index
    full = (1 << size) - 1
    row, rows = full, []
    for index in range(start, new_end):
        same = row & where.get(new[index], 0)
        row = ((row + same) | (row - same)) & full
        rows.append(row)
    # From the end: a zero bit says that the subsequence grows at this item of `old`, in this row or an earlier one.
    pairs = []
    column, at = size, len(rows)
    while at and column:
        if rows[at - 1] >> (column - 1) & 1:
            column -= 1
            continue
        at -= 1
        if at and not rows[at - 1] >> (column - 1) & 1:
            continue
        column -= 1
        pairs.append((start + column, start + at))
    pairs.reverse()
    return pairs


def changed_runs(old_size: int, new_size: int, pairs: Sequence[Pair]) -> list[tuple[int, int, int, int]]:
    """Return what lies between the pairs, as (old start, old end, new start, new end); never empty on both sides."""
    runs = []
    old_at = new_at = 0
    for old, new in [*pairs, (old_size, new_size)]:
        if old > old_at or new > new_at:
            runs.append((old_at, old, new_at, new))
        old_at, new_at = old + 1, new + 1
    return runs
