"""Patches as tools other than a plain `git diff` print them, and what mail and editors make of them."""

# ruff: noqa: E501 (patches are easiest to check as one literal each)

from __future__ import annotations

import pytest

from corpus.domain.diff import DiffFile, ParsedDiff, PatchRefused, parse_patch

HUNK = b"@@ -1 +1 @@\n-a\n+b\n"
NEW = b"@@ -0,0 +1 @@\n+b\n"
GONE = b"@@ -1 +0,0 @@\n-a\n"
RULE = b"=" * 67 + b"\n"
INDEX = b"index 1111111..2222222 100644\n"
ONE = b"diff --git a/f b/f\n" + INDEX + b"--- a/f\n+++ b/f\n" + HUNK
BASE85 = b"KcmZ?wbhEHb\n\n"
MAIL = (
    b'From: a@example.com\nContent-Type: multipart/mixed; boundary="xx"\n\n--xx\nContent-Type: text/plain\n\nHello.\n'
)


def facts(file: DiffFile) -> tuple[object, ...]:
    return file.old_path, file.new_path, file.status, file.binary, file.added, file.removed


def read(data: bytes) -> ParsedDiff:
    parsed = parse_patch(data)
    assert parsed.errors == ()
    return parsed


@pytest.mark.parametrize(
    ("data", "name", "fact"),
    [
        # Subversion: links in parentheses, words of other languages, files whose text is left out.
        (
            b"Index: f\n" + RULE + b"--- f\t(.../trunk/f)\t(revision 1)\n+++ f\t(.../branches/f)\t(revision 2)\n" + HUNK,
            "svn",
            (b"f", b"f", "modified", False, 1, 1),
        ),
        (
            b"Index: f\n" + RULE + b"--- f\t(Revision 0)\n+++ f\t(Arbeitskopie)\n" + NEW,
            "svn",
            (None, b"f", "added", False, 1, 0),
        ),
        (b"Index: f (deleted)\n" + RULE, "svn", (b"f", None, "deleted", False, 0, 0)),
        (b"Index: f (added)\n" + RULE, "svn", (None, b"f", "added", False, 0, 0)),
        (b"Index: f\n" + RULE + ONE, "git", (b"f", b"f", "modified", False, 1, 1)),
        # CVS, also with a file that is new.
        (
            b"Index: s/f.c\n" + RULE + b"RCS file: /cvs/p/s/f.c,v\nretrieving revision 1.3\nretrieving revision 1.4\n"
            b"diff -u -r1.3 -r1.4\n--- s/f.c\t1 Jan 2004 10:00:00 -0000\t1.3\n+++ s/f.c\t2 Jan 2004 10:00:00 -0000\t1.4\n"
            + HUNK,
            "unified",
            (b"s/f.c", b"s/f.c", "modified", False, 1, 1),
        ),
        (
            b"Index: f.c\n" + RULE + b"RCS file: f.c\ndiff -N f.c\n--- /dev/null\t1 Jan 1970 00:00:00 -0000\n"
            b"+++ f.c\t2 Jan 2004 10:00:00 -0000\n" + NEW,
            "unified",
            (None, b"f.c", "added", False, 1, 0),
        ),
        # Mercurial, with one and with two revisions, and in git's form without object names.
        (
            b"diff -r 0123456789ab -r 0123456789ac f\n--- a/f\tThu Jan 01 00:00:00 1970 +0000\n"
            b"+++ b/f\tMon Jan 01 10:00:00 2024 +0000\n" + NEW,
            "hg",
            (None, b"f", "added", False, 1, 0),
        ),
        (
            b"diff -r 0123456789ab f\n--- a/f\tMon Jan 01 10:00:00 2024 +0000\n"
            b"+++ /dev/null\tThu Jan 01 00:00:00 1970 +0000\n" + GONE,
            "hg",
            (b"f", None, "deleted", False, 0, 1),
        ),
        (
            b"# HG changeset patch\n# User a\n# Node ID 1234\nmsg\n\ndiff --git a/f b/g\nrename from f\nrename to g\n"
            b"--- a/f\n+++ b/g\n" + HUNK,
            "git",
            (b"f", b"g", "renamed", False, 1, 1),
        ),
        # Bazaar and Fossil.
        (
            b"=== added file 'f'\n--- f\t1970-01-01 00:00:00 +0000\n+++ f\t2009-01-02 10:00:00 +0000\n" + NEW,
            "unified",
            (None, b"f", "added", False, 1, 0),
        ),
        (b"ADDED    f\nIndex: f\n" + RULE + b"--- /dev/null\n+++ f\n" + NEW, "svn", (None, b"f", "added", False, 1, 0)),
        # Time stamps of the epoch in every zone and form.
        (
            b"--- a/f\t1969-12-31 19:00:00.000000000 -0500\n+++ b/f\t2024-01-01 00:00:00.000000000 -0500\n" + NEW,
            "unified",
            (None, b"f", "added", False, 1, 0),
        ),
        (
            b"--- a/f 1970-01-01 05:30:00 +0530\n+++ b/f 2024-01-01 00:00:00 +0530\n" + NEW,
            "unified",
            (None, b"f", "added", False, 1, 0),
        ),
        (
            b"--- a/f\tMon Jan  1 00:00:00 2024\n+++ b/f\tThu Jan  1 00:00:00 1970\n" + GONE,
            "unified",
            (b"f", None, "deleted", False, 0, 1),
        ),
        (
            b"--- a/f\t1970-01-01 00:00:01 +0000\n+++ b/f\t2024-01-01 00:00:00 +0000\n" + NEW,
            "unified",
            (b"f", b"f", "modified", False, 1, 0),
        ),
        # GNU diff quotes names as git does.
        (b'--- "a/f\\303\\274"\t2024-01-01\n+++ "b/f\\303\\274"\t2024-01-01\n' + HUNK, "unified", ("fü".encode(), "fü".encode(), "modified", False, 1, 1)),
        # git: broken pairs, a merge shown against its automatic result, binary data in both forms.
        (
            b"diff --git a/f b/f\ndissimilarity index 95%\n" + INDEX + b"--- a/f\n+++ b/f\n" + HUNK,
            "git",
            (b"f", b"f", "modified", False, 1, 1),
        ),
        (
            b"diff --git a/f b/f\nremerge CONFLICT (content): Merge conflict in f\n" + INDEX + b"--- a/f\n+++ b/f\n" + HUNK,
            "git",
            (b"f", b"f", "modified", False, 1, 1),
        ),
        (
            b"diff --git a/i b/i\n" + INDEX + b"GIT binary patch\ndelta 3\n" + BASE85 + b"delta 3\n" + BASE85,
            "git",
            (b"i", b"i", "modified", True, 0, 0),
        ),
        (
            b"diff --git a/i b/i\nnew file mode 100644\nindex 0000000..2222222\nGIT binary patch\nliteral 3\n"
            + BASE85
            + b"literal 0\nHcmV?d00001\n\n",
            "git",
            (None, b"i", "added", True, 0, 0),
        ),
        (
            b"diff --git a/i b/j\nsimilarity index 90%\nrename from i\nrename to j\n" + INDEX + b"Binary files a/i and b/j differ\n",
            "git",
            (b"i", b"j", "renamed", True, 0, 0),
        ),
        # Names in quotes in every header line that has one.
        (
            b'diff --git "a/\\303\\244" "b/\\303\\244\\t"\nsimilarity index 90%\nrename from "\\303\\244"\nrename to "\\303\\244\\t"\n'
            + INDEX
            + b'--- "a/\\303\\244"\n+++ "b/\\303\\244\\t"\n'
            + HUNK,
            "git",
            ("ä".encode(), "ä\t".encode(), "renamed", False, 1, 1),
        ),
        (
            b'diff --git "a/\\"x" "b/\\\\x"\nsimilarity index 100%\ncopy from "\\"x"\ncopy to "\\\\x"\n',
            "git",
            (b'"x', b"\\x", "copied", False, 0, 0),
        ),
        (
            b'diff --git "a/\\ri" "b/\\ri"\n' + INDEX + b'Binary files "a/\\ri" and "b/\\ri" differ\n',
            "git",
            (b"\ri", b"\ri", "modified", True, 0, 0),
        ),
        (b'diff --git "a/\\001" "b/\\001"\nold mode 100644\nnew mode 100755\n', "git", (b"\x01", b"\x01", "modified", False, 0, 0)),
        (b'diff --git "a/\\a\\b\\v\\f" "b/\\a\\b\\v\\f"\ndeleted file mode 100644\nindex e69de29..0000000\n', "git", (b"\a\b\v\f", None, "deleted", False, 0, 0)),
        # A message that speaks of diffs, and marks that a forum put around the patch.
        (
            b"From 1234 Mon Sep 17 00:00:00 2001\nFrom: a@example.com\nSubject: x\n\ndiff --git a/u b/u\n\nwas run.\n---\n f | 2 +-\n\n"
            + ONE
            + b"-- \n2.39.5\n\n",
            "git",
            (b"f", b"f", "modified", False, 1, 1),
        ),
        (b"Try this:\n```diff\n" + ONE + b"```\n", "git", (b"f", b"f", "modified", False, 1, 1)),
        (
            MAIL + b"--xx\nContent-Type: image/png\nContent-Transfer-Encoding: base64\n\nZGlm\n"
            b"--xx\nContent-Type: text/x-patch\nContent-Transfer-Encoding: 8bit\n\n" + ONE + b"\n--xx--\n",
            "git",
            (b"f", b"f", "modified", False, 1, 1),
        ),
        (b":100644 100644 1111111 2222222 M\tf\n f | 2 +-\n 1 file changed\n\n" + ONE, "git", (b"f", b"f", "modified", False, 1, 1)),
        (b"* Unmerged path g\n" + ONE, "git", (b"f", b"f", "modified", False, 1, 1)),
    ],
)  # fmt: skip
def test_what_other_tools_print_is_read(data: bytes, name: str, fact: tuple[object, ...]) -> None:
    parsed = read(data)
    assert parsed.format == name
    assert [facts(file) for file in parsed.files] == [fact]


