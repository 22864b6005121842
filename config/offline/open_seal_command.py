"""`touchstone open-seal COMMITMENT SEAL`: is this the mapping that was committed to before judging?

Prints `{ok, mapping}`; the mapping only where it holds. Exit 0: it is. 1: it is another, or an order that its seed does
not draw. 2: one of the files cannot be read.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from config.cli import BadInput
from config.offline.located import write_json
from config.offline.reading import read_input, source_name
from corpus.domain.blind_sets import SealError, is_opened_by, read_commitment, read_seal

MAX_BYTES = 20_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("commitment", help="the file that was published before judging")
    parser.add_argument("seal", help="the file that was kept until afterwards")


def run(options: argparse.Namespace) -> int:
    """Print the answer and return the exit code; raises BadInput for what cannot be read."""
    try:
        published = read_commitment(_json(options.commitment))
    except SealError as error:
        raise BadInput(f"{source_name(options.commitment)}: {error}") from error
    try:
        sealed = read_seal(_json(options.seal))
    except SealError as error:
        raise BadInput(f"{source_name(options.seal)}: {error}") from error
    is_open = is_opened_by(published, sealed)
    write_json({"ok": is_open, "mapping": sealed.mapping if is_open else None})
    return 0 if is_open else 1


def _json(name: str) -> Any:
    try:
        return json.loads(read_input(name, at_most=MAX_BYTES))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{source_name(name)}: it is not JSON") from error
