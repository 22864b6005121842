"""`touchstone check_blinding` finds what comes through, passes where nothing does, and leaves nothing behind."""

from __future__ import annotations

import io
import re

import pytest
from django.core.management import CommandError, call_command
from django.http import HttpResponse
from django.test import override_settings
from django.urls import path

from config.urls import urlpatterns
from corpus.domain.vocabulary import CaseState
from corpus.models import Claim
from labeling.models import Assignment, Label
from tests.factories import make_case

pytestmark = pytest.mark.django_db


def checked(project, **options) -> str:
    out = io.StringIO()
    call_command("check_blinding", project=project.slug, stdout=out, **options)
    return out.getvalue()


def test_nothing_comes_through_and_nothing_is_left_behind(project, people) -> None:
    case = make_case(project)
    text = checked(project)
    assert int(re.search(r"pages, (\d+) opened", text)[1]) > 40
    assert f"case {case.public_id}: 6 people" in text
    assert "nothing planted came through" in text
    assert "not all pages" not in text
    case.refresh_from_db()
    assert case.state == CaseState.READY
    assert not Assignment.objects.exists()
    assert not Label.objects.exists()
    assert not Claim.objects.exists()


def test_a_leak_is_found_with_person_and_address(project, people) -> None:
    make_case(project)

    def leaky(request):
        return HttpResponse(" ".join(Label.objects.values_list("title", flat=True)))

    out = io.StringIO()
    with (
        override_settings(ROOT_URLCONF=(path("", leaky, name="home"), *urlpatterns)),
        pytest.raises(CommandError, match="8 times a planted text came through"),
    ):
        call_command("check_blinding", project=project.slug, stdout=out)
    # Two texts to each of four people; the seat's owner and the lead may see them.
    assert "LEAK: Ben Reviewer at / got canary" in out.getvalue()
    assert "Ada Reviewer" not in out.getvalue()
    assert "Lea Lead" not in out.getvalue()


def test_a_project_without_a_case_is_told_what_it_lacks(project, people) -> None:
    with pytest.raises(CommandError, match="neither an open round"):
        checked(project)


def test_pages_beyond_the_limit_are_named(project, people) -> None:
    make_case(project)
    assert "not all pages of Ben Reviewer" in checked(project, pages=3)
