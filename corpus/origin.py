"""Through what a change is made: the audit trail's answer to "from where"."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_origin: ContextVar[str] = ContextVar("origin", default="")


def origin() -> str:
    """Return through what the running code acts, such as "page" or "command freeze"; empty where nobody said."""
    return _origin.get()


@contextmanager
def acting_from(words: str) -> Iterator[None]:
    """Say through what the block acts."""
    token = _origin.set(words)
    try:
        yield
    finally:
        _origin.reset(token)
