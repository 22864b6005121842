"""Routes of cases."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from corpus.views import case_change, cases, withdrawals
from corpus.views.viewer import viewer_routes

urlpatterns: list[URLPattern | URLResolver] = [
    path("cases/", cases.case_list, name="case_list"),
    path("cases/export.csv", cases.case_list_csv, name="case_list_csv"),
    path("cases/<str:case_id>/", cases.case_page, name="case_page"),
    path("cases/<str:case_id>/edit/", cases.case_edit, name="case_edit"),
    path("cases/<str:case_id>/completeness/", cases.case_completeness, name="case_completeness"),
    path("cases/<str:case_id>/ready/", cases.case_ready, name="case_ready"),
    path("cases/<str:case_id>/withdraw-bytes/", withdrawals.bytes_withdraw, name="bytes_withdraw"),
    path("cases/<str:case_id>/files/", case_change.case_files, name="case_files"),
    *viewer_routes("cases/<str:case_id>/", "case", case_change.readers_only, case_change.mount),
]
