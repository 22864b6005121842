"""Routes of jobs."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from corpus.views import jobs

urlpatterns: list[URLPattern | URLResolver] = [
    path("jobs/<slug:job_id>/", jobs.job_page, name="job_page"),
    path("jobs/<slug:job_id>/progress/", jobs.job_progress, name="job_progress"),
]
