"""The composition is well formed, and its very commands serve pages and carry a job on real services.

No container engine is needed: the commands are read from compose.yaml and started as processes against the local
PostgreSQL and Redis, with the environment that compose.yaml sets.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = yaml.safe_load((ROOT / "docker" / "compose.yaml").read_text(encoding="utf-8"))
SERVICES = COMPOSE["services"]
DATABASE = f"touchstone_compose_{os.getpid()}"
PORT = 18000 + os.getpid() % 1000


def variables_of(text: str) -> set[str]:
    """Return the names of the variables a compose value interpolates."""
    return set(re.findall(r"\$\{([A-Z_]+)", text))


def test_every_service_of_the_composition_is_there_with_a_health_check() -> None:
    assert set(SERVICES) == {"migrate", "web", "worker", "postgres", "redis"}
    for name in ("worker", "postgres", "redis"):
        assert SERVICES[name]["healthcheck"]["test"], name
    dockerfile = (ROOT / "docker" / "Dockerfile").read_text(encoding="utf-8")
    assert dockerfile.count("FROM ") == 2
    assert "HEALTHCHECK" in dockerfile
    assert "\nUSER touchstone\n" in dockerfile


def test_the_example_names_every_variable_the_composition_asks_for() -> None:
    asked = variables_of((ROOT / "docker" / "compose.yaml").read_text(encoding="utf-8"))
    example = (ROOT / "docker" / "env.example").read_text(encoding="utf-8")
    assert asked == set(re.findall(r"^([A-Z_]+)=", example, flags=re.M))


def test_the_image_copies_every_package_the_project_has() -> None:
    dockerfile = (ROOT / "docker" / "Dockerfile").read_text(encoding="utf-8")
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests", "bench"}
    assert packages <= set(re.findall(r"^COPY (\w+) \w+$", dockerfile, flags=re.M))


@pytest.fixture
def environment():
    """Return the environment of compose.yaml with the local services in place of its own, on a fresh database."""
    postgres = os.environ["TOUCHSTONE_TEST_POSTGRES"]
    redis = os.environ["TOUCHSTONE_TEST_REDIS"]
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {DATABASE}")
        connection.execute(f"CREATE DATABASE {DATABASE}")
    local = {
        "DATABASE_URL": urlunsplit(urlsplit(postgres)._replace(path=f"/{DATABASE}")),
        "TOUCHSTONE_BROKER_URL": redis,
        "TOUCHSTONE_CACHE_URL": redis,
        "TOUCHSTONE_SECRET_KEY": "a-secret-key-for-this-test-alone-0123456789",
        "TOUCHSTONE_QUEUE": f"queue-{os.getpid()}",
        "TOUCHSTONE_BIND": f"127.0.0.1:{PORT}",
    }
    composed = {
        key: re.sub(r"\$\{[A-Z_]+:?-?([^}]*)\}", r"\1", str(value))
        for key, value in SERVICES["web"]["environment"].items()
    }
    yield {**os.environ, **composed, **local, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")


def command_of(service: str, folder: Path) -> list[str]:
    """Return a service's command with the container's data folder replaced."""
    return [word.replace("/var/lib/touchstone", str(folder)) for word in SERVICES[service]["command"]]


def answer(path: str) -> int:
    """Return the status of a page, 0 while nobody listens."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{PORT}{path}", timeout=5) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def wait_for(question, seconds: float = 60):
    """Return the first true answer to `question`, or fail."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = question()
        if value:
            return value
        time.sleep(0.3)
    pytest.fail(f"no answer within {seconds} s")


ENQUEUE = """
import django; django.setup()
from corpus.models import User
from corpus.services.projects import create_project
from corpus.services import jobs
lead = User.objects.create_user(email="lead@example.org", name="Lea")
project = create_project(name="Compose", lead=lead)
job = jobs.enqueue(kind="echo", project=project, created_by=lead, subject="hello")
print(job.public_id)
"""


@pytest.mark.services
@pytest.mark.skipif(
    not (os.environ.get("TOUCHSTONE_TEST_POSTGRES") and os.environ.get("TOUCHSTONE_TEST_REDIS")),
    reason="PostgreSQL or Redis is not there",
)
def test_the_composed_commands_serve_pages_and_carry_a_job(environment, tmp_path) -> None:
    subprocess.run(command_of("migrate", tmp_path), cwd=ROOT, env=environment, check=True, capture_output=True)
    logs = {name: (tmp_path / f"{name}.log").open("wb") for name in ("web", "worker")}
    processes = {
        name: subprocess.Popen(command_of(name, tmp_path), cwd=ROOT, env=environment, stdout=log, stderr=log)
        for name, log in logs.items()
    }
    try:
        assert wait_for(lambda: answer("/healthz")) == 200
        assert answer("/accounts/login/") == 200
        started = subprocess.run(
            [sys.executable, "-c", ENQUEUE],
            cwd=ROOT,
            env={**environment, "DJANGO_SETTINGS_MODULE": "config.settings"},
            check=True,
            capture_output=True,
            text=True,
        )
        public_id = started.stdout.split()[-1]

        def finished() -> tuple[str, str] | None:
            with psycopg.connect(environment["DATABASE_URL"]) as connection:
                row = connection.execute(
                    "SELECT state, message FROM corpus_job WHERE public_id = %s", [public_id]
                ).fetchone()
            return row if row and row[0] in {"done", "failed"} else None

        assert wait_for(finished) == ("done", "hello")
    finally:
        for process in processes.values():
            process.terminate()
        for process in processes.values():
            process.wait(timeout=30)
        for log in logs.values():
            log.close()
    for name in logs:
        text = (tmp_path / f"{name}.log").read_text(encoding="utf-8", errors="replace")
        assert "Traceback" not in text, text[-3000:]
