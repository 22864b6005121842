"""What may be stored of a label, how places are written, and which saves belong together."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.domain.vocabulary import AnchorRole
from labeling.domain.label_input import (
    AnchorInput,
    FieldRefused,
    LabelInput,
    clean_anchors,
    clean_label,
)
from labeling.domain.place_text import place_line, read_places, write_places
from labeling.domain.save_keys import all_earlier_own, is_save_key


def lines(first: int, last: int, *, path: str = "a.py", side: str = "new", role: str = "primary", group: int = 0):
    return AnchorInput(role=role, path=path, side=side, first_line=first, last_line=last, group=group)


def test_an_empty_label_can_be_stored_as_a_draft() -> None:
    assert clean_label(LabelInput()) == LabelInput()


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("severity", "blocker", "is no severity; choose one of: note, low, medium, high, critical"),
        ("severity", "High", "is no severity"),
        ("relation", "new", "is no relation to the change"),
        ("confidence", "certain", "is no confidence"),
    ],
)
def test_a_value_that_is_not_on_the_list_is_refused(field: str, value: str, says: str) -> None:
    with pytest.raises(FieldRefused, match=says) as refusal:
        clean_label(LabelInput(**{field: value}))
    assert refusal.value.field == field


@pytest.mark.parametrize("field", ["title", "trigger", "evidence", "impact", "boundary", "accept_elements", "keywords"])
def test_text_that_no_database_takes_is_refused_with_its_field(field: str) -> None:
    for text in ("a\0b", "a\ud800b"):
        with pytest.raises(FieldRefused, match="cannot be stored") as refusal:
            clean_label(LabelInput(**{field: text}))
        assert refusal.value.field == field


def test_text_over_the_limit_is_refused_with_the_limit() -> None:
    assert clean_label(LabelInput(trigger="x" * 10_000)).trigger == "x" * 10_000
    with pytest.raises(FieldRefused, match="has 10001 characters; the limit is 10000"):
        clean_label(LabelInput(trigger="x" * 10_001))


def test_keywords_become_lower_case_single_tokens_in_their_order() -> None:
    assert clean_label(LabelInput(keywords=" Tenant, owner\nRollback owner ;idempotency-key")).keywords == (
        "tenant owner rollback idempotency-key"
    )


def test_ranges_that_touch_or_overlap_are_one_range_and_others_stay_apart() -> None:
    cleaned = clean_anchors([lines(9, 12), lines(4, 5), lines(6, 6), lines(20, 21), lines(11, 14)])
    assert [(a.first_line, a.last_line) for a in cleaned] == [(4, 6), (9, 14), (20, 21)]


def test_a_range_on_the_other_side_or_in_another_file_never_joins() -> None:
    cleaned = clean_anchors([lines(4, 5), lines(6, 7, side="old"), lines(6, 7, path="b.py")])
    assert {(a.path, a.side, a.first_line, a.last_line) for a in cleaned} == {
        ("a.py", "new", 4, 5),
        ("a.py", "old", 6, 7),
        ("b.py", "new", 6, 7),
    }


def test_alternates_are_numbered_from_one_and_other_roles_have_no_group() -> None:
    cleaned = clean_anchors(
        [lines(1, 1, group=7), lines(2, 2, role="alternate", group=9), lines(3, 3, role="alternate", group=4)]
    )
    assert [(a.role, a.group, a.first_line) for a in cleaned] == [
        ("primary", 0, 1),
        ("alternate", 1, 3),
        ("alternate", 2, 2),
    ]


@pytest.mark.parametrize(
    ("anchor", "says"),
    [
        (AnchorInput(role="main", path="a", side="new", first_line=1, last_line=1), "is no role"),
        (AnchorInput(role="primary", level="word", path="a", side="new"), "is no kind of place"),
        (lines(1, 1, side="RIGHT"), "'RIGHT' is no side"),
        (lines(0, 3), "from 1 upwards"),
        (lines(5, 4), "from 1 upwards"),
        (replace(lines(1, 1), last_line=None), "from 1 upwards"),
        (lines(1, 1, path=""), "needs the path"),
    ],
)
def test_a_place_with_an_unknown_or_missing_part_is_refused(anchor: AnchorInput, says: str) -> None:
    with pytest.raises(FieldRefused, match=says):
        clean_anchors([anchor])


def test_a_place_keeps_only_the_parts_of_its_level() -> None:
    whole = AnchorInput(role="primary", level="repository", path="a.py", side="new", first_line=3, last_line=4)
    assert clean_anchors([whole]) == (AnchorInput(role="primary", level="repository"),)
    file = AnchorInput(role="primary", level="file", path="a.py", side="old", first_line=3, last_line=4)
    assert clean_anchors([file]) == (AnchorInput(role="primary", level="file", path="a.py", side="old"),)


def test_places_are_read_from_lines_of_text() -> None:
    text = "src/a b.py new 40-46, 52\r\n\r\nnew old old 7\nsrc/c.py old\nrepository"
    assert read_places(text, AnchorRole.PRIMARY) == [
        lines(40, 46, path="src/a b.py"),
        lines(52, 52, path="src/a b.py"),
        lines(7, 7, path="new old", side="old"),
        AnchorInput(role="primary", level="file", path="src/c.py", side="old"),
        AnchorInput(role="primary", level="repository"),
    ]


def test_each_line_is_an_alternate_of_its_own_unless_it_is_joined_to_the_one_above() -> None:
    found = read_places("a.py new 1\n& b.py new 2\nc.py new 3", AnchorRole.ALTERNATE)
    assert [(a.path, a.group) for a in found] == [("a.py", 1), ("b.py", 1), ("c.py", 2)]


@pytest.mark.parametrize("text", ["a.py", "a.py right 4", "a.py new 4-", "a.py new four", "a.py new 4 5", " new 4"])
def test_a_line_that_is_no_place_is_refused_and_quoted(text: str) -> None:
    with pytest.raises(FieldRefused, match="is no place; write it like") as refusal:
        read_places(text, AnchorRole.PRIMARY)
    assert text in refusal.value.message


PATHS = st.text(
    alphabet=st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="\n\r\x85\u2028\u2029"),
    min_size=1,
    max_size=12,
).filter(lambda path: path.strip() == path and not path.startswith("& "))
RANGES = st.builds(
    lambda path, side, first, more, role, group: lines(
        first, first + more, path=path, side=side, role=role, group=group
    ),
    PATHS,
    st.sampled_from(["old", "new"]),
    st.integers(1, 5000),
    st.integers(0, 40),
    st.sampled_from(["primary", "alternate", "supporting"]),
    st.integers(0, 5),
)


@settings(max_examples=80, deadline=None)
@given(st.lists(RANGES, max_size=8))
def test_places_written_as_text_are_read_back_the_same(anchors: list[AnchorInput]) -> None:
    cleaned = clean_anchors(anchors)
    again = [place for role in AnchorRole for place in read_places(write_places(cleaned, role), role)]
    assert clean_anchors(again) == cleaned
    assert clean_anchors(cleaned) == cleaned


def test_a_place_is_named_by_all_its_ranges() -> None:
    assert place_line([lines(40, 46), lines(52, 52)]) == "a.py new 40-46, 52"


def test_only_earlier_saves_of_the_same_form_count_as_own() -> None:
    assert all_earlier_own("w1.7", ["w1.5", "w1.6"])
    assert not all_earlier_own("w1.7", ["w1.6", "w2.1"])
    assert not all_earlier_own("w1.7", ["w1.8"])
    assert not all_earlier_own("w1.7", ["w1.6", ""])
    assert not all_earlier_own("", [""])
    assert not all_earlier_own("w1", ["w1"])


@pytest.mark.parametrize("key", ["a b", "x" * 65, "a.b", "a.1.2", "\0", "w."])
def test_a_mark_of_another_shape_is_no_save_key(key: str) -> None:
    assert not is_save_key(key)
    assert is_save_key("w1.12")
