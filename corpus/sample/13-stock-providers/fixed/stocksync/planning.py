"""Compares quantities with the shop."""

import sqlite3
from collections.abc import Mapping

from .model import Change, Plan


class Brake(Exception):
    """The plan would empty too much of the shop."""


def make_plan(connection: sqlite3.Connection, quantities: Mapping[str, int], prefix: str, complete: bool) -> Plan:
    """What has to change so that the shop holds `quantities`.

    With a complete list, the provider's items that it does not name are set to 0.
    """
    changes: list[Change] = []
    unknown: list[str] = []
    named: set[str] = set()
    shop = {known.upper(): (known, quantity) for known, quantity in connection.execute("SELECT sku, quantity FROM item")}
    for sku, after in sorted(quantities.items()):
        row = shop.get(sku)
        if row is None:
            unknown.append(sku)
            continue
        known, before = row
        named.add(known)
        if before != after:
            changes.append(Change(known, before, after))
    covered = items_of(connection, prefix)
    if complete:
        changes += [Change(sku, before, 0) for sku, before in covered.items() if sku not in named and before]
    zeroed = sum(change.after == 0 for change in changes)
    return Plan(tuple(changes), tuple(unknown), len(covered), zeroed)


def items_of(connection: sqlite3.Connection, prefix: str) -> dict[str, int]:
    """Quantity by SKU of all items that belong to the prefix."""
    rows = connection.execute(
        "SELECT sku, quantity FROM item WHERE substr(upper(sku), 1, ?) = ?", (len(prefix), prefix.upper())
    )
    return dict(rows)


def check_brake(plan: Plan, percent: int) -> None:
    """Raise Brake if the plan sets more than that share of the provider's items to 0."""
    if plan.zeroed * 100 > plan.covered * percent:
        raise Brake(f"{plan.zeroed} of {plan.covered} items would be set to 0, the limit is {percent} %")


def write_plan(connection: sqlite3.Connection, plan: Plan) -> None:
    """Set the quantities, all or none."""
    with connection:
        connection.executemany(
            "UPDATE item SET quantity = ? WHERE sku = ?", [(change.after, change.sku) for change in plan.changes]
        )
