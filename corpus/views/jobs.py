"""The page of a job: it can be left and come back to."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from corpus.access import person, role_required
from corpus.domain.vocabulary import JobState, Role
from corpus.models import Job, Project

RUNNING = (JobState.QUEUED, JobState.RUNNING)


@require_safe
@role_required(Role.LEAD)
def job_page(request: HttpRequest, project: Project, job_id: str) -> HttpResponse:
    """Show what a job does, how far it is, and how it ended."""
    return render(request, "corpus/job.html", _context(request, project, job_id))


@require_safe
@role_required(Role.LEAD)
def job_progress(request: HttpRequest, project: Project, job_id: str) -> HttpResponse:
    """Return the fragment that the page polls while the job runs."""
    return render(request, "corpus/_job_progress.html", _context(request, project, job_id))


def _context(request: HttpRequest, project: Project, job_id: str) -> dict[str, object]:
    job = get_object_or_404(Job.objects.visible_to(person(request)), project=project, public_id=job_id)
    return {"project": project, "job": job, "is_running": job.state in RUNNING}
