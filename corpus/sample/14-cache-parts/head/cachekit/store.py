"""Values with their expiry, in order of use."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Entry(Generic[V]):
    """One value and the time from which it no longer counts."""

    value: V
    expires: float

    def is_alive(self, now: float) -> bool:
        return now < self.expires


class Store(Generic[V]):
    """At most `size` entries; not for use by several threads without a lock."""

    def __init__(self, size: int) -> None:
        if size < 1:
            raise ValueError("size must be at least 1")
        self.size = size
        self._entries: OrderedDict[Hashable, Entry[V]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, key: Hashable, now: float) -> Entry[V] | None:
        """The entry if it is alive, which makes it the most recently used; an expired one is dropped."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        if not entry.is_alive(now):
            del self._entries[key]
            return None
        self._entries.move_to_end(key)
        return entry

    def put(self, key: Hashable, entry: Entry[V], now: float) -> None:
        """Add or replace; when there are too many, expired entries go first, then the least recently used."""
        self._entries[key] = entry
        self._entries.move_to_end(key)
        if len(self._entries) > self.size:
            self._drop_expired(now)
        while len(self._entries) > self.size:
            self._entries.popitem(last=False)

    def drop(self, key: Hashable) -> bool:
        """Whether there was such an entry, expired or not."""
        return self._entries.pop(key, None) is not None

    def _drop_expired(self, now: float) -> None:
        expired = [key for key, entry in self._entries.items() if not entry.is_alive(now)]
        for key in expired:
            del self._entries[key]
