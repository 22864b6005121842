"""Patches beyond the stored pairs: what is refused by name, what is read, and that nothing else can happen."""

# ruff: noqa: E501 (patches are easiest to check as one literal each)

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from config.cli import main
from corpus.domain.bytestext import escape_bytes, path_problem, path_text, unescape_text
from corpus.domain.diff import (
    ParsedDiff,
    PatchLimits,
    PatchRefused,
    apply_hunks,
    parse_patch,
    section_hunks,
    sides_agree,
)

ONE = b"diff --git a/f b/f\nindex 1111111..2222222 100644\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
TWO = b"diff --git a/g b/g\nindex 1111111..2222222 100644\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-x\n+y\n"
GIT_ENV = {
    **os.environ,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "LC_ALL": "C",
}


def refusal(data: bytes) -> tuple[str, int]:
    with pytest.raises(PatchRefused) as caught:
        parse_patch(data)
    return caught.value.reason, caught.value.patch_line


def plain(header: bytes, body: bytes = b"-x\n+y\n") -> bytes:
    return b"--- a/f\n+++ b/f\n" + header + b"\n" + body


@pytest.mark.parametrize(
    ("data", "reason", "line"),
    [
        (b"", "empty input", 1),
        (b" \n\n", "empty input", 1),
        (b"\xef\xbb\xbf", "empty input", 1),
        (b"Dear all,\n\nplease review.\n", "no file found: this is no unified diff", 1),
        (b"--- a/f\n+++ b/f\n", "no file found: this is no unified diff", 1),
        (b"diff --git is a command of git\n", "no file found: this is no unified diff", 1),
        (b"1c1\n< a\n---\n> b\n", "normal diff: make it with diff -u", 1),
        (b"diff a b\n2,3d1\n< a\n< b\n", "normal diff: make it with diff -u", 2),
        (
            b"*** a/f\tMon\n--- b/f\tTue\n***************\n*** 1 ****\n! a\n--- 1 ----\n! b\n",
            "context diff: make it with diff -u",
            1,
        ),
        (
            b"diff --combined m\nindex 1,2..3\n--- a/m\n+++ b/m\n@@@ -1 -1 +1 @@@\n++x\n",
            "combined diff: choose one parent",
            1,
        ),
        (b"--- a/m\n+++ b/m\n@@@ -1 -1 +1 @@@\n++x\n", "combined diff: choose one parent", 1),
        (
            b"\x1b[1mdiff --git a/f b/f\x1b[m\n\x1b[1m--- a/f\x1b[m\n\x1b[1m+++ b/f\x1b[m\n",
            "coloured diff: make it with --no-color",
            1,
        ),
        (
            ONE.replace(b"@@ -1,2 +1,2 @@\n a\n-b\n+c\n", b"@@ -1,2 +1,2 @@\na\n[-b-]{+c+}\n"),
            "word diff: make it without --word-diff",
            5,
        ),
        (
            ONE.replace(b"@@ -1,2 +1,2 @@\n a\n-b\n+c\n", b"@@ -1,2 +1,2 @@\n a\n [-b-]{+c+}\n"),
            "word diff: make it without --word-diff",
            5,
        ),
        (
            ONE.replace(b"@@ -1,2 +1,2 @@\n a\n-b\n+c\n", b"@@ -1,2 +1,2 @@\n a\n~\n-b\n+c\n~\n"),
            "word diff: make it without --word-diff",
            6,
        ),
        (ONE.decode().encode("utf-16"), "UTF-16 text: save the patch as UTF-8 (git diff --output=FILE)", 1),
        (ONE.decode().encode("utf-16-be"), "UTF-16 text: save the patch as UTF-8 (git diff --output=FILE)", 1),
        (b"@@ -1 +1 @@\n-a\n+b\n", "hunk before any file header", 1),
        (b"==== //depot/f#1 (text) ====\n\n@@ -1 +1 @@\n-a\n+b\n", "hunk before any file header", 3),
        (plain(b"@@ -0,1 +0,1 @@"), "hunk header names line 0", 3),
        (plain(b"@@ -1 +1@@"), "malformed hunk header", 3),
        (plain("@@ -\u0661 +\u0661 @@".encode()), "malformed hunk header", 3),
        (plain(b"@@ -" + b"9" * 5000 + b" +1 @@"), "malformed hunk header", 3),
        (plain(b"@@ -999999999999 +1 @@"), "line number in a hunk header is out of bounds", 3),
        (plain(b"@@ -0,0 +0,0 @@", b""), "hunk without lines", 3),
        (plain(b"@@ -1 +1 @@", b"-x\n+y\n+z\n"), "hunk longer than its header says", 6),
        (plain(b"@@ -1,2 +1 @@", b"-x\n+y\n+z\n"), "hunk longer than its header says", 6),
        (plain(b"@@ -1 +1 @@", b"\\ No newline\n-x\n+y\n"), "no-newline marker without a line before it", 4),
        (
            plain(b"@@ -1,2 +1,2 @@", b"-x\n\\ No newline\n-y\n+x\n+z\n"),
            "text after a line without a newline",
            3,
        ),
        (plain(b"@@ -5 +5 @@", b"-x\n+y\n@@ -5 +5 @@\n-x\n+y\n"), "hunks overlap or are out of order", 6),
        (b"--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "neither side has a path", 1),
        (b"--- /dev/null\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n", "an added file has lines on its old side", 3),
        (b"--- a/f\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "a deleted file has lines on its new side", 3),
        (b'--- "a/\\9"\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n', "malformed quoted path", 1),
        (b'--- "a/\\000"\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n', "path holds a NUL byte", 1),
        (b"diff --git a/f b/f\nindex 1111111..2222222 100644\n", "no change follows the header", 1),
        (b"diff --git a/f b/f\n--- a/f\n+++ b/f\n", "no change follows the header", 1),
        (b"diff --git a/f b/f\nold mode 100644\nnew mode 10\n", "malformed file mode", 1),
        (b"diff --git a/f b/f\nindex 1111111..2222222\nGIT binary patch\n", "binary patch without data", 3),
        (
            b"Submodule lib 1111111..2222222:\n  > change\n",
            "submodule in log form: make it with --submodule=short",
            1,
        ),
        (
            b"From: a@example.com\nContent-Transfer-Encoding: quoted-printable\n\n" + ONE,
            "mail body is quoted-printable: decode it first",
            2,
        ),
    ],
)
def test_what_holds_no_change_is_refused_by_name(data: bytes, reason: str, line: int) -> None:
    assert refusal(data) == (reason, line)


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (PatchLimits(max_bytes=50), "patch is larger than the limit of 50 bytes"),
        (PatchLimits(max_lines=3), "patch has 9 lines; the limit is 3"),
        (PatchLimits(max_line_bytes=20), "line has 29 bytes; the limit is 20"),
        (PatchLimits(max_files=1), "more files than the limit of 1"),
    ],
)
def test_a_limit_is_named_when_it_is_passed(limits: PatchLimits, reason: str) -> None:
    data = ONE + TWO if limits.max_files == 1 else ONE
    with pytest.raises(PatchRefused) as caught:
        parse_patch(data, limits=limits)
    assert caught.value.reason == reason


