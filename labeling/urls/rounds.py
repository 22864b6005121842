"""Routes of rounds and of the reviewer's queue."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from labeling.views import queue

urlpatterns: list[URLPattern | URLResolver] = [
    path("queue/", queue.queue, name="queue"),
    path("queue/next/", queue.queue_next, name="queue_next"),
    path("seats/<slug:seat_id>/decline/", queue.seat_decline, name="seat_decline"),
]
