"""`touchstone diff FILE`: print a patch as files, hunks and lines."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from config.cli import BadInput
from corpus.domain.bytestext import escape_bytes, path_text
from corpus.domain.diff import DEFAULT_LIMITS, DiffFile, DiffLine, Hunk, ParsedDiff, PatchRefused, parse_patch

_LINES_AT_ONCE = 1_000
_SIDES = {"context": "BOTH", "removed": "LEFT", "added": "RIGHT"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """One operand: the patch."""
    parser.add_argument("file", metavar="FILE", help="a patch, or - for standard input")


def run(options: argparse.Namespace) -> int:
    """Print the parsed patch; 0 if every file is good, 1 if some are, BadInput if none is."""
    data, name = _read(options.file), path_text(os.fsencode(options.file))
    try:
        parsed = parse_patch(data)
    except PatchRefused as refusal:
        raise BadInput(f"{name}: line {refusal.patch_line}: {refusal.reason}") from refusal
    _print(parsed)
    for warning in parsed.warnings:
        sys.stderr.write(f"{name}: line {warning.patch_line}: warning: {warning.reason}\n")
    return 1 if parsed.errors else 0


def _read(name: str) -> bytes:
    """The bytes of a file or of standard input, at most one more than the limit."""
    try:
        if name == "-":
            return sys.stdin.buffer.read(DEFAULT_LIMITS.max_bytes + 1)
        with Path(name).open("rb") as stream:
            return stream.read(DEFAULT_LIMITS.max_bytes + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise BadInput(f"{path_text(os.fsencode(name))}: cannot be read: {reason}") from error


def _print(parsed: ParsedDiff) -> None:
    """Write one JSON object, a file on each line, piece by piece: as text, a change is many times its size."""
    write = sys.stdout.write
    write(f'{{"format": {json.dumps(parsed.format)},\n"files": [')
    for index, file in enumerate(parsed.files):
        write(",\n" if index else "\n")
        write(_open(_file(file), "hunks"))
        for number, hunk in enumerate(file.hunks):
            write(", " if number else "")
            write(_open(_hunk(hunk), "lines"))
            for first in range(0, len(hunk.lines), _LINES_AT_ONCE):
                write(", " if first else "")
                write(json.dumps([_line(line) for line in hunk.lines[first : first + _LINES_AT_ONCE]])[1:-1])
            write("]}")
        write("]}")
    errors = [{"index": error.index, "reason": error.reason, "patch_line": error.patch_line} for error in parsed.errors]
    write(f'\n],\n"errors": {json.dumps(errors)}}}\n')


def _open(fields: dict[str, Any], last: str) -> str:
    """A JSON object that ends inside the list of its last field."""
    return f'{json.dumps(fields)[:-1]}, "{last}": ['


def _file(file: DiffFile) -> dict[str, Any]:
    return {
        "old_path": None if file.old_path is None else escape_bytes(file.old_path),
        "new_path": None if file.new_path is None else escape_bytes(file.new_path),
        "status": file.status,
        "old_mode": file.old_mode,
        "new_mode": file.new_mode,
        "binary": file.binary,
        "similarity": file.similarity,
        "added": file.added,
        "removed": file.removed,
    }


def _hunk(hunk: Hunk) -> dict[str, Any]:
    return {
        "old_start": hunk.old_start,
        "old_count": hunk.old_count,
        "new_start": hunk.new_start,
        "new_count": hunk.new_count,
        "section": escape_bytes(hunk.section),
    }


def _line(line: DiffLine) -> dict[str, Any]:
    return {
        "side": _SIDES[line.origin],
        "old": line.side_old,
        "new": line.side_new,
        "text": escape_bytes(line.text),
        "no_eol": line.no_eol,
    }
