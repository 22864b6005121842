"""Real servers on fresh databases: started, driven over HTTP by `tests.services.client`, stopped, killed, restarted.

A `Stage` migrates and fills one database of an engine; scenarios work on copies of it, which take a blink.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg

from tests.services.client import Browser, Unanswered

ROOT = Path(__file__).resolve().parents[2]
SQLITE, POSTGRES = "sqlite", "postgres"
SECRET_KEY = "a-secret-key-for-these-tests-alone-0123456789"
_numbers = itertools.count(1)


def postgres_address() -> str:
    """Return the address of the PostgreSQL server for tests; empty where there is none."""
    return os.environ.get("TOUCHSTONE_TEST_POSTGRES", "")


@dataclass(frozen=True)
class Database:
    """One database, read and written beside the server with plain SQL (`?` marks a parameter)."""

    engine: str
    url: str

    @property
    def name(self) -> str:
        """The file, or the name of the database on its server."""
        path = urlsplit(self.url).path
        return path if self.engine == SQLITE else path.lstrip("/")

    def rows(self, sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query, or nothing of a statement, which is committed."""
        if self.engine == SQLITE:
            connection = sqlite3.connect(self.name, timeout=30, isolation_level=None)
            try:
                return connection.execute(sql, parameters).fetchall()
            finally:
                connection.close()
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(sql.replace("?", "%s"), parameters)
            return cursor.fetchall() if cursor.description else []

    def one(self, sql: str, *parameters: Any) -> Any:
        """Return the only value of the only row."""
        ((value,),) = self.rows(sql, *parameters)
        return value

    def is_sound(self) -> bool:
        """Say whether the stored structures are consistent after a crash."""
        return self.engine != SQLITE or self.rows("PRAGMA integrity_check") == [("ok",)]

    def drop(self) -> None:
        """Remove the database and whoever is connected to it."""
        if self.engine == POSTGRES:
            administer(f'DROP DATABASE IF EXISTS "{self.name}" WITH (FORCE)')


def administer(statement: str) -> None:
    """Run a statement outside any transaction on the PostgreSQL server."""
    with psycopg.connect(postgres_address(), autocommit=True) as connection:
        connection.execute(statement)


def new_database(engine: str, folder: Path, template: Database | None = None) -> Database:
    """Make a database, empty or as a copy of `template`, which nobody may be connected to."""
    name = f"touchstone_faults_{os.getpid()}_{next(_numbers)}"
    if engine == SQLITE:
        file = folder / f"{name}.sqlite3"
        if template is not None:
            shutil.copyfile(template.name, file)
        return Database(engine, f"sqlite:///{file}")
    database = Database(engine, urlunsplit(urlsplit(postgres_address())._replace(path=f"/{name}")))
    database.drop()
    administer(f'CREATE DATABASE "{name}"' + (f' TEMPLATE "{template.name}"' if template else ""))
    return database


def environment_of(database: Database, folder: Path, **more: str) -> dict[str, str]:
    """Return the environment of a process of the product, with nothing of the tests' own settings in it."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("TOUCHSTONE_") and name not in {"DATABASE_URL", "DJANGO_SETTINGS_MODULE"}
    }
    own = {
        "DATABASE_URL": database.url,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "TOUCHSTONE_DATA_DIR": str(folder),
        "TOUCHSTONE_SECRET_KEY": SECRET_KEY,
        "PYTHONUNBUFFERED": "1",
    }
    return {**kept, **own, **more}


class Stage:
    """A migrated database of one engine with people, cases, rounds and seats; `facts` names what it holds."""

    def __init__(self, engine: str, folder: Path, *, pairs: int = 12) -> None:
        self.engine = engine
        self.folder = folder
        self.static = folder / "static"
        self.template = new_database(engine, folder)
        environment = environment_of(self.template, folder, TOUCHSTONE_STATIC_ROOT=str(self.static))
        manage = [sys.executable, "manage.py"]
        for command in (
            [*manage, "migrate", "--noinput", "--verbosity", "0"],
            [*manage, "createcachetable"],
            [*manage, "collectstatic", "--noinput", "--verbosity", "0"],
        ):
            subprocess.run(command, cwd=ROOT, env=environment, check=True)
        told = subprocess.run(
            [sys.executable, "-m", "tests.services.seed", str(pairs)],
            cwd=ROOT,
            env=environment,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.facts: dict[str, Any] = json.loads(told.stdout.splitlines()[-1])
        if engine == SQLITE:
            # The file alone is copied, so nothing may wait in the log beside it.
            self.template.rows("PRAGMA wal_checkpoint(TRUNCATE)")

    def copy(self, folder: Path) -> Database:
        """Return a fresh copy of the filled database."""
        return new_database(self.engine, folder, self.template)

    def server(self, folder: Path, **options: Any) -> Server:
        """Return a server, not yet started, on a fresh copy."""
        return Server(self.copy(folder), folder, static=self.static, facts=self.facts, **options)

    def close(self) -> None:
        """Remove the database."""
        self.template.drop()


def free_port() -> int:
    """Return a port of the loopback interface that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def members_of(group: int) -> list[int]:
    """Return the processes of a process group that still run."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] not in "ZX":
            found.append(int(entry.name))
    return found


def wait_until(question: Callable[[], Any], what: str, seconds: float = 60.0) -> Any:
    """Return the first true answer to `question`; AssertionError names `what` did not happen in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        answer = question()
        if answer:
            return answer
        time.sleep(0.02)
    raise AssertionError(f"not within {seconds:.0f} s: {what}")


