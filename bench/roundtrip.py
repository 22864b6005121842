"""`python -m bench.roundtrip REPOSITORY ...`: prove the readers of patches and of git's records on real history.

For every commit but merges, git prints the change against the first parent twice: as records (`--raw --numstat -z`),
which are the truth, and as a patch. Both readers of the product take theirs: `parse_patch` the patch as if it had been
pasted, `parse_changes` and `parse_sections` the records and the hunk numbers. What is checked for each file:

- nothing fails, and there are as many files as records;
- paths, status, modes, binary flag and counts are those of the records;
- the old blob with the hunks applied is the new blob, byte for byte; each line number points at that line's bytes;
- hunk numbers laid over the two blobs agree with them, and the two numberings translate into each other.

Only git is trusted, and nothing is written into the repository. Exit 1 if anything failed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from corpus.domain.anchors import LineMap
from corpus.domain.bytestext import split_lines
from corpus.domain.diff import DiffFile, PatchLimits, PatchRefused, apply_hunks, parse_patch, sides_agree
from corpus.domain.git_output import GitChange, GitOutputError, hunks_by_entry, parse_changes, parse_sections
from corpus.domain.vocabulary import Side
from corpus.gitrepo import DIFF_OPTIONS

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
NO_MODE = b"000000"
SUBMODULE = b"160000"
ENVIRONMENT = {
    "PATH": os.environ.get("PATH", os.defpath),
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
}
STATUS = {b"A": "added", b"D": "deleted", b"M": "modified", b"R": "renamed", b"C": "copied"}
EXAMPLES = 5


@dataclass(frozen=True)
class Truth:
    """One entry of `--raw` with its `--numstat`; a type change is two, as in the patch. None: that side is absent."""

    status: bytes
    old_path: bytes | None
    new_path: bytes | None
    old_mode: bytes
    new_mode: bytes
    old_oid: bytes
    new_oid: bytes
    # Added and removed lines; None for a binary file, and for the halves of a type change, whose counts git adds up.
    counts: tuple[int, int] | None
    is_binary: bool | None


class Objects:
    """Blobs of a repository by name, from one process."""

    def __init__(self, command: Sequence[str]) -> None:
        self.process = subprocess.Popen(
            [*command, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT
        )
        self.requests, self.answers = pipe(self.process.stdin), pipe(self.process.stdout)

    def read(self, mode: bytes, oid: bytes) -> bytes | None:
        """Return the bytes that git compares; None for a blob that this copy of the repository lacks."""
        if mode == NO_MODE:
            return b""
        if mode == SUBMODULE:
            return b"Subproject commit %s\n" % oid
        self.requests.write(oid + b"\n")
        self.requests.flush()
        head = self.answers.readline().split()
        if len(head) != 3:
            return None
        return self.answers.read(int(head[2]) + 1)[:-1]

    def close(self) -> None:
        """End the process."""
        self.requests.close()
        self.process.wait()
        self.answers.close()


@dataclass
class Tally:
    """What was seen in one repository, and what failed."""

    name: str
    commits: int = 0
    files: int = 0
    lines: int = 0
    size: int = 0
    parse_seconds: float = 0.0
    seconds: float = 0.0
    slowest: float = 0.0
    skipped: Counter[str] = field(default_factory=Counter)
    features: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    failed_commits: int = 0
    examples: list[str] = field(default_factory=list)

    def fail(self, commit: str, problems: Sequence[str]) -> None:
        """Count the problems of one commit and keep the first few."""
        self.failed_commits += bool(problems)
        self.failures.update(problem.split(" in b")[0] for problem in problems)
        self.examples += [f"{commit} {problem}" for problem in problems[: EXAMPLES - len(self.examples)]]

    def row(self) -> str:
        """Return the repository's row of the table."""
        skipped = ", ".join(f"{count} {reason}" for reason, count in sorted(self.skipped.items())) or "0"
        rate = self.lines / self.parse_seconds if self.parse_seconds else 0
        return (
            f"| {self.name} | {self.commits:,} | {skipped} | {self.files:,} | {self.lines:,} | {self.failed_commits}"
            f" | {sum(self.failures.values())} | {rate:,.0f} | {self.seconds:,.0f} |"
        )


COLUMNS = "repository, commits, left out, file changes, patch lines, failed commits, failed checks, lines/s parsed, s"
HEADER = f"| {COLUMNS.replace(', ', ' | ')} |\n{'|---' * 9}|"
SEPARATORS = (b"\x0b", b"\x0c", b"\x85", b"\xe2\x80\xa8")


