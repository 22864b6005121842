"""Routes of adjudication."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from labeling.views import adjudication, adjudication_viewer, pairing

CASE = "adjudicate/<slug:case_id>/"

urlpatterns: list[URLPattern | URLResolver] = [
    path("adjudicate/", adjudication.adjudication_queue, name="adjudication_queue"),
    path(CASE, adjudication.adjudication_case, name="adjudication"),
    path(f"{CASE}panel/", adjudication.adjudication_panel, name="adjudication_panel"),
    path(f"{CASE}agreed/", adjudication.adjudication_agreed, name="adjudication_agreed"),
    path(f"{CASE}confirm/", adjudication.adjudication_confirm, name="adjudication_confirm"),
    path(f"{CASE}decide/<slug:item_id>/", adjudication.adjudication_decide, name="adjudication_decide"),
    path(f"{CASE}undo/<slug:item_id>/", adjudication.adjudication_undo, name="adjudication_undo"),
    path(f"{CASE}pairing/<slug:label_id>/", pairing.adjudication_pairing, name="adjudication_pairing"),
    path(f"{CASE}files/<int:position>/", adjudication_viewer.adjudication_file, name="adjudication_file"),
    path(f"{CASE}files/<int:position>/lines/", adjudication_viewer.adjudication_gap, name="adjudication_gap"),
    path(f"{CASE}tree/<slug:side>/", adjudication_viewer.adjudication_tree, name="adjudication_tree"),
    path(f"{CASE}blob/<slug:side>/", adjudication_viewer.adjudication_blob, name="adjudication_blob"),
]