@pytest.mark.parametrize(
    ("data", "reason", "line"),
    [
        (
            MAIL + b"--xx\nContent-Type: text/x-patch\nContent-Transfer-Encoding: base64\n\nZGlmZiAtLWdpdA==\n--xx--\n",
            "mail body is base64: decode it first",
            10,
        ),
        (
            MAIL
            + b"--xx\nContent-Type: text/x-patch\ncontent-transfer-encoding: Quoted-Printable\n\n"
            + ONE
            + b"--xx--\n",
            "mail body is quoted-printable: decode it first",
            10,
        ),
        (
            b"> " + ONE.replace(b"\n", b"\n> "),
            "every line of the patch is indented or quoted: remove what stands before it",
            3,
        ),
        (
            b"commit 1\n\n    " + ONE.replace(b"\n", b"\n    "),
            "every line of the patch is indented or quoted: remove what stands before it",
            5,
        ),
        (ONE.replace(b"\n", b"\r"), "lines end in CR alone: save the patch with LF", 1),
        (ONE.decode().encode("utf-32"), "UTF-32 text: save the patch as UTF-8 (git diff --output=FILE)", 1),
        (
            ONE.decode().replace("\n", "\r\n").encode("utf-16"),
            "UTF-16 text: save the patch as UTF-8 (git diff --output=FILE)",
            1,
        ),
        (ONE.decode().encode("utf-16-le"), "UTF-16 text: save the patch as UTF-8 (git diff --output=FILE)", 1),
        (b"\x1f\x8b\x08\0\0\0\0\0\0\x03", "gzip file: unpack it first", 1),
        (b"PK\x03\x04\x14\0\0\0", "zip file: unpack it first", 1),
        (
            b"diff --git a/f b/f\n" + INDEX + b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n a\n-b\n+c\n~\n",
            "word diff: make it without --word-diff",
            7,
        ),
        (
            b"diff --cc f\nindex 1,2,3..4\n--- a/f\n+++ b/f\n@@@@ -1 -1 -1 +1 @@@@\n+++c\n",
            "combined diff: choose one parent",
            1,
        ),
        (
            b"Submodule lib 0000000...1111111 (new submodule)\n",
            "submodule in log form: make it with --submodule=short",
            1,
        ),
        (b"diff --git a/i b/i\n" + INDEX + b"GIT binary patch\nliteral 3\n", "binary patch without data", 3),
        (b"diff --git a/i b/i\n" + INDEX + b"GIT binary patch\nliteral x\nabc\n", "binary patch without data", 3),
        (b"--- a/f\n+++ b/f\n\n" + HUNK, "hunk before any file header", 4),
        (b"1c\nb\n.\n", "no file found: this is no unified diff", 1),
        (b"d1 1\na1 1\nb\n", "no file found: this is no unified diff", 1),
        (b"M\tf\n", "no file found: this is no unified diff", 1),
        (
            b"*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n*** End Patch\n",
            "no file found: this is no unified diff",
            1,
        ),
        (b"Only in a: x\nOnly in b: y\n", "no file found: this is no unified diff", 1),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(data: bytes, reason: str, line: int) -> None:
    with pytest.raises(PatchRefused) as caught:
        parse_patch(data)
    assert (caught.value.reason, caught.value.patch_line) == (reason, line)


def test_a_touched_file_is_passed_by_with_a_word_and_a_cut_off_one_is_an_error() -> None:
    parsed = read(b"diff --git a/u b/u\n" + ONE)
    assert [file.path for file in parsed.files] == [b"f"]
    assert [(warning.reason, warning.patch_line) for warning in parsed.warnings] == [
        ("a diff --git line without a header was passed by", 1)
    ]
    cut = parse_patch(ONE + b"diff --git a/u b/u\n")
    assert [(error.reason, error.patch_line) for error in cut.errors] == [("no change follows the header", 8)]


def test_a_file_with_a_bad_header_does_not_come_back_as_another() -> None:
    bad = b"diff --git a/t b/t\n" + INDEX + INDEX + b"--- a/t\n+++ b/t\n" + HUNK
    parsed = parse_patch(bad + ONE)
    assert [file.path for file in parsed.files] == [b"f"]
    assert [(error.index, error.reason) for error in parsed.errors] == [(0, "header line 'index' appears twice")]


@pytest.mark.parametrize("ends", [b"\r\n", b"\n"])
def test_line_ends_of_the_patch_reach_the_text_and_no_name_or_mode(ends: bytes) -> None:
    data = (
        b"diff --git a/f b/f\nold mode 100644\nnew mode 100755\n" + INDEX[:-8] + b"\n--- a/f\n+++ b/f\n" + HUNK
    ).replace(b"\n", ends)
    (file,) = read(data).files
    assert (file.path, file.old_mode, file.new_mode) == (b"f", "100644", "100755")
    assert [line.data for line in file.hunks[0].lines] == [b"a" + ends, b"b" + ends]
