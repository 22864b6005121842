"""Values that may be undefined, and the rules for showing a coefficient that rests on little."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

# Below this many units a coefficient is not shown at all.
FEWEST_UNITS = 5
# Below these it is shown as unstable, with its interval.
STABLE_UNITS = 20
STABLE_RAREST = 5


class Reason(StrEnum):
    """Why a value is undefined or not shown."""

    NO_VARIATION = "no_variation"
    NO_OVERLAP = "no_overlap"
    EMPTY_DENOMINATOR = "empty_denominator"
    TOO_FEW_UNITS = "too_few_units"
    TOO_FEW_CASES = "too_few_cases"
    UNEQUAL_RATINGS = "unequal_ratings"
    UNDEFINED_RESAMPLES = "undefined_resamples"


@dataclass(frozen=True)
class Measure:
    """A value, or None with the reason."""

    value: float | None
    reason: Reason | None = None

    def __post_init__(self) -> None:
        """Refuse a value without meaning and a gap without a reason."""
        if (self.value is None) is (self.reason is None):
            raise ValueError("a measure has either a value or a reason")
        if self.value is not None and not math.isfinite(self.value):
            raise ValueError(f"{self.value} is not a value")


def measured(value: float, otherwise: Reason) -> Measure:
    """Return a computed value, or `otherwise` where the computation gave no finite number."""
    number = float(value)
    return Measure(number) if math.isfinite(number) else Measure(None, otherwise)


def share(numerator: float, denominator: float) -> Measure:
    """Return numerator / denominator, undefined for an empty denominator."""
    return Measure(numerator / denominator) if denominator else Measure(None, Reason.EMPTY_DENOMINATOR)


@dataclass(frozen=True)
class Shown:
    """A coefficient as a page may show it: `unstable` asks for a grey value with its interval."""

    value: float | None
    reason: Reason | None
    unstable: bool
    units: int


def as_shown(measure: Measure, *, units: int, rarest: int) -> Shown:
    """Apply the rules for thin results; `rarest` counts the units in the class that was used least."""
    if measure.value is not None and units < FEWEST_UNITS:
        return Shown(None, Reason.TOO_FEW_UNITS, False, units)
    unstable = measure.value is not None and (units < STABLE_UNITS or rarest < STABLE_RAREST)
    return Shown(measure.value, measure.reason, unstable, units)