def pipe(stream: IO[bytes] | None) -> IO[bytes]:
    """Return a stream that was asked for."""
    assert stream is not None
    return stream


def run(command: Sequence[str], *arguments: str) -> bytes:
    """Return what git prints; CalledProcessError if it fails, as it does on missing objects."""
    return subprocess.run([*command, *arguments], capture_output=True, env=ENVIRONMENT, check=True).stdout


def read_truth(records: bytes) -> list[Truth]:
    """Read `--raw --numstat -z`, on its own: what is tested reads the same records."""
    tokens = iter(records.split(b"\0"))
    raws: list[tuple[list[bytes], bytes, bytes]] = []
    counted: dict[tuple[bytes, bytes], list[bytes]] = {}
    for token in tokens:
        if token.startswith(b":"):
            fields = token[1:].split(b" ")
            old = next(tokens)
            raws.append((fields, old, next(tokens) if fields[4][:1] in b"RC" else old))
        elif token:
            *numbers, path = token.split(b"\t", 2)
            old = path or next(tokens)
            counted[old, path or next(tokens)] = numbers
    truths = []
    for (old_mode, new_mode, old_oid, new_oid, letter), old, new in raws:
        numbers = counted[old, new]
        is_binary = numbers == [b"-", b"-"]
        if letter[:1] == b"T":
            truths.append(Truth(b"D", old, None, old_mode, NO_MODE, old_oid, new_oid, None, None))
            truths.append(Truth(b"A", None, new, NO_MODE, new_mode, old_oid, new_oid, None, None))
            continue
        truths.append(
            Truth(
                letter[:1],
                None if letter == b"A" else old,
                None if letter == b"D" else new,
                old_mode,
                new_mode,
                old_oid,
                new_oid,
                None if is_binary else (int(numbers[0]), int(numbers[1])),
                is_binary,
            )
        )
    return truths


def facts_wrong(file: DiffFile, truth: Truth) -> Iterator[str]:
    """Yield what the header of a file says wrongly."""
    if (file.old_path, file.new_path) != (truth.old_path, truth.new_path):
        yield "paths"
    if file.status != STATUS[truth.status]:
        yield f"status is {file.status}"
    # The text of a pure rename states no mode, and neither says whether its file is binary.
    is_silent = truth.old_oid == truth.new_oid
    for mode, true, other in (
        (file.old_mode, truth.old_mode, truth.new_mode),
        (file.new_mode, truth.new_mode, truth.old_mode),
    ):
        if mode is None and true != NO_MODE and not (is_silent and true == other):
            yield "mode is missing"
        if mode is not None and mode.encode() != true:
            yield "mode"
    if truth.is_binary is not None and not is_silent and file.binary != truth.is_binary:
        yield "binary flag"
    if truth.counts is not None and (file.added, file.removed) != truth.counts:
        yield "counts"


def text_wrong(file: DiffFile, old: bytes, new: bytes) -> Iterator[str]:
    """Yield what the hunks of a text file say wrongly."""
    try:
        rebuilt = apply_hunks(old, file)
    except PatchRefused:
        yield "hunks do not fit"
        return
    if rebuilt != new:
        yield "base and hunks are not head"
        return
    old_lines, new_lines = split_lines(old), split_lines(new)
    try:
        numbering = LineMap(file.hunks)
    except ValueError:
        yield "numbers contradict each other"
        return
    for hunk in file.hunks:
        for line in hunk.lines:
            if line.side_old is not None and (
                old_lines[line.side_old - 1 : line.side_old] != [line.data]
                or numbering.to_new(line.side_old) != line.side_new
            ):
                yield "old line number"
            if line.side_new is not None and (
                new_lines[line.side_new - 1 : line.side_new] != [line.data]
                or numbering.to_old(line.side_new) != line.side_old
            ):
                yield "new line number"
    for number in (1, len(old_lines)):
        other = numbering.translate(Side.OLD, number) if old_lines else None
        if other is not None and old_lines[number - 1] != new_lines[other - 1]:
            yield "translated line number"