BAD_MIDDLE = [
    (b"diff --git a/t b/t\n--- a/t\n+++ b/t\n@@ -1,4 +1,4 @@\n a\n-b\n+B\n", "hunk shorter than its header says", 7),
    (b"diff --git a/t b/t\n--- a/t\n+++ b/t\n@@ -1 +1@@\n-b\n+B\n", "malformed hunk header", 4),
    (b"diff --cc m\nindex 1,2..3\n--- a/m\n+++ b/m\n@@@ -1 -1 +1 @@@\n++x\n", "combined diff: choose one parent", 1),
    (b'diff --git "a/\\q" "b/\\q"\n--- "a/\\q"\n+++ "b/\\q"\n@@ -1 +1 @@\n-a\n+b\n', "malformed quoted path", 1),
    (b"diff --git a/t b/t\n--- /dev/null\n+++ b/t\n@@ -1 +1 @@\n-a\n+b\n", "an added file has lines on its old side", 4),
]  # fmt: skip


@pytest.mark.parametrize(("bad", "reason", "line"), BAD_MIDDLE)
def test_a_bad_file_fails_alone(
    bad: bytes, reason: str, line: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    patch = tmp_path / "mixed.patch"
    patch.write_bytes(ONE + bad + TWO)
    assert main(["diff", str(patch)]) == 1
    printed = json.loads(capsys.readouterr().out)
    assert [file["new_path"] for file in printed["files"]] == ["f", "g"]
    assert printed["errors"] == [{"index": 1, "reason": reason, "patch_line": line + ONE.count(b"\n")}]


def test_a_cut_off_plain_file_does_not_swallow_the_next() -> None:
    bad = b"--- old/t\n+++ new/t\n@@ -1,9 +1,9 @@\n a\n-b\n+B\n"
    good = b"--- old/g\n+++ new/g\n@@ -1 +1 @@\n-x\n+y\n"
    parsed = parse_patch(bad + good)
    assert [(error.index, error.patch_line) for error in parsed.errors] == [(0, 6)]
    assert [file.new_path for file in parsed.files] == [b"new/g"]


def test_later_hunks_of_a_bad_file_are_no_files_of_their_own() -> None:
    bad = b"diff --git a/t b/t\n--- a/t\n+++ b/t\n@@ -1 +1@@\n-a\n+b\n"
    bad += b"@@ -9 +9 @@\n--- a/x\n+++ b/x\n@@ -20 +20 @@\n-a\n+b\n"
    parsed = parse_patch(ONE + bad + TWO)
    assert [file.new_path for file in parsed.files] == [b"f", b"g"]
    assert len(parsed.errors) == 1


def only(data: bytes) -> ParsedDiff:
    parsed = parse_patch(data)
    assert len(parsed.files) == 1
    assert parsed.errors == ()
    return parsed


@pytest.mark.parametrize(
    ("data", "old", "new", "status", "name"),
    [
        (b"diff --git i/s/f w/s/f\n--- i/s/f\n+++ w/s/f\n@@ -1 +1 @@\n-a\n+b\n", b"s/f", b"s/f", "modified", "git"),
        (b"diff --git c/s f i/s f\nnew file mode 100644\n", None, b"s f", "added", "git"),
        (b"diff --git before/f after/f\nnew file mode 100644\n--- /dev/null\n+++ after/f\n@@ -0,0 +1 @@\n+a\n", None, b"f", "added", "git"),
        (b"diff --git b/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n", None, b"b/x", "added", "git"),
        (b"diff --git a/b b/b b/b b/b\nold mode 100644\nnew mode 100755\n", b"b b/b", b"b b/b", "modified", "git"),
        (b'diff --git "a/\\303\\274" b/u\nsimilarity index 100%\nrename from "\\303\\274"\nrename to u\n', "ü".encode(), b"u", "renamed", "git"),
        (b"diff --git a/x b/y\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", b"x", b"y", "modified", "git"),
        (b'diff --git "a/--- a" "b/--- a"\n--- "a/--- a"\n+++ "b/--- a"\n@@ -1 +1 @@\n-a\n+b\n', b"--- a", b"--- a", "modified", "git"),
        (b"diff --git a/rename from x b/rename from x\nindex 1111111..2222222 100644\n--- a/rename from x\t\n+++ b/rename from x\t\n@@ -1 +1 @@\n-a\n+b\n", b"rename from x", b"rename from x", "modified", "git"),
        (b"--- a/x.c.orig\t2024-01-02 10:00:00 +0100\n+++ a/x.c\t2024-01-02 10:00:00 +0100\n@@ -1 +1 @@\n-a\n+b\n", b"a/x.c.orig", b"a/x.c", "modified", "unified"),
        (b"--- old/x 2024-01-02 10:00:00\n+++ new/x 2024-01-03 10:00:00\n@@ -1 +1 @@\n-a\n+b\n", b"old/x", b"new/x", "modified", "unified"),
        (b"--- old/x\t2024-01-02 10:00:00 +0100\n+++ new/x\t1970-01-01 01:00:00.000000000 +0100\n@@ -1 +0,0 @@\n-a\n", b"old/x", None, "deleted", "unified"),
        (b"--- old/x\t1970-01-01 00:00:00 +0000\n+++ new/x\t2024-01-02 10:00:00 +0100\n@@ -1 +1 @@\n-a\n+b\n", b"old/x", b"new/x", "modified", "unified"),
        (b"diff -r 0123456789ab tools/run.py\n--- /dev/null\tThu Jan 01 00:00:00 1970 +0000\n+++ b/tools/run.py\tMon Jan 01 10:00:00 2024 +0000\n@@ -0,0 +1 @@\n+a\n", None, b"tools/run.py", "added", "hg"),
        (b"diff -r 0123456789ab i.png\nBinary file i.png has changed\n", b"i.png", b"i.png", "modified", "hg"),
        (b"Index: i.png\n===================================================================\nCannot display: file marked as a binary type.\nsvn:mime-type = image/png\n", b"i.png", b"i.png", "modified", "svn"),
        (b"Index: n.py\n=====\n--- n.py\t(nonexistent)\n+++ n.py\t(working copy)\n@@ -0,0 +1 @@\n+a\n", None, b"n.py", "added", "svn"),
        (b"Index: n.py\n=====\n--- n.py\t(revision 7)\n+++ n.py\t(nonexistent)\n@@ -1 +0,0 @@\n-a\n", b"n.py", None, "deleted", "svn"),
        (b"Binary files a/x and y.png and b/x and y.png differ\n", b"x and y.png", b"x and y.png", "modified", "unified"),
    ],
)  # fmt: skip
def test_names_and_status_are_those_of_the_change(
    data: bytes, old: bytes | None, new: bytes | None, status: str, name: str
) -> None:
    parsed = only(data)
    file = parsed.files[0]
    assert (file.old_path, file.new_path, file.status, parsed.format) == (old, new, status, name)


@pytest.mark.parametrize(
    ("data", "warning"),
    [
        (ONE[:-1], "the last line of the patch had no newline; one was added"),
        (ONE.replace(b"\n", b"\r\n"), "every line of the patch ends in CR LF; the CR was kept in the text of lines"),
        (b"\xef\xbb\xbf" + ONE, "byte order mark before the patch left out"),
        (plain(b"@@ -5 +9 @@"), "line numbers of the two sides do not follow from each other"),
    ],
)  # fmt: skip
def test_what_was_mended_is_said(data: bytes, warning: str) -> None:
    assert [entry.reason for entry in only(data).warnings] == [warning]


def test_a_hunk_of_many_lines_keeps_every_number_and_text() -> None:
    count = 12_345
    body = b"".join(b"-old %d\n+new %d\n same %d\n" % (number, number, number) for number in range(count))
    header = b"@@ -7,%d +7,%d @@" % (2 * count, 2 * count)
    (hunk,) = only(plain(header, body + b"\\ No newline at end of file\n")).files[0].hunks
    assert [line.side_old for line in hunk.lines if line.side_old is not None] == list(range(7, 7 + 2 * count))
    assert [line.side_new for line in hunk.lines if line.side_new is not None] == list(range(7, 7 + 2 * count))
    assert (
        b"".join(sign.encode() + line.text + b"\n" for sign, line in zip(hunk.kinds, hunk.lines, strict=True)) == body
    )
    assert [line.text for line in hunk.lines if line.no_eol] == [b"same %d" % (count - 1)]


def test_each_file_knows_where_its_section_lies_in_the_patch() -> None:
    mail = b"From: a@example.com\n\nText.\n"
    for mark in (b"", b"\xef\xbb\xbf"):
        data = mark + mail + ONE + TWO[:-1]
        sections = [data[file.patch_offset :][: file.patch_length] for file in parse_patch(data).files]
        assert sections == [ONE, TWO[:-1]]


def test_a_section_alone_gives_the_lines_that_the_whole_gave() -> None:
    mail = b"From: a@example.com\n\n@@ -1 +1 @@\n---\n\n"
    odd = ONE.replace(b"/f", b"/h").replace(b" a\n", b" a\r\n").replace(b"+c\n", b"+@@ -1 +1 @@\n\\ No newline\n")
    data = mail + ONE + b"@@ -9,0 +10 @@\n+\xff\n-- \n2.39\n\nFrom: b\n@@ -7 +7 @@\n" + odd + TWO
    for file in parse_patch(data).files:
        hunks = section_hunks(data[file.patch_offset :][: file.patch_length])
        assert [list(hunk.take_lines()) for hunk in hunks] == [
            [(line.side_old, line.side_new, line.text, line.no_eol) for line in hunk.lines] for hunk in file.hunks
        ]
        assert [(hunk.old_start, hunk.new_start) for hunk in hunks] == [
            (hunk.old_start, hunk.new_start) for hunk in file.hunks
        ]
    with pytest.raises(PatchRefused, match="hunk shorter than its header says"):
        section_hunks(b"--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n")


def test_a_hunk_names_the_kinds_of_its_lines() -> None:
    assert only(ONE).files[0].hunks[0].kinds == " -+"


def test_a_message_that_speaks_of_binary_files_names_no_file() -> None:
    parsed = only(b"From: a@example.com\n\nOnly in a: b\nBinary files a and b differ\n---\n\n" + ONE)
    assert parsed.format == "git"
    assert parsed.files[0].path == b"f"


def test_a_file_that_is_changed_twice_is_named_and_a_type_change_is_not() -> None:
    assert [warning.patch_line for warning in parse_patch(ONE + TWO + ONE).warnings] == [16]
    link = (
        b"diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
        b"diff --git a/f b/f\nnew file mode 120000\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+b\n"
    )
    assert parse_patch(link).warnings == ()


def test_a_section_includes_the_line_that_announces_it() -> None:
    for name in ("48-svn-with-properties", "49-hg-plain"):
        data = (Path(__file__).parent.parent / "data" / "diffs" / f"{name}.patch").read_bytes()
        assert only(data).files[0].patch_offset == 0


def test_blank_lines_between_hunks_lose_no_hunk() -> None:
    parsed = only(ONE + b"\n@@ -9 +9 @@\n-p\n+q\n")
    assert [hunk.old_start for hunk in parsed.files[0].hunks] == [1, 9]


def test_text_after_the_patch_that_would_be_lost_is_refused_and_a_signature_is_not() -> None:
    assert refusal(ONE + b"+lost\n")[0] == "hunk longer than its header says"
    assert only(ONE + b"-- \n2.39.5\n\n").files[0].removed == 1


def test_bytes_of_a_binary_rename_are_left_to_git() -> None:
    file = only(b"diff --git a/i.png b/j.png\nsimilarity index 100%\nrename from i.png\nrename to j.png\n").files[0]
    assert (file.status, file.similarity, file.binary, file.old_mode) == ("renamed", 100, False, None)


@pytest.mark.parametrize(
    "data",
    [
        b"Binary files " + b" and x" * 40_000 + b"\n" + ONE,
        b"Binary files " + b" and x" * 4_000 + b" differ\n" + b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n",
        b"diff --git x://" + b"a " * 100_000 + b"\n" + ONE,
        b"diff --git a/" + b"a " * 15_000 + b" b/\nnew file mode 100644\n" + ONE,
        (b"--- a" + b" " * 31_000 + b"\n+++ b" + b" " * 31_000 + b"\n@@ -1 +1 @@\n-b\n+c\n") * 60 + ONE,
        (b"diff --git " + (b"a/" * 70 + b" ") * 215 + b"\nold mode 100644\nnew mode 100755\n") * 60 + ONE,
        b"Submodule " + b"a 1234567.." * 50_000 + b"\n" + ONE,
        b"@@ -1 +1 @@\n" * 50_000 + ONE,
        ONE.replace(b" a\n", b" " + b"[-" * 200_000 + b"\n"),
    ],
)
def test_hostile_lines_cost_linear_time(data: bytes) -> None:
    start = time.perf_counter()
    parsed = parse_patch(data)
    assert time.perf_counter() - start < 10
    assert parsed.files[-1].path == b"f"


def test_the_command_reads_standard_input() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "config.cli", "diff", "-"], input=ONE, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["files"][0]["new_path"] == "f"


