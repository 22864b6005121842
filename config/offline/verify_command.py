"""`touchstone verify MANIFEST [--digest HEX]`: is this frozen manifest intact?

Prints `{ok, digest, version, cases, tombstones, problems}`. Exit 0: intact. 1: a manifest, but not as it was frozen.
2: no manifest at all.
"""

from __future__ import annotations

import argparse
import re

from config.cli import BadInput
from config.offline.located import write_json
from config.offline.reading import read_input, source_name
from corpus.domain.manifest import FORMAT, digest, inspect_manifest
from corpus.domain.records import to_plain


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("manifest", help="the manifest file, or - for standard input")
    parser.add_argument("--digest", help="the published SHA-256 of the file, in hexadecimal")


def run(options: argparse.Namespace) -> int:
    """Print the answer and return the exit code; raises BadInput where there is no manifest to verify."""
    expected = options.digest
    if expected is not None and not re.fullmatch(r"[0-9a-fA-F]{64}", expected):
        raise BadInput(f"--digest: {expected[:80]!r} is not a SHA-256 of 64 hexadecimal digits")
    source, data = source_name(options.manifest), read_input(options.manifest)
    if not data:
        raise BadInput(f"{source}: the input is empty")
    if FORMAT.encode() not in data:
        raise BadInput(f"{source}: nowhere says {FORMAT!r}, so this is not a manifest")
    manifest, problems = inspect_manifest(data, expected)
    answer = {
        "ok": not problems,
        "digest": digest(data),
        "version": manifest.version if manifest else None,
        "cases": len(manifest.cases) if manifest else None,
        "tombstones": to_plain(manifest.tombstones) if manifest else [],
        "problems": [{"place": problem.place, "reason": problem.reason} for problem in problems],
    }
    write_json(answer)
    return 1 if problems else 0
