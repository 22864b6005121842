"""Random public ids and secrets. Ids in pages and addresses are never sequential: a sequence tells of others' work."""

from __future__ import annotations

import random
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

# No 0/O, 1/I/L: people read these ids to each other.
ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
PUBLIC_ID_LENGTH = 10

_source: random.Random = secrets.SystemRandom()


def new_public_id() -> str:
    """Return a random id of `PUBLIC_ID_LENGTH` characters (49 bits)."""
    return "".join(_source.choice(ALPHABET) for _ in range(PUBLIC_ID_LENGTH))


def asked_id(text: str) -> str:
    """Return `text` where it could be a public id, else an empty text, which is nobody's.

    What a client sends as an id goes through here: PostgreSQL refuses a NUL character even in a comparison.
    """
    return text if len(text) == PUBLIC_ID_LENGTH and text.isascii() and text.isalnum() else ""


def new_secret() -> str:
    """Return 256 random bits as hexadecimal text."""
    return f"{_source.getrandbits(256):064x}"


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Draw ids and secrets from a seeded source while the block runs. For tests that compare whole responses."""
    global _source
    before = _source
    _source = random.Random(seed)  # noqa: S311 - deliberately reproducible
    try:
        yield
    finally:
        _source = before
