"""Read-only access to a local git repository that nobody vouches for; `gitprocess` does the running.

git is never run with the repository's own configuration, except to turn a name into a commit. For everything else it
gets a git directory of our own, empty but for a fixed configuration, that borrows the repository's object store: hooks,
filters, drivers, attributes, replacements and remotes of the repository do not exist there. The environment is built
from nothing, all transports are forbidden, and every run has a time and a size limit.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from corpus.domain.bytestext import path_text
from corpus.domain.diff_model import HunkShape
from corpus.domain.git_output import (
    CommitInfo,
    GitChange,
    GitOutputError,
    TreeEntry,
    hunks_by_entry,
    parse_changes,
    parse_commit,
    parse_sections,
    parse_tree,
)
from corpus.gitprocess import (
    BATCH,
    DEFAULT_GIT_LIMITS,
    OID,
    GitBlob,
    GitLimits,
    GitRefused,
    ObjectReader,
    checked_oid,
    run_git,
)

__all__ = ["DIFF_OPTIONS", "GitBlob", "GitLimits", "GitRefused", "GitRepository"]

# One algorithm and one amount of context for counts and hunks alike: with other context git finds other hunks.
DIFF_OPTIONS = (
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-relative",
    "--submodule=short",
    "--ignore-submodules=none",
    "--diff-algorithm=myers",
    "--indent-heuristic",
    "--full-index",
    "-M",
    "-l1000",
)

_EMPTY_TREES = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}


class GitRepository:
    """A repository on this machine, bare or with a work tree; use it in a `with` statement.

    Every method raises GitRefused. Revisions are names or object names; object names are 40 or 64 hexadecimal digits.
    """

    def __init__(self, path: str | os.PathLike[str], *, limits: GitLimits = DEFAULT_GIT_LIMITS) -> None:
        """Find the object store at `path` and check its form."""
        self.limits = limits
        self._source = _git_directory(Path(path))
        self._own = tempfile.TemporaryDirectory(prefix="touchstone-git-")
        self._trees: ObjectReader | None = None
        try:
            self.object_format = self._read_object_format()
            self._make_own_directory(Path(self._own.name))
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        """Return the repository itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop what still runs and remove the working directory."""
        self.close()

    def close(self) -> None:
        """Stop what still runs and remove the working directory."""
        if self._trees is not None:
            self._trees.close()
            self._trees = None
        self._own.cleanup()

    @property
    def empty_tree(self) -> str:
        """The object name of the tree without entries: the base of a root commit."""
        return _EMPTY_TREES[self.object_format]

    def version(self) -> str:
        """The version of git, to be stored beside what it computed."""
        return self._run("version").decode("utf-8", "replace").strip()

    def resolve(self, rev: str) -> str:
        """The object name of the commit that a branch, tag, HEAD~2 or (abbreviated) object name means."""
        if not rev or rev.startswith("-") or len(rev) > 250 or ":" in rev or ".." in rev or not rev.isprintable():
            raise GitRefused(f"{path_text(os.fsencode(rev[:80]))!r} is not the name of one commit")
        # The only run that sees the repository's own references, and so its configuration.
        output = self._run(
            "rev-parse", "--verify", "--quiet", rev + "^{commit}", foreign=True, wrong=f"no commit is named {rev!r}"
        )
        oid = output.decode("ascii", "replace").strip()
        if not OID.fullmatch(oid):
            raise GitRefused(f"no commit is named {rev!r}")
        return oid

    def commit_info(self, commit: str) -> CommitInfo:
        """Author, date, message, tree and parents of a commit."""
        with self._reading():
            return parse_commit(commit, self._object(commit, "commit"))

    def changes(self, base: str, head: str) -> tuple[GitChange, ...]:
        """The changed entries between two commits or trees, with renames, in git's order, without their hunks."""
        with self._reading():
            output = self._run("diff", "--raw", "--numstat", "-z", "--no-abbrev", *self._pair(base, head))
            changes = parse_changes(output)
        if len(changes) > self.limits.max_changes:
            raise GitRefused(f"{len(changes)} files are changed; the limit is {self.limits.max_changes}")
        return changes

    def hunks(self, base: str, head: str) -> list[tuple[HunkShape, ...]]:
        """The hunks of each entry of `changes(base, head)`, in the same order; none for binary files."""
        return self._hunks(base, head, self.changes(base, head))

    def change_set(self, base: str, head: str) -> tuple[GitChange, ...]:
        """`changes` with their `hunks`; refused if git's own counts contradict them.

        The counts of a type change are those of its one hunk: all lines removed, all lines added.
        """
        changes = self.changes(base, head)
        result = []
        for change, hunks in zip(changes, self._hunks(base, head, changes), strict=True):
            added = sum(hunk.kinds.count("+") for hunk in hunks)
            removed = sum(hunk.kinds.count("-") for hunk in hunks)
            if not change.type_changed and (added, removed) != (change.added, change.removed):
                raise GitRefused(f"git counts other lines than it prints in {_name(change)}: check the repository")
            result.append(replace(change, added=added, removed=removed, hunks=hunks))
        return tuple(result)

    def patch(self, base: str, head: str) -> bytes:
        """The change as `git diff` prints it, with binary files named only."""
        return self._run("diff", *self._pair(base, head))

    def list_tree(self, tree: str) -> tuple[TreeEntry, ...]:
        """The entries of one directory, without its subdirectories; `tree` may be a commit."""
        with self._reading():
            return tuple(parse_tree(self._object(tree, "tree"), len(tree) // 2))

    def tree(self, commit: str) -> Iterator[TreeEntry]:
        """All files below a commit or tree, with whole paths as names, each directory in git's order."""
        pending: list[tuple[bytes, str]] = [(b"", commit)]
        count = 0
        while pending:
            prefix, oid = pending.pop()
            entries = self.list_tree(oid)
            count += len(entries)
            if count > self.limits.max_tree_entries:
                raise GitRefused(f"the tree has more entries than the limit of {self.limits.max_tree_entries}")
            for entry in entries:
                if entry.kind == "tree":
                    pending.append((prefix + entry.name + b"/", entry.oid))
                else:
                    yield replace(entry, name=prefix + entry.name)

    def blobs(self, oids: Iterable[str]) -> Iterator[GitBlob]:
        """The blobs with these object names, in order, from one run of git."""
        with ObjectReader(self._command(), self._environment(), self.limits, self.limits.max_blob_bytes) as batch:
            pending: list[str] = []
            for oid in oids:
                pending.append(oid)
                if len(pending) == BATCH:
                    yield from batch.read(pending, "blob")
                    pending = []
            yield from batch.read(pending, "blob")

    def _hunks(self, base: str, head: str, changes: tuple[GitChange, ...]) -> list[tuple[HunkShape, ...]]:
        with self._reading():
            return hunks_by_entry(changes, parse_sections(self.patch(base, head)))

    def _pair(self, base: str, head: str) -> tuple[str, ...]:
        return (*DIFF_OPTIONS, checked_oid(base), checked_oid(head), "--")

    def _object(self, oid: str, kind: str) -> bytes:
        """An object's bytes; a commit asked for as a tree gives its tree."""
        if self._trees is None:
            self._trees = ObjectReader(self._command(), self._environment(), self.limits, self.limits.max_output_bytes)
        try:
            blob = next(self._trees.read([oid], kind))
        except GitRefused:
            self._trees.close()
            self._trees = None
            raise
        if blob.data is None:
            raise GitRefused(f"object {oid} has {blob.size} bytes; the limit is {self.limits.max_output_bytes}")
        return blob.data

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except GitOutputError as error:
            raise GitRefused(f"git's answer cannot be used: {error}") from error

    def _read_object_format(self) -> str:
        config = self._source / "config"
        if not config.is_file():
            return "sha1"
        # `--file` without `--includes` reads this one file and follows nothing.
        name = self._run(
            "config", "--no-includes", "--file", str(config), "--default", "sha1", "extensions.objectformat"
        )
        text = name.decode("ascii", "replace").strip().lower()
        if text not in _EMPTY_TREES:
            raise GitRefused(f"object format {text[:40]!r} is not known")
        return text

    def _make_own_directory(self, own: Path) -> None:
        (own / "refs").mkdir()
        (own / "HEAD").write_text("ref: refs/heads/none\n")
        version = 0 if self.object_format == "sha1" else 1
        # Context as configuration: as an option it would ask for a patch where only counts are wanted.
        config = "[diff]\n\tcontext = 3\n\tinterHunkContext = 0\n"
        config += f"[core]\n\trepositoryformatversion = {version}\n\tbare = true\n"
        if version:
            config += f"[extensions]\n\tobjectFormat = {self.object_format}\n"
        (own / "config").write_text(config)

    def _environment(self, *, foreign: bool = False) -> dict[str, str]:
        """The whole environment of a run: nothing is inherited but the search path."""
        own = self._own.name
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": own,
            "XDG_CONFIG_HOME": own,
            "LC_ALL": "C",
            "GIT_DIR": str(self._source) if foreign else own,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ASKPASS": "false",
            "SSH_ASKPASS": "false",
            "GIT_SSH_COMMAND": "false",
            "GIT_PAGER": "cat",
            # An empty list of allowed transports forbids all of them, local ones too.
            "GIT_ALLOW_PROTOCOL": "",
        }
        if not foreign:
            environment["GIT_OBJECT_DIRECTORY"] = str(self._source / "objects")
        return environment

    def _command(self) -> list[str]:
        return [
            "git",
            "--no-pager",
            *("-c", f"safe.directory={self._source}", "-c", "safe.directory=*"),
            *("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}"),
            *("-c", f"core.attributesFile={os.devnull}", "-c", "core.quotePath=true"),
            *("-c", "core.bigFileThreshold=100m", "-c", "gc.auto=0"),
            # Packs are mapped into memory, which is limited.
            *("-c", "core.packedGitWindowSize=64m", "-c", "core.packedGitLimit=1g"),
        ]

    def _run(self, *arguments: str, foreign: bool = False, wrong: str = "") -> bytes:
        """Standard output of one run of git."""
        command = [*self._command(), *arguments]
        environment = self._environment(foreign=foreign)
        return run_git(command, environment, self._own.name, self.limits, name=arguments[0], wrong=wrong)


def _git_directory(path: Path) -> Path:
    """The git directory at `path`: the folder itself if it is bare, else its `.git`."""
    shown = path_text(os.fsencode(path))
    try:
        path = path.resolve(strict=True)
        inner = path / ".git"
        if inner.is_file() or inner.is_symlink():
            raise GitRefused(f"{shown} is a linked work tree: give the repository that it belongs to")
        directory = inner if inner.is_dir() else path
        objects = directory / "objects"
        if (directory / "commondir").exists():
            raise GitRefused(f"{shown} is a linked work tree: give the repository that it belongs to")
        if not (directory / "HEAD").is_file() or not objects.is_dir() or objects.is_symlink():
            raise GitRefused(f"{shown} is no git repository")
        if any((objects / "info" / name).exists() for name in ("alternates", "http-alternates")):
            raise GitRefused(f"{shown} borrows objects from another repository: make a full clone of it first")
    except (OSError, ValueError) as error:
        raise GitRefused(f"{shown} cannot be read: {error}") from error
    return directory


def _name(change: GitChange) -> str:
    return path_text(change.new_path if change.new_path is not None else change.old_path or b"")
