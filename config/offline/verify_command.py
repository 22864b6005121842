"""`touchstone verify MANIFEST [--digest HEX] [--signature FILE --key HEX]`: is this frozen manifest intact?

A public manifest is verified likewise; with `--against WHOLE` also that it is the public form of that manifest.
Prints `{ok, digest, version, cases, tombstones, problems}`. Exit 0: intact. 1: a manifest, but not as it was frozen.
2: no manifest at all.
"""

from __future__ import annotations

import argparse
import re

from config.cli import BadInput
from config.offline.located import write_json
from config.offline.manifests import read_manifest
from config.offline.reading import read_input, source_name
from corpus.domain.manifest import FORMAT, Problem, digest, inspect_manifest
from corpus.domain.manifest_records import Manifest
from corpus.domain.public_manifest import PublicManifest, inspect_public_manifest, is_public
from corpus.domain.records import to_plain
from corpus.domain.signatures import SignatureError, checked_public_key, is_signed, read_signature

MAX_SIGNATURE = 10_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("manifest", help="the manifest file, or - for standard input")
    parser.add_argument("--digest", help="the published SHA-256 of the file, in hexadecimal")
    parser.add_argument("--signature", metavar="FILE", help="a signature over the file; needs --key")
    parser.add_argument("--key", metavar="HEX", help="the Ed25519 public key of whoever published it")
    parser.add_argument("--against", metavar="WHOLE", help="the whole manifest that a public one was made of")


def run(options: argparse.Namespace) -> int:
    """Print the answer and return the exit code; raises BadInput where there is no manifest to verify."""
    expected = options.digest
    if expected is not None and not re.fullmatch(r"[0-9a-fA-F]{64}", expected):
        raise BadInput(f"--digest: {expected[:80]!r} is not a SHA-256 of 64 hexadecimal digits")
    source, data = source_name(options.manifest), read_input(options.manifest)
    if not data:
        raise BadInput(f"{source}: the input is empty")
    if FORMAT.encode() not in data and not is_public(data):
        raise BadInput(f"{source}: nowhere says {FORMAT!r}, so this is not a manifest")
    manifest: Manifest | PublicManifest | None
    if is_public(data):
        whole = read_manifest(options.against) if options.against else None
        manifest, problems = inspect_public_manifest(data, expected, whole)
    elif options.against:
        raise BadInput(f"--against: {source} is not a public manifest, so there is nothing to hold against another")
    else:
        manifest, problems = inspect_manifest(data, expected)
    problems += _signature_problems(data, options.signature, options.key)
    answer = {
        "ok": not problems,
        "digest": digest(data),
        "version": manifest.version if manifest else None,
        "cases": len(manifest.cases) if manifest else None,
        "tombstones": to_plain(manifest.tombstones) if isinstance(manifest, Manifest) else [],
        "problems": [{"place": problem.place, "reason": problem.reason} for problem in problems],
    }
    write_json(answer)
    return 1 if problems else 0


def _signature_problems(data: bytes, file: str | None, key: str | None) -> list[Problem]:
    """Return what is wrong with the signature that was given; raises BadInput where it cannot be read."""
    if (file is None) != (key is None):
        raise BadInput("--signature and --key go together: a signature says nothing without the key one expects")
    if file is None or key is None:
        return []
    try:
        trusted = checked_public_key(key)
    except SignatureError as error:
        raise BadInput(f"--key: {error}") from error
    try:
        signature = read_signature(read_input(file, at_most=MAX_SIGNATURE))
        if signature.public_key != trusted:
            return [Problem("signature", f"it was made with the key {signature.public_key}, expected was {trusted}")]
        intact = is_signed(data, signature)
    except SignatureError as error:
        raise BadInput(f"{source_name(file)}: {error}") from error
    return [] if intact else [Problem("signature", "it is not over these bytes")]
