"""Handlers of the jobs that belong to no single subject."""

from __future__ import annotations

from corpus.models import Job
from corpus.services.jobs import Progress, handles


@handles("echo")
def echo(job: Job, progress: Progress) -> str:
    """Answer with the job's subject: a way to see that web, broker and worker reach each other."""
    progress.total(1)
    progress.advance(1)
    return job.subject
