"""A job survives its worker, its broker and a second delivery."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import override_settings

from corpus import clock
from corpus.domain.vocabulary import JobState
from corpus.models import Job
from corpus.services import jobs


@pytest.fixture
def counting(monkeypatch):
    """Register a handler for the kind "count" that notes each item it does and can be told to break."""
    done: list[int] = []
    breaks_at: list[int] = []

    def count(job: Job, progress: jobs.Progress) -> str:
        progress.total(5)
        for item in range(progress.cursor, 5):
            if item in breaks_at:
                breaks_at.remove(item)
                raise SystemExit("the worker is killed")
            done.append(item)
            progress.advance(item + 1)
        return f"Counted {len(done)} items."

    monkeypatch.setitem(jobs.HANDLERS, "count", count)
    return done, breaks_at


def test_a_job_runs_once_and_says_how_it_ended(project, people, counting) -> None:
    done, _ = counting
    job = jobs.enqueue(kind="count", project=project, created_by=people.lead)
    assert jobs.run_next_job() is not None
    assert jobs.run_job(job.public_id) is None
    job.refresh_from_db()
    assert (job.state, job.done_items, job.total_items, job.attempts) == (JobState.DONE, 5, 5, 1)
    assert job.message == "Counted 5 items."
    assert done == [0, 1, 2, 3, 4]


def test_a_killed_workers_job_goes_on_where_it_stopped(project, people, counting, monkeypatch) -> None:
    done, breaks_at = counting
    breaks_at.append(3)
    job = jobs.enqueue(kind="count", project=project, created_by=people.lead)
    with pytest.raises(SystemExit):
        jobs.run_job(job.public_id)
    assert jobs.run_next_job() is None, "the lease still holds"
    later = clock.now() + jobs.LEASE + timedelta(seconds=1)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert jobs.run_next_job() is not None
    job.refresh_from_db()
    assert (job.state, job.attempts) == (JobState.DONE, 2)
    assert done == [0, 1, 2, 3, 4]


def test_a_worker_that_lost_its_lease_writes_nothing_more(project, people, monkeypatch) -> None:
    def overtaken(job: Job, progress: jobs.Progress) -> str:
        Job.objects.filter(pk=job.pk).update(attempts=job.attempts + 1)
        progress.advance(1)
        return "never"

    monkeypatch.setitem(jobs.HANDLERS, "overtaken", overtaken)
    job = jobs.enqueue(kind="overtaken", project=project, created_by=people.lead)
    assert jobs.run_job(job.public_id) is None
    job.refresh_from_db()
    assert (job.state, job.cursor, job.message) == (JobState.RUNNING, 0, "")


def test_a_refusal_becomes_the_jobs_sentence(project, people, monkeypatch) -> None:
    def refuse(job: Job, progress: jobs.Progress) -> str:
        raise jobs.JobFailed("The folder is empty; name one with cases in it.")

    monkeypatch.setitem(jobs.HANDLERS, "refuse", refuse)
    jobs.enqueue(kind="refuse", project=project, created_by=people.lead)
    job = jobs.run_next_job()
    assert job is not None
    assert (job.state, job.message) == (JobState.FAILED, "The folder is empty; name one with cases in it.")


def test_an_equal_job_is_not_queued_twice(project, people, counting) -> None:
    first = jobs.enqueue(kind="count", project=project, created_by=people.lead, subject="ABC")
    second = jobs.enqueue(kind="count", project=project, created_by=people.lead, subject="ABC")
    assert first.pk == second.pk
    assert Job.objects.count() == 1


def test_a_job_waits_in_the_database_while_the_broker_is_away(
    project, people, counting, monkeypatch, django_capture_on_commit_callbacks
) -> None:
    from config.celery import app

    nobody_listens = "redis://127.0.0.1:1/0"
    monkeypatch.setattr(app.conf, "broker_url", nobody_listens)
    app.set_current()
    with override_settings(BROKER_URL=nobody_listens), django_capture_on_commit_callbacks(execute=True):
        job = jobs.enqueue(kind="count", project=project, created_by=people.lead)
    job.refresh_from_db()
    assert job.state == JobState.QUEUED
    assert jobs.run_next_job() is not None


def test_the_page_of_a_job_shows_progress_to_leads_only(project, people, counting, client_of) -> None:
    job = jobs.enqueue(kind="count", project=project, created_by=people.lead)
    address = f"/p/{project.slug}/jobs/{job.public_id}/"
    page = client_of(people.lead).get(address).content.decode()
    assert "Queued" in page
    assert "hx-trigger" in page
    jobs.run_job(job.public_id)
    fragment = client_of(people.lead).get(f"{address}progress/").content.decode()
    assert "5 of 5" in fragment
    assert "hx-trigger" not in fragment
    for user in (people.reviewer_a, people.adjudicator, people.analyst, people.outsider):
        assert client_of(user).get(address).status_code == 404
