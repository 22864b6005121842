"""Reading repositories that git itself made, also hostile ones."""

from __future__ import annotations

import os
import stat
import subprocess
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from corpus.domain.diff import HunkShape, apply_hunks, parse_patch, sides_agree
from corpus.gitrepo import GitLimits, GitRefused, GitRepository

ENV = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "Ada Author",
    "GIT_AUTHOR_EMAIL": "ada@example.com",
    "GIT_AUTHOR_DATE": "1700000000 +0100",
    "GIT_COMMITTER_NAME": "Carl Committer",
    "GIT_COMMITTER_EMAIL": "carl@example.com",
    "GIT_COMMITTER_DATE": "1700000001 +0100",
}


def git(folder: Path, *arguments: str, given: bytes = b"") -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, env=ENV, input=given, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def commit(folder: Path, message: str = "change") -> str:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "--no-verify", "-m", message)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    return folder


LINES = b"".join(b"line %02d\n" % number for number in range(1, 41))


@pytest.fixture
def pair(work: Path) -> tuple[Path, str, str]:
    """A repository whose two commits differ in every way that git knows."""
    (work / "deep" / "er").mkdir(parents=True)
    (work / "deep" / "er" / "kept.txt").write_bytes(b"kept\n")
    (work / "edited.txt").write_bytes(LINES)
    (work / "moved.txt").write_bytes(LINES.replace(b"line", b"text"))
    (work / "gone.txt").write_bytes(b"gone\n")
    (work / "linked").write_bytes(b"a\nb\n")
    (work / "image.bin").write_bytes(b"\0\1")
    (work / "run.sh").write_bytes(b"#!/bin/sh\n")
    (Path(os.fsdecode(os.fsencode(work) + b'/odd \xff\n"name'))).write_bytes(b"caf\xe9\r\nx\ry\n")
    git(work, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},lib")
    git(work, "add", "-A", ":!lib")
    git(work, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},lib")
    git(work, "commit", "-q", "-m", "base")
    base = git(work, "rev-parse", "HEAD")
    (work / "edited.txt").write_bytes(LINES.replace(b"line 05\n", b"-- 5\n").replace(b"line 30\n", b"") + b"++ end")
    (work / "moved.txt").rename(work / "renamed.txt")
    (work / "gone.txt").unlink()
    (work / "linked").unlink()
    (work / "linked").symlink_to("edited.txt")
    (work / "image.bin").write_bytes(b"\0\2")
    (work / "run.sh").chmod(0o755)
    (work / "empty").write_bytes(b"")
    (Path(os.fsdecode(os.fsencode(work) + b'/odd \xff\n"name'))).write_bytes(b"caf\xe9\nx\ry\n")
    git(work, "add", "-A")
    git(work, "update-index", "--add", "--cacheinfo", f"160000,{'2' * 40},lib")
    git(work, "commit", "-q", "-m", "head")
    return work, base, git(work, "rev-parse", "HEAD")


def test_every_kind_of_change_is_one_entry_with_its_facts(pair: tuple[Path, str, str]) -> None:
    work, base, head = pair
    with GitRepository(work) as repository:
        changes = {change.new_path or change.old_path: change for change in repository.change_set(base, head)}
    facts = {
        path: (
            change.status, change.old_mode, change.new_mode, change.binary, change.similarity,
            change.added, change.removed, [hunk.kinds for hunk in change.hunks],
        )
        for path, change in changes.items()
    }  # fmt: skip
    assert facts == {
        b"edited.txt": ("modified", "100644", "100644", False, None, 2, 2, ["   -+   ", "   -   ", "   +"]),
        b"empty": ("added", None, "100644", False, None, 0, 0, []),
        b"gone.txt": ("deleted", "100644", None, False, None, 0, 1, ["-"]),
        b"image.bin": ("modified", "100644", "100644", True, None, 0, 0, []),
        b"lib": ("modified", "160000", "160000", False, None, 1, 1, ["-+"]),
        b"linked": ("modified", "100644", "120000", False, None, 1, 2, ["--+"]),
        b'odd \xff\n"name': ("modified", "100644", "100644", False, None, 1, 1, ["-+ "]),
        b"renamed.txt": ("renamed", "100644", "100644", False, 100, 0, 0, []),
        b"run.sh": ("modified", "100644", "100755", False, None, 0, 0, []),
    }
    assert changes[b"renamed.txt"].old_path == b"moved.txt"
    assert changes[b"linked"].type_changed
    assert changes[b"empty"].old_oid is None
    assert (changes[b"lib"].old_oid, changes[b"lib"].new_oid) == ("1" * 40, "2" * 40)


