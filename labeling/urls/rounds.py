"""Routes of rounds and of the reviewer's queue."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from labeling.views import queue, rounds, seats

urlpatterns: list[URLPattern | URLResolver] = [
    path("queue/", queue.queue, name="queue"),
    path("queue/next/", queue.queue_next, name="queue_next"),
    path("seats/<slug:seat_id>/decline/", queue.seat_decline, name="seat_decline"),
    path("rounds/", rounds.round_list, name="round_list"),
    path("rounds/export.csv", rounds.round_list_csv, name="round_list_csv"),
    path("rounds/plan/", rounds.round_plan, name="round_plan"),
    path("rounds/plan/preview/", rounds.plan_preview, name="plan_preview"),
    path("rounds/plan/carry-out/", rounds.plan_carry_out, name="plan_carry_out"),
    path("rounds/withdraw/", rounds.bulk_withdraw, name="bulk_withdraw"),
    path("rounds/cases/<slug:case_id>/", seats.case_seats, name="case_seats"),
    path("rounds/cases/<slug:case_id>/open/", seats.round_open, name="round_open"),
    path("rounds/cases/<slug:case_id>/draw/", seats.seats_draw, name="seats_draw"),
    path("rounds/cases/<slug:case_id>/assign/", seats.seat_assign, name="seat_assign"),
    path("rounds/cases/<slug:case_id>/queue/", seats.round_queue, name="round_queue"),
    path("rounds/cases/<slug:case_id>/without-third/", seats.round_without_third, name="round_without_third"),
    path("rounds/cases/<slug:case_id>/withdraw/", seats.case_withdraw, name="case_withdraw"),
    path("rounds/cases/<slug:case_id>/restore/", seats.case_restore, name="case_restore"),
    path("rounds/seats/<slug:seat_id>/release/", seats.seat_release, name="seat_release"),
    path("rounds/seats/<slug:seat_id>/reassign/", seats.seat_reassign, name="seat_reassign"),
    path("rounds/seats/<slug:seat_id>/reopen/", seats.seat_reopen, name="seat_reopen"),
    path("rounds/seats/<slug:seat_id>/extend/", seats.seat_extend, name="seat_extend"),
]
