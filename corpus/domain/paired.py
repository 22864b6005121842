"""Tests for two tools or reviewers on the same cases."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class McNemar:
    """McNemar's test in its exact, mid-p and asymptotic forms; independent findings are assumed."""

    exact_p: float
    mid_p: float
    chi2: float
    p: float
    corrected_chi2: float
    corrected_p: float


def mcnemar(only_first: int, only_second: int) -> McNemar | None:
    """Return the test on the two discordant counts, or None where there are none."""
    total = only_first + only_second
    if not total:
        return None
    fewer = min(only_first, only_second)
    doubled_tail = Fraction(2 * sum(math.comb(total, k) for k in range(fewer + 1)), 2**total)
    point = Fraction(math.comb(total, fewer), 2**total)
    gap = abs(only_first - only_second)
    chi2, corrected = gap**2 / total, max(gap - 1, 0) ** 2 / total
    return McNemar(
        exact_p=float(min(doubled_tail, Fraction(1))),
        mid_p=float(doubled_tail - point),
        chi2=chi2,
        p=_chi2_tail(chi2),
        corrected_chi2=corrected,
        corrected_p=_chi2_tail(corrected),
    )


def _chi2_tail(value: float) -> float:
    """Return the upper tail of the chi-squared distribution with one degree of freedom."""
    return math.erfc(math.sqrt(value / 2))


def sign_flip_p(differences: Sequence[int]) -> float | None:
    """Return the exact two-sided p value of the sum of case differences under random signs, None without
    cases.

    The counterpart of McNemar's test for findings that stand or fall with their case. Exact for any number
    of cases: the distribution of the sum is built up case by case instead of listing all sign patterns.
    """
    if not differences:
        return None
    ways = {0: 1}
    for difference in differences:
        if difference:
            after: dict[int, int] = {}
            for total, count in ways.items():
                for reached in (total + difference, total - difference):
                    after[reached] = after.get(reached, 0) + count
            ways = after
    observed = abs(sum(differences))
    extreme = sum(count for total, count in ways.items() if abs(total) >= observed)
    return float(Fraction(extreme, sum(ways.values())))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p values for several comparisons, in the given order."""
    adjusted = [0.0] * len(p_values)
    running = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda position: p_values[position])):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = running
    return adjusted
