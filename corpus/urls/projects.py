"""Routes of projects: their members, their texts, their name and end."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from corpus.urls import people
from corpus.views import audit, project_settings, projects

urlpatterns: list[URLPattern | URLResolver] = [
    *people.project_urlpatterns,
    path("guidelines/", project_settings.guidelines, name="guidelines"),
    path("settings/", project_settings.project_settings, name="project_settings"),
    path("settings/project/", projects.project_edit, name="project_edit"),
    path("settings/archive/", projects.project_archive, name="project_archive"),
    path("settings/guidelines/preview/", project_settings.guidelines_preview, name="guidelines_preview"),
    path("settings/audit/", audit.audit_trail, name="audit_trail"),
    path("settings/audit/audit.csv", audit.audit_trail_csv, name="audit_trail_csv"),
    path("settings/<slug:kind>/", project_settings.text_edit, name="text_edit"),
    path("settings/<slug:kind>/versions/", project_settings.text_history, name="text_history"),
    path("settings/<slug:kind>/versions/<number:number>/", project_settings.text_version, name="text_version"),
]
