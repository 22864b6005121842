"""Line numbers across a change, ranges and quotes."""

from __future__ import annotations

import hashlib
import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.domain.anchors import (
    AnchorRefused,
    LineMap,
    check_ranges,
    format_ranges,
    normalise_ranges,
    parse_ranges,
    quote_digest,
    quoted_lines,
)
from corpus.domain.bytestext import split_lines
from corpus.domain.diff import HunkShape, parse_patch
from corpus.domain.vocabulary import Side

DATA = Path(__file__).parent.parent / "data" / "diffs"
HUNK = HunkShape(10, 4, 10, 5, b"", " -++  ")


def test_each_line_of_a_hunk_has_its_numbers_and_its_position() -> None:
    lines = LineMap([HUNK])
    assert (lines.to_new(10), lines.position_of(Side.OLD, 10), lines.position_of(Side.NEW, 10)) == (10, 1, 1)
    assert (lines.to_new(11), lines.position_of(Side.OLD, 11)) == (None, 2)
    assert (lines.to_old(11), lines.position_of(Side.NEW, 11)) == (None, 3)
    assert (lines.to_old(12), lines.position_of(Side.NEW, 12)) == (None, 4)
    assert (lines.to_new(12), lines.to_old(13), lines.position_of(Side.NEW, 13)) == (13, 12, 5)
    assert (lines.to_new(13), lines.position_of(Side.OLD, 13)) == (14, 6)
    assert lines.at_position(5) == (Side.NEW, 13)
    assert lines.at_position(2) == (Side.OLD, 11)


def test_a_following_hunk_header_takes_a_position() -> None:
    lines = LineMap([HUNK, HunkShape(30, 1, 31, 1, b"", "-+")])
    assert lines.at_position(7) is None
    assert lines.at_position(8) == (Side.OLD, 30)
    assert lines.at_position(9) == (Side.NEW, 31)
    assert lines.at_position(10) is None
    assert lines.at_position(0) is None


def test_lines_outside_the_hunks_move_by_what_stands_before_them() -> None:
    lines = LineMap([HUNK])
    assert [lines.to_new(line) for line in (1, 9, 14, 500)] == [1, 9, 15, 501]
    assert [lines.is_in_hunk(Side.OLD, line) for line in (9, 10, 13, 14)] == [False, True, True, False]
    assert [lines.hunk_of(Side.NEW, line) for line in (9, 10, 14, 15)] == [None, 0, 0, None]
    assert [lines.is_changed(Side.OLD, line) for line in (10, 11, 12)] == [False, True, False]


def test_a_count_of_zero_starts_after_the_line_it_names() -> None:
    lines = LineMap([HunkShape(5, 0, 6, 2, b"", "++"), HunkShape(30, 2, 31, 0, b"", "--")])
    assert [lines.to_new(line) for line in (5, 6, 29, 30, 31, 32)] == [5, 8, 31, None, None, 32]
    assert [lines.to_old(line) for line in (5, 6, 7, 8, 31, 32)] == [5, None, None, 6, 29, 32]


@pytest.mark.parametrize(
    "hunks",
    [
        [HunkShape(10, 4, 10, 5, b"", " -+  ")],
        [HunkShape(10, 1, 10, 1, b"", "-+"), HunkShape(10, 1, 10, 1, b"", "-+")],
    ],
)
def test_numbers_that_contradict_each_other_make_no_map(hunks: list[HunkShape]) -> None:
    with pytest.raises(ValueError, match="hunk"):
        LineMap(hunks)


def test_lines_between_hunks_that_disagree_have_no_counterpart() -> None:
    lines = LineMap([HunkShape(10, 1, 12, 1, b"", "-+"), HunkShape(20, 1, 22, 1, b"", "-+")])
    assert [lines.to_new(line) for line in (9, 11, 19, 21)] == [None, 13, 21, 23]
    assert [lines.to_old(line) for line in (11, 13)] == [None, 11]
    assert not lines.is_changed(Side.OLD, 9)
    assert not lines.is_in_hunk(Side.NEW, 11)


def test_line_zero_is_no_line() -> None:
    with pytest.raises(ValueError, match="from 1"):
        LineMap([HUNK]).to_new(0)


@pytest.mark.parametrize("name", ["02-two-hunks-section-heading", "40-zero-context", "07-empty-file-gets-content"])
def test_the_map_agrees_with_the_known_numbers_of_every_line(name: str) -> None:
    expected = json.loads((DATA / f"{name}.expected.json").read_text())
    parsed = parse_patch((DATA / f"{name}.patch").read_bytes())
    seen = 0
    for file, known in zip(parsed.files, expected["files"], strict=True):
        lines = LineMap(file.hunks)
        for number, hunk in enumerate(known["hunks"]):
            for line in hunk["lines"]:
                seen += 1
                for side, own, other in ((Side.OLD, "old", "new"), (Side.NEW, "new", "old")):
                    if line[own] is not None:
                        assert lines.translate(side, line[own]) == line[other]
                        assert lines.hunk_of(side, line[own]) == number
    assert seen


def test_ranges_are_read_sorted_and_joined() -> None:
    assert parse_ranges("50,40-46") == ((40, 46), (50, 50))
    assert parse_ranges(" 3 - 4 , 5") == ((3, 5),)
    assert format_ranges(((40, 46), (50, 50))) == "40-46,50"


@pytest.mark.parametrize("text", ["", "a", "1-", "-1", "1,,2", "1-2-3", "9-3", "0", "1" * 12, "\u0661", "1,2," * 400])
def test_text_that_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(AnchorRefused):
        parse_ranges(text)


@given(st.lists(st.tuples(st.integers(1, 40), st.integers(0, 6)).map(lambda pair: (pair[0], sum(pair))), min_size=1))
def test_normalising_keeps_the_lines(ranges: list[tuple[int, int]]) -> None:
    result = normalise_ranges(ranges)
    named = {line for first, last in ranges for line in range(first, last + 1)}
    assert [line for first, last in result for line in range(first, last + 1)] == sorted(named)
    assert all(earlier[1] + 1 < later[0] for earlier, later in pairwise(result))
    assert parse_ranges(format_ranges(result)) == result


def test_ranges_must_lie_within_the_file() -> None:
    check_ranges(((1, 3), (7, 7)), 7)
    with pytest.raises(AnchorRefused, match="line 8 is beyond the end of the file, which has 7 lines"):
        check_ranges(((5, 9),), 7)
    with pytest.raises(AnchorRefused, match="no line is given"):
        check_ranges((), 7)
    with pytest.raises(AnchorRefused, match="ends before it starts"):
        check_ranges(((5, 4),), 7)
    with pytest.raises(AnchorRefused, match="count from 1"):
        check_ranges(((0, 4),), 7)


def test_a_quote_is_the_exact_bytes_of_its_lines() -> None:
    lines = split_lines(b"a\r\nb\x0c\nc")
    assert lines == [b"a\r\n", b"b\x0c\n", b"c"]
    assert split_lines(b"") == []
    assert quoted_lines(lines, ((1, 1), (3, 3))) == [b"a\r\n", b"c"]
    assert quote_digest([b"a\r\n", b"c"]) == hashlib.sha256(b"a\r\nc").hexdigest()
    assert quote_digest([b"c\n"]) != quote_digest([b"c"])
