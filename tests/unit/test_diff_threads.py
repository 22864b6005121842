"""What went wrong in other tools, in public, and must not go wrong here: parsing, bytes and anchors."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus.domain.anchors import LineMap
from corpus.domain.diff import DiffFile, ParsedDiff, PatchRefused, apply_hunks, parse_patch
from corpus.domain.vocabulary import Side
from corpus.rendering.text import BIDI, INVISIBLE, code_html

DATA = Path(__file__).parent.parent / "data" / "diffs"
HEADER = b"diff --git a/f b/f\nindex 1111111..2222222 100644\n--- a/f\n+++ b/f\n"


def known(name: str) -> ParsedDiff:
    return parse_patch((DATA / f"{name}.patch").read_bytes())


def one(body: bytes) -> DiffFile:
    parsed = parse_patch(HEADER + body)
    assert parsed.errors == ()
    (file,) = parsed.files
    return file


def test_a_cr_inside_a_line_ends_no_line() -> None:
    file = one(b"@@ -1 +1 @@\n-one\rstill one\n+one\r\rstill one\n")
    assert [line.text for line in file.hunks[0].lines] == [b"one\rstill one", b"one\r\rstill one"]
    assert (file.added, file.removed) == (1, 1)


def test_every_control_byte_stays_in_its_line() -> None:
    raw = bytes(byte for byte in range(256) if byte != 0x0A)
    file = one(b"@@ -1,2 +1,2 @@\n " + raw + b"\n-" + raw[::-1] + b"\n+" + raw * 2 + b"\n")
    assert [line.text for line in file.hunks[0].lines] == [raw, raw[::-1], raw * 2]
    assert apply_hunks(raw + b"\n" + raw[::-1] + b"\n", file) == raw + b"\n" + raw * 2 + b"\n"


def test_bytes_that_are_no_utf8_survive_and_harm_no_other_file() -> None:
    latin = HEADER + b"@@ -1 +1 @@\n-Stra\xdfe\n+Gr\xfc\xdfe\n"
    clean = HEADER.replace(b"/f", b"/g") + "@@ -1 +1 @@\n-Straße\n+Grüße\n".encode()
    parsed = parse_patch(latin + clean)
    texts = [[line.text for line in file.hunks[0].lines] for file in parsed.files]
    assert texts == [[b"Stra\xdfe", b"Gr\xfc\xdfe"], ["Straße".encode(), "Grüße".encode()]]


def test_header_like_lines_inside_a_hunk_are_text() -> None:
    body = b"@@ -1,5 +1,5 @@\n--- a/x\n-++ b/x\n-diff --git a/x b/x\n-Index: x\n-===\n"
    body += b"+-- a/x\n+++ b/x\n+@@ -1 +1 @@\n+@@ -2 +2 @@\n+GIT binary patch\n"
    file = one(body)
    assert (file.added, file.removed, len(file.hunks)) == (5, 5, 1)
    assert [line.text for line in file.hunks[0].lines][5:7] == [b"-- a/x", b"++ b/x"]


def test_the_marker_of_a_missing_newline_takes_no_number_on_either_side() -> None:
    file = one(b"@@ -4,2 +4,3 @@\n a\n-b\n\\ No newline at end of file\n+b\n+c\n\\ No newline at end of file\n")
    assert [(line.side_old, line.side_new, line.no_eol) for line in file.hunks[0].lines] == [
        (4, 4, False),
        (5, None, True),
        (None, 5, False),
        (None, 6, True),
    ]


@pytest.mark.parametrize(
    ("body", "lacking"),
    [
        (b"@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n", "removed"),
        (b"@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n", "added"),
    ],
)
def test_a_change_of_the_final_newline_alone_marks_the_side_that_lacks_it(body: bytes, lacking: str) -> None:
    lines = one(body).hunks[0].lines
    assert [line.text for line in lines] == [b"a", b"a"]
    assert [line.origin for line in lines if line.no_eol] == [lacking]


@pytest.mark.parametrize(
    "data",
    [
        b"diff --cc f\nindex 1,2..3\n--- a/f\n+++ b/f\n@@@ -1,2 -1,2 +1,2 @@@\n  a\n- b\n -c\n++d\n",
        b"diff --combined f\nindex 1,2..3\n--- a/f\n+++ b/f\n@@@ -1 -1 +1 @@@\n++d\n",
        b"--- a/f\n+++ b/f\n@@@@ -1 -1 -1 +1 @@@@\n+++d\n",
    ],
)
def test_a_combined_diff_is_refused_and_never_an_empty_change(data: bytes) -> None:
    with pytest.raises(PatchRefused, match="combined diff: choose one parent"):
        parse_patch(data)


def test_the_old_side_of_a_rename_has_the_old_name_and_a_pure_rename_changes_no_line() -> None:
    pure = b"diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n"
    edited = (
        b"diff --git a/p b/q\nsimilarity index 80%\nrename from p\nrename to q\nindex 1111111..2222222 100644\n"
        b"--- a/p\n+++ b/q\n@@ -1 +1 @@\n-a\n+b\n"
    )
    first, second = parse_patch(pure + edited).files
    assert (first.old_path, first.new_path, first.added, first.removed, first.hunks) == (b"old", b"new", 0, 0, ())
    assert (second.old_path, second.new_path, second.added, second.removed) == (b"p", b"q", 1, 1)


def test_the_same_number_on_the_two_sides_is_two_places() -> None:
    numbers = LineMap(one(b"@@ -1,3 +1,3 @@\n-a\n b\n+a\n c\n").hunks)
    assert (numbers.to_new(1), numbers.to_old(1)) == (None, 2)
    assert (numbers.is_changed(Side.OLD, 1), numbers.is_changed(Side.NEW, 1)) == (True, False)


def test_gaps_before_between_and_after_hunks_of_count_zero_are_right() -> None:
    # Ten lines: a new first line, the sixth removed, a new last line.
    old = [b"%d\n" % number for number in range(1, 11)]
    file = one(b"@@ -0,0 +1 @@\n+0\n@@ -6 +6,0 @@\n-6\n@@ -10,0 +11 @@\n+11\n")
    new = apply_hunks(b"".join(old), file).splitlines(keepends=True)
    numbers = LineMap(file.hunks)
    for number, line in enumerate(old, 1):
        other = numbers.to_new(number)
        assert (other is None) == (number == 6)
        assert other is None or new[other - 1] == line
    assert [numbers.to_old(number) for number in (1, 2, 6, 7, 10, 11)] == [None, 1, 5, 7, 10, None]
    assert known("40-zero-context").files[0].hunks


def test_controls_are_flagged_and_accented_letters_are_not() -> None:
    for harmless in ("é", "ë", "e\u0301", "ø", "ñ", "ж", "中", "ﬁ", "🙂"):
        assert not BIDI.search(harmless)
        assert not INVISIBLE.search(harmless)
        assert code_html(harmless) == harmless
    for control in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c":
        assert BIDI.search(f"a{control}b")
        assert control not in code_html(f"a{control}b")
    for hidden in "\u200b\u2060\ufeff\u00ad\x00\x1b\x7f\x85\u2028\u2029":
        assert hidden not in code_html(f"a{hidden}b")
