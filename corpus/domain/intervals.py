"""Wilson intervals for shares, also of things that come in clusters.

Wilson (1927): for k of n the bounds solve |p - k/n| = z sqrt(p (1 - p) / n). Findings of one case are alike, so for
shares of findings n is divided by the design effect: the variance of the ratio estimator over cases divided by the
binomial variance, never below 1 (Kish 1965). At 0 of n and n of n nothing varies and the effect is 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Z_95 = 1.959963984540054


def wilson(hits: float, total: float, z: float = Z_95) -> tuple[float, float]:
    """Return the 95 % interval for the share `hits` / `total`, 0 <= hits <= total and total above 0."""
    if not 0 <= hits <= total or total <= 0:
        raise ValueError(f"no share: {hits} of {total}")
    share = hits / total
    spread = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    middle = share + z * z / (2 * total)
    scale = 1 + z * z / total
    low = 0.0 if hits == 0 else max(0.0, (middle - spread) / scale)
    high = 1.0 if hits == total else min(1.0, (middle + spread) / scale)
    return low, high


def design_effect(clusters: Sequence[tuple[int, int]]) -> float:
    """Return the design effect of (hits, total) by cluster; 1 for fewer than two clusters with a total above 0."""
    used = [(hits, total) for hits, total in clusters if total]
    hits, total = sum(one for one, _ in used), sum(all_ for _, all_ in used)
    if len(used) < 2 or hits in {0, total}:
        return 1.0
    share = hits / total
    squares = sum((one - share * all_) ** 2 for one, all_ in used)
    variance = len(used) / (len(used) - 1) * squares / total**2
    return max(1.0, variance / (share * (1 - share) / total))


def clustered_wilson(clusters: Sequence[tuple[int, int]], z: float = Z_95) -> tuple[float, float]:
    """Return the 95 % interval for the pooled share of (hits, total) by cluster; the totals must not all be 0."""
    effect = design_effect(clusters)
    hits, total = sum(one for one, _ in clusters), sum(all_ for _, all_ in clusters)
    return wilson(hits / effect, total / effect, z)
