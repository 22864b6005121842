"""A database that is away, busy or just back is said in a sentence, and nothing else goes wrong."""

from __future__ import annotations

import sqlite3
import threading
import time
from pathlib import Path

import pytest
from django.db import InterfaceError, OperationalError
from django.test import Client

from tests.factories import make_user
from tests.services.conftest import MakeServer
from tests.services.ledger import reviewer_at
from tests.services.server import POSTGRES, SQLITE, Database, Server, Stage, administer, free_port, wait_until

services = pytest.mark.services


def away(engine: str, folder: Path) -> Database:
    """Return a database that nobody can reach."""
    if engine == SQLITE:
        return Database(engine, f"sqlite:///{folder}/missing/touchstone.sqlite3")
    return Database(engine, f"postgresql://postgres@127.0.0.1:{free_port()}/touchstone")


@services
def test_the_health_check_answers_503_in_one_sentence_while_the_database_is_away(stage: Stage, tmp_path: Path) -> None:
    server = Server(away(stage.engine, tmp_path), tmp_path, static=stage.static, facts=stage.facts, workers=1)
    try:
        server.start(expect=503)
        answer = server.browser().get("/healthz")
        assert (answer.status, answer.json["reason"]) == (503, "The database does not answer.")
        assert "Traceback" not in server.log_text()
        with_session = server.browser()
        with_session.cookies["sessionid"] = stage.facts["sessions"]["ada"]
        for path in ("/healthz", "/", f"/p/{stage.facts['project']}/queue/"):
            assert with_session.get(path).status == 503, path
        page = with_session.get("/")
        assert "The database does not answer" in page.text
        assert page.header("Retry-After") == "5"
    finally:
        assert server.process is not None
        server.process.stop()


@services
@pytest.mark.parametrize("stage", [POSTGRES], indirect=True)
def test_a_database_that_comes_back_is_used_again_and_lost_nothing(stage: Stage, make_server: MakeServer) -> None:
    server = make_server()
    one = reviewer_at(server, "ada", 0)
    one.act()
    name = server.database.name
    for _ in range(2):
        administer(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
        one.act()
    assert one.surprises == [], "after a restart of the database not even the first request fails"
    administer(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
    administer(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
    try:
        assert server.health() == 503
        one.act()
        assert [found.split(":")[1].split()[0] for found in one.surprises] == ["503"]
    finally:
        administer(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')
    wait_until(lambda: server.health() == 200, "the database is used again", seconds=20)
    one.surprises.clear()
    one.send_again()
    one.act()
    assert one.differences(server.database) == []


@services
@pytest.mark.parametrize("stage", [SQLITE], indirect=True)
def test_saves_wait_for_a_long_write_of_somebody_else(make_server: MakeServer) -> None:
    server = make_server(workers=4)
    one = reviewer_at(server, "ada", 0)
    one.act()
    # The first look at a case is noted; the later ones only read.
    assert one.browser.get(one.address).status == 200
    lock = sqlite3.connect(server.database.name, isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    thread = threading.Thread(target=one.act)
    thread.start()
    time.sleep(6)
    assert one.acknowledged == 1, "the save waits"
    assert one.browser.get(one.address).status == 200, "readers do not wait for a writer"
    lock.execute("ROLLBACK")
    lock.close()
    thread.join(timeout=30)
    assert one.acknowledged == 2
    assert one.differences(server.database) == []
    assert server.complaints() == []


@pytest.mark.parametrize(
    ("error", "status"),
    [(OperationalError("database is locked"), 503), (InterfaceError("connection closed"), 503), (KeyError("x"), 500)],
)
def test_what_nobody_caught_is_503_while_the_database_is_at_fault_and_500_otherwise(
    db, monkeypatch, no_error_is_logged, error, status
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("config.views.current_project", broken)
    client = Client(raise_request_exception=False)
    client.force_login(make_user("Ada Reviewer"))
    answer = client.get("/")
    assert answer.status_code == status
    assert ("The database does not answer" in answer.content.decode()) == (status == 503)
    # It stays in the log for whoever runs the site.
    assert [record.exc_info[1] for record in no_error_is_logged.records] == [error]
    no_error_is_logged.records.clear()
