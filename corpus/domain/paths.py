"""Which paths a snapshot or a patch may name. Paths are bytes, pieces are separated by `/`."""

from __future__ import annotations

from collections.abc import Iterable

from corpus.domain.bytestext import path_text
from corpus.domain.limits import MAX_NAME_BYTES, MAX_PATH_BYTES, MAX_PATH_DEPTH


class PathRefused(Exception):
    """A path may not be stored; the message is one sentence that quotes it."""


def check_path(path: bytes) -> None:
    """Raise PathRefused unless `path` names a file below the root, in every place it may ever be unpacked."""
    shown = path_text(path[:200])
    if not path:
        raise PathRefused("A file has no name; give every file a path below the root.")
    if len(path) > MAX_PATH_BYTES:
        raise PathRefused(
            f'The path "{shown}…" has {len(path)} bytes; the limit is {MAX_PATH_BYTES}, so shorten it or leave it out.'
        )
    if path.startswith(b"/") or path[1:3] == b":\\" or path[1:3] == b":/":
        raise PathRefused(f'The path "{shown}" is absolute; make it relative to the root of the repository.')
    if b"\0" in path:
        raise PathRefused(f'The path "{shown}" holds a NUL byte; rename the file.')
    pieces = path.split(b"/")
    if len(pieces) > MAX_PATH_DEPTH:
        raise PathRefused(f'The path "{shown}" is {len(pieces)} levels deep; the limit is {MAX_PATH_DEPTH}.')
    for piece in pieces:
        if piece == b"..":
            raise PathRefused(f'The path "{shown}" leads out of the repository by ".."; write it without.')
        if piece in (b"", b"."):
            raise PathRefused(f'The path "{shown}" has an empty piece or "."; write it without.')
        if piece.lower() == b".git":
            raise PathRefused(f'The path "{shown}" lies inside a ".git" folder; leave that folder out.')
        if len(piece) > MAX_NAME_BYTES:
            raise PathRefused(
                f'A name in the path "{shown}" has {len(piece)} bytes; the limit is {MAX_NAME_BYTES}, so shorten it.'
            )


def check_paths(paths: Iterable[bytes]) -> None:
    """Check every path, and that none is both a file and a folder."""
    files = set()
    for path in paths:
        check_path(path)
        files.add(path)
    for path in files:
        at = path.rfind(b"/")
        while at > 0:
            if path[:at] in files:
                raise PathRefused(f'"{path_text(path[:at])}" is a file and a folder at once; rename one of them.')
            at = path.rfind(b"/", 0, at)
