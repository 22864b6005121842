"""Pages of runs, tools and uploads: what is shown, what is recorded as seen, what is refused with a sentence."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from corpus import clock
from corpus.domain.vocabulary import Severity
from corpus.models import Case, CaseSeat, Exposure, Project
from reviews.domain.vocabulary import ToolKind
from reviews.models import AIFinding, Intake, Run, SourceSettings, Tool, ToolConfiguration
from reviews.services.tools import create_tool
from tests import factories
from tests.conftest import People

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script> ![x](http://evil.example/x.png) ‮gpj"


@pytest.fixture
def case(project: Project) -> Case:
    return factories.make_case(project)


@pytest.fixture
def tool(project: Project, people: People) -> Tool:
    return create_tool(project=project, name="Redpen", kind=ToolKind.AI_REVIEWER, actor=people.lead)


@pytest.fixture
def lead(people: People, client_of: Any) -> Client:
    return client_of(people.lead)


def lines(case: Case, *more: dict[str, Any]) -> bytes:
    first = {"case_id": case.public_id, "id": "a", "path": "pay/retry.py", "start": 9, "end": 10, "text": HOSTILE}
    second = {"case_id": case.public_id, "id": "b", "path": "none.py", "start": 3, "text": "Gone.", "severity": "huge"}
    return "\n".join(map(json.dumps, [first, second, {"case_id": case.public_id, "id": 3}, *more])).encode()


def upload(client: Client, project: Project, data: bytes, name: str = "f.jsonl", **fields: Any) -> Any:
    form = {"file": SimpleUploadedFile(name, data), "repeat": "1", **fields}
    return client.post(reverse("intake_new", args=[project.slug]), form, follow=True)


def confirm(client: Client, project: Project) -> Any:
    intake = Intake.objects.latest("pk")
    return client.post(reverse("intake_commit", args=[project.slug, intake.public_id]), follow=True)


def text(response: Any) -> str:
    return " ".join(response.content.decode().split())


def seen(case: Case) -> list[tuple[str, str]]:
    return sorted(Exposure.objects.filter(case=case).values_list("kind", "channel"))


def test_upload_preview_confirm_and_the_run(lead: Client, project: Project, case: Case, tool: Tool) -> None:
    preview = upload(lead, project, lines(case), tool=tool.public_id)
    page = text(preview)
    assert "3 records, every one accounted for" in page
    assert "told by the file: its first line has" in page
    assert "&quot;huge&quot; (once) has no meaning here yet" in page.replace("&#x27;", "'")
    assert "&quot;id&quot; must be a text that is not empty, but is 3." in page
    assert "The case has no file &quot;none.py&quot; on the new side." in page
    assert "<script>alert(1)</script>" not in page
    assert "Take in 2 records" in page
    assert AIFinding.objects.count() == 0
    assert seen(case) == [("ai_output", "page")]

    done = text(confirm(lead, project))
    assert "Taken in" in done
    run = Run.objects.get()
    assert f"Redpen, run {run.public_id}" in done

    listed = text(lead.get(reverse("run_list", args=[project.slug])))
    assert run.public_id in listed
    assert "shadow" in listed
    sheet = text(lead.get(reverse("run_page", args=[project.slug, run.public_id])))
    assert "Reviewed, with findings" in sheet
    assert "Parse failures (1)" in sheet
    assert "unknown (0 of 1 cases tell it)" in sheet
    said = text(lead.get(reverse("run_case", args=[project.slug, run.public_id, case.public_id])))
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in said
    assert "pay/retry.py:9-10 (new)" in said
    assert "place unresolved" in said
    assert "<img" not in said.partition("<main")[2]


def test_downloads_hold_the_same_rows_and_are_recorded(lead: Client, project: Project, case: Case, tool: Tool) -> None:
    upload(lead, project, lines(case), tool=tool.public_id)
    confirm(lead, project)
    run = Run.objects.get()
    runs = b"".join(lead.get(reverse("run_list_csv", args=[project.slug])).streaming_content).decode().splitlines()
    assert runs[1].split(",")[:8] == [run.public_id, "Redpen", "1", "", "", "1", "1", "1"]
    cases = lead.get(reverse("run_cases_csv", args=[project.slug, run.public_id]))
    rows = b"".join(cases.streaming_content).decode().splitlines()
    assert rows[1].split(",")[:6] == [case.public_id, "reviewed_with_findings", "", "2", "0", "1"]
    assert ("ai_output", "download") in seen(case)


def test_the_list_of_cases_can_be_narrowed_and_sorted(lead: Client, project: Project, case: Case, tool: Tool) -> None:
    silent = factories.make_case(project)
    upload(lead, project, lines(case, {"case_id": silent.public_id, "state": "reviewed"}), tool=tool.public_id)
    confirm(lead, project)
    page = reverse("run_page", args=[project.slug, Run.objects.get().public_id])
    narrowed = text(lead.get(page, {"state": "reviewed_silent"}))
    assert silent.public_id in narrowed
    assert f'/{case.public_id}/">' not in narrowed
    ordered = text(lead.get(page, {"sort": "findings"}))
    assert ordered.index(f'/{case.public_id}/">') < ordered.index(f'/{silent.public_id}/">')
    assert lead.get(page, {"sort": "'; drop", "state": "x", "page": "zzz"}).status_code == 200


def test_settings_changed_in_the_preview_are_remembered(lead: Client, project: Project, case: Case, tool: Tool) -> None:
    upload(lead, project, lines(case), tool=tool.public_id)
    first = Intake.objects.get()
    again = lead.post(
        reverse("intake_reread", args=[project.slug, first.public_id]),
        {"severities": "huge = critical", "splits_bodies": "on"},
        follow=True,
    )
    assert "has no meaning here yet" not in text(again)
    second = Intake.objects.latest("pk")
    first.refresh_from_db()
    assert (first.state, second.state) == (Intake.DISCARDED, Intake.PREVIEWED)
    assert SourceSettings.objects.get().severities.get().severity == Severity.CRITICAL
    confirm(lead, project)
    assert AIFinding.objects.get(source_id="b").severity == "critical"
    assert SourceSettings.objects.count() == 1
    shown = text(lead.get(reverse("source_settings", args=[project.slug, tool.public_id, "touchstone"])))
    assert "huge = critical" in shown
    wrong = lead.post(
        reverse("source_settings", args=[project.slug, tool.public_id, "touchstone"]), {"severities": "huge: critical"}
    )
    assert wrong.status_code == 422
    assert "is no &quot;word = level&quot;" in text(wrong)


@pytest.mark.parametrize(
    ("data", "fields", "sentence"),
    [
        (b"", {}, "The file is empty"),
        (b"hello", {}, "neither JSON nor XML"),
        (b"{}", {"format": "sarif"}, "no SARIF"),
        (b'[{"description": "x", "location": {"path": "a"}}]', {}, "names no case; choose the case that it is about"),
        (b"x", {"case": "NOBODY"}, "There is no case &quot;NOBODY&quot; that you may see"),
        (b"x", {"repeat": "0"}, "write a number from 1 up"),
        (b"x", {"tool": "nonsense"}, "is no answer to"),
        (b"x", {"version": "9.9.9"}, "is no answer to"),
    ],
)
def test_a_bad_upload_is_refused_with_a_sentence(
    lead: Client, project: Project, case: Case, tool: Tool, data: bytes, fields: dict[str, str], sentence: str
) -> None:
    response = upload(lead, project, data, **{"tool": tool.public_id, **fields})
    assert response.status_code == 422
    assert sentence in text(response)
    assert Intake.objects.count() == 0


def test_the_author_given_with_a_file_is_remembered(lead: Client, project: Project, case: Case, tool: Tool) -> None:
    comments = [
        {"id": login, "path": "pay/retry.py", "line": 9, "body": "x", "user": {"login": login}, "diff_hunk": "@@"}
        for login in ("rp[bot]", "other[bot]")
    ]
    data = json.dumps(comments).encode()
    refused = upload(lead, project, data, "c.json", tool=tool.public_id, case=case.public_id)
    assert "The comments are by other, rp; name in the settings whose are the tool&#x27;s." in text(refused)
    upload(lead, project, data, "c.json", tool=tool.public_id, case=case.public_id, author="rp")
    assert list(Intake.objects.get().records.order_by("position").values_list("kind", flat=True)) == ["finding", "meta"]
    assert SourceSettings.objects.get().author == "rp"
    upload(lead, project, data, "c.json", tool=tool.public_id, case=case.public_id)
    assert Intake.objects.count() == 2


def test_tools_and_configurations_have_pages(lead: Client, project: Project, people: People, client_of: Any) -> None:
    added = lead.post(
        reverse("tool_new", args=[project.slug]),
        {"name": "Redpen", "kind": "ai_reviewer", "aliases": "rp[bot]\n"},
        follow=True,
    )
    assert "Redpen" in text(added)
    tool = Tool.objects.get()
    twice = lead.post(reverse("tool_new", args=[project.slug]), {"name": "redpen", "kind": "linter"})
    assert (twice.status_code, "already has a tool" in text(twice)) == (422, True)
    here = [project.slug, tool.public_id]
    saved = lead.post(
        reverse("configuration_new", args=here),
        {
            "name": "strict",
            "context_mode": "repository",
            "hides_model": "on",
            "prompt": "Review it.",
            "parameters": "temperature = 0\nseed = not exposed",
        },
        follow=True,
    )
    assert "Configuration 2 was added." in text(saved)
    made = ToolConfiguration.objects.latest("number")
    assert (made.is_model_exposed, made.prompt, len(made.prompt_sha256)) == (False, "Review it.", 64)
    contradiction = lead.post(
        reverse("configuration_new", args=here), {"context_mode": "repository", "hides_model": "on", "model": "m"}
    )
    assert "filled in and said to be hidden" in text(contradiction)
    edited = lead.post(reverse("tool_edit", args=here), {"aliases": "a\nb", "note": "Ours"}, follow=True)
    assert "Redpen was saved." in text(edited)
    tool.refresh_from_db()
    assert tool.alias_list == ["a", "b"]
    analyst = client_of(people.analyst)
    page = text(analyst.get(reverse("tool_page", args=here)))
    assert "temperature" in page
    assert "not exposed" in page
    assert "Add a configuration" not in page


def test_whoever_labels_sees_no_upload_and_is_told_why(
    lead: Client, people: People, project: Project, case: Case, tool: Tool
) -> None:
    other = factories.make_case(project)
    upload(lead, project, lines(other), tool=tool.public_id)
    intake = Intake.objects.get()
    CaseSeat.objects.create(case=case, user=people.lead, opened_at=clock.now())
    assert lead.get(reverse("intake_page", args=[project.slug, intake.public_id])).status_code == 404
    refused = upload(lead, project, lines(case), tool=tool.public_id)
    assert "You hold an open seat in this project" in text(refused)
    assert "left out" in text(lead.get(reverse("run_list", args=[project.slug])))


def test_progress_asks_for_the_whole_page_when_it_is_over(
    lead: Client, project: Project, case: Case, tool: Tool
) -> None:
    upload(lead, project, lines(case), tool=tool.public_id)
    intake = Intake.objects.get()
    Intake.objects.update(state=Intake.COMMITTING)
    idle = lead.get(reverse("intake_progress", args=[project.slug, intake.public_id]))
    assert idle["HX-Refresh"] == "true"
    assert "Go on" in text(lead.get(reverse("intake_page", args=[project.slug, intake.public_id])))


def test_the_runs_page_asks_as_many_queries_for_many_runs(
    lead: Client, project: Project, case: Case, tool: Tool, django_assert_max_num_queries: Any
) -> None:
    for repeat in range(1, 6):
        upload(lead, project, lines(case), tool=tool.public_id, repeat=str(repeat))
        confirm(lead, project)
    with django_assert_max_num_queries(16):
        lead.get(reverse("run_list", args=[project.slug]))
