"""The sample work goes from one database engine to the other and back by one command each."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services.server import POSTGRES, SQLITE, Database, environment_of, new_database, postgres_address

pytestmark = [pytest.mark.services, pytest.mark.skipif(not postgres_address(), reason="PostgreSQL is not there")]


def command(database: Database, folder: Path, *words: str) -> str:
    """Run `touchstone` on a database and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "config.cli", *words],
        env=environment_of(database, folder),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def digest_in(said: str) -> str:
    [found] = re.findall(r"digest ([0-9a-f]{64})", said)
    return found


@pytest.fixture
def databases(tmp_path: Path) -> Iterator[list[Database]]:
    """SQLite, PostgreSQL, and SQLite again; all empty."""
    made = [new_database(engine, tmp_path) for engine in (SQLITE, POSTGRES, SQLITE)]
    yield made
    for each in made:
        each.drop()


def test_the_sample_work_goes_there_and_back(databases: list[Database], tmp_path: Path) -> None:
    first, second, third = databases
    command(first, tmp_path, "migrate", "--verbosity", "0")
    command(first, tmp_path, "demo")
    written = digest_in(command(first, tmp_path, "backup", str(tmp_path / "1.zip")))
    assert digest_in(command(second, tmp_path, "restore", str(tmp_path / "1.zip"))) == written
    command(second, tmp_path, "verify_audit")
    # The second backup adds its own line to the audit trail, and is otherwise the first.
    again = digest_in(command(second, tmp_path, "backup", str(tmp_path / "2.zip")))
    assert digest_in(command(third, tmp_path, "restore", str(tmp_path / "2.zip"))) == again
    assert again != written
    manifests = [database.rows("SELECT manifest_sha256 FROM corpus_corpusversion") for database in databases]
    assert manifests[0] == manifests[1] == manifests[2] != []
