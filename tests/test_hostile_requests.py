"""Requests that no page would make are refused before they reach the database, in one line of the log."""

from __future__ import annotations

import logging

import pytest
from django.core.exceptions import SuspiciousOperation
from django.test import Client
from django.urls import reverse

from config.logs import ClientFaults
from corpus.ids import asked_id, new_public_id
from corpus.models import CaseSeat
from tests.factories import make_case
from tests.labeling.seats import make_seat


def test_a_nul_character_in_an_address_is_404_in_the_path_and_400_in_a_parameter(project, people, client_of) -> None:
    client = client_of(people.reviewer_a)
    assert client.get(f"/p/{project.slug}/seats/%00/").status_code == 404
    assert client.post(f"/p/{project.slug}/seats/a%00b/submit/").status_code == 404
    seat = make_seat(make_case(project), people.reviewer_a)
    address = reverse("workbench", args=[project.slug, seat.public_id])
    assert client.get(address).status_code == 200
    answer = client.get(f"{address}?label=%00")
    assert answer.status_code == 400
    assert "This request could not be read" in answer.content.decode()


def test_what_a_client_sends_as_an_id_is_an_id_or_nothing() -> None:
    real = new_public_id()
    assert asked_id(real) == real
    assert [asked_id(text) for text in ("", "\0", f"{real[:-1]}\0", real + "A", "é" * 10, "٣" * 10)] == [""] * 6


@pytest.mark.parametrize("name", ["\0", "a\0b", "9" * 40, "\ufffd" * 10])
def test_a_person_who_cannot_exist_is_refused_in_a_sentence(project, people, client_of, name) -> None:
    seat = make_seat(make_case(project), people.reviewer_a)
    client = client_of(people.lead)
    answer = client.post(reverse("seat_reassign", args=[project.slug, seat.public_id]), {"reviewer": name}, follow=True)
    assert answer.status_code == 200
    assert "Choose a person of this project." in answer.content.decode()
    assert list(CaseSeat.objects.values_list("user", flat=True)) == [people.reviewer_a.pk]


@pytest.mark.parametrize(
    ("body", "limit"), [("a=" + "x" * 5_000_000, "at most 4 MiB"), ("&".join(["a=1"] * 2001), "at most 2000 fields")]
)
def test_a_form_over_a_limit_is_413_and_says_the_limit(project, people, caplog, body, limit) -> None:
    # The form is read to look for its token.
    client = Client(enforce_csrf_checks=True)
    client.cookies["csrftoken"] = "a" * 32
    client.force_login(people.reviewer_a)
    address = reverse("queue_next", args=[project.slug])
    answer = client.post(address, body, content_type="application/x-www-form-urlencoded")
    assert answer.status_code == 413
    assert limit in answer.content.decode()
    logged = [record for record in caplog.records if record.name.startswith("django.security")]
    assert [(record.levelname, record.exc_info) for record in logged] == [("WARNING", None)]


def test_a_real_error_keeps_its_level_and_its_traceback() -> None:
    fault = (SuspiciousOperation, SuspiciousOperation("x"), None)
    record = logging.LogRecord("django.request", logging.ERROR, "f.py", 1, "Internal Server Error", (), fault)
    record.status_code = 500
    assert ClientFaults().filter(record)
    assert (record.levelno, record.exc_info) == (logging.ERROR, fault)
