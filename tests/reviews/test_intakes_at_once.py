"""Two imports of one file at the same moment: every record is in the run once, and neither import fails."""

from __future__ import annotations

import json
import threading

import pytest
from django.db import connection

from corpus.importers.records import Source
from corpus.models import Job
from corpus.services import jobs
from reviews.domain.vocabulary import ToolKind
from reviews.models import AIFinding, Intake, Run
from reviews.services.intakes import Target, commit_intake, preview_intake
from reviews.services.tools import create_tool
from tests.factories import make_case


@pytest.mark.django_db(transaction=True)
def test_two_workers_take_one_file_in_once(people, project, monkeypatch) -> None:
    monkeypatch.setattr("reviews.services.intakes.AT_ONCE", 0)
    monkeypatch.setattr("reviews.services.intakes.LOT", 5)
    case = make_case(project)
    tool = create_tool(project=project, name="Redpen", kind=ToolKind.AI_REVIEWER, actor=people.lead)
    lines = [{"case_id": case.public_id, "id": f"f-{number}", "text": f"{number}"} for number in range(20)]
    source = Source("f.jsonl", "\n".join(map(json.dumps, lines)).encode())
    for _ in range(2):
        intake = preview_intake(project=project, source=source, target=Target(tool=tool), created_by=people.lead)
        commit_intake(intake=intake, actor=people.lead)
    waiting = list(Job.objects.filter(kind="import_run").values_list("public_id", flat=True))
    barrier = threading.Barrier(2)

    def work(public_id: str) -> None:
        try:
            barrier.wait()
            jobs.run_job(public_id)
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=(public_id,)) for public_id in waiting]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(Job.objects.values_list("state", flat=True)) == ["done", "done"]
    assert set(Intake.objects.values_list("state", flat=True)) == {Intake.COMMITTED}
    assert (Run.objects.count(), AIFinding.objects.count()) == (1, 20)
    assert sorted(AIFinding.objects.values_list("position", flat=True)) == list(range(1, 21))
