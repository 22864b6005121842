"""What is said of a changed file before its content is read: path, kind, counts, and why it starts closed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from corpus.models import CaseFile

# A file with more changed lines than this is closed until it is asked for.
LARGE_CHANGE = 1_000
# A line with more bytes than this was written by a program.
MINIFIED_LINE = 5_000
LOCK_FILES = frozenset(
    {
        "Cargo.lock",
        "Gemfile.lock",
        "Package.resolved",
        "Pipfile.lock",
        "Podfile.lock",
        "bun.lock",
        "bun.lockb",
        "composer.lock",
        "deno.lock",
        "flake.lock",
        "go.sum",
        "gradle.lockfile",
        "mix.lock",
        "npm-shrinkwrap.json",
        "package-lock.json",
        "packages.lock.json",
        "pdm.lock",
        "pnpm-lock.yaml",
        "poetry.lock",
        "pubspec.lock",
        "uv.lock",
        "yarn.lock",
    }
)
GENERATED = re.compile(
    r"(\.pb\.(go|cc|h)|_pb2(_grpc)?\.pyi?|\.(generated|gen)\.\w+|\.g\.dart|\.designer\.cs|\.snap|\.(js|css)\.map)$",
    re.I,
)
MINIFIED = re.compile(r"[.-]min\.(js|css|mjs)$", re.I)
VENDORED = re.compile(r"(^|/)(node_modules|vendor|third_party|bower_components)/")
KINDS = {"120000": "symbolic link", "160000": "submodule", "100755": "executable file", "100644": "file"}
IMAGE = re.compile(r"\.(png|jpe?g|gif|webp|bmp|ico|avif)$", re.I)
NOTEBOOK = re.compile(r"\.ipynb$", re.I)


@dataclass(frozen=True)
class FileHead:
    """What a file's header and its entry in the tree show; made without reading any content."""

    position: int
    path: str
    old_path: str
    new_path: str
    directory: str
    name: str
    status: str
    badges: tuple[str, ...]
    added: int
    removed: int
    # Why the file is closed until it is asked for; empty where it is open.
    closed_because: str
    # Whether it is what a file turned into of which the head before says what it was.
    is_second_half: bool = False

    @property
    def moved_from(self) -> str:
        """The former path of a renamed or copied file, else empty."""
        return self.old_path if self.old_path and self.new_path and self.old_path != self.new_path else ""


def file_heads(files: Iterable[CaseFile]) -> list[FileHead]:
    """Return the headers of files in their order. No query.

    A patch writes a file that became a link, or the other way round, as two entries: each says that it is half of one.
    """
    heads: list[FileHead] = []
    before: CaseFile | None = None
    for file in files:
        head = head_of(file)
        if before is not None and _are_halves(before, file):
            badge = f"{KINDS.get(before.old_mode, 'file')} → {KINDS.get(file.new_mode, 'file')}"
            heads[-1] = replace(heads[-1], badges=(badge, "before"))
            head = replace(head, badges=(badge, "after"), is_second_half=True)
        heads.append(head)
        before = file
    return heads


def _are_halves(one: CaseFile, other: CaseFile) -> bool:
    return (
        one.status == "deleted"
        and other.status == "added"
        and one.old_path_text == other.new_path_text
        and one.old_mode[:2] != other.new_mode[:2]
    )


def head_of(file: CaseFile) -> FileHead:
    """Return one file's header."""
    path = file.new_path_text or file.old_path_text
    directory, slash, name = path.rpartition("/")
    longest = max(getattr(file, "old_longest", None) or 0, getattr(file, "new_longest", None) or 0)
    return FileHead(
        position=file.position,
        path=path,
        old_path=file.old_path_text,
        new_path=file.new_path_text,
        directory=directory + slash,
        name=name,
        status=file.status,
        badges=tuple(badges_of(file)),
        added=file.added,
        removed=file.removed,
        # A submodule is one line, wherever it is kept.
        closed_because="" if is_submodule(file) else closed_because(path, file.added + file.removed, longest),
    )


def is_submodule(file: CaseFile) -> bool:
    """Say whether either side is a commit of another repository."""
    return "160000" in (file.old_mode, file.new_mode)


def badges_of(file: CaseFile) -> Iterable[str]:
    """Yield what a file's header says beside its path."""
    if file.status == "modified" and file.old_mode == file.new_mode == "100644" and not file.is_binary:
        # Most files of a wide change.
        return
    if file.status != "modified":
        yield file.status
    old, new = KINDS.get(file.old_mode, ""), KINDS.get(file.new_mode, "")
    if file.old_mode and file.new_mode and file.old_mode != file.new_mode:
        if old and new:
            yield f"{old} → {new}"
        yield f"mode {file.old_mode} → {file.new_mode}"
    elif (new or old) not in {"file", ""}:
        yield new or old
    if file.is_binary:
        yield "binary"


def closed_because(path: str, changed_lines: int, longest_line: int = 0) -> str:
    """Say why a file starts closed, by its path, its size and its longest line; empty for a file that starts open."""
    name = path.rpartition("/")[2]
    if name in LOCK_FILES:
        return "lock file"
    if MINIFIED.search(name):
        return "minified"
    if GENERATED.search(name):
        return "generated"
    if VENDORED.search(path):
        return "somebody else's code, kept in this repository"
    if longest_line > MINIFIED_LINE and not NOTEBOOK.search(name):
        return f"minified or data, with a line of {longest_line:,} bytes"
    if changed_lines > LARGE_CHANGE:
        return f"{changed_lines:,} changed lines"
    return ""


def shows_as_image(name: str) -> bool:
    """Say whether a file of this name is tried as an image. SVG is none: it is text."""
    return IMAGE.search(name) is not None
