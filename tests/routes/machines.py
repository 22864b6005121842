"""Runs, rulings and scorecards."""

from __future__ import annotations

from tests.routes.rows import ADJUDICATORS, ANALYSTS, BOTH, READ, UNKNOWN_ID, WRITE, Foreign, Own, Row, row


def runs() -> tuple[Own, Foreign]:
    """A run against a version; another project's is foreign."""
    return (
        lambda world, actor: {"run_id": world.run().public_id},
        lambda world, actor: [{"run_id": world.run(at_home=False).public_id}, {"run_id": UNKNOWN_ID}],
    )


def matches() -> tuple[Own, Foreign]:
    """A match that waits for a ruling; another project's is foreign."""
    return (
        lambda world, actor: {"match_id": world.match().public_id},
        lambda world, actor: [{"match_id": world.match(at_home=False).public_id}, {"match_id": UNKNOWN_ID}],
    )


ROWS: dict[str, Row] = {
    "ruling_queue": row(ADJUDICATORS, READ),
    "ruling_next": row(ADJUDICATORS, WRITE),
    "ruling": row(ADJUDICATORS, BOTH, matches()),
    "run_comparison": row(ANALYSTS, READ),
    "scorecard": row(ANALYSTS, READ, runs()),
    "scorecard_json": row(ANALYSTS, READ, runs()),
    "run_findings_file": row(ANALYSTS, READ, runs()),
    "run_rulings_file": row(ANALYSTS, READ, runs()),
}
