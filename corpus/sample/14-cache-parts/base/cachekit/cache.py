"""The cache."""

import threading
from collections import OrderedDict


class Cache:
    """Values by key; they expire `ttl` seconds after they were set, and at most `size` are kept.

    `clock` returns seconds and never goes back (time.monotonic). All methods may be called by several threads.
    """

    def __init__(self, size, ttl, clock):
        if size < 1:
            raise ValueError("size must be at least 1")
        if ttl <= 0:
            raise ValueError("ttl must be positive")
        self.size = size
        self.ttl = ttl
        self.clock = clock
        self.hits = 0
        self.misses = 0
        self._lock = threading.Lock()
        self._values = OrderedDict()
        self._making = {}

    def get(self, key, default=None):
        with self._lock:
            if key in self._values:
                value, expires = self._values[key]
                if self.clock() < expires:
                    self._values.move_to_end(key)
                    self.hits += 1
                    return value
                del self._values[key]
            self.misses += 1
            return default

    def set(self, key, value, ttl=None):
        with self._lock:
            self._values[key] = (value, self.clock() + (self.ttl if ttl is None else ttl))
            self._values.move_to_end(key)
            if len(self._values) > self.size:
                now = self.clock()
                dead = [k for k, (_, expires) in self._values.items() if expires <= now]
                for k in dead:
                    del self._values[k]
            while len(self._values) > self.size:
                self._values.popitem(last=False)

    def delete(self, key):
        with self._lock:
            return self._values.pop(key, None) is not None

    def get_or_make(self, key, make):
        """The value, made by `make()` where it is missing; of several threads one makes it and the others wait."""
        missing = object()
        value = self.get(key, missing)
        if value is not missing:
            return value
        with self._lock:
            entry = self._making.get(key)
            if entry is None:
                entry = self._making[key] = [threading.Lock(), 0]
            entry[1] += 1
        try:
            with entry[0]:
                value = self.get(key, missing)
                if value is missing:
                    value = make()
                    self.set(key, value)
                return value
        finally:
            with self._lock:
                entry[1] -= 1
                if entry[1] == 0:
                    del self._making[key]
