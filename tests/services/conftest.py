"""Stages of both engines, each built once and only when a scenario asks for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.services.server import POSTGRES, SQLITE, Server, Stage, postgres_address

MakeServer = Callable[..., Server]


@pytest.fixture(scope="session")
def stages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Stage]]:
    """Return a function that gives the stage of an engine."""
    built: dict[str, Stage] = {}

    def stage_of(engine: str) -> Stage:
        if engine not in built:
            built[engine] = Stage(engine, tmp_path_factory.mktemp(f"stage-{engine}"))
        return built[engine]

    yield stage_of
    for stage in built.values():
        stage.close()


@pytest.fixture(params=[SQLITE, POSTGRES])
def stage(request: pytest.FixtureRequest, stages: Callable[[str], Stage]) -> Stage:
    """Run the test on both engines."""
    if request.param == POSTGRES and not postgres_address():
        pytest.skip("PostgreSQL is not there")
    return stages(request.param)


@pytest.fixture
def make_server(stage: Stage, tmp_path: Path) -> Iterator[MakeServer]:
    """Return a function that starts a server on a fresh copy; it is stopped when the test ends."""
    started: list[Server] = []

    def make(**options: Any) -> Server:
        server = stage.server(tmp_path, **options)
        started.append(server)
        return server.start()

    yield make
    for server in started:
        server.stop()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let two test processes share the work by engine, so that each builds one stage."""
    for item in items:
        if "tests/services/" in item.path.as_posix():
            parameters = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
            engine = parameters.get("stage", parameters.get("swept", POSTGRES))
            item.add_marker(pytest.mark.xdist_group(engine))
