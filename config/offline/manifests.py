"""Reading the manifests of offline commands: intact, or refused."""

from __future__ import annotations

from config.cli import BadInput
from config.offline.reading import read_input, source_name
from corpus.domain.manifest import digest, inspect_manifest
from corpus.domain.manifest_records import Manifest


def read_manifest(name: str) -> tuple[Manifest, str]:
    """Return the manifest in the file `name` with its published digest; raises BadInput where it is not intact."""
    data = read_input(name)
    manifest, problems = inspect_manifest(data)
    if manifest is None or problems:
        raise BadInput(f"{source_name(name)}: the manifest is not intact: {problems[0]}")
    return manifest, digest(data)
