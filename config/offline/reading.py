"""Reading the input of offline commands: a file or `-` for standard input, with a limit and one-line refusals."""

from __future__ import annotations

import sys
from pathlib import Path

from config.cli import BadInput

MAX_BYTES = 512 * 1024 * 1024


def read_input(name: str) -> bytes:
    """Return the bytes of the file `name` or of standard input for `-`; raises BadInput with name and reason."""
    try:
        if name == "-":
            data = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with Path(name).open("rb") as file:
                data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise BadInput(f"{name}: cannot be read: {reason}") from error
    if len(data) > MAX_BYTES:
        raise BadInput(f"{name}: larger than the limit of {MAX_BYTES // 1024 // 1024} MiB")
    if not data:
        raise BadInput(f"{name}: the input is empty")
    return data
