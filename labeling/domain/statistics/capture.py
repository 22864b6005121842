"""How many defects did everybody miss? Capture-recapture on pooled findings that adjudication confirmed.

Defects differ in how hard they are to see, so two reviewers overlap more than chance and the estimate is
too low: it is to be read as "the labels are at most this complete", never as a count of missed defects.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from labeling.domain.statistics.intervals import Interval, normal_quantile
from labeling.domain.statistics.measures import Measure, Reason, share

# Below this overlap an estimate is not reliable enough to be shown.
RELIABLE_OVERLAP = 7


@dataclass(frozen=True)
class Captures:
    """True findings of two reviewers: n1 and n2 with m in common."""

    n1: int
    n2: int
    m: int

    def __post_init__(self) -> None:
        """Refuse counts that cannot be."""
        if not 0 <= self.m <= min(self.n1, self.n2):
            raise ValueError("m must lie between 0 and the smaller of n1 and n2")

    @property
    def found(self) -> int:
        """How many different findings there are."""
        return self.n1 + self.n2 - self.m

    @property
    def reliable(self) -> bool:
        """Whether the overlap suffices for an estimate to be shown."""
        return self.m >= RELIABLE_OVERLAP


def lincoln_petersen(captures: Captures) -> Measure:
    """Return n1 n2 / m, undefined without overlap."""
    if not captures.m:
        return Measure(None, Reason.NO_OVERLAP)
    return Measure(captures.n1 * captures.n2 / captures.m)


def chapman(captures: Captures) -> float:
    """Return Chapman's estimate (1951): (n1 + 1)(n2 + 1) / (m + 1) - 1."""
    return (captures.n1 + 1) * (captures.n2 + 1) / (captures.m + 1) - 1


def chapman_standard_error(captures: Captures) -> float:
    """Return the square root of Seber's variance (1970) of Chapman's estimate."""
    n1, n2, m = captures.n1, captures.n2, captures.m
    return math.sqrt((n1 + 1) * (n2 + 1) * (n1 - m) * (n2 - m) / ((m + 1) ** 2 * (m + 2)))


def sadinle_interval(captures: Captures, confidence: float = 0.95) -> Interval:
    """Return Sadinle's transformed logit interval (2009), defined also without overlap.

    Its lower end can fall at most 0.5 below the number found: clamp it there where it is shown.
    """
    both = captures.m + 0.5
    first, second = captures.n1 - captures.m + 0.5, captures.n2 - captures.m + 0.5
    spread = math.sqrt(1 / both + 1 / first + 1 / second + both / (first * second))
    factor = math.exp(normal_quantile(confidence) * spread)
    unseen = first * second / both
    return captures.found - 0.5 + unseen / factor, captures.found - 0.5 + unseen * factor


@dataclass(frozen=True)
class Completeness:
    """Found over estimated: an upper bound of how complete the labels are."""

    found: int
    estimated: float
    at_most: Measure
    # Of `at_most`, from the ends of Sadinle's interval clamped to the number found.
    interval: Interval | None
    reliable: bool


def completeness(captures: Captures, confidence: float = 0.95) -> Completeness:
    """Return how complete the labels are at most."""
    estimated = chapman(captures)
    low, high = sadinle_interval(captures, confidence)
    found = captures.found
    return Completeness(
        found=found,
        estimated=estimated,
        at_most=share(found, estimated),
        interval=(found / high, found / max(low, found)) if found else None,
        reliable=captures.reliable,
    )


def chao_estimate(observed: int, once: int, twice: int, occasions: int | None = None) -> Measure:
    """Return Chao's lower bound: observed + factor x once^2 / (2 twice).

    `once` and `twice` count findings made by exactly one and two reviewers; the factor is (t - 1) / t for t
    `occasions`. Leaving it out doubles the missed defects of two reviewers.
    """
    if not twice:
        return Measure(None, Reason.NO_OVERLAP)
    return Measure(observed + _factor(occasions) * once**2 / (2 * twice))


def chao_bias_corrected(observed: int, once: int, twice: int, occasions: int | None = None) -> float:
    """Return the form for few findings in common: observed + factor x once (once - 1) / (2 (twice + 1))."""
    return observed + _factor(occasions) * once * (once - 1) / (2 * (twice + 1))


def _factor(occasions: int | None) -> float:
    return 1.0 if occasions is None else (occasions - 1) / occasions


def jackknife(observed: int, once: int, occasions: int) -> float:
    """Return the first-order jackknife for varying detectability: observed + once (t - 1) / t."""
    return observed + once * _factor(occasions)


def mt_estimate(found_by: Sequence[int], observed: int) -> Measure:
    """Return the solution N of 1 - D/N = product of (1 - n_j/N): reviewers differ, defects do not.

    `found_by` holds the findings of each of two and more reviewers, `observed` D how many are different.
    Two reviewers give exactly Lincoln-Petersen. Undefined without any finding in common.
    """
    if not max(found_by, default=0) <= observed <= sum(found_by):
        raise ValueError("the different findings must lie between the largest list and the sum of all lists")
    if observed == sum(found_by):
        return Measure(None, Reason.NO_OVERLAP)
    if observed == max(found_by):
        return Measure(float(observed))
    from scipy.optimize import brentq

    def excess(size: float) -> float:
        return 1 - observed / size - math.prod(1 - count / size for count in found_by)

    high = 2.0 * observed
    while excess(high) <= 0:
        high *= 2
    return Measure(float(brentq(excess, float(observed), high, xtol=1e-12, rtol=1e-15)))
