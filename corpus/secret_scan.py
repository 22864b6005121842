"""Secrets in the lines of a change, found by detect-secrets.

The library reads files, so the lines go into a private folder that is removed at once. Nothing is looked up anywhere:
its filters that ask a service whether a key works are not used, nor is the one by which a comment in the code could say
that a line is no secret.
"""

from __future__ import annotations

import re
import tempfile
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

# Its settings are global to the process.
_LOCK = threading.Lock()
# Lines that no detector could take for a secret are left out first: that is most of them, and most of the time.
_CANDIDATE = re.compile(
    rb"[A-Za-z0-9+/=_\-.]{16,}|(?i:passw|pwd|secret|token|api_?key|apikey|private|credential|auth|db_)|-----BEGIN|://[^/\s:]+:"
)
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,10}")
MOST_SECRETS = 20
# An address is no secret, and examples are full of them.
_UNUSED = {"IPPublicDetector"}
_FILTERS = (
    "is_indirect_reference",
    "is_likely_id_string",
    "is_lock_file",
    "is_not_alphanumeric_string",
    "is_potential_uuid",
    "is_prefixed_with_dollar_sign",
    "is_sequential_string",
    "is_swagger_file",
    "is_templated_secret",
)


@cache
def _settings() -> dict[str, list[dict[str, str]]]:
    """Return what the library is to look with: all its detectors but those unused."""
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class

    detectors: dict[str, type] = get_mapping_from_secret_type_to_class()
    return {
        "plugins_used": [
            {"name": name} for name in sorted({detector.__name__ for detector in detectors.values()} - _UNUSED)
        ],
        "filters_used": [{"path": f"detect_secrets.filters.heuristic.{name}"} for name in _FILTERS],
    }


@dataclass(frozen=True)
class FoundSecret:
    """A line that looks like a secret, and what kind of one. The secret itself is not kept."""

    path: str
    line: int
    kind: str


def secrets_in(texts: Mapping[str, Iterable[tuple[int, bytes]]]) -> list[FoundSecret]:
    """Return what looks like a secret in `texts` (numbered lines by path), at most `MOST_SECRETS`."""
    found: list[FoundSecret] = []
    for path, lines in texts.items():
        candidates = [(number, line) for number, line in lines if _CANDIDATE.search(line)]
        if candidates and len(found) < MOST_SECRETS:
            found += [FoundSecret(path, number, kind) for number, kind in _scan(path, candidates)]
    return found[:MOST_SECRETS]


def _scan(path: str, candidates: list[tuple[int, bytes]]) -> list[tuple[int, str]]:
    # Only a freeze looks for secrets, and the library brings an HTTP client along that no web process needs.
    from detect_secrets.core.scan import scan_file
    from detect_secrets.settings import transient_settings

    suffix = PurePosixPath(path).suffix
    with _LOCK, tempfile.TemporaryDirectory(prefix="touchstone-") as folder:
        file = Path(folder) / f"lines{suffix if _SUFFIX.fullmatch(suffix) else '.txt'}"
        file.write_bytes(b"\n".join(line.replace(b"\0", b" ") for _, line in candidates) + b"\n")
        with transient_settings(_settings()):
            hits = {(secret.line_number, secret.type) for secret in scan_file(str(file))}
    return sorted((candidates[at - 1][0], kind) for at, kind in hits if 0 < at <= len(candidates))
