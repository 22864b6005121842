"""Runs, the uploads that bring them, and tools."""

from __future__ import annotations

from typing import Any

from reviews.models import CaseRun
from tests.route_world import Actor, RouteWorld
from tests.routes.rows import ANALYSTS, BOTH, LEAD, READ, UNKNOWN_ID, WRITE, Foreign, Own, Params, Row, row


def tools(**more: Any) -> tuple[Own, Foreign]:
    """A tool of the project."""
    return (
        lambda world, actor: {"tool_id": world.tool().public_id, **more},
        lambda world, actor: [{"tool_id": world.tool(at_home=False).public_id, **more}],
    )


def intakes() -> tuple[Own, Foreign]:
    """A previewed upload of a tool's output."""
    return (
        lambda world, actor: {"intake_id": world.intake()},
        lambda world, actor: [{"intake_id": world.intake(at_home=False)}, {"intake_id": UNKNOWN_ID}],
    )


def shadow_runs() -> tuple[Own, Foreign]:
    """A run of the project without a version."""
    return (
        lambda world, actor: {"run_id": world.case_run().run.public_id},
        lambda world, actor: [{"run_id": world.case_run(at_home=False).run.public_id}, {"run_id": UNKNOWN_ID}],
    )


def run_cases() -> tuple[Own, Foreign]:
    """A case of a run; one that the run says nothing of is foreign to it."""

    def params(row: CaseRun, other: CaseRun) -> Params:
        return {"run_id": row.run.public_id, "case_id": other.case.public_id}

    def own(world: RouteWorld, actor: Actor) -> Params:
        row = world.case_run()
        return params(row, row)

    def foreign(world: RouteWorld, actor: Actor) -> list[Params]:
        here, there = world.case_run(), world.case_run(at_home=False)
        return [params(there, there), params(here, there), params(here, world.case_run())]

    return own, foreign


ROWS: dict[str, Row] = {
    "run_list": row(ANALYSTS, READ),
    "run_list_csv": row(ANALYSTS, READ),
    "run_page": row(ANALYSTS, READ, shadow_runs()),
    "run_cases_csv": row(ANALYSTS, READ, shadow_runs()),
    "run_case": row(ANALYSTS, READ, run_cases()),
    "intake_new": row(LEAD, BOTH),
    "intake_page": row(LEAD, READ, intakes()),
    "intake_progress": row(LEAD, READ, intakes()),
    "intake_commit": row(LEAD, WRITE, intakes()),
    "intake_discard": row(LEAD, WRITE, intakes()),
    "intake_reread": row(LEAD, WRITE, intakes()),
    "tool_list": row(ANALYSTS, READ),
    "tool_new": row(LEAD, BOTH),
    "tool_page": row(ANALYSTS, READ, tools()),
    "tool_edit": row(LEAD, WRITE, tools()),
    "configuration_new": row(LEAD, BOTH, tools()),
    "source_settings": row(LEAD, BOTH, tools(format_name="sarif")),
}
