"""One line for each provider."""

from collections.abc import Iterable

from .model import Outcome


def line(outcome: Outcome) -> str:
    """What became of the provider."""
    if outcome.refusal:
        return f"{outcome.provider}: refused, {outcome.refusal}"
    plan = outcome.plan
    if plan is None:
        return f"{outcome.provider}: nothing read"
    share = 100 * len(plan.unknown) / outcome.read if outcome.read else 0.0
    parts = [
        f"{outcome.read} read",
        f"{len(plan.changes)} changed",
        f"{plan.zeroed} set to 0",
        f"{len(plan.unknown)} unknown ({share:.1f} %)",
    ]
    return f"{outcome.provider}: {', '.join([*parts, *outcome.notes])}"


def table(outcomes: Iterable[Outcome]) -> str:
    """All lines, refused providers first."""
    ordered = sorted(outcomes, key=lambda outcome: (not outcome.refusal, outcome.provider))
    return "".join(line(outcome) + "\n" for outcome in ordered)
