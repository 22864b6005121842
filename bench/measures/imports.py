"""Importing 1,000 unified diffs of 150 lines, previewed and committed, against as many rows inserted by SQLite."""

from __future__ import annotations

import io
import sqlite3
import tarfile
import time
from collections.abc import Iterator

from bench.timing import Row
from bench.world import World, patch_of

COUNT = 1_000


def archive(first: int) -> bytes:
    """Return a tar of patches."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for number in range(COUNT):
            data = patch_of(first + number)
            entry = tarfile.TarInfo(f"{number:04}.patch")
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def measure(world: World) -> Iterator[Row]:
    """Measure reading, previewing and committing; the limit reads the same archive and inserts 1,000 rows."""
    from corpus.importers.records import Source
    from corpus.services.imports import commit_import, preview_import
    from corpus.services.jobs import run_next_job

    data = archive(100_000)
    source = Source("bench.tar", data)
    limit_wall, limit_cpu = bare_import(world, data)
    begun, cpu = time.perf_counter(), time.process_time()
    batch = preview_import(project=world.project, source=source, created_by=world.lead)
    previewed, previewed_cpu = time.perf_counter() - begun, time.process_time() - cpu
    begun, cpu = time.perf_counter(), time.process_time()
    commit_import(batch=batch, actor=world.lead)
    while run_next_job() is not None:
        pass
    committed, committed_cpu = time.perf_counter() - begun, time.process_time() - cpu
    batch.refresh_from_db()
    assert (batch.state, batch.accepted) == ("committed", COUNT), f"{batch.state}: {batch.accepted} accepted"
    yield Row("import 1,000: preview, CPU", previewed_cpu, limit_cpu, "s", note=f"{previewed:.2f} s wall")
    yield Row("import 1,000: commit, CPU", committed_cpu, limit_cpu, "s", note=f"{committed:.2f} s wall")
    yield Row("import 1,000, wall", previewed + committed, limit_wall, "s", 1.8)


def bare_import(world: World, data: bytes) -> tuple[float, float]:
    """Return wall and CPU seconds of reading the archive and inserting its patches in one transaction."""
    database = sqlite3.connect(world.folder / "limit-import.sqlite3")
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("CREATE TABLE patch (id INTEGER PRIMARY KEY, name TEXT UNIQUE, data BLOB)")
    begun, cpu = time.perf_counter(), time.process_time()
    with tarfile.open(fileobj=io.BytesIO(data)) as tar, database:
        for entry in tar:
            content = tar.extractfile(entry)
            assert content is not None
            database.execute("INSERT INTO patch (name, data) VALUES (?, ?)", (entry.name, content.read()))
    spent = time.perf_counter() - begun, time.process_time() - cpu
    database.close()
    return spent
