"""Reading the input of offline commands: a file or `-` for standard input, with a limit and one-line refusals."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from config.cli import BadInput
from corpus.domain.bytestext import path_text

MAX_BYTES = 512_000_000


def source_name(name: str) -> str:
    """Return how messages call the input `name`: on one line."""
    return "standard input" if name == "-" else path_text(os.fsencode(name))


def read_input(name: str, *, at_most: int = MAX_BYTES) -> bytes:
    """Return the bytes of the file `name` or of standard input for `-`; raises BadInput with name and reason."""
    source = source_name(name)
    try:
        if name == "-":
            data = sys.stdin.buffer.read(at_most + 1)
        else:
            with Path(name).open("rb") as stream:
                data = stream.read(at_most + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "cannot be read"
        raise BadInput(f"{source}: {reason}") from error
    if len(data) > at_most:
        raise BadInput(f"{source}: more than {at_most} bytes")
    return data
