"""A history of hostile but legal commits comes through both readers whole, whatever form git prints it in.

The checks are those of `bench.roundtrip`, which proves them on public repositories; here they run over a made history,
and are shown to notice damage.
"""

# ruff: noqa: E501 (the lists of odd names and lines)

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bench import roundtrip
from bench.roundtrip import Objects, Tally, check_repository, pasted_wrong, read_truth
from corpus.domain.diff import ParsedDiff, parse_patch
from corpus.gitrepo import DIFF_OPTIONS

ODD_NAMES = [
    b"plain.txt", b"sp ace.txt", b"a b/c b/d.txt", b"\xfcml.txt", "café/x".encode(), b"tab\tname", b"new\nline", b'quo"te',
    b"back\\slash", b"cr\rname", b"trailing ", b" leading", b"--- a", b"+++ b", b"rename from x", b"a/b/a/b", b"b/x", b"a/a",
    b"diff --git a", b"x and y differ", b"Binary files", b"dev/null", b"i/x", b"w/x", b"\xe2\x80\xaebidi", b"@@ -1 +1 @@",
    b"a => b", b"x b/x", b"x b/x b/x b/x", b"\x01control", b"\x7fdelete",
]  # fmt: skip
LINES = [
    b"one", b"-- x", b"++ y", b"--- a/f", b"+++ b/f", b"@@ -1 +1 @@", b"diff --git a/q b/q", b"\\ No newline at end of file",
    b"x\r", b"a\rb", b"\x0c", b"\x0b", b"\x85", b"\xc2\x85", b"\xe2\x80\xa8", b"\xff\xfe\xfd", b"\xef\xbb\xbfmark", b"", b" ",
    b"\t", b"From 1234 Mon", b"---", b"-- ", b"Index: x", b"=====", b"{+a+}[-b-]", b"~", b"\x1b[31mred\x1b[m", b"x" * 5_000,
]  # fmt: skip
# Which commit has which message: text of a mail must never pass for a part of the change.
MESSAGE = b"Change\n\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n\ndiff --git a/u b/u\n"


def text_of(seed: int) -> bytes:
    """Some lines in an order of their own; every third text lacks its final newline."""
    lines = [LINES[(seed * 7 + at * (seed % 5 + 1)) % len(LINES)] for at in range(seed % 23)]
    return b"\n".join(lines) + (b"\n" if lines and seed % 3 else b"")


def quoted(path: bytes) -> bytes:
    return b'"' + b"".join(b"\\%03o" % byte for byte in path) + b'"'


