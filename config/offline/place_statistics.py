"""`touchstone agree`: statistics of spans, lines and assignments by name."""

from __future__ import annotations

from collections.abc import Sequence

from config.offline.findings import read_range
from config.offline.located import Located
from config.offline.statistic_input import MAX_COUNT, Answer, answer, answer_of, read_count, read_matrix
from corpus.domain.assignment import best_assignment
from labeling.domain.statistics.place import (
    Unit,
    best_gamma_alignment,
    gap_of,
    line_iou,
    overlap_coefficient,
    positional_dissimilarity,
)
from labeling.domain.statistics.unitizing import Span, squared_difference, unitizing_alpha

MAX_PAIRS = 100_000
MAX_SPANS = 500
MAX_SIDE = 500
MAX_EDGES = 5_000


def unitizing(data: Located, _: Located) -> Answer:
    """Alpha of spans, by category and over all."""
    length = read_count(data, "length", 1)
    observers = [
        {
            name: [_begin_and_length(unit) for unit in observer.at(name).items(at_most=MAX_SPANS)]
            for name in observer.object()
        }
        for observer in data.at("observers").items(at_least=2, at_most=20)
    ]
    try:
        by_name, together = unitizing_alpha(read_count(data, "begin"), length, observers)
    except ValueError as error:
        data.fail(str(error))
    values: Answer = {}
    for name, found in by_name.items():
        values |= {name: found.alpha, f"{name}_observed": found.observed, f"{name}_expected": found.expected}
    return answer_of({**values, "all": together})


def _begin_and_length(place: Located) -> tuple[int, int]:
    begin, length = place.items(at_least=2, at_most=2)
    return begin.integer(0, MAX_COUNT), length.integer(1, MAX_COUNT)


def _span(place: Located) -> Span:
    begin, length, category = place.items(at_least=3, at_most=3)
    return Span(
        begin.integer(0, MAX_COUNT),
        length.integer(1, MAX_COUNT),
        None if category.value is None else category.text(),
    )


def _pairs(data: Located) -> list[list[Located]]:
    members = data.at("pairs").items(at_most=MAX_PAIRS)
    return [member.items(at_least=2, at_most=2) for member in members]


def unitizing_difference(data: Located, _: Located) -> Answer:
    """Squared difference of pairs of [begin, length, category]."""
    return answer(delta2=[squared_difference(_span(one), _span(other)) for one, other in _pairs(data)])


def _unit(place: Located) -> Unit:
    members = place.items(at_least=2, at_most=3)
    start, end = members[0].number(-MAX_COUNT, MAX_COUNT), members[1].number()
    if not start < end:
        place.fail("a unit ends after it starts")
    return Unit(start, end, members[2].text() if len(members) == 3 else None)


def _setting(params: Located, name: str) -> float:
    given = params.get(name)
    return 1.0 if given is None else given.number(0, MAX_COUNT)


def gamma_position(data: Located, params: Located) -> Answer:
    """Positional dissimilarity of pairs of [start, end]."""
    empty = _setting(params, "delta_empty")
    return answer(d_pos=[positional_dissimilarity(_unit(one), _unit(other), empty) for one, other in _pairs(data)])


def gamma_alignment(data: Located, params: Located) -> Answer:
    """Best alignment of two annotators."""
    a, b = ([_unit(unit) for unit in data.at(name).items(at_most=MAX_SPANS)] for name in ("a", "b"))
    found = best_gamma_alignment(
        a,
        b,
        position=_setting(params, "alpha"),
        category=_setting(params, "beta"),
        empty=_setting(params, "delta_empty"),
    )
    return answer(pairs=[list(pair) for pair in found.pairs], disorder=found.disorder)


def cheapest_assignment(data: Located, _: Located) -> Answer:
    """Assignment of least total cost, and what taking the cheapest cell first would pay."""
    from scipy.optimize import linear_sum_assignment

    cost = read_matrix(data.at("cost"), square=False, at_most=MAX_SIDE)
    rows, columns = linear_sum_assignment(cost)
    chosen = {int(row): int(column) for row, column in zip(rows, columns, strict=True)}
    total = sum(cost[row][column] for row, column in chosen.items())
    return answer(columns=[chosen.get(row) for row in range(len(cost))], total=total, greedy_total=_greedy_total(cost))


def _greedy_total(cost: Sequence[Sequence[float]]) -> float:
    cells = sorted((value, i, j) for i, row in enumerate(cost) for j, value in enumerate(row))
    rows: set[int] = set()
    columns: set[int] = set()
    total = 0.0
    for value, i, j in cells:
        if i not in rows and j not in columns:
            rows.add(i)
            columns.add(j)
            total += value
    return total


def most_pairs(data: Located, _: Located) -> Answer:
    """One-to-one set of edges with the most members, and what taking the edges in their order would reach."""
    members = data.at("edges").items(at_most=MAX_EDGES)
    edges = [tuple(end.text() for end in member.items(at_least=2, at_most=2)) for member in members]
    lefts, rights = (sorted({edge[side] for edge in edges}) for side in (0, 1))
    left_index, right_index = ({name: position for position, name in enumerate(names)} for names in (lefts, rights))
    scores = {(left_index[edge[0]], right_index[edge[1]]): (1,) for edge in edges}
    pairs = [[lefts[i], rights[j]] for i, j in best_assignment(scores)]
    taken: set[tuple[int, str]] = set()
    greedy = 0
    for left, right in edges:
        if (0, left) not in taken and (1, right) not in taken:
            taken |= {(0, left), (1, right)}
            greedy += 1
    return answer(maximum=len(pairs), greedy=greedy, pairs=pairs)


def iou(data: Located, _: Located) -> Answer:
    """IoU, overlap coefficient and gap of pairs of inclusive line ranges."""
    pairs = [(read_range(one), read_range(other)) for one, other in _pairs(data)]
    return answer(
        iou=[line_iou([one], [other]) for one, other in pairs],
        overlap_coefficient=[overlap_coefficient([one], [other]) for one, other in pairs],
        line_gap=[gap_of(one, other) for one, other in pairs],
    )


STATISTICS = {
    "gamma_best_alignment": gamma_alignment,
    "gamma_positional_dissimilarity": gamma_position,
    "line_iou": iou,
    "linear_sum_assignment": cheapest_assignment,
    "max_bipartite_matching": most_pairs,
    "unitizing_alpha": unitizing,
    "unitizing_delta_squared": unitizing_difference,
}
