"""Long work. The `Job` row is the truth: whoever carries its id claims it by a conditional update under a lease.

A worker that dies leaves a lease that runs out, after which the job is claimed again and goes on at its cursor. A
handler therefore keeps each item's effect and the cursor in one transaction (`Progress.advance` inside it).
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q

from corpus import clock
from corpus.domain.vocabulary import JobState
from corpus.models import Job, Project, User
from corpus.origin import acting_from

logger = logging.getLogger(__name__)

LEASE = timedelta(seconds=60)
MOST_ATTEMPTS = 5


class JobFailed(Exception):
    """A handler's refusal; the message is one sentence for the person who waits."""


class LeaseLost(Exception):
    """Another worker has taken the job over; stop without a trace."""


class Progress:
    """A running handler's hold on its job."""

    def __init__(self, job: Job) -> None:
        self.job = job

    @property
    def cursor(self) -> int:
        """The number of items that earlier attempts finished."""
        return self.job.cursor

    def total(self, count: int) -> None:
        """Say how many items there are."""
        self._update(total_items=count)

    def advance(self, cursor: int, message: str = "") -> None:
        """Note that `cursor` items are finished, and extend the lease. Raises LeaseLost if it was lost."""
        self._update(cursor=cursor, done_items=cursor, message=message[:500])

    def _update(self, **columns: int | str) -> None:
        held = Job.objects.filter(pk=self.job.pk, state=JobState.RUNNING, attempts=self.job.attempts)
        if held.update(lease_until=clock.now() + LEASE, **columns) != 1:
            raise LeaseLost
        for name, value in columns.items():
            setattr(self.job, name, value)


Handler = Callable[[Job, Progress], str]
"""Does the work and returns the closing sentence."""

HANDLERS: dict[str, Handler] = {}
PERIODIC: list[Callable[[], object]] = []


def handles(kind: str) -> Callable[[Handler], Handler]:
    """Register the decorated function for jobs of `kind`; apps import such modules in `AppConfig.ready`."""

    def register(handler: Handler) -> Handler:
        if HANDLERS.get(kind, handler) is not handler:
            raise ValueError(f"two handlers for jobs of kind {kind}")
        HANDLERS[kind] = handler
        return handler

    return register


def periodically(function: Callable[[], object]) -> Callable[[], object]:
    """Register a function that workers call every few seconds; it must be safe to call at any time, twice at once."""
    if function not in PERIODIC:
        PERIODIC.append(function)
    return function


@transaction.atomic
def enqueue(*, kind: str, project: Project, created_by: User, subject: str = "") -> Job:
    """Store a job; a worker hears of it once the transaction commits. An unfinished equal job is returned as it is."""
    if kind not in HANDLERS:
        raise ValueError(f"no handler for jobs of kind {kind}")
    waiting = Job.objects.filter(
        kind=kind, project=project, subject=subject, state__in=[JobState.QUEUED, JobState.RUNNING]
    ).first()
    if waiting is not None and subject:
        return waiting
    job = Job.objects.create(kind=kind, project=project, subject=subject, created_by=created_by, created_at=clock.now())
    transaction.on_commit(lambda: announce(job.public_id))
    return job


def announce(public_id: str) -> None:
    """Tell the broker of a job. Without a broker, or when it is away, workers find the row by themselves."""
    if not settings.BROKER_URL:
        return
    from corpus.tasks import run_job_task

    try:
        run_job_task.apply_async(kwargs={"public_id": public_id}, retry=False)
    except run_job_task.OperationalError as error:
        logger.warning("The broker does not answer (%s); job %s waits for the next sweep.", error, public_id)


def claimable() -> Q:
    """Return the condition "may be claimed now"."""
    return Q(state=JobState.QUEUED) | Q(state=JobState.RUNNING, lease_until__lt=clock.now())


def run_next_job() -> Job | None:
    """Claim and run the oldest job that waits; None when none does."""
    for public_id in Job.objects.filter(claimable()).order_by("pk").values_list("public_id", flat=True)[:10]:
        job = run_job(public_id)
        if job is not None:
            return job
    return None


def run_job(public_id: str) -> Job | None:
    """Claim and run one job; None if it is done, unknown, or in another worker's hands."""
    claimed = Job.objects.filter(claimable(), public_id=public_id).update(
        state=JobState.RUNNING, lease_until=clock.now() + LEASE, attempts=F("attempts") + 1
    )
    if claimed != 1:
        return None
    job = Job.objects.select_related("project", "created_by").get(public_id=public_id)
    if job.attempts > MOST_ATTEMPTS:
        return _finish(job, JobState.FAILED, f"Given up after {MOST_ATTEMPTS} attempts; start it again to retry.")
    handler = HANDLERS.get(job.kind)
    if handler is None:
        return _finish(job, JobState.FAILED, f"This installation has no handler for jobs of kind {job.kind}.")
    try:
        with acting_from(f"job {job.kind}"):
            message = handler(job, Progress(job))
    except LeaseLost:
        return None
    except JobFailed as refusal:
        return _finish(job, JobState.FAILED, str(refusal))
    except Exception:
        logger.exception("Job %s of kind %s failed", job.public_id, job.kind)
        return _finish(job, JobState.FAILED, "Something unexpected went wrong; the server's log names it.")
    return _finish(job, JobState.DONE, message)


def _finish(job: Job, state: JobState, message: str) -> Job:
    now = clock.now()
    Job.objects.filter(pk=job.pk, state=JobState.RUNNING, attempts=job.attempts).update(
        state=state, message=message[:500], finished_at=now, lease_until=None
    )
    job.refresh_from_db()
    return job


def run_periodic() -> None:
    """Run what has to happen with time: seats that expire, rounds that are due for comparison."""
    for function in PERIODIC:
        function()
