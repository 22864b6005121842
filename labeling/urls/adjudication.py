"""Routes of adjudication."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from corpus.views.viewer import viewer_routes
from labeling.views import adjudication, adjudication_queue, pairing
from labeling.views.adjudicable import adjudicable
from labeling.views.adjudication_viewer import mount

CASE = "adjudicate/<slug:case_id>/"

urlpatterns: list[URLPattern | URLResolver] = [
    path("adjudicate/", adjudication_queue.adjudication_queue, name="adjudication_queue"),
    path("adjudicate/export.csv", adjudication_queue.adjudication_queue_csv, name="adjudication_queue_csv"),
    path(CASE, adjudication.adjudication_case, name="adjudication"),
    path(f"{CASE}panel/", adjudication.adjudication_panel, name="adjudication_panel"),
    path(f"{CASE}agreed/", adjudication.adjudication_agreed, name="adjudication_agreed"),
    path(f"{CASE}confirm/", adjudication.adjudication_confirm, name="adjudication_confirm"),
    path(f"{CASE}decide/<slug:item_id>/", adjudication.adjudication_decide, name="adjudication_decide"),
    path(f"{CASE}undo/<slug:item_id>/", adjudication.adjudication_undo, name="adjudication_undo"),
    path(f"{CASE}pairing/<slug:label_id>/", pairing.adjudication_pairing, name="adjudication_pairing"),
    *viewer_routes(CASE, "adjudication", adjudicable("GET"), mount),
]