def test_the_command_names_a_file_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", str(tmp_path / "none.patch")]) == 2
    assert capsys.readouterr().err == f"{tmp_path}/none.patch: cannot be read: No such file or directory\n"


TOKENS = [
    b"diff --git a/f b/f\n", b"diff --cc f\n", b"index 1111111..2222222 100644\n", b"--- a/f\n", b"+++ b/f\n",
    b"--- \n", b"+++ \n", b"--- /dev/null\n", b"+++ /dev/null\n", b"@@ -1 +1 @@\n", b"@@ -1,2 +1,2 @@ x\n",
    b"@@ -0,0 +1 @@\n", b"@@@ -1 -1 +1 @@@\n", b"-a\n", b"+b\n", b" c\n", b"\n", b"\\ No newline\n", b"~\n",
    b"rename from x\n", b"rename to y\n", b"similarity index 90%\n", b"new file mode 100644\n", b"old mode 100644\n",
    b"new mode 100755\n", b"Binary files a/f and b/f differ\n", b"GIT binary patch\n", b"literal 3\n", b"Index: f\n",
    b"=====\n", b"*** f\n", b"***************\n", b"Only in d: f\n", b"\x1b[1m@@ -1 +1 @@\n", b"\r\n", b"x", b'"', b"\0",
    b"diff -r 0123456789ab f\n", b"Binary file f has changed\n", b'--- "a/\\', b"[-a-]{+b+}\n", b"\xff\n",
]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.binary(max_size=300), st.lists(st.sampled_from(TOKENS), max_size=30).map(b"".join)))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    refused = None
    try:
        parsed = parse_patch(data)
    except PatchRefused as error:
        refused = error
    if refused is not None:
        assert refused.reason
        assert 1 <= refused.patch_line <= data.count(b"\n") + 1
        return
    assert parsed.files
    for file in parsed.files:
        assert file.added == sum(line.origin == "added" for hunk in file.hunks for line in hunk.lines)
        for hunk in file.hunks:
            old = [line.side_old for line in hunk.lines if line.side_old is not None]
            new = [line.side_new for line in hunk.lines if line.side_new is not None]
            assert old == list(range(hunk.old_start, hunk.old_start + hunk.old_count))
            assert new == list(range(hunk.new_start, hunk.new_start + hunk.new_count))