def history() -> Iterator[bytes]:
    """What `git fast-import` reads: a commit for each kind of change to each odd name."""
    number = 0

    def commit(*changes: bytes) -> bytes:
        nonlocal number
        number += 1
        head = b"commit refs/heads/main\nmark :%d\ncommitter A <a@example.com> %d +0000\n" % (
            number,
            1_700_000_000 + number,
        )
        parent = b"from :%d\n" % (number - 1) if number > 1 else b""
        return head + b"data %d\n" % len(MESSAGE) + MESSAGE + b"\n" + parent + b"".join(changes) + b"\n"

    def put(path: bytes, data: bytes, mode: bytes = b"100644") -> bytes:
        return b"M %s inline %s\ndata %d\n%s\n" % (mode, quoted(path), len(data), data)

    yield commit(*(put(name, text_of(at)) for at, name in enumerate(ODD_NAMES)))
    for at, name in enumerate(ODD_NAMES):
        yield commit(put(name, text_of(at + 1)))
        yield commit(put(name, text_of(at + 40), b"100755"), put(name + b".2", text_of(at + 41)))
        yield commit(b"R %s %s\n" % (quoted(name), quoted(b"moved/" + name)))
        yield commit(b"C %s %s\n" % (quoted(b"moved/" + name), quoted(name)), b"D %s\n" % quoted(name + b".2"))
        yield commit(put(name, b"target", b"120000"))
        yield commit(put(name, b"\x89PNG\0" + bytes([at])))
        yield commit(put(name, b"\x89PNG\0" + bytes([at + 1])), put(b"empty", b""))
        yield commit(b"M 160000 %s %s\n" % (b"%040d" % (at + 1), quoted(name)), b"D empty\n")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hostile") / "hostile"
    environment = {**os.environ, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", "init", "-q", "-b", "main", "--bare", str(path)], env=environment, check=True)
    stream = b"".join(history())
    subprocess.run(["git", "fast-import", "--quiet"], cwd=path, input=stream, env=environment, check=True)
    return path


def test_every_commit_of_a_hostile_history_comes_through(repository: Path) -> None:
    tally = check_repository(repository, most=0, seconds=0)
    assert tally.examples == []
    assert (tally.failed_commits, tally.commits, dict(tally.skipped)) == (0, 1 + 8 * len(ODD_NAMES), {})
    assert tally.name == "hostile"
    for feature in (
        "rename",
        "symbolic link",
        "submodule",
        "mode change",
        "half of a type change",
        "quoted path",
        "binary",
    ):
        assert tally.features[feature] >= 20, feature
    for feature in ("CR LF", "lone CR", "other separators", "no final newline", "not UTF-8", "empty file"):
        assert tally.features[feature] >= 10, feature


def git(repository: Path, *arguments: str) -> bytes:
    return roundtrip.run(["git", "--no-pager", f"--git-dir={repository}"], *arguments)


FORMS = {
    "no prefix": ("diff", "--no-prefix"),
    "mnemonic prefix": ("-c", "diff.mnemonicPrefix=true", "diff"),
    "own prefixes": ("diff", "--src-prefix=before/", "--dst-prefix=after/"),
    "unquoted": ("-c", "core.quotePath=false", "diff"),
    "no context": ("diff", "-U0"),
    "whole context": ("diff", "-U9999"),
    "binary data": ("diff", "--binary"),
    "short names": ("diff", "--no-full-index", "--abbrev=4"),
    "with statistics": ("diff", "--raw", "--stat", "--summary", "-p"),
    "empty context bare": ("-c", "diff.suppressBlankEmpty=true", "diff"),
}


@pytest.mark.parametrize("form", [*FORMS, "show", "mail", "attachment", "inline"])
def test_every_form_that_git_prints_says_the_same(repository: Path, form: str) -> None:
    objects = Objects(["git", f"--git-dir={repository}"])
    commits = git(repository, "rev-list", "main").decode().split()[:-1]
    problems = []
    for commit in commits[::5]:
        parent = f"{commit}^"
        extra = ["-U0"] if form == "no context" else []
        records = git(
            repository, "diff", "--raw", "--numstat", "-z", "--no-abbrev", *DIFF_OPTIONS, *extra, parent, commit
        )
        truths = read_truth(records)
        texts = [
            (
                objects.read(truth.old_mode, truth.old_oid) or b"" if truth.old_path is not None else b"",
                objects.read(truth.new_mode, truth.new_oid) or b"" if truth.new_path is not None else b"",
            )
            for truth in truths
        ]
        if form == "show":
            patch = git(repository, "show", *DIFF_OPTIONS, commit)
        elif form in ("mail", "attachment", "inline"):
            how = {"mail": [], "attachment": ["--attach"], "inline": ["--inline"]}[form]
            patch = git(repository, "format-patch", "--stdout", *DIFF_OPTIONS, *how, "-1", commit)
        else:
            command, *options = FORMS[form][-FORMS[form][::-1].index("diff") - 1 :]
            before = FORMS[form][: -len(options) - 1]
            patch = git(repository, *before, command, *DIFF_OPTIONS, *options, parent, commit)
        problems += [f"{commit} {problem}" for problem in pasted_wrong(patch, truths, texts, Tally(form))]
    objects.close()
    assert problems == []


def without_cr(parsed: ParsedDiff) -> ParsedDiff:
    """What universal newlines would make of a patch."""
    return replace(
        parsed,
        files=tuple(
            replace(
                file,
                hunks=tuple(
                    replace(hunk, lines=tuple(replace(line, text=line.text.replace(b"\r", b"")) for line in hunk.lines))
                    for hunk in file.hunks
                ),
            )
            for file in parsed.files
        ),
    )


def without_quotes(parsed: ParsedDiff) -> ParsedDiff:
    """What a reader makes of paths that replaces what it cannot decode."""
    return replace(
        parsed,
        files=tuple(
            replace(file, new_path=file.new_path and file.new_path.decode("utf-8", "replace").encode())
            for file in parsed.files
        ),
    )


@pytest.mark.parametrize(
    ("damage", "kind"),
    [
        (without_cr, "hunks do not fit"),
        (without_quotes, "paths"),
        (lambda parsed: replace(parsed, files=parsed.files[1:]), "number of files"),
        (
            lambda parsed: replace(parsed, files=tuple(replace(file, added=file.added + 1) for file in parsed.files)),
            "counts",
        ),
        (
            lambda parsed: replace(parsed, files=tuple(replace(file, new_mode="100600") for file in parsed.files)),
            "mode",
        ),
        (
            lambda parsed: replace(parsed, files=tuple(replace(file, hunks=()) for file in parsed.files)),
            "base and hunks are not head",
        ),
    ],
)
def test_damage_is_noticed(repository: Path, monkeypatch: pytest.MonkeyPatch, damage, kind: str) -> None:
    monkeypatch.setattr(roundtrip, "parse_patch", lambda data: damage(parse_patch(data)))
    tally = check_repository(repository, most=60, seconds=0)
    assert tally.failed_commits
    assert tally.failures[kind]
