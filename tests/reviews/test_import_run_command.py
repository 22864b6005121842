"""`touchstone import_run`: counts and rejections printed, the same import twice adds nothing."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from corpus.models import Case, Project
from reviews.domain.vocabulary import ToolKind
from reviews.models import AIFinding, Intake, Run, Tool
from reviews.services.tools import create_tool
from tests import factories
from tests.conftest import People

pytestmark = pytest.mark.django_db


@pytest.fixture
def case(project: Project) -> Case:
    return factories.make_case(project)


@pytest.fixture
def tool(project: Project, people: People) -> Tool:
    return create_tool(project=project, name="Redpen", kind=ToolKind.AI_REVIEWER, actor=people.lead)


def run(source: Path, project: Project, *more: str, tool: str = "redpen") -> str:
    said = StringIO()
    call_command("import_run", str(source), "--project", project.slug, "--tool", tool, *more, stdout=said)
    return said.getvalue()


def findings(tmp_path: Path, case: Case) -> Path:
    lines: list[dict[str, Any]] = [
        {"case_id": case.public_id, "id": "a", "path": "pay/retry.py", "start": 9, "severity": "huge", "text": "x"},
        {"case_id": case.public_id, "id": "b", "path": "none.py", "start": 9, "text": "y"},
        {"case_id": "NOBODY", "id": "c", "text": "z"},
    ]
    path = tmp_path / "findings.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def test_counts_rejections_and_unresolved_places_are_printed(
    tmp_path: Path, project: Project, case: Case, tool: Tool
) -> None:
    path = findings(tmp_path, case)
    dry = run(path, project, "--dry-run")
    assert dry.splitlines() == [
        "3 records (touchstone): 2 findings, 0 summaries, 0 replies, 0 triggers, 0 suppressed, 0 remarks, 1 rejected",
        "2 new, 0 already there, 0 of other tools left out",
        'unknown severity "huge", 1 times: left empty',
        'unresolved line 2: The case has no file "none.py" on the new side.',
        'rejected line 3: No case of the project is named "NOBODY".',
    ]
    assert (Intake.objects.count(), AIFinding.objects.count()) == (0, 0)
    assert run(path, project) == dry
    assert AIFinding.objects.count() == 2
    assert "0 new, 2 already there" in run(path, project)
    assert (Intake.objects.count(), AIFinding.objects.count(), Run.objects.count()) == (1, 2, 1)


def test_a_folder_holds_a_file_for_each_case(tmp_path: Path, project: Project, case: Case, tool: Tool) -> None:
    report = [{"description": "x", "location": {"path": "pay/retry.py", "lines": {"begin": 9}}}]
    (tmp_path / f"{case.public_id}.json").write_text(json.dumps(report))
    said = run(tmp_path, project, "--repeat", "3", "--name", "nightly")
    assert said.startswith("2 records (gitlab): 1 findings")
    made = Run.objects.get()
    assert (made.repeat, made.name) == (3, "nightly")


@pytest.mark.parametrize(
    ("more", "tool_name", "reason"),
    [
        ((), "other", 'has no tool "other": known are Redpen'),
        (("--against", "9.9.9"), "redpen", "has no version 9.9.9"),
        (("--case", "NOBODY"), "redpen", "has no case NOBODY"),
        (("--configuration", "7"), "redpen", "has no configuration 7"),
        (("--format", "sarif"), "redpen", "no SARIF"),
        (("--as", "nobody@example.org"), "redpen", "is no lead of this project"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    tmp_path: Path, project: Project, case: Case, tool: Tool, more: tuple[str, ...], tool_name: str, reason: str
) -> None:
    source = tmp_path / "x.json"
    source.write_text('{"items": [{"pr_id": "x", "text": "y"}]}')
    with pytest.raises(CommandError, match=reason):
        run(source, project, *more, tool=tool_name)
    assert Intake.objects.count() == 0


def test_a_file_that_is_not_there(tmp_path: Path, project: Project, tool: Tool) -> None:
    with pytest.raises(CommandError, match="cannot be read: No such file"):
        run(tmp_path / "none.json", project)
