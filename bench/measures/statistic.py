"""Statistics at 10,000 items: alpha with its interval from a table of counts, and the alignment of two reviewers."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

from bench.timing import Row, median
from bench.world import World

ITEMS, LEVELS, RESAMPLES = 10_000, 5, 1_000


def measure(world: World) -> Iterator[Row]:
    """Measure against the least that numpy can do: the same number of multinomial draws of the table."""
    import numpy as np

    from labeling.domain.statistics.alpha import Metric, alpha, coincidences_of_table
    from labeling.domain.statistics.resampling import interval_by_case

    source = np.random.default_rng(7)
    first = source.integers(0, LEVELS, ITEMS)
    second = np.where(source.random(ITEMS) < 0.8, first, source.integers(0, LEVELS, ITEMS))
    vectors = np.zeros((ITEMS, LEVELS * LEVELS))
    vectors[np.arange(ITEMS), first * LEVELS + second] = 1

    def statistic(sums: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
        tables = sums.reshape(*sums.shape[:-1], LEVELS, LEVELS)
        return alpha(coincidences_of_table(tables), Metric.ORDINAL)

    def bare() -> None:
        shares = vectors.mean(axis=0)
        draws = np.random.default_rng(7).multinomial(ITEMS, shares, size=RESAMPLES)
        np.percentile(statistic(draws.astype(float)), [2.5, 97.5])

    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(7):
        for work, spent in (
            (lambda: interval_by_case(vectors, statistic, resamples=RESAMPLES), times[0]),
            (bare, times[1]),
        ):
            begun = time.process_time()
            work()
            spent.append((time.process_time() - begun) * 1000)
    yield Row("alpha and interval, 10,000 items, CPU", median(times[0]), median(times[1]), "ms", 10.0, absolute=True)
    yield Row("align 50 cases of 20 x 20 labels, CPU", alignment(), None, "ms")
    for lines in (20, 500, 5_000):
        name = f"match 20 golden with 200 findings on {lines} lines, CPU"
        yield Row(name, matching(lines), None, "ms", 30.0, absolute=True)


def alignment() -> float:
    """Return the median CPU milliseconds of aligning 50 cases, each with 20 labels from either reviewer."""
    from corpus.domain.places import Anchor
    from corpus.domain.vocabulary import Severity, Side
    from labeling.domain.alignment import Finding, align

    source = random.Random(11)

    def findings(prefix: str) -> list[Finding]:
        found = []
        for number in range(20):
            first = source.randrange(1, 400)
            place = Anchor(f"src/file_{source.randrange(5)}.py", Side.NEW, ((first, first + source.randrange(6)),))
            category = source.choice(["logic", "security", "concurrency"])
            found.append(Finding(f"{prefix}{number}", category, source.choice(list(Severity)), (place,)))
        return found

    cases = [(findings("a"), findings("b")) for _ in range(50)]
    times = []
    for _ in range(5):
        begun = time.process_time()
        for a, b in cases:
            align(a, b)
        times.append((time.process_time() - begun) * 1000)
    return median(times)


def matching(lines: int) -> float:
    """Return the median CPU milliseconds of matching 20 golden with 200 AI findings in a file of so many lines."""
    from corpus.domain.places import Anchor
    from corpus.domain.vocabulary import Side
    from reviews.domain.matching import AIInput, GoldenInput, match_findings

    source = random.Random(lines)

    def anywhere() -> tuple[Anchor, ...]:
        first = source.randint(1, lines)
        return (Anchor("src/queue.py", Side.NEW, ((first, first + source.randint(0, 5)),)),)

    golden = [GoldenInput(f"g{number}", "logic", anywhere()) for number in range(20)]
    said = [AIInput(f"a{number}", source.choice(["logic", "security"]), anywhere()) for number in range(200)]
    times = []
    for _ in range(9):
        begun = time.process_time()
        match_findings(golden, said)
        times.append((time.process_time() - begun) * 1000)
    return median(times)
