"""What this process computed before, by a digest of everything that went into it.

Tallies never change and are known by digests of their content, so figures are functions of how often each digest is
held. A result is kept under exactly that; other cases, another viewer or a correction are another key, and there is
nothing that would have to be told of a change. What is not asked for again is forgotten.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Kept = TypeVar("Kept")


class Memory(Generic[Kept]):
    """A bounded memory of results; safe to use from several threads."""

    def __init__(self, limit: int) -> None:
        """Keep at most `limit` results."""
        self._limit = limit
        self._kept: OrderedDict[Hashable, Kept] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable) -> Kept | None:
        """Return what is kept under a key."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def put(self, key: Hashable, value: Kept) -> None:
        """Keep a result, and drop what was not asked for the longest."""
        with self._lock:
            self._kept[key] = value
            while len(self._kept) > self._limit:
                self._kept.popitem(last=False)

    def remember(self, key: Hashable, compute: Callable[[], Kept]) -> Kept:
        """Return what is kept under `key`, else compute and keep it."""
        found = self.get(key)
        if found is None:
            found = compute()
            self.put(key, found)
        return found

    def forget(self) -> None:
        """Drop everything."""
        with self._lock:
            self._kept.clear()
