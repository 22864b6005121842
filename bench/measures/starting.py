"""From the command to the first 200, from an empty folder and again, and the memory of two idle workers."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.server import LIMIT, PRODUCT, ROOT, serving
from bench.timing import Row, median
from bench.world import World

ROUNDS = 3
SETTINGS = {"DJANGO_SETTINGS_MODULE": "config.settings"}


def measure(world: World) -> Iterator[Row]:
    """Measure the product and the bare site in turn, each round in a new folder."""
    fresh: tuple[list[float], list[float]] = ([], [])
    again: tuple[list[float], list[float]] = ([], [])
    memory: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory(prefix="touchstone-start-") as folder:
            place = Path(folder)
            environment = {
                **world.environment,
                **SETTINGS,
                "TOUCHSTONE_DATA_DIR": folder,
                "DATABASE_URL": f"sqlite:///{place / 'touchstone.sqlite3'}",
            }
            begun = time.perf_counter()
            subprocess.run(
                [sys.executable, "-m", "config.cli", "migrate", "--verbosity", "0"],
                env=environment,
                cwd=ROOT,
                check=True,
            )
            with serving(PRODUCT, environment, "/accounts/login/"):
                fresh[0].append(time.perf_counter() - begun)
            file = place / "limit.sqlite3"
            begun = time.perf_counter()
            subprocess.run(
                [sys.executable, "-c", ("import pathlib, sys; from bench import limit; "
                 "limit.prepare(pathlib.Path(sys.argv[1]), cases=1, lines=1)"), str(file)],
                cwd=ROOT,
                check=True,
            )  # fmt: skip
            with serving(LIMIT, {"BENCH_LIMIT_DATABASE": str(file)}):
                fresh[1].append(time.perf_counter() - begun)
            with serving(PRODUCT, environment, "/accounts/login/") as server:
                again[0].append(server.seconds_to_first_answer)
                time.sleep(1)
                memory[0].append(server.memory_mb())
            with serving(LIMIT, {"BENCH_LIMIT_DATABASE": str(file)}) as server:
                again[1].append(server.seconds_to_first_answer)
                time.sleep(1)
                memory[1].append(server.memory_mb())
    yield Row("start again to first 200", median(again[0]), median(again[1]), "s", 1.95)
    yield Row("start from an empty folder", median(fresh[0]), median(fresh[1]), "s")
    yield Row("idle memory of 2 workers (PSS)", median(memory[0]), median(memory[1]), "MB", 110, absolute=True)
