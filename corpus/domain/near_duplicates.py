"""Changes that are nearly the same, by the lines they add and remove.

MinHash proposes pairs; what counts is the exact share of lines, so a pair is never a matter of luck, and only one that
lies near the threshold could be missed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Set
from dataclasses import dataclass

from corpus.domain.diff_model import ParsedDiff

# Two changes are near-duplicates from this share of common lines on.
THRESHOLD = 0.8
# Proposed is from here on, so that the estimate's error loses no pair above the threshold.
_PROPOSED_FROM = 0.6
# Smaller changes are alike by nature: one added guard looks like another.
FEWEST_LINES = 5
_PERMUTATIONS = 128
_SEED = 20_261_027


@dataclass(frozen=True, order=True)
class NearDuplicates:
    """Two changes, by name in order, with the number of lines they share and of all their lines."""

    one: str
    other: str
    shared: int
    either: int


def changed_lines(diff: ParsedDiff) -> frozenset[bytes]:
    """Return the lines that a change adds or removes, as short digests.

    Blanks do not count, nor do lines without a letter or digit; added and removed lines are told apart.
    """
    found = set()
    for file in diff.files:
        for hunk in file.hunks:
            for line in hunk.lines:
                if line.origin == "context":
                    continue
                flat = b" ".join(line.text.split())
                if any(chr(byte).isalnum() or byte > 127 for byte in flat):
                    mark = b"+" if line.origin == "added" else b"-"
                    found.add(hashlib.blake2b(mark + flat, digest_size=8).digest())
    return frozenset(found)


def near_duplicates(changes: Mapping[str, Set[bytes]]) -> list[NearDuplicates]:
    """Return the pairs of `changes` (lines by name) that share at least `THRESHOLD` of their lines, in order."""
    # It brings numpy and scipy along, which only a freeze needs: no web process should hold them for it.
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(threshold=_PROPOSED_FROM, num_perm=_PERMUTATIONS)
    found = set()
    for name in sorted(changes):
        lines = changes[name]
        if len(lines) < FEWEST_LINES:
            continue
        signature = MinHash(num_perm=_PERMUTATIONS, seed=_SEED)
        signature.update_batch(sorted(lines))
        for other in index.query(signature):
            shared, either = len(lines & changes[other]), len(lines | changes[other])
            if shared >= THRESHOLD * either:
                found.add(NearDuplicates(other, name, shared, either))
        index.insert(name, signature)
    return sorted(found)
