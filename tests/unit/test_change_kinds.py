"""Changes that the eye does not see are called by their names."""

from __future__ import annotations

import pytest

from corpus.domain.change_kinds import (
    HIDDEN_KINDS,
    ChangeKind,
    LineEnds,
    ends_openly,
    kind_of_all,
    kind_of_change,
    line_ends,
)


@pytest.mark.parametrize(
    ("removed", "added", "kind"),
    [
        (["a"], ["a"], None),
        (["a\r"], ["a"], ChangeKind.LINE_ENDS),
        (["a", "b"], ["a\r", "b\r"], ChangeKind.LINE_ENDS),
        (["a", "b"], ["a\r", "c\r"], ChangeKind.TEXT),
        (["a  ", "b"], ["a", "b\t"], ChangeKind.TRAILING_BLANKS),
        (["a"], ["  a"], ChangeKind.INDENTATION),
        (["\ta", "\tb"], ["    a", "    b"], ChangeKind.INDENTATION),
        (["a\r"], ["  a"], ChangeKind.INDENTATION),
        (["a", "b"], ["a", "", "b"], ChangeKind.BLANK_LINES),
        ([], ["", "  "], ChangeKind.BLANK_LINES),
        (["", "\f"], [], ChangeKind.BLANK_LINES),
        (["f( a )"], ["f(a)"], ChangeKind.WHITESPACE),
        (["  a", "b"], ["a", "", "b"], ChangeKind.WHITESPACE),
        (["a b"], ["a", "b"], ChangeKind.TEXT),
        ([], ["a"], ChangeKind.TEXT),
        (["a"], ["A"], ChangeKind.TEXT),
        # A no-break space is text: it is what breaks the compiler.
        (["a b"], ["a\u00a0b"], ChangeKind.TEXT),
        (["a\rb"], ["ab"], ChangeKind.WHITESPACE),
    ],
)
def test_the_kind_is_what_shows_most(removed: list[str], added: list[str], kind: ChangeKind | None) -> None:
    assert kind_of_change(removed, added) is kind
    assert kind_of_change(added, removed) is kind


def test_the_final_newline_alone_is_a_change_of_its_own() -> None:
    assert kind_of_change(["a"], ["a"], old_open=True) is ChangeKind.FINAL_NEWLINE
    assert kind_of_change(["a"], ["a"], new_open=True) is ChangeKind.FINAL_NEWLINE
    assert kind_of_change(["a"], ["a"], old_open=True, new_open=True) is None
    assert kind_of_change(["a"], ["b"], old_open=True) is ChangeKind.TEXT


def test_a_whole_is_what_its_parts_are() -> None:
    assert kind_of_all([]) is None
    assert kind_of_all([None, ChangeKind.LINE_ENDS, ChangeKind.LINE_ENDS]) is ChangeKind.LINE_ENDS
    assert kind_of_all([ChangeKind.LINE_ENDS, ChangeKind.INDENTATION]) is ChangeKind.WHITESPACE
    assert kind_of_all([ChangeKind.INDENTATION, ChangeKind.TEXT]) is ChangeKind.TEXT
    assert ChangeKind.TEXT not in HIDDEN_KINDS
    assert all(kind.sentence for kind in HIDDEN_KINDS)


@pytest.mark.parametrize(
    ("data", "ends", "is_open"),
    [
        (b"", LineEnds.NONE, False),
        (b"a", LineEnds.NONE, True),
        (b"a\nb\n", LineEnds.LF, False),
        (b"a\r\nb\r\n", LineEnds.CRLF, False),
        (b"a\r\nb\nc", LineEnds.MIXED, True),
        (b"a\rb\n", LineEnds.LF, False),
        (b"a\rb\r", LineEnds.NONE, True),
        (b"a\r\r\n", LineEnds.CRLF, False),
    ],
)
def test_ends_of_lines_are_told_from_the_bytes(data: bytes, ends: LineEnds, is_open: bool) -> None:
    assert (line_ends(data), ends_openly(data)) == (ends, is_open)
