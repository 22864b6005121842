"""One run over all providers."""

import sqlite3
from collections.abc import Callable
from datetime import datetime

from .config import Config, ProviderConfig
from .model import Outcome, ProviderError
from .normalise import quantities
from .planning import Brake, check_brake, make_plan, write_plan
from .providers import Provider, build
from .state import State


class Run:
    """Takes over one provider after another; a refused one does not hold up the others."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        state: State,
        clock: Callable[[], datetime],
        factory: Callable[[ProviderConfig], Provider] = build,
    ) -> None:
        self.connection = connection
        self.state = state
        self.clock = clock
        self.factory = factory

    def all(self, config: Config, dry_run: bool = False) -> list[Outcome]:
        return [self.one(provider, dry_run) for provider in config.providers]

    def one(self, config: ProviderConfig, dry_run: bool = False) -> Outcome:
        """Fetch, compare and, unless it is a dry run or refused, write."""
        outcome = Outcome(config.name)
        started = self.clock()
        try:
            snapshot = self.factory(config).fetch(self.state.since(config.name))
            outcome.read = len(snapshot.records)
            found = quantities(snapshot.records)
            outcome.plan = make_plan(self.connection, found, config.prefix, snapshot.complete)
            if snapshot.complete:
                check_brake(outcome.plan, config.brake_percent)
        except (ProviderError, Brake) as error:
            outcome.refusal = str(error)
            return outcome
        if dry_run:
            outcome.notes.append("dry run")
            return outcome
        write_plan(self.connection, outcome.plan)
        self.state.list_unknown(config.name, outcome.plan.unknown)
        if config.kind == "api":
            self.state.remember(config.name, started)
        return outcome
