"""How alike repeated runs are: by golden finding, never by wording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from reviews.domain.matching import MatchClass
from reviews.domain.scored import ScoredCase


@dataclass(frozen=True)
class Stability:
    """Hits by golden finding over `runs`, the golden findings that every run or any run hit, and the mean overlap.

    `jaccard` is the mean over all pairs of runs of |both| / |either| (two runs without a hit: 1). Any-run recall is no
    score: it grows with the number of runs.
    """

    runs: int
    golden: int
    hits: dict[str, int]
    every_run: int
    any_run: int
    jaccard: float


def stability(runs: Sequence[Sequence[ScoredCase]]) -> Stability | None:
    """Return the stability of two or more runs over the same cases, None for fewer."""
    if len(runs) < 2:
        return None
    golden = [one.id for case in runs[0] for one in case.golden]
    found = [{golden_id for case in run for golden_id in case.named(MatchClass.MATCH)} for run in runs]
    hits = {golden_id: sum(golden_id in one for one in found) for golden_id in golden}
    overlaps = [len(one & other) / len(one | other) if one | other else 1.0 for one, other in combinations(found, 2)]
    return Stability(
        runs=len(runs),
        golden=len(golden),
        hits=hits,
        every_run=sum(count == len(runs) for count in hits.values()),
        any_run=sum(count > 0 for count in hits.values()),
        jaccard=sum(overlaps) / len(overlaps),
    )
