"""Adjudication."""

from __future__ import annotations

from typing import Any

from corpus.models import Case
from labeling.models import ComparedLabel, Disagreement
from tests.route_world import Actor, RouteWorld
from tests.routes.rows import ADJUDICATORS, BOTH, READ, WRITE, Foreign, Own, Params, Row, row, viewer_rows


def compared_cases(**more: Any) -> tuple[Own, Foreign]:
    """A case whose labels were compared; one that was not, and another project's, are foreign."""
    return (
        lambda world, actor: {"case_id": world.disagreement().comparison.round.case.public_id, **more},
        lambda world, actor: [
            {"case_id": world.disagreement(at_home=False).comparison.round.case.public_id, **more},
            {"case_id": world.ready_case().public_id, **more},
        ],
    )


def compared_labels() -> tuple[Own, Foreign]:
    """A label of a compared case; one of another case is foreign under every case."""

    def params(case: Case, label: ComparedLabel) -> Params:
        return {"case_id": case.public_id, "label_id": label.public_id}

    def one(world: RouteWorld, at_home: bool = True) -> tuple[Case, ComparedLabel]:
        comparison = world.disagreement(at_home).comparison
        return comparison.round.case, comparison.compared_labels.get()

    def foreign(world: RouteWorld, actor: Actor) -> list[Params]:
        (here, _), (there, theirs), (_, other) = one(world), one(world, False), one(world)
        return [params(there, theirs), params(here, theirs), params(here, other)]

    return lambda world, actor: params(*one(world)), foreign


def disagreements() -> tuple[Own, Foreign]:
    """A disagreement; one of another case is foreign under every case."""

    def params(row: Disagreement, item: Disagreement) -> Params:
        return {"case_id": row.comparison.round.case.public_id, "item_id": item.public_id}

    def own(world: RouteWorld, actor: Actor) -> Params:
        row = world.disagreement()
        return params(row, row)

    def foreign(world: RouteWorld, actor: Actor) -> list[Params]:
        here, there = world.disagreement(), world.disagreement(at_home=False)
        return [params(there, there), params(here, there), params(here, world.disagreement())]

    return own, foreign


ROWS: dict[str, Row] = {
    "adjudication_queue": row(ADJUDICATORS, READ),
    "adjudication_queue_csv": row(ADJUDICATORS, READ),
    "adjudication": row(ADJUDICATORS, READ, compared_cases()),
    "adjudication_panel": row(ADJUDICATORS, READ, compared_cases()),
    "adjudication_agreed": row(ADJUDICATORS, WRITE, compared_cases()),
    "adjudication_confirm": row(ADJUDICATORS, WRITE, compared_cases()),
    "adjudication_decide": row(ADJUDICATORS, WRITE, disagreements()),
    "adjudication_undo": row(ADJUDICATORS, WRITE, disagreements()),
    "adjudication_pairing": row(ADJUDICATORS, BOTH, compared_labels()),
    **viewer_rows("adjudication", ADJUDICATORS, compared_cases),
}
