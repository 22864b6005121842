"""Routes of imports."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from corpus.views import imports

urlpatterns: list[URLPattern | URLResolver] = [
    path("imports/", imports.import_list, name="import_list"),
    path("imports/new/", imports.import_new, name="import_new"),
    path("imports/<str:import_id>/", imports.import_page, name="import_page"),
    path("imports/<str:import_id>/records/<number:position>/", imports.import_record, name="import_record"),
    path("imports/<str:import_id>/progress/", imports.import_progress, name="import_progress"),
    path("imports/<str:import_id>/commit/", imports.import_commit, name="import_commit"),
    path("imports/<str:import_id>/discard/", imports.import_discard, name="import_discard"),
]
