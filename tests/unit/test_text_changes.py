"""What changed between two versions is told part by part and can be followed back to both."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.domain.text_changes import compare
from corpus.domain.text_parts import Part


def sides(change) -> tuple[list[str], list[str]]:
    """Return the old and the new lines that a change shows."""
    old, new = [], []
    for line in change.lines:
        text = "".join(piece.text for piece in line.pieces)
        if line.kind in {"same", "removed"}:
            old.append(text)
        if line.kind in {"same", "added"}:
            new.append(text)
    return old, new


def test_equal_versions_have_no_change() -> None:
    parts = (Part("a", "A", "one\ntwo"), Part("b", "B", ""))
    assert compare(parts, parts) == ()


def test_parts_are_added_removed_and_changed_by_key() -> None:
    old = (Part("a", "A", "one"), Part("b", "B", "two"))
    new = (Part("c", "C", "three"), Part("a", "A renamed", "one!"))
    changes = compare(old, new)
    assert [(change.title, change.kind) for change in changes] == [
        ("C", "added"),
        ("A renamed", "changed"),
        ("B", "removed"),
    ]
    assert sides(changes[2]) == (["two"], [])


def test_changed_words_are_marked_and_no_others() -> None:
    [change] = compare([Part("a", "A", "the quick brown fox")], [Part("a", "A", "the quick red fox")])
    marked = [[piece.text for piece in line.pieces if piece.is_changed] for line in change.lines]
    assert marked == [["brown"], ["red"]]


def test_a_long_unchanged_run_is_named_with_its_length() -> None:
    lines = [f"line {number}" for number in range(20)]
    changed = [*lines[:10], "new", *lines[10:]]
    [change] = compare([Part("a", "A", "\n".join(lines))], [Part("a", "A", "\n".join(changed))])
    assert [line.kind for line in change.lines] == ["skipped", "same", "same", "added", "same", "same", "skipped"]
    assert [line.pieces[0].text for line in change.lines if line.kind == "skipped"] == ["8 unchanged lines"] * 2


TEXTS = st.lists(st.sampled_from(["", "a", "b", "a b", "longer line of words"]), min_size=1, max_size=7).map("\n".join)


@settings(max_examples=150, deadline=None)
@given(TEXTS, TEXTS)
def test_both_versions_can_be_read_off_a_short_change(old: str, new: str) -> None:
    changes = compare([Part("a", "A", old)], [Part("a", "A", new)])
    if old == new:
        assert changes == ()
        return
    if any(line.kind == "skipped" for line in changes[0].lines):
        return
    assert sides(changes[0]) == (old.split("\n"), new.split("\n"))
