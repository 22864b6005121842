"""Which categories two reviewers take for one another more often than their use explains.

Only differing pairs of labels are looked at. If a difference hit two categories c and d by nothing but how often they
are used, its chance would be proportional to u_c u_d (quasi-independence). Against that the exact binomial tail of
what was seen is taken for each two categories, and Holm's correction over all two that are used. A case counts once
for each two categories, since what one change provokes twice is one observation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

CONFUSED_BELOW = 0.05
# Fewer differences between two categories tell nothing, however rare the two are.
FEWEST_CONFUSED = 3


@dataclass(frozen=True)
class ConfusedPair:
    """Two categories (in alphabetical order), how many cases mix them up, and how many chance would."""

    categories: tuple[str, str]
    cases: int
    expected: float
    # After Holm's correction.
    p: float

    @property
    def beyond_chance(self) -> bool:
        """Whether this is more than the use of the two explains."""
        return self.cases >= FEWEST_CONFUSED and self.p < CONFUSED_BELOW


def confused_pairs(uses: Mapping[str, int], cases: Iterable[Iterable[tuple[str, str]]]) -> list[ConfusedPair]:
    """Return every two categories that were mixed up, the most surprising first.

    `uses` says how often each category was given in pairs of labels, `cases` lists the category pairs of each case.
    """
    seen: Counter[tuple[str, str]] = Counter()
    for pairs in cases:
        seen.update({(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]})
    total = sum(seen.values())
    used = sorted(name for name, count in uses.items() if count)
    weights = {(one, other): uses[one] * uses[other] for one, other in combinations(used, 2)}
    whole = sum(weights.values())
    if not total or not whole:
        return []
    from scipy.special import bdtrc

    # The chance of more than count - 1 of total.
    raw = {pair: float(bdtrc(count - 1, total, weights[pair] / whole)) for pair, count in seen.items()}
    adjusted = holm(raw, hypotheses=len(weights))
    found = [ConfusedPair(pair, count, total * weights[pair] / whole, adjusted[pair]) for pair, count in seen.items()]
    return sorted(found, key=lambda one: (one.p, -one.cases, one.categories))


def holm(values: Mapping[tuple[str, str], float], *, hypotheses: int) -> dict[tuple[str, str], float]:
    """Return Holm's adjusted p values; hypotheses that are not among `values` have p 1."""
    adjusted: dict[tuple[str, str], float] = {}
    highest = 0.0
    for rank, (name, p) in enumerate(sorted(values.items(), key=lambda item: (item[1], item[0]))):
        highest = max(highest, min(1.0, p * (hypotheses - rank)))
        adjusted[name] = highest
    return adjusted
