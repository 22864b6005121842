"""A worker that is killed in the middle of a job: the next one goes on where it stopped, and nothing is done twice."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services.client import Browser
from tests.services.conftest import MakeServer
from tests.services.server import POSTGRES, Process, Server, members_of, wait_until

pytestmark = pytest.mark.services
# Three lots of the importer and a bit: enough to be killed in the middle of.
RECORDS = 620


def changes() -> bytes:
    """Return many small changes, one a line of JSON."""
    lines = []
    for number in range(RECORDS):
        patch = (
            f"--- a/app/module{number}.py\n+++ b/app/module{number}.py\n@@ -1,3 +1,3 @@\n"
            f" LIMIT = {number}\n-STEP = 1\n+STEP = {number + 2}\n NAME = 'module{number}'\n"
        )
        lines.append(json.dumps({"id": f"change-{number}", "patch": patch}))
    return "\n".join(lines).encode()


class Import:
    """An upload that was previewed and committed by a lead over HTTP, so that its job waits for a worker."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.database = server.database
        self.cases_before = self.count("corpus_case")
        browser: Browser = server.signed_in("lead")
        project = f"/p/{server.facts['project']}"
        assert browser.get(f"{project}/imports/new/").status == 200
        uploaded = browser.upload(
            f"{project}/imports/new/",
            {"upload-source_kind": "expert", "upload-split": "dev", "upload-format": "", "from": "upload"},
            {"upload-file": ("changes.jsonl", changes())},
        )
        assert uploaded.status == 302, uploaded.text[-3000:]
        page = uploaded.header("Location")
        self.batch = page.rstrip("/").rpartition("/")[2]
        for _ in range(2):
            assert browser.post(f"{page}commit/").status == 302, "committing twice is the same as once"

    def count(self, table: str) -> int:
        """Return the number of rows of a table."""
        return int(self.database.one(f"SELECT count(*) FROM {table}"))

    def job(self) -> tuple[str, int, int]:
        """Return state, cursor and attempts of the only job of this import."""
        ((state, cursor, attempts),) = self.database.rows(
            "SELECT state, cursor, attempts FROM corpus_job WHERE kind = 'import' AND subject = ?", self.batch
        )
        return state, int(cursor), int(attempts)

    def imported(self) -> set[int]:
        """Return the keys of the cases this import has stored so far."""
        rows = self.database.rows(
            "SELECT r.case_id FROM corpus_importrecord r JOIN corpus_importbatch b ON b.id = r.batch_id"
            " WHERE b.public_id = ? AND r.case_id IS NOT NULL",
            self.batch,
        )
        return {case for (case,) in rows}

    def wait_for_the_middle(self) -> None:
        """Return when some records are stored and others are not."""
        wait_until(lambda: self.job()[1] > 0, "the first lot is stored")

    def let_the_lease_run_out(self) -> None:
        """Put the end of the dead worker's lease into the past, as if a minute had gone by."""
        self.database.rows(
            "UPDATE corpus_job SET lease_until = ? WHERE subject = ? AND state = 'running'",
            "2020-01-01 00:00:00+00:00" if self.database.engine == POSTGRES else "2020-01-01 00:00:00",
            self.batch,
        )

    def check_whole(self, kept: set[int]) -> None:
        """Everything is there once, and what the dead worker had stored was not stored again."""
        state, cursor, attempts = self.job()
        assert (state, cursor, attempts) == ("done", RECORDS, 2)
        assert 0 < len(kept) < RECORDS
        assert kept < self.imported()
        assert len(self.imported()) == RECORDS
        assert self.count("corpus_case") == self.cases_before + RECORDS
        batch = self.database.rows(
            "SELECT state, accepted, rejected, duplicates FROM corpus_importbatch WHERE public_id = ?", self.batch
        )
        assert batch == [("committed", RECORDS, 0, 0)]
        committed = "SELECT count(*) FROM corpus_auditentry WHERE verb = 'import committed' AND subject = ?"
        assert self.database.one(committed, f"import {self.batch}") == 1


@pytest.fixture
def processes() -> Iterator[list[Process]]:
    """Kill what a test has started beside the server."""
    started: list[Process] = []
    yield started
    for process in started:
        process.kill()


def test_an_import_goes_on_where_a_killed_worker_left_it(make_server: MakeServer, processes: list[Process]) -> None:
    server = make_server()
    one = Import(server)
    command = [sys.executable, "-m", "config.cli", "worker", "--interval", "0.05"]
    first = Process(command, server.environment, server.folder / "worker-1.log")
    processes.append(first)
    one.wait_for_the_middle()
    first.kill()
    state, cursor, attempts = one.job()
    assert (state, attempts) == ("running", 1)
    assert cursor < RECORDS, "the worker was killed in the middle"
    kept = one.imported()
    assert len(kept) == cursor, "cursor and effects are stored together"
    server.command("worker", "--once")
    assert one.job() == ("running", cursor, 1), "nobody takes the job while the lease holds"
    one.let_the_lease_run_out()
    server.command("worker", "--once")
    one.check_whole(kept)
    assert server.database.is_sound()


def redis() -> str:
    """Return the address of the broker for tests; empty where there is none."""
    return os.environ.get("TOUCHSTONE_TEST_REDIS", "")


@pytest.mark.skipif(not redis(), reason="Redis is not there")
@pytest.mark.parametrize("stage", [POSTGRES], indirect=True)
@pytest.mark.parametrize("victim", ["the whole worker", "one process of its pool"])
def test_an_import_goes_on_after_a_killed_worker_of_the_broker(
    make_server: MakeServer, processes: list[Process], tmp_path: Path, victim: str
) -> None:
    server = make_server(TOUCHSTONE_BROKER_URL=redis(), TOUCHSTONE_QUEUE=f"faults-{os.getpid()}-{tmp_path.name}")

    def worker(name: str) -> Process:
        command = [sys.executable, "-m", "celery", "--app", "config.celery", "worker", "--concurrency", "2"]
        command += ["--beat", "--schedule", str(tmp_path / f"beat-{name}"), "--loglevel", "info"]
        process = Process(command, server.environment, tmp_path / f"celery-{name}.log")
        processes.append(process)
        return process

    first = worker("first")
    one = Import(server)
    one.wait_for_the_middle()
    if victim == "the whole worker":
        first.kill()
    else:
        for pid in members_of(first.child.pid):
            if pid != first.child.pid:
                os.kill(pid, signal.SIGKILL)
    kept = one.imported()
    assert one.job()[0] == "running"
    one.let_the_lease_run_out()
    if victim == "the whole worker":
        worker("second")
    wait_until(lambda: one.job()[0] == "done", "the job is taken up by a redelivery or a sweep", seconds=90)
    one.check_whole(kept)
