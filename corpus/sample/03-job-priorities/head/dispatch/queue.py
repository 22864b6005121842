"""Put, take and finish jobs."""

import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass

from .fairness import Candidate, choose
from .schema import SCHEMA, UPGRADE

LEASE_SECONDS = 60.0
MAX_ATTEMPTS = 5
LOOK_AHEAD = 50
DEFAULT_PRIORITY = 4


@dataclass(frozen=True)
class Job:
    id: int
    kind: str
    tenant: str
    payload: dict
    attempts: int


class Queue:
    def __init__(self, path: str, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.connection = sqlite3.connect(path, timeout=10, isolation_level=None)
        self.connection.row_factory = sqlite3.Row
        self._prepare()

    def close(self) -> None:
        self.connection.close()

    def put(self, kind: str, payload: dict, tenant: str = "", priority: int = DEFAULT_PRIORITY) -> int:
        cursor = self.connection.execute(
            "INSERT INTO job (kind, tenant, priority, payload) VALUES (?, ?, ?, ?)",
            (kind, tenant, priority, json.dumps(payload)),
        )
        return cursor.lastrowid

    def claim(self, worker: str) -> Job | None:
        """Take the next ready job in the order of docs/workers.md, or None if there is none."""
        candidates = self._candidates()
        if not candidates:
            return None
        job = choose(candidates, self._leases())
        self.connection.execute(
            "UPDATE job SET state = 'leased', worker = ?, leased_until = ?, attempts = attempts + 1"
            " WHERE id = ?",
            (worker, self.clock() + LEASE_SECONDS, job.id),
        )
        return self._job(job.id)

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

    def _prepare(self) -> None:
        columns = {row["name"] for row in self.connection.execute("PRAGMA table_info(job)")}
        if columns and "priority" not in columns:
            self.connection.executescript(UPGRADE)
        self.connection.executescript(SCHEMA)

    def _candidates(self) -> list[Candidate]:
        rows = self.connection.execute(
            "SELECT id, tenant, priority FROM job WHERE state = 'ready' ORDER BY priority DESC, id LIMIT ?",
            (LOOK_AHEAD,),
        )
        return [Candidate(row["id"], row["tenant"], row["priority"]) for row in rows]

    def _leases(self) -> dict[str, int]:
        rows = self.connection.execute("SELECT tenant, count(*) AS held FROM job WHERE state = 'leased' GROUP BY tenant")
        return {row["tenant"]: row["held"] for row in rows}

    def _job(self, job_id: int) -> Job:
        row = self.connection.execute("SELECT * FROM job WHERE id = ?", (job_id,)).fetchone()
        return Job(row["id"], row["kind"], row["tenant"], json.loads(row["payload"]), row["attempts"])
