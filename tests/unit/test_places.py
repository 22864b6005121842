"""Places are compared as sets of lines; the sets are spelled out here, the product keeps ranges."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.domain.places import (
    Anchor,
    FilePair,
    Geometry,
    HunkRange,
    PlaceRelation,
    closeness,
    intersect_ranges,
    line_gap,
    merge_ranges,
    nearest,
    overlap_cost,
    shared_lines,
)
from corpus.domain.vocabulary import Side

RANGES = st.lists(
    st.tuples(st.integers(1, 40), st.integers(0, 8)).map(lambda pair: (pair[0], pair[0] + pair[1])),
    min_size=1,
    max_size=5,
)


def lines_of(ranges):
    return {line for first, last in ranges for line in range(first, last + 1)}


def new(path, *ranges):
    return Anchor(path, Side.NEW, ranges)


def old(path, *ranges):
    return Anchor(path, Side.OLD, ranges)


@given(RANGES)
def test_merged_ranges_hold_the_same_lines_and_never_touch(ranges):
    merged = merge_ranges(ranges)
    assert lines_of(merged) == lines_of(ranges)
    assert all(first[1] + 1 < second[0] for first, second in pairwise(merged))


@given(RANGES, RANGES)
def test_shared_lines_and_gap_agree_with_sets_of_lines(left, right):
    ours, theirs = lines_of(left), lines_of(right)
    merged = merge_ranges(left), merge_ranges(right)
    assert lines_of(intersect_ranges(*merged)) == ours & theirs
    assert line_gap(*merged) == min(abs(one - other) for one in ours for other in theirs)


@given(RANGES, RANGES)
def test_the_overlap_cost_is_one_minus_the_mean_of_iou_and_overlap_coefficient(left, right):
    ours, theirs = lines_of(left), lines_of(right)
    geometry = Geometry()
    found = closeness(geometry.place([new("a", *left)]), geometry.place([new("a", *right)]))
    shared = len(ours & theirs)
    if not shared:
        assert found is None or found.relation is PlaceRelation.NEAR
        return
    exact = 1 - (Fraction(shared, len(ours | theirs)) + Fraction(shared, min(len(ours), len(theirs)))) / 2
    assert found.relation is PlaceRelation.OVERLAP
    assert found.shared == shared
    assert found.union == len(ours | theirs)
    assert found.cost == int(exact * 10_000 + Fraction(1, 2))


def test_one_shared_line_of_millions_stays_below_the_cost_of_a_near_miss():
    assert overlap_cost(1, 10**7, 10**7) == 9_999


@pytest.mark.parametrize(("gap", "cost"), [(1, 11_000), (2, 12_000), (3, 13_000), (4, 14_000), (5, 15_000), (6, None)])
def test_a_near_miss_costs_one_and_half_its_share_of_the_window(gap, cost):
    geometry = Geometry()
    found = closeness(geometry.place([new("a", (10, 12))]), geometry.place([new("a", (12 + gap, 30))]))
    assert (None if found is None else found.cost) == cost


def test_the_nearest_parts_of_two_scattered_places_make_the_gap():
    geometry = Geometry()
    left = geometry.place([new("a", (1, 2), (40, 41)), new("b", (7, 7))])
    right = geometry.place([new("a", (80, 80)), new("b", (9, 9), (50, 51))])
    assert closeness(left, right).gap == 2


def test_lines_of_several_files_count_together():
    geometry = Geometry()
    left = geometry.place([new("a", (1, 4)), new("b", (1, 4))])
    right = geometry.place([new("a", (1, 4))])
    found = closeness(left, right)
    assert (found.shared, found.union) == (4, 8)
    assert found.cost == 2_500


def test_equal_numbers_on_two_sides_are_no_common_line():
    geometry = Geometry()
    assert closeness(geometry.place([old("a", (50, 50))]), geometry.place([new("a", (50, 50))])) is None


@pytest.mark.parametrize(
    ("old_line", "new_line", "close"), [(51, 50, True), (51, 90, False), (94, 89, True), (55, 60, False)]
)
def test_two_sides_meet_only_within_one_hunk(old_line, new_line, close):
    geometry = Geometry(hunks=[HunkRange("a", (48, 55), (48, 52)), HunkRange("a", (94, 97), (89, 92))])
    left = geometry.place([old("a", (old_line, old_line))])
    right = geometry.place([new("a", (new_line, new_line))])
    for found in (closeness(left, right), closeness(right, left)):
        assert (found is not None) is close
        if close:
            assert (found.relation, found.cost) == (PlaceRelation.OPPOSITE_SIDES, 15_000)


def test_a_hunk_without_lines_on_one_side_meets_nothing_there():
    geometry = Geometry(hunks=[HunkRange("a", None, (1, 9))])
    assert closeness(geometry.place([old("a", (1, 1))]), geometry.place([new("a", (1, 1))])) is None


def test_a_renamed_file_is_one_file():
    geometry = Geometry(files=[FilePair("old.py", "new.py")], hunks=[HunkRange("old.py", (10, 20), (10, 22))])
    by_new_name = geometry.place([new("new.py", (11, 12))])
    assert closeness(geometry.place([new("old.py", (12, 12))]), by_new_name).shared == 1
    assert closeness(geometry.place([old("old.py", (15, 15))]), by_new_name).relation is (PlaceRelation.OPPOSITE_SIDES)


def test_two_files_that_swap_names_stay_apart():
    geometry = Geometry(files=[FilePair("a", "b"), FilePair("b", "a")])
    assert closeness(geometry.place([old("a", (1, 1))]), geometry.place([old("b", (1, 1))])) is None
    assert geometry.file_of("a", Side.OLD) == geometry.file_of("b", Side.NEW)


def test_a_whole_file_anchor_is_close_to_everything_in_its_file_and_nothing_else():
    geometry = Geometry()
    whole = geometry.place([Anchor("a")])
    found = closeness(whole, geometry.place([old("a", (900, 900))]))
    assert (found.relation, found.cost, found.same_whole) == (PlaceRelation.WHOLE_FILE, 15_000, False)
    assert closeness(whole, geometry.place([Anchor("a", Side.NEW)])).same_whole
    assert closeness(whole, geometry.place([new("b", (1, 1))])) is None


def test_the_repository_is_close_to_the_repository_only():
    geometry = Geometry()
    repository = geometry.place([Anchor(None)])
    found = closeness(repository, geometry.place([Anchor(None)]))
    assert (found.relation, found.cost, found.same_whole) == (PlaceRelation.REPOSITORY, 15_000, True)
    assert closeness(repository, geometry.place([new("a", (1, 1))])) is None
    assert closeness(repository, geometry.place([Anchor("a")])) is None


def test_no_anchor_is_close_to_nothing():
    geometry = Geometry()
    nowhere = geometry.place([])
    assert closeness(nowhere, nowhere) is None
    assert closeness(nowhere, geometry.place([Anchor(None)])) is None


def test_the_closest_combination_of_primary_and_alternates_counts():
    geometry = Geometry()
    left = [geometry.place([new("a", (1, 1))]), geometry.place([new("b", (5, 9))])]
    right = [geometry.place([new("a", (4, 4))]), geometry.place([new("c", (1, 1))])]
    right.append(geometry.place([new("b", (9, 9))]))
    found = nearest(left, right)
    assert (found.left, found.right, found.closeness.relation) == (1, 2, PlaceRelation.OVERLAP)


def test_among_equally_close_combinations_the_primary_places_win():
    geometry = Geometry()
    twice = [geometry.place([new("a", (1, 1))]), geometry.place([new("a", (1, 1))])]
    found = nearest(twice, twice)
    assert (found.left, found.right) == (0, 0)


def test_shared_lines_are_told_by_file_and_side():
    geometry = Geometry()
    left = geometry.place([new("a", (1, 9)), old("a", (3, 3))])
    right = geometry.place([new("a", (4, 5), (9, 12)), new("b", (1, 1))])
    assert shared_lines(left, right) == {(FilePair("a", "a"), Side.NEW): ((4, 5), (9, 9))}


@pytest.mark.parametrize(
    ("path", "side", "ranges"),
    [
        (None, Side.NEW, ((1, 2),)),
        ("a", None, ((1, 2),)),
        ("a", Side.NEW, ((3, 2),)),
        ("a", Side.NEW, ((0, 2),)),
    ],
)
def test_an_anchor_that_names_no_lines_of_a_file_is_refused(path, side, ranges):
    with pytest.raises(ValueError, match=r"range"):
        Anchor(path, side, ranges)