class Process:
    """A process of the product with a process group and a log of its own."""

    def __init__(self, command: list[str], environment: dict[str, str], log: Path) -> None:
        self.log = log
        with log.open("ab") as sink:
            self.child = subprocess.Popen(
                command, cwd=ROOT, env=environment, stdout=sink, stderr=sink, start_new_session=True
            )

    def kill(self) -> None:
        """SIGKILL the whole group, and return when none of it runs any more."""
        with suppress(ProcessLookupError):
            os.killpg(self.child.pid, signal.SIGKILL)
        self.child.wait(timeout=30)
        wait_until(lambda: not members_of(self.child.pid), "the killed processes are gone")

    def stop(self) -> None:
        """Ask the process to end, and wait for it."""
        self.child.terminate()
        try:
            self.child.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.kill()


class Server:
    """gunicorn with the product's configuration on a port of its own; the log is one file over all its starts."""

    def __init__(
        self,
        database: Database,
        folder: Path,
        *,
        static: Path,
        facts: dict[str, Any],
        workers: int = 2,
        application: str = "config.wsgi:application",
        **environment: str,
    ) -> None:
        self.database = database
        self.folder = folder
        self.facts = facts
        self.application = application
        self.port = free_port()
        self.log = folder / f"server-{self.port}.log"
        self.environment = environment_of(
            database,
            folder,
            TOUCHSTONE_STATIC_ROOT=str(static),
            TOUCHSTONE_BIND=f"127.0.0.1:{self.port}",
            TOUCHSTONE_WEB_WORKERS=str(workers),
            **environment,
        )
        self.process: Process | None = None

    def start(self, *, expect: int = 200) -> Server:
        """Start, and return when the health check answers `expect`."""
        command = [sys.executable, "-m", "gunicorn", "--config", "python:config.gunicorn", self.application]
        self.process = Process(command, self.environment, self.log)
        wait_until(lambda: self.health() == expect, f"the server answers {expect}: {self.log_text()[-2000:]}")
        return self

    def health(self) -> int:
        """Return the status of the health check; 0 while nobody answers."""
        try:
            return Browser(self.port).get("/healthz").status
        except Unanswered:
            return 0

    def kill(self) -> None:
        """SIGKILL master and workers at once, and return when the database has noticed too."""
        assert self.process is not None
        self.process.kill()
        self.process = None
        if self.database.engine == POSTGRES:
            others = "SELECT count(*) FROM pg_stat_activity WHERE datname = ? AND pid <> pg_backend_pid()"
            wait_until(lambda: self.database.one(others, self.database.name) == 0, "the sessions are gone")

    def stop(self) -> None:
        """End the server if it runs, and drop its database."""
        if self.process is not None:
            self.process.stop()
            self.process = None
        self.database.drop()

    def browser(self) -> Browser:
        """Return a browser that nobody has signed in with."""
        return Browser(self.port)

    def sign_in(self, name: str) -> Browser:
        """Return the browser of a person of the stage who has just signed in through the page."""
        browser = self.browser()
        browser.sign_in(f"{name}@example.org", self.facts["password"])
        return browser

    def signed_in(self, name: str) -> Browser:
        """Return the browser of a person who signed in when the stage was filled; nothing is hashed for it."""
        browser = self.browser()
        browser.cookies["sessionid"] = self.facts["sessions"][name]
        assert browser.get("/", follow=2).status == 200
        assert "csrftoken" in browser.cookies
        return browser

    def command(self, *arguments: str) -> str:
        """Run a `touchstone` command on the same database and return what it says."""
        done = subprocess.run(
            [sys.executable, "-m", "config.cli", *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    def log_text(self) -> str:
        """Return what the server has logged so far."""
        return self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""

    def complaints(self) -> list[str]:
        """Return the lines of the log that tell of an error, each with what follows it."""
        lines = self.log_text().splitlines()
        marks = ("Traceback", " ERROR ", " CRITICAL ", "[ERROR]", "[CRITICAL]", "Internal Server Error")
        return ["\n".join(lines[at : at + 60]) for at, line in enumerate(lines) if any(mark in line for mark in marks)]