def test_hunks_over_the_blobs_give_the_head(pair: tuple[Path, str, str]) -> None:
    work, base, head = pair
    checked = 0
    with GitRepository(work) as repository:
        for change in repository.change_set(base, head):
            if change.binary or "160000" in (change.old_mode, change.new_mode):
                continue
            oids = [oid for oid in (change.old_oid, change.new_oid) if oid is not None]
            data = {blob.oid: blob.data or b"" for blob in repository.blobs(oids)}
            old, new = (data.get(oid or "", b"") for oid in (change.old_oid, change.new_oid))
            assert sides_agree(old, new, change.hunks), change
            assert not sides_agree(old, new + b"\nmore\nmore", change.hunks)
            checked += 1
    assert checked == 7


@pytest.mark.parametrize(
    ("old", "new", "hunk", "agree"),
    [
        (b"a\nb", b"a\n", HunkShape(1, 2, 1, 1, b"", " -"), True),
        (b"a\nb", b"a", HunkShape(1, 2, 1, 1, b"", " -"), False),
        (b"a\n", b"a", HunkShape(1, 1, 1, 1, b"", "-+"), True),
        (b"a\nb\nc\n", b"a\nB\nc\n", HunkShape(2, 1, 2, 1, b"", "-+"), True),
        (b"a\nb\nc\n", b"x\nB\nc\n", HunkShape(2, 1, 2, 1, b"", "-+"), False),
        (b"a\nb\nc\n", b"a\nB\n", HunkShape(2, 1, 2, 1, b"", "-+"), False),
        (b"a\n", b"a\n", HunkShape(2, 1, 2, 1, b"", "-+"), False),
    ],
)
def test_numbers_and_blobs_must_agree_to_the_last_byte(old: bytes, new: bytes, hunk: HunkShape, agree: bool) -> None:
    assert sides_agree(old, new, [hunk]) is agree


def test_the_patch_text_reads_as_the_same_change(pair: tuple[Path, str, str]) -> None:
    work, base, head = pair
    with GitRepository(work) as repository:
        parsed = parse_patch(repository.patch(base, head))
        changes = [change for change in repository.change_set(base, head) if not change.type_changed]
    files = [file for file in parsed.files if file.path != b"linked"]
    assert parsed.errors == ()
    for file, change in zip(files, changes, strict=True):
        assert (file.old_path, file.new_path, file.status, file.added, file.removed, file.binary) == (
            change.old_path, change.new_path, change.status, change.added, change.removed, change.binary,
        )  # fmt: skip
        assert [hunk.kinds for hunk in file.hunks] == [hunk.kinds for hunk in change.hunks]


def test_trees_are_listed_by_level_and_whole(pair: tuple[Path, str, str]) -> None:
    work, base, _ = pair
    with GitRepository(work) as repository:
        level = {entry.name: entry for entry in repository.list_tree(base)}
        assert level[b"deep"].kind == "tree"
        assert level[b"deep"].mode == "040000"
        assert [entry.name for entry in repository.list_tree(level[b"deep"].oid)] == [b"er"]
        whole = {entry.name: entry.mode for entry in repository.tree(base)}
    assert whole[b"deep/er/kept.txt"] == "100644"
    assert whole[b"lib"] == "160000"
    listed = subprocess.run(["git", "ls-tree", "-r", "-z", "--name-only", base], cwd=work, env=ENV, capture_output=True)
    assert set(whole) == set(listed.stdout.split(b"\0")[:-1])


def test_blobs_come_in_order_and_large_ones_are_named_only(work: Path) -> None:
    contents = [b"%d\n" % number * 10 for number in range(450)]
    for number, content in enumerate(contents):
        (work / f"f{number:03}").write_bytes(content)
    (work / "large").write_bytes(b"x" * 5000)
    head = commit(work)
    with GitRepository(work, limits=GitLimits(max_blob_bytes=4000)) as repository:
        entries = list(repository.list_tree(head))
        blobs = list(repository.blobs(entry.oid for entry in entries))
    assert [blob.data for blob in blobs] == [*contents, None]
    assert blobs[-1].size == 5000


