"""Taking in what tools said: 1,735 candidates of 12 tools on 50 cases, and 5,000 results of a linter on one case."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

from bench.timing import Row
from bench.world import World, patch_of

CASES, TOOLS, CANDIDATES = 50, 12, 1_735
RESULTS = 5_000


def candidates() -> bytes:
    """Return a file of candidates by pull request and tool, spread evenly."""
    pulls: dict[str, dict[str, list[dict[str, str]]]] = {
        address(number): {f"tool-{tool}": [] for tool in range(TOOLS)} for number in range(CASES)
    }
    for number in range(CANDIDATES):
        said = f"The retry of order {number} is charged twice when the gateway answers late, since no key is sent."
        pulls[address(number % CASES)][f"tool-{number % TOOLS}"].append({"text": said})
    return json.dumps(pulls).encode()


def address(number: int) -> str:
    """Return where a case came from."""
    return f"https://example.org/acme/pay/pull/{number}"


def sarif(path: str) -> bytes:
    """Return a linter's report on one file."""
    results = [
        {
            "ruleId": f"R{number % 40}",
            "message": {"text": f"Result {number}: the value may be absent."},
            "locations": [
                {"physicalLocation": {"artifactLocation": {"uri": path}, "region": {"startLine": 1 + number % 40}}}
            ],
        }
        for number in range(RESULTS)
    ]
    run = {"tool": {"driver": {"name": "lint"}}, "results": results}
    return json.dumps({"version": "2.1.0", "runs": [run]}).encode()


def measure(world: World) -> Iterator[Row]:
    """Measure preview and confirmation of both files."""
    from corpus.services.case_facts import CaseFacts
    from corpus.services.cases import create_case_from_patch, create_incomplete_case
    from reviews.domain.vocabulary import ToolKind
    from reviews.services.intakes import Target
    from reviews.services.tools import create_tool

    for number in range(CASES):
        facts = CaseFacts(external_url=address(number))
        create_incomplete_case(
            project=world.project, reference=address(number), missing="Its change.", facts=facts, imported_by=world.lead
        )
    yield from taken_in(world, f"{CANDIDATES} candidates of {TOOLS} tools", candidates(), Target())
    case = create_case_from_patch(
        project=world.project, patch=patch_of(900_001), facts=CaseFacts(), imported_by=world.lead
    ).case
    tool = create_tool(project=world.project, name="Lint", kind=ToolKind.LINTER, actor=world.lead)
    path = case.files.order_by("position")[0].new_path_text
    yield from taken_in(world, f"{RESULTS} SARIF results", sarif(path), Target(tool=tool, for_case=case))


def taken_in(world: World, what: str, data: bytes, target: object) -> Iterator[Row]:
    """Preview and confirm one file, and yield the CPU of both."""
    from corpus.importers.records import Source
    from corpus.services.jobs import run_next_job
    from reviews.services.intakes import commit_intake, preview_intake

    begun, cpu = time.perf_counter(), time.process_time()
    intake = preview_intake(
        project=world.project,
        source=Source("bench.json", data),
        target=target,
        created_by=world.lead,  # type: ignore[arg-type]
    )
    previewed, previewed_cpu = time.perf_counter() - begun, time.process_time() - cpu
    begun, cpu = time.perf_counter(), time.process_time()
    commit_intake(intake=intake, actor=world.lead)
    while run_next_job() is not None:
        pass
    committed, committed_cpu = time.perf_counter() - begun, time.process_time() - cpu
    intake.refresh_from_db()
    assert intake.state == "committed", intake.state
    yield Row(f"{what}: preview, CPU", previewed_cpu, None, "s", note=f"{previewed:.2f} s wall")
    yield Row(f"{what}: confirm, CPU", committed_cpu, None, "s", note=f"{committed:.2f} s wall")
