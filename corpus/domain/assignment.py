"""One-to-one assignment that is exact: maximum-weight bipartite matching over Python integers.

Alignment and matching both rank whole assignments by several aims in turn ("most matches, then least cost,
then ..."). Each aim is folded into one integer per pair, wide enough that no sum of a lower aim reaches a
unit of a higher one. Such integers outgrow double precision at some forty findings a side, so the solver
keeps to Python's integers: shortest augmenting paths with potentials (Dijkstra) over the pairs that exist,
one connected component at a time. Findings are sparse, most components are a single pair, and nothing has
to be imported for them.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence

Edge = tuple[int, int]


def best_assignment(scores: Mapping[Edge, Sequence[int]]) -> list[Edge]:
    """Return the one-to-one set of (left, right) pairs with the greatest sum of scores, sorted.

    `scores` holds the allowed pairs; scores are equally long tuples, summed by position and compared from
    the first position on. The first position that is not zero must be positive, so that one more pair is
    never a loss. Equal sums are decided by the lowest left index that differs: a partner beats none, and
    the lower right index beats the higher. The result does not depend on the order of `scores`.
    """
    assignment: list[Edge] = []
    for component in _components(scores):
        if len(component) == 1:
            assignment.append(component[0])
        else:
            assignment += _solve({edge: scores[edge] for edge in component})
    return sorted(assignment)


def _components(scores: Mapping[Edge, Sequence[int]]) -> list[list[Edge]]:
    """Group the pairs that are linked through shared members."""
    by_left: dict[int, list[Edge]] = {}
    by_right: dict[int, list[Edge]] = {}
    for edge in sorted(scores):
        by_left.setdefault(edge[0], []).append(edge)
        by_right.setdefault(edge[1], []).append(edge)
    seen_left: set[int] = set()
    seen_right: set[int] = set()
    components = []
    for start in by_left:
        if start in seen_left:
            continue
        seen_left.add(start)
        open_left = [start]
        component: list[Edge] = []
        while open_left:
            left = open_left.pop()
            component += by_left[left]
            for _, right in by_left[left]:
                if right not in seen_right:
                    seen_right.add(right)
                    for other, _ in by_right[right]:
                        if other not in seen_left:
                            seen_left.add(other)
                            open_left.append(other)
        components.append(sorted(component))
    return components


def _solve(scores: Mapping[Edge, Sequence[int]]) -> list[Edge]:
    lefts = sorted({left for left, _ in scores})
    rights = sorted({right for _, right in scores})
    left_index = {left: index for index, left in enumerate(lefts)}
    right_index = {right: index for index, right in enumerate(rights)}
    folded = _fold(scores, left_index, right_index)
    # Every left member is scanned, so the shorter list plays that part.
    flipped = len(lefts) > len(rights)
    rows: list[dict[int, int]] = [{} for _ in (rights if flipped else lefts)]
    for (left, right), weight in folded.items():
        i, j = left_index[left], right_index[right]
        if flipped:
            i, j = j, i
        rows[i][j] = weight
    pairs = _maximum_weight(rows)
    if flipped:
        return [(lefts[j], rights[i]) for i, j in pairs]
    return [(lefts[i], rights[j]) for i, j in pairs]


def _fold(
    scores: Mapping[Edge, Sequence[int]], left_index: Mapping[int, int], right_index: Mapping[int, int]
) -> dict[Edge, int]:
    """Fold each score and the order of equals into one integer; all are positive."""
    most_pairs = min(len(left_index), len(right_index))
    # A digit per left member: 0 without a partner, more the lower its partner stands.
    base = len(right_index) + 1
    folded = {
        (left, right): (base - 1 - right_index[right]) * base ** (len(left_index) - 1 - left_index[left])
        for left, right in scores
    }
    step = base ** len(left_index)
    for position in range(len(next(iter(scores.values()))) - 1, -1, -1):
        widest = 0
        for edge, score in scores.items():
            value = score[position]
            folded[edge] += value * step
            widest = max(widest, abs(value))
        # Two assignments differ by at most twice the widest value for each pair that either can hold.
        step *= 2 * most_pairs * widest + 1
    return folded


def _maximum_weight(rows: Sequence[Mapping[int, int]]) -> list[Edge]:
    """Return the (row, column) pairs of greatest total weight; weights are positive, absent pairs not
    allowed.

    Rows join one by one. Costs are the negated weights, and each row may also stay alone at cost 0.
    Potentials keep every reduced cost non-negative, so each row's cheapest augmenting path is found by
    Dijkstra's algorithm.
    """
    row_potential = [min(0, *(-weight for weight in row.values())) if row else 0 for row in rows]
    column_potential: dict[int, int] = {}
    column_of: dict[int, int] = {}
    row_of: dict[int, int] = {}
    for start in range(len(rows)):
        distance: dict[int, int] = {}
        reached_from: dict[int, int] = {}
        settled: dict[int, int] = {}
        tree: list[tuple[int, int]] = [(start, 0)]
        queue: list[tuple[int, int]] = []
        best_end: int | None = None
        end_row, end_column = start, -1
        row, travelled = start, 0
        while True:
            # Leaving this row alone ends the path here; so does a free column, met below.
            alone = travelled - row_potential[row]
            if best_end is None or alone < best_end:
                best_end, end_row, end_column = alone, row, -1
            base = travelled - row_potential[row]
            for column, weight in rows[row].items():
                if column in settled:
                    continue
                length = base - weight - column_potential.get(column, 0)
                if length >= best_end or length >= distance.get(column, best_end):
                    continue
                distance[column] = length
                reached_from[column] = row
                if column in row_of:
                    heapq.heappush(queue, (length, column))
                else:
                    best_end, end_row, end_column = length, row, column
            while queue and (queue[0][1] in settled or queue[0][0] > distance[queue[0][1]]):
                heapq.heappop(queue)
            if not queue or queue[0][0] >= best_end:
                break
            travelled, column = heapq.heappop(queue)
            settled[column] = travelled
            row = row_of[column]
            tree.append((row, travelled))
        for row, travelled in tree:
            row_potential[row] += best_end - travelled
        for column, travelled in settled.items():
            column_potential[column] = column_potential.get(column, 0) - (best_end - travelled)
        row, column = end_row, end_column
        while True:
            previous = column_of.pop(row, None)
            if column != -1:
                column_of[row] = column
                row_of[column] = row
            elif previous is not None:
                del row_of[previous]
            if row == start:
                break
            # `row` gave up `previous`, which goes to the row that reached it.
            assert previous is not None
            row, column = reached_from[previous], previous
    return sorted(column_of.items())
