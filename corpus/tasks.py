"""Celery entry points: each loads by id and makes one service call. The broker carries ids, never state."""

from __future__ import annotations

from typing import Any

from celery import shared_task

from corpus.services import jobs


@shared_task(name="touchstone.run_job")  # type: ignore[untyped-decorator]
def run_job_task(*, public_id: str, **_: Any) -> None:
    """Run one job; a second delivery finds it claimed or done and does nothing."""
    jobs.run_job(public_id)


@shared_task(name="touchstone.sweep")  # type: ignore[untyped-decorator]
def sweep_task(**_: Any) -> None:
    """Do the periodic work, and pick up jobs whose message or worker was lost."""
    jobs.run_periodic()
    while jobs.run_next_job() is not None:
        pass
