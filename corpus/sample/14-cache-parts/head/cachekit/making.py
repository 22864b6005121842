"""Lets one thread make a value while others that want the same wait."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager


class _Place:
    """The lock of one key and the number of threads that hold or await it."""

    __slots__ = ("lock", "users")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0


class Making:
    """One lock for each key in use; a key without users costs nothing."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._places: dict[Hashable, _Place] = {}

    def __len__(self) -> int:
        with self._guard:
            return len(self._places)

    @contextmanager
    def alone(self, key: Hashable) -> Iterator[None]:
        """Runs the block in one thread at a time for each key."""
        with self._guard:
            place = self._places.setdefault(key, _Place())
            place.users += 1
        try:
            with place.lock:
                yield
        finally:
            # The place goes only with its last user, so that whoever waits and whoever comes share one lock.
            with self._guard:
                place.users -= 1
                if not place.users:
                    del self._places[key]