def changes_wrong(
    changes: Sequence[GitChange], truths: Sequence[Truth], texts: Sequence[tuple[bytes, bytes]]
) -> Iterator[str]:
    """Yield what the entries and hunk numbers of a change read from git say wrongly."""
    at = 0
    for change in changes:
        width = 2 if change.type_changed else 1
        first, last = truths[at], truths[at + width - 1]
        old, new = texts[at][0], texts[at + width - 1][1]
        at += width
        place = f"in {change.new_path or change.old_path!r}"
        modes = (first.old_mode.decode(), last.new_mode.decode())
        if (change.old_path, change.new_path) != (first.old_path, last.new_path):
            yield f"paths of the record {place}"
        if (change.old_mode or "000000", change.new_mode or "000000") != modes:
            yield f"mode of the record {place}"
        if first.counts is not None and (change.added, change.removed) != first.counts:
            yield f"counts of the record {place}"
        if not is_binary(first, old, new) and not sides_agree(old, new, change.hunks):
            yield f"hunks of the record {place}"
    if at != len(truths):
        yield "number of records"


def is_binary(truth: Truth, old: bytes, new: bytes) -> bool:
    """Say whether git shows no lines of a file."""
    return truth.is_binary if truth.is_binary is not None else b"\0" in old[:8000] or b"\0" in new[:8000]


def features_of(truth: Truth, old: bytes, new: bytes) -> Iterator[str]:
    """Yield what is special about a file change."""
    modes = {truth.old_mode, truth.new_mode} - {NO_MODE}
    both = old + new
    yield from (["rename"] if truth.status == b"R" else [])
    yield from (["symbolic link"] if b"120000" in modes else [])
    yield from (["submodule"] if SUBMODULE in modes else [])
    yield from (["mode change"] if len(modes) == 2 and truth.status != b"T" else [])
    yield from (["half of a type change"] if truth.is_binary is None else [])
    path = truth.new_path or truth.old_path or b""
    yield from (["quoted path"] if any(byte < 32 or byte > 126 or byte in b'"\\' for byte in path) else [])
    yield from (["blank in path"] if b" " in path else [])
    if is_binary(truth, old, new):
        yield "binary"
        return
    yield from (["empty file"] if not both else [])
    yield from (["CR LF"] if b"\r\n" in both else [])
    yield from (["lone CR"] if b"\r" in both.replace(b"\r\n", b"") else [])
    yield from (["other separators"] if any(mark in both for mark in SEPARATORS) else [])
    yield from (["no final newline"] if any(side and not side.endswith(b"\n") for side in (old, new)) else [])
    try:
        both.decode()
    except UnicodeDecodeError:
        yield "not UTF-8"


def check_commit(command: Sequence[str], objects: Objects, parent: str, commit: str, tally: Tally) -> None:
    """Check one commit against its parent."""
    try:
        records = run(command, "diff", "--raw", "--numstat", "-z", "--no-abbrev", *DIFF_OPTIONS, parent, commit, "--")
        patch = run(command, "diff", *DIFF_OPTIONS, parent, commit, "--")
    except subprocess.CalledProcessError:
        tally.skipped["objects absent"] += 1
        return
    if not patch:
        tally.skipped["empty"] += 1
        return
    limits = PatchLimits()
    if len(patch) > limits.max_bytes or patch.count(b"\n") >= limits.max_lines:
        tally.skipped["over a limit"] += 1
        return
    truths = read_truth(records)
    texts = []
    for truth in truths:
        old = b"" if truth.old_path is None else objects.read(truth.old_mode, truth.old_oid)
        new = b"" if truth.new_path is None else objects.read(truth.new_mode, truth.new_oid)
        if old is None or new is None:
            tally.skipped["objects absent"] += 1
            return
        texts.append((old, new))
    tally.commits += 1
    tally.files += len(truths)
    tally.lines += patch.count(b"\n")
    tally.size += len(patch)
    for truth, (old, new) in zip(truths, texts, strict=True):
        tally.features.update(features_of(truth, old, new))
    tally.fail(commit, [*pasted_wrong(patch, truths, texts, tally), *read_wrong(records, patch, truths, texts)])


def pasted_wrong(
    patch: bytes, truths: Sequence[Truth], texts: Sequence[tuple[bytes, bytes]], tally: Tally
) -> Iterator[str]:
    """Yield what the reader of pasted patches gets wrong."""
    begun = time.process_time()
    try:
        parsed = parse_patch(patch)
    except PatchRefused as error:
        yield f"refused: {error.reason}"
        return
    finally:
        spent = time.process_time() - begun
        tally.parse_seconds += spent
        tally.slowest = max(tally.slowest, spent / max(len(patch), 20_000))
    yield from (f"error at line {error.patch_line}: {error.reason}" for error in parsed.errors)
    if len(parsed.files) != len(truths):
        yield "number of files"
        return
    for file, truth, (old, new) in zip(parsed.files, truths, texts, strict=True):
        wrong = list(facts_wrong(file, truth))
        if not is_binary(truth, old, new):
            wrong += text_wrong(file, old, new)
        yield from (f"{problem} in {file.path!r}" for problem in wrong)