def test_a_commit_is_read_as_data(work: Path) -> None:
    (work / "f").write_bytes(b"1\n")
    first = commit(work)
    git(
        work,
        "-c",
        "i18n.commitEncoding=ISO-8859-1",
        "commit",
        "-q",
        "--allow-empty",
        "-F",
        "-",
        given=b"Caf\xe9\n\nText\n",
    )
    second = git(work, "rev-parse", "HEAD")
    with GitRepository(work) as repository:
        info = repository.commit_info(second)
    assert (info.oid, info.parents) == (second, (first,))
    assert (info.author_name, info.author_email) == ("Ada Author", "ada@example.com")
    assert info.authored_at == datetime.fromtimestamp(1700000000, UTC)
    assert info.message == "Café\n\nText\n"


def test_names_of_commits_are_resolved(work: Path) -> None:
    first = commit(work, "one")
    second = commit(work, "two")
    git(work, "tag", "-a", "v1", "-m", "tag", first)
    bare = work.parent / "bare.git"
    git(work.parent, "clone", "-q", "--bare", str(work), str(bare))
    for place in (work, bare):
        with GitRepository(place) as repository:
            assert repository.resolve("main") == repository.resolve("HEAD") == second
            assert repository.resolve("v1") == repository.resolve("HEAD~1") == repository.resolve(first[:10]) == first


@pytest.mark.parametrize(
    "rev", ["", "-h", "--output=x", "none", "HEAD:f", ":/one", "main..main", "a\nb", "x" * 300, "0" * 40]
)
def test_what_names_no_commit_is_refused(work: Path, rev: str) -> None:
    commit(work)
    with GitRepository(work) as repository, pytest.raises(GitRefused, match=r"commit"):
        repository.resolve(rev)


@pytest.mark.parametrize("oid", ["-h", "--all", "HEAD", "1" * 39, "1" * 40 + "\n" + "1" * 40, "G" * 40])
def test_what_is_no_object_name_is_refused(work: Path, oid: str) -> None:
    head = commit(work)
    calls: list[Callable[[GitRepository], object]] = [
        lambda repository: repository.changes(head, oid),
        lambda repository: repository.hunks(oid, head),
        lambda repository: repository.patch(oid, head),
        lambda repository: repository.list_tree(oid),
        lambda repository: repository.commit_info(oid),
        lambda repository: list(repository.blobs([oid])),
    ]
    with GitRepository(work) as repository:
        for call in calls:
            with pytest.raises(GitRefused, match="no object name"):
                call(repository)


def test_a_missing_object_is_named_and_the_next_answer_is_right(work: Path) -> None:
    (work / "f").write_bytes(b"1\n")
    head = commit(work)
    with GitRepository(work) as repository:
        with pytest.raises(GitRefused, match=f"object {'1' * 40} is missing"):
            list(repository.blobs(["1" * 40]))
        with pytest.raises(GitRefused, match="is missing or is no tree"):
            repository.list_tree("1" * 40)
        assert [entry.name for entry in repository.list_tree(head)] == [b"f"]
        with pytest.raises(GitRefused, match="is no blob"):
            list(repository.blobs([head]))


def test_a_root_commit_is_compared_with_the_empty_tree(work: Path) -> None:
    (work / "f").write_bytes(b"1\n")
    head = commit(work)
    with GitRepository(work) as repository:
        (change,) = repository.change_set(repository.empty_tree, head)
    assert (change.status, change.old_path, change.new_path) == ("added", None, b"f")
    assert (change.hunks[0].old_start, change.hunks[0].new_count) == (0, 1)


