"""Put, take and finish jobs."""

import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass

from .schema import SCHEMA

LEASE_SECONDS = 60.0
MAX_ATTEMPTS = 5


@dataclass(frozen=True)
class Job:
    id: int
    kind: str
    payload: dict
    attempts: int


class Queue:
    def __init__(self, path: str, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.connection = sqlite3.connect(path, timeout=10, isolation_level=None)
        self.connection.row_factory = sqlite3.Row
        self.connection.executescript(SCHEMA)

    def close(self) -> None:
        self.connection.close()

    def put(self, kind: str, payload: dict) -> int:
        cursor = self.connection.execute("INSERT INTO job (kind, payload) VALUES (?, ?)", (kind, json.dumps(payload)))
        return cursor.lastrowid

    def claim(self, worker: str) -> Job | None:
        """Take the oldest ready job, or None if there is none."""
        while True:
            row = self.connection.execute(
                "SELECT id FROM job WHERE state = 'ready' ORDER BY id LIMIT 1"
            ).fetchone()
            if row is None:
                return None
            cursor = self.connection.execute(
                "UPDATE job SET state = 'leased', worker = ?, leased_until = ?, attempts = attempts + 1"
                " WHERE id = ? AND state = 'ready'",
                (worker, self.clock() + LEASE_SECONDS, row["id"]),
            )
            if cursor.rowcount == 1:
                return self._job(row["id"])

    def finish(self, job: Job, worker: str) -> bool:
        """Mark the job as done; False if the worker no longer holds it."""
        cursor = self.connection.execute(
            "UPDATE job SET state = 'done', worker = NULL WHERE id = ? AND state = 'leased' AND worker = ?",
            (job.id, worker),
        )
        return cursor.rowcount == 1

    def fail(self, job: Job, worker: str, error: str) -> bool:
        """Make the job ready again, or dead after MAX_ATTEMPTS; False if the worker no longer holds it."""
        state = "dead" if job.attempts >= MAX_ATTEMPTS else "ready"
        cursor = self.connection.execute(
            "UPDATE job SET state = ?, worker = NULL, error = ? WHERE id = ? AND state = 'leased' AND worker = ?",
            (state, error[:500], job.id, worker),
        )
        return cursor.rowcount == 1

    def reap(self) -> int:
        """Make jobs with an expired lease ready again; returns how many."""
        cursor = self.connection.execute(
            "UPDATE job SET state = 'ready', worker = NULL WHERE state = 'leased' AND leased_until < ?",
            (self.clock(),),
        )
        return cursor.rowcount

    def _job(self, job_id: int) -> Job:
        row = self.connection.execute("SELECT * FROM job WHERE id = ?", (job_id,)).fetchone()
        return Job(row["id"], row["kind"], json.loads(row["payload"]), row["attempts"])
