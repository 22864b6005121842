"""Marks by which a client names its saves, so that repeats and its own earlier saves are recognised.

A key is `WRITER.COUNT`: one open form is one writer and counts its saves from 1. A key without a dot marks the only
save of its writer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

MAX_KEY = 64
_KEY = re.compile(r"[A-Za-z0-9_-]{1,48}(?:\.[0-9]{1,12})?")


def is_save_key(key: str) -> bool:
    """Say whether `key` may be stored; the empty key, which marks nothing, may be."""
    return key == "" or _KEY.fullmatch(key) is not None


def split_key(key: str) -> tuple[str, int]:
    """Return writer and count of a key; the count of a key without one is 0."""
    writer, _, count = key.partition(".")
    return writer, int(count or 0)


def all_earlier_own(key: str, others: Iterable[str]) -> bool:
    """Say whether every key of `others` is an earlier save of the writer of `key`: such saves never conflict (N3)."""
    writer, count = split_key(key)
    if not writer or "." not in key:
        return False
    return all(other_writer == writer and other < count for other_writer, other in map(split_key, others))