def read_wrong(
    records: bytes, patch: bytes, truths: Sequence[Truth], texts: Sequence[tuple[bytes, bytes]]
) -> Iterator[str]:
    """Yield what the readers of git's own records get wrong."""
    try:
        changes = parse_changes(records)
        hunks = hunks_by_entry(changes, parse_sections(patch))
    except GitOutputError as error:
        yield f"record refused: {error}"
        return
    whole = [replace(change, hunks=shapes) for change, shapes in zip(changes, hunks, strict=True)]
    yield from changes_wrong(whole, truths, texts)


def check_repository(path: Path, *, most: int, seconds: float) -> Tally:
    """Check the history of a repository, or `most` commits of it at even distances."""
    directory = path / ".git" if (path / ".git").is_dir() else path
    command = ["git", "--no-pager", "-c", "safe.directory=*", "-c", "core.quotePath=true", f"--git-dir={directory}"]
    path = path.resolve()
    tally = Tally(name_of(path))
    listed = run(command, "rev-list", "--no-merges", "--parents", "HEAD").decode().splitlines()
    if most and len(listed) > most:
        tally.skipped["not sampled"] = len(listed) - most
        listed = [listed[number * len(listed) // most] for number in range(most)]
    is_shallow = run(command, "rev-parse", "--is-shallow-repository").strip() == b"true"
    objects = Objects(command)
    begun = time.monotonic()
    try:
        for number, line in enumerate(listed):
            if seconds and time.monotonic() - begun > seconds:
                tally.skipped["no time left"] += len(listed) - number
                break
            commit, *parents = line.split()
            if not parents and is_shallow:
                tally.skipped["at the edge of the copy"] += 1
                continue
            check_commit(command, objects, parents[0] if parents else EMPTY_TREE, commit, tally)
    finally:
        objects.close()
        tally.seconds = time.monotonic() - begun
    return tally


def name_of(path: Path) -> str:
    """Return a repository's public name where its folder tells it, as OWNER+NAME or OWNER/NAME, else its folder's."""
    parts = [part.removesuffix(".git") for part in path.parts if part not in ("repo", ".git")]
    return parts[-1].replace("+", "/")


def main() -> int:
    """Check the repositories and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.roundtrip", description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "repositories", nargs="+", type=Path, metavar="REPOSITORY", help="a folder with a git repository"
    )
    parser.add_argument("--most", type=int, default=0, help="at most this many commits of each, at even distances")
    parser.add_argument("--seconds", type=float, default=0, help="stop a repository after this long")
    parser.add_argument("--json", type=Path, help="write everything that was counted into this file")
    options = parser.parse_args()
    tallies = []
    print(HEADER)
    for path in options.repositories:
        tallies.append(check_repository(path, most=options.most, seconds=options.seconds))
        print(tallies[-1].row(), flush=True)
        for example in tallies[-1].examples:
            print(f"  {example}", file=sys.stderr)
    features: Counter[str] = sum((tally.features for tally in tallies), Counter())
    print("file changes with: " + ", ".join(f"{name} {count:,}" for name, count in features.most_common()))
    commits = sum(tally.commits for tally in tallies)
    slowest = max((tally.slowest for tally in tallies), default=0.0)
    print(
        f"{commits:,} commits, {sum(tally.files for tally in tallies):,} file changes,"
        f" {sum(tally.lines for tally in tallies):,} patch lines;"
        f" {sum(tally.failed_commits for tally in tallies)} commits failed;"
        f" slowest parse {slowest * 1e6:.2f} s per MB"
    )
    if options.json:
        options.json.write_text(json.dumps([as_record(tally) for tally in tallies], indent=1) + "\n")
    return int(any(tally.failed_commits for tally in tallies))


def as_record(tally: Tally) -> dict[str, Any]:
    """Return a tally as plain values."""
    return {name: dict(value) if isinstance(value, Counter) else value for name, value in vars(tally).items()}


if __name__ == "__main__":
    sys.exit(main())