PIECES = [
    b"a", b"b", b"\n", b"\n", b"\r\n", b"\r", b"\x0b", b"\x0c", b"\x1c", b"\x1d", b"\x1e", b"\x85", b"\xc2\x85", b"\xe2\x80\xa8",
    b"\xe2\x80\xa9", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3", b"\x80", b"\x1b[1m", b"\n-- x\n", b"\n++ y\n", b"\n--- a/f\n+++ b/f\n",
    b"\n@@ -1 +1 @@\n", b"\n@@@ -1 -1 +1 @@@\n", b"\n\\ No newline at end of file\n", b"\ndiff --git a/q b/q\nindex 1..2\n", b"\n~\n",
    b"\nIndex: f\n====\n", b"\nGIT binary patch\nliteral 1\n", b"\n[-a-]{+b+}\n", b"\n \n", b"\n\t\n", b"\n-\n", b"\n+\n", b"x" * 70_000,
]  # fmt: skip
TEXTS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=14).map(b"".join),
    st.binary(max_size=120),
    st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")),
)


def edited(text: bytes) -> st.SearchStrategy[bytes]:
    """The text with a piece put in somewhere, in place of what stood there."""
    places = st.integers(0, len(text))
    return st.builds(
        lambda one, other, piece: text[: min(one, other)] + piece + text[max(one, other) :],
        places, places, st.sampled_from(PIECES),
    )  # fmt: skip


