"""Lines that left one place and came to another are recognised by their exact text."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from corpus.domain.moves import ChangedLine, Move, find_moves, moves_by_line
from corpus.domain.vocabulary import Side

BODY = ["def total(order):", "    lines = order.lines", "    return sum(lines)"]


def lines(first: int, texts: list[str], file: int = 0) -> list[ChangedLine]:
    return [ChangedLine(file, first + at, text) for at, text in enumerate(texts)]


def test_a_moved_block_names_both_its_places() -> None:
    removed = lines(10, ["x = 1", *BODY]) + lines(40, ["y"])
    added = lines(3, ["z = 2"]) + lines(90, [*BODY, ""])
    assert find_moves(removed, added) == [Move(0, 11, 0, 90, 3)]
    (move,) = find_moves(removed, added)
    assert (move.old_last, move.new_last) == (13, 92)
    marks = moves_by_line([move], 0)
    assert {key: marks[key] is move for key in marks} == {
        (side, number): True for side, first in ((Side.OLD, 11), (Side.NEW, 90)) for number in range(first, first + 3)
    }


def test_a_block_moves_between_files() -> None:
    moves = find_moves(lines(5, BODY, file=2), lines(1, BODY, file=7))
    assert moves == [Move(2, 5, 7, 1, 3)]
    assert set(moves_by_line(moves, 2)) == {(Side.OLD, 5), (Side.OLD, 6), (Side.OLD, 7)}
    assert moves_by_line(moves, 3) == {}


def test_one_line_or_little_text_is_no_move() -> None:
    assert find_moves(lines(1, BODY[:1]), lines(9, BODY[:1])) == []
    assert find_moves(lines(1, ["}", "    }", "  }"]), lines(9, ["}", "    }", "  }"])) == []
    # Twenty characters that are not blank are enough, nineteen are not.
    assert len(find_moves(lines(1, ["a" * 10, "b" * 10]), lines(9, ["a" * 10, "b" * 10]))) == 1
    assert find_moves(lines(1, ["a" * 10, "b" * 9 + " "]), lines(9, ["a" * 10, "b" * 9 + " "])) == []


def test_an_edit_inside_ends_the_move() -> None:
    edited = [*BODY[:1], BODY[1] + "  # all", BODY[2]]
    assert find_moves(lines(1, BODY), lines(50, edited)) == []
    longer = [*BODY, "", *(line.replace("total", "count") for line in BODY)]
    changed = [*longer[:3], "# new", *longer[4:]]
    assert [
        (move.old_first, move.new_first, move.length) for move in find_moves(lines(1, longer), lines(50, changed))
    ] == [
        (1, 50, 3),
        (5, 54, 3),
    ]


def test_lines_that_do_not_follow_each_other_are_no_block() -> None:
    apart = [*lines(1, BODY[:1]), *lines(7, BODY[1:2]), *lines(9, BODY[2:])]
    assert find_moves(apart, lines(50, BODY)) == []


def test_what_stands_in_two_places_did_not_move_to_either() -> None:
    assert find_moves(lines(1, BODY), lines(50, BODY) + lines(90, BODY)) == []


@given(
    st.lists(st.sampled_from(["a" * 10, "b" * 10, "c" * 10, "", "}"]), max_size=12), st.randoms(use_true_random=False)
)
def test_moves_are_exact_and_no_line_moves_twice(texts: list[str], random: object) -> None:
    removed = lines(1, texts)
    shuffled = list(texts)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    added = lines(100, shuffled)
    old_seen: set[int] = set()
    new_seen: set[int] = set()
    for move in find_moves(removed, added):
        old_numbers = range(move.old_first, move.old_last + 1)
        new_numbers = range(move.new_first, move.new_last + 1)
        assert [texts[number - 1] for number in old_numbers] == [shuffled[number - 100] for number in new_numbers]
        assert len("".join(texts[number - 1] for number in old_numbers)) >= 20
        assert not old_seen.intersection(old_numbers)
        assert not new_seen.intersection(new_numbers)
        old_seen.update(old_numbers)
        new_seen.update(new_numbers)


def test_many_lines_cost_little() -> None:
    texts = [f"line {number % 7}" if number % 3 else f"only {number}" for number in range(100_000)]
    assert find_moves(lines(1, [*texts, "more"]), lines(1, texts)) == []
    for added in (texts, texts[50_000:] + texts[:50_000], ["}"] * 100_000):
        begun = time.process_time()
        find_moves(lines(1, texts), lines(1, added))
        assert time.process_time() - begun < 5
