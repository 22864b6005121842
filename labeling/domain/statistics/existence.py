"""Whether both reviewers found the same defects.

Nobody can count the defects that neither saw, so there are no true negatives and no kappa; F1 is the
positive specific agreement, and what kappa tends to as the uncounted negatives grow (Hripcsak & Rothschild
2005).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from labeling.domain.statistics.measures import Measure, Reason, share


class Detection(NamedTuple):
    """Findings of two reviewers: found by both (pairs), by the first only, by the second only."""

    both: int
    only_first: int
    only_second: int


def pooled(cases: Iterable[Detection]) -> Detection:
    """Return the sums over cases; rates are never averaged over cases."""
    both = only_first = only_second = 0
    for case in cases:
        both += case.both
        only_first += case.only_first
        only_second += case.only_second
    return Detection(both, only_first, only_second)


def detection_f1(found: Detection) -> Measure:
    """Return 2M / (2M + a + b), undefined where nobody found anything."""
    return share(2 * found.both, 2 * found.both + found.only_first + found.only_second)


def mean_pairwise_f1(pairs: Iterable[Detection]) -> Measure:
    """Return the mean F1 over the pairs of three and more reviewers, without the pairs that have none."""
    values = [value for value in (detection_f1(found).value for found in pairs) if value is not None]
    return Measure(sum(values) / len(values)) if values else Measure(None, Reason.EMPTY_DENOMINATOR)


def kappa_with_negatives(found: Detection, negatives: int) -> Measure:
    """Return Cohen's kappa if `negatives` places had been judged free of defects by both."""
    both, first, second = found
    expected = (both + first) * (first + negatives) + (both + second) * (second + negatives)
    if not expected:
        return Measure(None, Reason.NO_VARIATION)
    return Measure(2 * (both * negatives - first * second) / expected)
