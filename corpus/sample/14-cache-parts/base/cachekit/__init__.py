"""A small cache for values that are costly to make."""

from .cache import Cache

__all__ = ["Cache"]
