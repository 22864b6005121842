"""Routes of a reviewer's own seat."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from corpus.views.viewer import viewer_routes
from labeling.views import claims, labels, outcome, submission, workbench
from labeling.views.own_seat import own_seat

seat_routes: list[URLPattern | URLResolver] = [
    path("", workbench.workbench, name="workbench"),
    *viewer_routes("", "seat", own_seat("GET"), workbench.seat_mount),
    path("files/<number:position>/read/", workbench.seat_file_read, name="seat_file_read"),
    path("outcome/", outcome.seat_outcome, name="seat_outcome"),
    path("guidelines/", workbench.seat_guidelines, name="seat_guidelines"),
    path("activity/", workbench.seat_activity, name="seat_activity"),
    path("labels/", labels.label_create, name="label_create"),
    path("labels/new/", labels.label_new, name="label_new"),
    path("labels/<str:label_id>/", labels.label_page, name="label_page"),
    path("labels/<str:label_id>/withdraw/", labels.label_withdraw, name="label_withdraw"),
    path("labels/<str:label_id>/restore/", labels.label_restore, name="label_restore"),
    path("claims/<str:claim_id>/", claims.claim_page, name="claim_page"),
    path("answer/", submission.seat_answer, name="seat_answer"),
    path("submit/", submission.seat_submit, name="seat_submit"),
    path("recall/", submission.seat_recall, name="seat_recall"),
    path("finish/", submission.seat_finish, name="seat_finish"),
]

urlpatterns: list[URLPattern | URLResolver] = [path("seats/<str:seat_id>/", include(seat_routes))]
