"""The hash chain over the audit trail: what one seal covers, and how a broken chain is found.

A seal's digest is the SHA-256 of canonical JSON that holds the digest of the seal before it and every entry of its
batch, so that no entry can be changed, dropped, added or moved afterwards without changing every later digest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from corpus.domain.canonical_json import dump_canonical

BEFORE_THE_FIRST = "0" * 64


@dataclass(frozen=True)
class EntryFacts:
    """An entry as it is sealed: public ids, never keys of rows that another database may number otherwise.

    `at` is the moment in UTC, in ISO 8601 with microseconds. Empty text stands for "none".
    """

    at: str
    actor: str
    origin: str
    verb: str
    subject: str
    project: str
    case: str
    before: str
    after: str


@dataclass(frozen=True)
class SealFacts:
    """A stored seal with the entries that are found under it, in their order."""

    number: int
    previous: str
    digest: str
    count: int
    entries: tuple[EntryFacts, ...]


def seal_digest(number: int, previous: str, entries: Sequence[EntryFacts]) -> str:
    """Return the digest of seal `number` (from 1) over `entries`, following the seal with the digest `previous`."""
    content = {"number": number, "previous": previous, "entries": [asdict(entry) for entry in entries]}
    return hashlib.sha256(dump_canonical(content)).hexdigest()


def fault_of(seal: SealFacts, number: int, previous: str) -> str | None:
    """Return what is wrong with a seal that should be `number` and follow `previous`, or None.

    Which entry was changed cannot be told from a digest; whether some are missing or too many can.
    """
    if seal.number != number:
        return f"seal {number} is missing: the next one found is {seal.number}"
    if seal.previous != previous:
        return f"seal {number} does not follow the seal before it"
    if len(seal.entries) != seal.count:
        return f"seal {number} covers {seal.count} entries, and {len(seal.entries)} are found"
    if seal_digest(number, previous, seal.entries) != seal.digest:
        return f"an entry of seal {number} is not what was sealed"
    return None
