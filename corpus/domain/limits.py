"""How much a file, a snapshot and a path may measure. Messages name these numbers; docs/imports.md lists them."""

from __future__ import annotations

MIB = 1024 * 1024

# One file of a snapshot, and a snapshot as a whole.
MAX_FILE_BYTES = 32 * MIB
MAX_TREE_FILES = 100_000
MAX_TREE_BYTES = 1024 * MIB
# Paths: git allows more, no case needs it, and each piece must fit its column.
MAX_PATH_BYTES = 1024
MAX_NAME_BYTES = 255
MAX_PATH_DEPTH = 100


def in_words(size: int) -> str:
    """Return a count of bytes as people write it: whole units, the largest that leaves at least ten, rounded down."""
    for unit, factor in (("GiB", 1024 * MIB), ("MiB", MIB), ("KiB", 1024)):
        if size >= 10 * factor or (size >= factor and size % factor == 0):
            return f"{size // factor} {unit}"
    return f"{size} bytes"
