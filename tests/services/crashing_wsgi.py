"""The product, with one thing more: a request may name the step of its database work at which its process dies.

`X-Crash-At: 7` means: SIGKILL at the seventh step. Steps are counted from the first transaction on: before each
statement, before and after each commit, and once more when the answer is made but not yet sent. Where a request has
fewer steps it is answered as always.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable
from typing import Any

from config.wsgi import application as product


class Steps:
    """Counts the steps of one request and dies at the one that was asked for."""

    def __init__(self, last: int) -> None:
        self.last = last
        self.taken = 0
        self.has_begun = False

    def step(self) -> None:
        """Take one step, or die."""
        self.taken += 1
        if self.taken == self.last:
            os.kill(os.getpid(), signal.SIGKILL)

    def statement(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        """Count a statement before it is sent to the database."""
        connection = context["connection"]
        self.has_begun = self.has_begun or connection.in_atomic_block or str(sql).startswith("BEGIN")
        if self.has_begun:
            self.step()
        return execute(sql, params, many, context)

    def committing(self, commit: Callable[[], None]) -> Callable[[], None]:
        """Return a commit that counts a step before and one after itself."""

        def counted() -> None:
            self.step()
            commit()
            self.step()

        return counted


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Serve a request, to the end or to the step it names."""
    from django.db import connections

    named = environ.get("HTTP_X_CRASH_AT", "")
    if not named:
        return product(environ, start_response)
    connection = connections["default"]
    steps = Steps(int(named))
    connection._commit = steps.committing(connection._commit)
    try:
        with connection.execute_wrapper(steps.statement):
            answer = product(environ, start_response)
    finally:
        del connection._commit
    steps.step()
    return answer