def test_a_repository_with_longer_object_names_is_read(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main", "--object-format=sha256")
    (tmp_path / "f").write_bytes(b"1\n")
    head = commit(tmp_path)
    with GitRepository(tmp_path) as repository:
        (change,) = repository.change_set(repository.empty_tree, repository.resolve("main"))
        assert len(change.new_oid or "") == 64
        assert [entry.name for entry in repository.tree(head)] == [b"f"]


def test_what_is_no_repository_is_refused(tmp_path: Path, work: Path) -> None:
    commit(work)
    with pytest.raises(GitRefused, match="is no git repository"):
        GitRepository(tmp_path)
    with pytest.raises(GitRefused, match="cannot be read"):
        GitRepository(tmp_path / "none")
    git(work, "worktree", "add", "-q", str(tmp_path / "linked"))
    with pytest.raises(GitRefused, match="is a linked work tree"):
        GitRepository(tmp_path / "linked")
    git(tmp_path, "clone", "-q", "--bare", str(work), str(tmp_path / "common.git"))
    (tmp_path / "common.git" / "commondir").write_text(str(work / ".git"))
    with pytest.raises(GitRefused, match="is a linked work tree"):
        GitRepository(tmp_path / "common.git")
    git(tmp_path, "clone", "-q", "--shared", str(work), str(tmp_path / "borrower"))
    with pytest.raises(GitRefused, match="borrows objects"):
        GitRepository(tmp_path / "borrower")


def test_limits_are_named_when_they_are_passed(work: Path) -> None:
    (work / "f").write_bytes(LINES * 100)
    (work / "g").write_bytes(b"1\n")
    head = commit(work)
    small, few = (
        GitRepository(work, limits=GitLimits(max_output_bytes=1000)),
        GitRepository(work, limits=GitLimits(max_changes=1)),
    )
    with small, pytest.raises(GitRefused, match="more than the limit of 1000 bytes"):
        small.patch(small.empty_tree, head)
    with few, pytest.raises(GitRefused, match="2 files are changed; the limit is 1"):
        few.changes(few.empty_tree, head)


def test_a_small_repository_that_stands_for_billions_of_files_is_refused(work: Path) -> None:
    oid, kind, mode = git(work, "hash-object", "-w", "--stdin", given=b"boom\n"), "blob", "100644"
    for _ in range(10):
        lines = "".join(f"{mode} {kind} {oid}\tf{number}\n" for number in range(10))
        oid, kind, mode = git(work, "mktree", given=lines.encode()), "tree", "040000"
    with GitRepository(work, limits=GitLimits(max_tree_entries=5000, max_memory_bytes=400_000_000)) as repository:
        with pytest.raises(GitRefused, match="more entries than the limit of 5000"):
            list(repository.tree(oid))
        assert len(repository.list_tree(oid)) == 10
        with pytest.raises(GitRefused, match="git diff"):
            repository.changes(repository.empty_tree, oid)


@pytest.mark.parametrize("name", [b"..", b".", b"a/../b", b""])
def test_a_tree_with_an_impossible_name_is_refused(work: Path, name: bytes) -> None:
    blob = git(work, "hash-object", "-w", "--stdin", given=b"x\n")
    raw = b"100644 " + name + b"\0" + bytes.fromhex(blob)
    oid = git(work, "hash-object", "-t", "tree", "-w", "--stdin", "--literally", given=raw)
    with GitRepository(work) as repository:
        with pytest.raises(GitRefused, match="malformed tree"):
            repository.list_tree(oid)
        with pytest.raises(GitRefused):
            repository.changes(repository.empty_tree, oid)


def test_a_run_that_takes_too_long_is_stopped(work: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    head = commit(work)
    slow = tmp_path / "bin"
    slow.mkdir()
    (slow / "git").write_text("#!/bin/sh\nsleep 60\n")
    (slow / "git").chmod(0o755)
    with GitRepository(work, limits=GitLimits(seconds=0.4)) as repository:
        monkeypatch.setenv("PATH", f"{slow}:{os.environ['PATH']}")
        start = time.monotonic()
        with pytest.raises(GitRefused, match=r"longer than the limit of 0\.4 seconds"):
            repository.patch(head, head)
        with pytest.raises(GitRefused, match=r"longer than the limit of 0\.4 seconds"):
            repository.list_tree(head)
        assert time.monotonic() - start < 10


def make_hostile(work: Path, marker: Path) -> None:
    """Let hooks, drivers, filters, monitors, pagers, helpers and remotes of a repository leave a mark when run."""
    trap = work.parent / "trap"
    trap.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{marker}'\ncat\n")
    trap.chmod(0o755)
    hooks = work / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-checkout", "pre-commit", "post-index-change", "reference-transaction", "fsmonitor-watchman"):
        (hooks / name).write_text(trap.read_text())
        (hooks / name).chmod(0o755)
    for key, value in {
        "core.fsmonitor": str(trap),
        "core.hooksPath": str(hooks),
        "core.pager": str(trap),
        "core.sshCommand": str(trap),
        "core.askPass": str(trap),
        "core.editor": str(trap),
        "core.gitProxy": str(trap),
        "core.alternateRefsCommand": str(trap),
        "credential.helper": f"!{trap}",
        "diff.external": str(trap),
        "diff.evil.textconv": str(trap),
        "diff.evil.command": str(trap),
        "diff.noprefix": "true",
        "diff.algorithm": "patience",
        "color.ui": "always",
        "filter.evil.clean": str(trap),
        "filter.evil.smudge": str(trap),
        "filter.evil.process": str(trap),
        "interactive.diffFilter": str(trap),
        "gpg.program": str(trap),
        "log.showSignature": "true",
        "alias.diff": f"!{trap}",
        "remote.origin.url": f"ext::{trap} %S",
        "remote.origin.promisor": "true",
        "remote.origin.uploadpack": str(trap),
        "extensions.partialClone": "origin",
        "core.repositoryformatversion": "1",
    }.items():
        git(work, "config", key, value)
    (work / ".git" / "info").mkdir(exist_ok=True)
    (work / ".git" / "info" / "attributes").write_text("* diff=evil filter=evil\n")


def test_nothing_in_a_hostile_repository_is_run(pair: tuple[Path, str, str], tmp_path: Path) -> None:
    work, base, head = pair
    (work / ".gitattributes").write_bytes(b"* diff=evil filter=evil -text\n*.txt binary\n")
    attributes = commit(work)
    with GitRepository(work) as repository:
        expected = (repository.change_set(base, head), repository.patch(base, head))
    marker = tmp_path / "marker"
    make_hostile(work, marker)
    git_trap = subprocess.run(["git", "log", "-p", "-1"], cwd=work, env=ENV, capture_output=True, check=False)
    assert marker.exists(), git_trap  # the traps do work for a plain git
    marker.unlink()
    with GitRepository(work) as repository:
        assert repository.resolve("HEAD~1") == head
        assert (repository.change_set(base, head), repository.patch(base, head)) == expected
        assert repository.commit_info(attributes).parents == (head,)
        for entry in repository.tree(attributes):
            if entry.kind == "blob":
                assert [blob.oid for blob in repository.blobs([entry.oid])] == [entry.oid]
        with pytest.raises(GitRefused):
            list(repository.blobs(["1" * 40]))
        with pytest.raises(GitRefused):
            repository.resolve("2" * 40)
    assert not marker.exists(), marker.read_text()


def test_replacements_and_the_environment_change_nothing(
    pair: tuple[Path, str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, base, head = pair
    with GitRepository(work) as repository:
        expected = repository.change_set(base, head)
    git(work, "replace", head, base)
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    monkeypatch.setenv("GIT_DIFF_OPTS", "-u0")
    with GitRepository(work) as repository:
        assert repository.resolve(head) == head
        assert repository.change_set(base, head) == expected


def test_reading_leaves_the_repository_as_it_was(pair: tuple[Path, str, str]) -> None:
    work, base, head = pair

    def state() -> dict[str, tuple[int, float]]:
        return {
            str(path): (path.lstat().st_size, path.lstat().st_mtime)
            for path in work.rglob("*")
            if not stat.S_ISDIR(path.lstat().st_mode)
        }

    before = state()
    with GitRepository(work) as repository:
        repository.change_set(base, repository.resolve("HEAD"))
        list(repository.tree(head))
    assert state() == before


def test_pasted_hunks_apply_to_the_blob(pair: tuple[Path, str, str]) -> None:
    work, base, head = pair
    with GitRepository(work) as repository:
        file = next(file for file in parse_patch(repository.patch(base, head)).files if file.path == b"edited.txt")
        tree = {entry.name: entry.oid for commit_id in (base, head) for entry in repository.tree(commit_id)}
        assert next(iter(repository.blobs([tree[b"edited.txt"]]))).data == apply_hunks(LINES, file)
