"""Routes of scorecards."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from reviews.views import scorecards

urlpatterns: list[URLPattern | URLResolver] = [
    path("compare-runs/", scorecards.run_comparison, name="run_comparison"),
    path("runs/<slug:run_id>/scorecard/", scorecards.scorecard_page, name="scorecard"),
    path("runs/<slug:run_id>/scorecard.json", scorecards.scorecard_json, name="scorecard_json"),
    path("runs/<slug:run_id>/findings.jsonl", scorecards.run_findings_file, name="run_findings_file"),
    path("runs/<slug:run_id>/rulings.jsonl", scorecards.run_rulings_file, name="run_rulings_file"),
]
