"""The cache."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from .making import Making
from .store import Entry, Store

V = TypeVar("V")
D = TypeVar("D")

_MISSING = object()


class Cache(Generic[V]):
    """Values by key; they expire `ttl` seconds after they were set, and at most `size` are kept.

    `clock` returns seconds and never goes back (time.monotonic). All methods may be called by several threads.
    """

    def __init__(self, size: int, ttl: float, clock: Callable[[], float]) -> None:
        if ttl <= 0:
            raise ValueError("ttl must be positive")
        self.ttl = ttl
        self.clock = clock
        self.hits = 0
        self.misses = 0
        self._lock = threading.Lock()
        self._store: Store[V] = Store(size)
        self._making = Making()

    @property
    def size(self) -> int:
        return self._store.size

    def get(self, key: Hashable, default: D | None = None) -> V | D | None:
        with self._lock:
            entry = self._store.find(key, self.clock())
            if entry is None:
                self.misses += 1
                return default
            self.hits += 1
            return entry.value

    def set(self, key: Hashable, value: V, ttl: float | None = None) -> None:
        with self._lock:
            now = self.clock()
            self._store.put(key, Entry(value, now + (self.ttl if ttl is None else ttl)), now)

    def delete(self, key: Hashable) -> bool:
        with self._lock:
            return self._store.drop(key)

    def get_or_make(self, key: Hashable, make: Callable[[], V]) -> V:
        """The value, made by `make()` where it is missing; of several threads one makes it and the others wait."""
        value = self.get(key, _MISSING)
        if value is not _MISSING:
            return value
        with self._making.alone(key):
            # Another thread may have made it while this one waited.
            value = self.get(key, _MISSING)
            if value is _MISSING:
                value = make()
                self.set(key, value)
            return value