PAIRS = st.one_of(st.tuples(TEXTS, TEXTS), TEXTS.flatmap(lambda text: st.tuples(st.just(text), edited(text))))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pairs=st.lists(PAIRS, min_size=1, max_size=12), context=st.sampled_from(["-U0", "-U3", "-U99"]))
def test_what_git_prints_gives_the_second_file_back(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[bytes, bytes]], context: str
) -> None:
    folder = tmp_path_factory.mktemp("pairs")
    for side in range(2):
        (folder / "ab"[side]).mkdir()
        for number, pair in enumerate(pairs):
            (folder / "ab"[side] / f"{number:02}").write_bytes(pair[side])
    done = subprocess.run(
        ["git", "diff", "--no-index", "--no-prefix", "--no-renames", "--text", context, "a", "b"],
        cwd=folder, env=GIT_ENV, capture_output=True, check=False,
    )  # fmt: skip
    differing = {number for number, (old, new) in enumerate(pairs) if old != new}
    if not differing:
        assert done.stdout == b""
        return
    parsed = parse_patch(done.stdout)
    assert parsed.errors == ()
    assert {file.path for file in parsed.files} == {b"%02d" % number for number in differing}
    for file in parsed.files:
        assert file.path is not None
        old, new = pairs[int(file.path)]
        assert apply_hunks(old, file) == new
        assert sides_agree(old, new, file.hunks)
        assert not file.binary


