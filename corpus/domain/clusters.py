"""Characters as people see them: where a text may be cut without taking one apart.

A cluster (Unicode Standard Annex #29) is a character with all that joins it: accents, joiners and what follows them,
skin tones, flags, keycaps, and syllables of Hangul letters.
"""

from __future__ import annotations

import regex

_CLUSTER = regex.compile(r"\X")


def cluster_starts(text: str) -> list[int]:
    """Return where each cluster of `text` begins. An empty text has none."""
    if text.isascii() and "\r\n" not in text:
        return list(range(len(text)))
    return [match.start() for match in _CLUSTER.finditer(text)]


def clusters(text: str) -> list[str]:
    """Return the clusters of `text`; joined they are the text."""
    if text.isascii() and "\r\n" not in text:
        return list(text)
    return _CLUSTER.findall(text)
