"""`python -m bench [MEASURE ...] [--database URL]`: measure the product beside its references and print the table."""

from __future__ import annotations

import argparse
import sys
import time

from bench.timing import Row, calibrate, median
from bench.world import new_world

NAMES = (
    "open",
    "view",
    "autosave",
    "submit",
    "import",
    "export",
    "start",
    "statistics",
    "agreement",
    "lists",
    "parse",
    "runs",
    "draw",
    "memory",
)
WIDTHS = (46, 10, 10, 7, 8, 5)


def line(*cells: str) -> str:
    """Return one line of the table: the first column to the left, the others to the right."""
    padded = [
        cell.rjust(width) if at else cell.ljust(width)
        for at, (cell, width) in enumerate(zip(cells, WIDTHS, strict=True))
    ]
    return "  ".join(padded)


def figure(value: float | None, unit: str = "") -> str:
    """Return a number in three digits, with its unit."""
    if value is None:
        return "-"
    text = f"{value:.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"
    return f"{text} {unit}".strip()


def shown(row: Row) -> str:
    """Return a row of the table."""
    demand = figure(row.demand, row.unit if row.absolute else "x") if row.demand is not None else ""
    ratio = "-" if row.ratio is None else f"{row.ratio:.2f}"
    cells = (row.measure, figure(row.product, row.unit), figure(row.reference, row.unit), ratio, demand, row.verdict)
    return line(*cells) + (f"  ({row.note})" if row.note else "")


def main() -> int:
    """Run the measures that were asked for, or all; exit 1 if a demand is not met."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("measures", nargs="*", metavar="MEASURE", help=f"one of: {', '.join(NAMES)}")
    parser.add_argument("--database", default="", help="a PostgreSQL address; without it a SQLite file (WAL) is used")
    options = parser.parse_args()
    unknown = sorted(set(options.measures) - set(NAMES))
    if unknown:
        parser.error(f"no such measure: {', '.join(unknown)}; choose from {', '.join(NAMES)}")
    failed = False
    print(line("measure", "product", "reference", "ratio", "demand", ""))
    calibrations = [calibrate()]
    with new_world(options.database) as world:
        from bench.measures import MEASURES

        for name in NAMES:
            if options.measures and name not in options.measures:
                continue
            begun = time.perf_counter()
            for row in MEASURES[name](world):
                failed |= row.verdict == "FAIL"
                print(shown(row), flush=True)
            calibrations.append(calibrate())
            took = time.perf_counter() - begun
            print(f"  [{name}: {took:.0f} s; calibration loop {calibrations[-1]:.0f} ms]", flush=True)
    print(
        f"calibration loop: median {median(calibrations):.0f} ms of CPU,"
        f" {min(calibrations):.0f} to {max(calibrations):.0f}"
    )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
