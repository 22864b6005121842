"""Routes of runs, and of what brings them."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from reviews.views import intakes, runs

urlpatterns: list[URLPattern | URLResolver] = [
    path("runs/", runs.run_list, name="run_list"),
    path("runs/export.csv", runs.run_list_csv, name="run_list_csv"),
    path("runs/import/", intakes.intake_new, name="intake_new"),
    path("runs/import/<str:intake_id>/", intakes.intake_page, name="intake_page"),
    path("runs/import/<str:intake_id>/progress/", intakes.intake_progress, name="intake_progress"),
    path("runs/import/<str:intake_id>/commit/", intakes.intake_commit, name="intake_commit"),
    path("runs/import/<str:intake_id>/discard/", intakes.intake_discard, name="intake_discard"),
    path("runs/import/<str:intake_id>/again/", intakes.intake_reread, name="intake_reread"),
    path("runs/<str:run_id>/", runs.run_page, name="run_page"),
    path("runs/<str:run_id>/cases.csv", runs.run_cases_csv, name="run_cases_csv"),
    path("runs/<str:run_id>/cases/<str:case_id>/", runs.run_case, name="run_case"),
]
