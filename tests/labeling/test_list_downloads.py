"""The queue of adjudication and the list of rounds as CSV: what is shown, no more, and harmless in a spreadsheet."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from django.urls import reverse

from corpus.models import Exposure
from corpus.services.versions import freeze_version
from labeling.models import Comparison
from labeling.selectors.pairing import Pairing
from labeling.services.pairing import unpair
from labeling.services.rounds import open_round
from tests.factories import make_case, make_member, make_project, make_user
from tests.labeling.adjudicating import GUARD, compared
from tests.labeling.seats import DEFECT
from tests.labeling_factories import mark_complete, settle_case_with

pytestmark = pytest.mark.django_db

MILDER = replace(DEFECT, severity="medium")


def lines_of(answer) -> list[dict[str, str]]:
    """The rows of a download by column."""
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))


@pytest.fixture
def reviewers(people):
    return [people.reviewer_a, people.reviewer_b]


def test_the_queue_is_downloaded_as_filtered_and_exposes_whoever_takes_it(project, reviewers, people, client_of):
    grave = make_case(project, repository="=HYPERLINK(evil)")
    compared(grave, reviewers, [replace(DEFECT, severity="critical"), GUARD], [DEFECT])
    compared(make_case(project, repository="mild"), reviewers, [DEFECT], [MILDER])
    compared(make_case(project, repository="agreed"), reviewers, [DEFECT], [DEFECT])
    other = make_project(lead=people.outsider, name="Other")
    client = client_of(people.adjudicator)
    address = reverse("adjudication_queue_csv", args=[project.slug])
    rows = lines_of(client.get(address))
    assert [row["repository"] for row in rows] == ["'=HYPERLINK(evil)", "mild"]
    assert rows[0] == {
        "case": grave.public_id,
        "repository": "'=HYPERLINK(evil)",
        "language": "Python",
        "files": "2",
        "added_lines": "7",
        "removed_lines": "4",
        "state": "adjudicating",
        "result": "",
        "worst_severity": "critical",
        "open": "2",
        "decided": "0",
        "about": "existence, severity",
        "waits": "since today",
    }
    seen = Exposure.objects.filter(user=people.adjudicator, kind="peer_label")
    assert set(seen.values_list("case__repository", "channel")) == {
        ("=HYPERLINK(evil)", "download"),
        ("mild", "download"),
    }
    assert [row["repository"] for row in lines_of(client.get(address + "?kind=existence"))] == ["'=HYPERLINK(evil)"]
    assert len(lines_of(client.get(address + "?show=all"))) == 3
    page = client.get(reverse("adjudication_queue", args=[project.slug]) + "?kind=existence")
    assert f"{address}?kind=existence" in page.content.decode()
    assert client.get(reverse("adjudication_queue_csv", args=[other.slug])).status_code == 404


def test_a_labeller_finds_their_own_case_in_no_download(project, reviewers, people, client_of):
    make_member(project, people.reviewer_a, "adjudicator")
    make_member(project, people.reviewer_a, "lead")
    case = make_case(project)
    compared(case, reviewers, [DEFECT], [MILDER])
    open_round(case=make_case(project), actor=people.lead, reviewers=[people.reviewer_a, people.reviewer_c])
    client = client_of(people.reviewer_a)
    for name in ("adjudication_queue_csv", "round_list_csv"):
        assert lines_of(client.get(reverse(name, args=[project.slug]))) == []


def test_the_rounds_are_downloaded_with_a_line_for_each_seat(project, reviewers, people, client_of):
    first, second = make_case(project, repository="one"), make_case(project, repository="two")
    evil = make_user("Ev Il")
    evil.name = "@SUM(1)"
    evil.save(update_fields=["name"])
    make_member(project, evil, "reviewer")
    open_round(case=first, actor=people.lead, reviewers=[people.reviewer_a, evil])
    open_round(case=second, actor=people.lead, queue_open=True)
    client = client_of(people.lead)
    address = reverse("round_list_csv", args=[project.slug])
    rows = lines_of(client.get(address))
    assert [(row["repository"], row["slot"], row["reviewer"], row["state"]) for row in rows] == [
        ("one", "A", "Ada Reviewer", "not opened, assigned"),
        ("one", "B", "'@SUM(1)", "not opened, assigned"),
        ("two", "A", "", "free, in the queue"),
        ("two", "B", "", "free, in the queue"),
    ]
    assert {row["round"] for row in rows} == {"initial"}
    assert [row["repository"] for row in lines_of(client.get(address + "?seats=free"))] == ["two", "two"]
    page = client.get(reverse("round_list", args=[project.slug]) + "?seats=free")
    assert f"{address}?seats=free" in page.content.decode()
    # The list shows nothing hidden, and neither does its download.
    assert not Exposure.objects.filter(user=people.lead).exists()


def test_downloads_ask_as_many_queries_for_many_cases_as_for_one(project, reviewers, people, client_of):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    client = client_of(people.lead)
    names = ("adjudication_queue_csv", "round_list_csv")

    def queries() -> list[int]:
        found = []
        for name in names:
            lines_of(client.get(reverse(name, args=[project.slug])))
            with CaptureQueriesContext(connection) as captured:
                lines_of(client.get(reverse(name, args=[project.slug])))
            found.append(len(captured))
        return found

    def add() -> None:
        compared(make_case(project), reviewers, [DEFECT], [MILDER])
        open_round(case=make_case(project), actor=people.lead, reviewers=reviewers)

    add()
    few = queries()
    for _ in range(4):
        add()
    assert queries() == few


def test_what_blocks_the_next_version_comes_first_then_the_most_severe(project, reviewers, people, client_of):
    frozen = mark_complete(settle_case_with(make_case(project, repository="frozen"), reviewers, labels=[MILDER]))
    settle_case_with(make_case(project, repository="clean"), reviewers)
    freeze_version(project=project, actor=people.lead)
    compared(make_case(project, repository="mild"), reviewers, [MILDER], [replace(DEFECT, severity="low")])
    compared(make_case(project, repository="grave"), reviewers, [replace(DEFECT, severity="critical")], [DEFECT])
    comparison = Comparison.objects.get(round__case=frozen)
    label = comparison.pairs.get().label_a
    plan = Pairing(frozen, comparison).unpairing(label)
    unpair(case=frozen, adjudicator=people.adjudicator, label=label, digest=plan.digest)
    client = client_of(people.adjudicator)
    address = reverse("adjudication_queue_csv", args=[project.slug])
    assert [row["repository"] for row in lines_of(client.get(address))] == ["frozen", "grave", "mild"]
    by_severity = lines_of(client.get(address + "?sort=severity"))
    assert [row["repository"] for row in by_severity] == ["grave", "frozen", "mild"]
