"""Two runs on the same cases: which golden findings only one of them found, and whether that may be chance.

The unit of chance is the case, since findings of one case stand or fall together: the difference of recall gets an
interval from resampled cases, and beside McNemar's exact test, which takes findings as independent, stands the exact
test over signs of case differences, which does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corpus.domain.paired import mcnemar, sign_flip_p
from reviews.domain.matching import MatchClass
from reviews.domain.scored import ScoredCase

REPLICATES = 2_000
# Cases below which an interval from resampling says nothing.
FEWEST_CASES = 5


@dataclass(frozen=True)
class PairedGolden:
    """A golden finding with which of the two runs found it."""

    case_id: str
    golden_id: str
    first: bool
    second: bool


@dataclass(frozen=True)
class RunComparison:
    """Two runs over their common cases. `difference` is recall of the first less recall of the second."""

    cases: int
    golden: tuple[PairedGolden, ...]
    difference: float | None
    low: float | None
    high: float | None
    mcnemar_p: float | None
    sign_p: float | None
    reason: str

    def count(self, *, first: bool, second: bool) -> int:
        """Return how many golden findings both, one or neither found."""
        return sum((one.first, one.second) == (first, second) for one in self.golden)


def compare_runs(first: Sequence[ScoredCase], second: Sequence[ScoredCase], *, seed: int) -> RunComparison:
    """Compare the runs over the cases that both hold, paired by golden finding; `seed` draws the resampled cases.

    Golden findings of cases that a run did not review count as not found by it, as in its recall.
    """
    others = {case.case_id: case for case in second}
    pairs = [(case, others[case.case_id]) for case in first if case.case_id in others]
    golden = []
    clusters = []
    for one, other in pairs:
        found, found_by_other = one.named(MatchClass.MATCH), other.named(MatchClass.MATCH)
        rows = [PairedGolden(one.case_id, each.id, each.id in found, each.id in found_by_other) for each in one.golden]
        golden += rows
        if rows:
            clusters.append((sum(row.first for row in rows) - sum(row.second for row in rows), len(rows)))
    gained = sum(row.first and not row.second for row in golden)
    lost = sum(row.second and not row.first for row in golden)
    test = mcnemar(gained, lost)
    if not golden:
        return RunComparison(len(pairs), (), None, None, None, None, None, "no required golden finding in common")
    low, high = _interval(clusters, seed) if len(clusters) >= FEWEST_CASES else (None, None)
    return RunComparison(
        cases=len(pairs),
        golden=tuple(golden),
        difference=(gained - lost) / len(golden),
        low=low,
        high=high,
        mcnemar_p=test.exact_p if test else None,
        sign_p=sign_flip_p([difference for difference, _ in clusters]),
        reason="" if low is not None else f"no interval: fewer than {FEWEST_CASES} cases with golden findings",
    )


def _interval(clusters: Sequence[tuple[int, int]], seed: int) -> tuple[float, float]:
    """Return the 95 % percentile interval of the pooled difference over resampled cases."""
    # Loaded when it is needed, so that web processes do without it.
    import numpy as np

    differences, totals = (np.array(column, dtype=np.float64) for column in zip(*clusters, strict=True))
    generator = np.random.default_rng(seed)
    weights = generator.multinomial(len(clusters), np.full(len(clusters), 1 / len(clusters)), size=REPLICATES)
    drawn = (weights @ differences) / (weights @ totals)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(low), float(high)
