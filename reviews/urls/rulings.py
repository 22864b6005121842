"""Routes of rulings."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from reviews.views import rulings

urlpatterns: list[URLPattern | URLResolver] = [
    path("rulings/", rulings.ruling_queue, name="ruling_queue"),
    path("rulings/next/", rulings.ruling_next, name="ruling_next"),
    path("rulings/<slug:match_id>/", rulings.ruling, name="ruling"),
]
