"""Timing that survives a busy machine: interleaved rounds, medians, and a calibration loop beside every figure."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Work = Callable[[], object]


@dataclass(frozen=True)
class Row:
    """One line of the table. `demand` is the most the ratio (or, with `absolute`, the product's figure) may be."""

    measure: str
    product: float
    reference: float | None
    unit: str
    demand: float | None = None
    note: str = ""
    # A rate: more is better, and the ratio is reference / product.
    is_rate: bool = False
    absolute: bool = False

    @property
    def ratio(self) -> float | None:
        """How many times the reference's cost the product has."""
        if not self.reference or not self.product:
            return None
        return self.reference / self.product if self.is_rate else self.product / self.reference

    @property
    def verdict(self) -> str:
        """Whether the demand is met; empty where none is made."""
        value = self.product if self.absolute else self.ratio
        if self.demand is None or value is None:
            return ""
        return "pass" if value <= self.demand else "FAIL"


def calibrate() -> float:
    """Return the CPU milliseconds of a fixed piece of Python; what it takes tells how fast the machine is just now."""
    begun = time.process_time()
    total = 0
    for number in range(400_000):
        total += number * number % 7
    assert total > 0
    return (time.process_time() - begun) * 1000


def interleaved(works: Sequence[Work], *, rounds: int, warm_up: int = 3) -> list[float]:
    """Return the median CPU milliseconds of each work of this process, one of each in turn."""
    for work in works:
        for _ in range(warm_up):
            work()
    spent: list[list[float]] = [[] for _ in works]
    gc.collect()
    for _ in range(rounds):
        for work, times in zip(works, spent, strict=True):
            begun = time.process_time()
            work()
            times.append((time.process_time() - begun) * 1000)
    return [statistics.median(times) for times in spent]


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which `share` of the values lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def median(values: Sequence[float]) -> float:
    """Return the median."""
    return statistics.median(values)
