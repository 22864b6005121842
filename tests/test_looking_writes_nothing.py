"""Looking at a page again stores nothing: on SQLite a look would otherwise wait behind every writer."""

from __future__ import annotations

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.factories import make_case
from tests.labeling.seats import label, make_seat

WRITES = ("INSERT", "UPDATE", "DELETE", "BEGIN", "SAVEPOINT")


def test_pages_looked_at_again_store_nothing(project, people, client_of) -> None:
    seat = make_seat(make_case(project), people.reviewer_a)
    other = make_seat(make_case(project), people.reviewer_b)
    label(seat)
    own = {"project": project.slug, "seat_id": seat.public_id}
    looks = {
        people.reviewer_a: [
            reverse("project_home", args=[project.slug]),
            reverse("queue", args=[project.slug]),
            reverse("workbench", kwargs=own),
            reverse("seat_file", kwargs={**own, "position": 0}),
            reverse("seat_tree", kwargs={**own, "side": "new"}),
            reverse("seat_submit", kwargs=own),
        ],
        people.lead: [
            reverse("project_home", args=[project.slug]),
            reverse("round_list", args=[project.slug]),
            reverse("round_plan", args=[project.slug]),
            reverse("case_seats", args=[project.slug, other.case.public_id]),
        ],
    }
    for user, pages in looks.items():
        client = client_of(user)
        for page in pages:
            assert client.get(page).status_code == 200, page
            with CaptureQueriesContext(
                connection,
            ) as queries:
                assert client.get(page).status_code == 200
            written = [query["sql"][:200] for query in queries if query["sql"].startswith(WRITES)]
            assert written == [], page