@given(st.binary(max_size=60))
def test_escaped_bytes_come_back(data: bytes) -> None:
    text = escape_bytes(data)
    assert text.isascii()
    assert text.isprintable()
    assert unescape_text(text) == data


@pytest.mark.parametrize("text", ["\\", "\\x", "\\xG0", "\\xA0", "é", "a\n", "\\n"])
def test_text_that_is_not_escaped_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no escaped text"):
        unescape_text(text)


def test_paths_are_shown_as_they_are_unless_they_cannot_be() -> None:
    assert path_text("docs/über.txt".encode()) == "docs/über.txt"
    assert path_text(b"a\xff\\") == "a\\xff\\\\"
    assert path_text(b"a\nb") == "a\\x0ab"


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        (b"a/..b/.c", None),
        (b"a/../b", "holds a part that is . or .."),
        (b"./a", "holds a part that is . or .."),
        (b"/etc/passwd", "is absolute"),
        (b"", "is empty"),
        (b"a//b", "holds an empty part"),
        (b"a\0", "holds a NUL byte"),
        (b"a" * 4097, "is longer than 4096 bytes"),
    ],
)
def test_a_path_that_leaves_the_tree_is_named(path: bytes, problem: str | None) -> None:
    assert path_problem(path) == problem


def test_unidiff_and_git_are_each_used_in_one_module() -> None:
    root = Path(__file__).parent.parent.parent
    sources = {
        str(path.relative_to(root)): path.read_text()
        for app in ("config", "corpus", "labeling", "reviews")
        for path in (root / app).rglob("*.py")
    }
    assert [name for name, text in sources.items() if "from unidiff" in text or "import unidiff" in text] == [
        "corpus/domain/patch_hunks.py"
    ]
    assert [name for name, text in sources.items() if '"cat-file"' in text] == ["corpus/gitprocess.py"]
