"""Intakes: previewed first, taken in once, every record accounted for, nothing guessed."""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from corpus import clock
from corpus.domain.vocabulary import Severity
from corpus.importers.records import Source
from corpus.models import AuditEntry, Case, CaseSeat, Job, Project, User
from corpus.services import jobs
from corpus.services.versions import freeze_version
from reviews.domain.vocabulary import ContextMode, ToolKind
from reviews.models import (
    AIAnchor,
    AIFinding,
    CaseRun,
    Intake,
    IntakeRecord,
    JudgeVerdict,
    RawRecord,
    Run,
    SeenContext,
    Tool,
)
from reviews.services.intakes import (
    IntakeRefused,
    IntakeStateRefused,
    Target,
    commit_intake,
    discard_intake,
    preview_intake,
    try_intake,
)
from reviews.services.tools import (
    Parameter,
    ToolRefused,
    add_configuration,
    create_tool,
    edit_tool,
    save_source_settings,
)
from tests import factories
from tests.conftest import People
from tests.labeling_factories import CHARGES_TWICE, mark_complete, settle_case_with
from tests.unit.formats.test_github import comment
from tests.unit.formats.test_replies import PER_TOOL

pytestmark = pytest.mark.django_db
DATA = Path(__file__).parents[1] / "data"
HEAD = "c" * 40


@pytest.fixture
def case(project: Project) -> Case:
    """Charges twice on the new lines 8 to 16 of pay/retry.py; drops old lines 6 and 7 of pay/totals.py."""
    return factories.make_case(project, head_commit=HEAD, external_url="https://github.com/o/r/pull/7")


@pytest.fixture
def tool(project: Project, people: People) -> Tool:
    return create_tool(
        project=project, name="Redpen", kind=ToolKind.AI_REVIEWER, actor=people.lead, aliases=["redpen-app[bot]"]
    )


def own_lines(*records: dict[str, Any]) -> bytes:
    return "\n".join(json.dumps(record) for record in records).encode()


def finding(case: Case, number: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "case_id": case.public_id,
        "id": f"f-{number}",
        "path": "pay/retry.py",
        "start": 11,
        "end": 12,
        "text": "The retry charges twice.",
        "category": "concurrency",
        "severity": "high",
        **more,
    }


def preview(
    user: User, project: Project, data: bytes, *, name: str = "findings.jsonl", format_name: str = "", **target: Any
) -> Intake:
    return preview_intake(
        project=project,
        source=Source(name, data),
        target=Target(**target),
        created_by=user,
        format_name=format_name,
    )


def commit(intake: Intake) -> Intake:
    taken = commit_intake(intake=intake, actor=intake.created_by)
    while taken.state == Intake.COMMITTING:
        assert jobs.run_next_job() is not None
        taken.refresh_from_db()
    return taken


def outcomes(intake: Intake) -> list[tuple[str, str]]:
    return list(intake.records.order_by("position").values_list("kind", "outcome"))


def rows() -> dict[str, int]:
    return {model.__name__: model.objects.count() for model in (Run, CaseRun, RawRecord, AIFinding, AIAnchor)}


NO_ROWS = {"Run": 0, "CaseRun": 0, "RawRecord": 0, "AIFinding": 0, "AIAnchor": 0}


# --- The way in -----------------------------------------------------------------------------------------------------


def test_nothing_lands_until_it_is_confirmed_and_then_all_of_it_does(
    people: People, project: Project, case: Case, tool: Tool
) -> None:
    data = own_lines(finding(case), finding(case, 2, path="none.py"), {"case_id": case.public_id, "id": 7})
    intake = preview(people.lead, project, data, tool=tool)
    assert outcomes(intake) == [("finding", "new"), ("finding", "new"), ("rejected", "rejected")]
    assert intake.format == "touchstone"
    assert intake.format_reason == 'its first line has "case_id" with "id" or "state"'
    assert rows() == NO_ROWS
    assert commit(intake).state == Intake.COMMITTED
    assert rows() == {"Run": 1, "CaseRun": 1, "RawRecord": 3, "AIFinding": 2, "AIAnchor": 1}
    run = Run.objects.get()
    assert (run.configuration.tool, run.is_shadow, run.repeat) == (tool, True, 1)
    # Of a tool that nobody described nothing is claimed.
    assert (run.configuration.context_mode, run.configuration.is_model_exposed) == (ContextMode.NOT_EXPOSED, False)
    first, second = AIFinding.objects.order_by("position")
    assert (first.severity, first.category_key, first.place_state) == ("high", "concurrency", "resolved")
    anchor = first.anchors.get()
    assert (anchor.path, anchor.side, anchor.first_line, anchor.last_line) == ("pay/retry.py", "new", 11, 12)
    assert "gateway.charge" in anchor.quote
    assert anchor.blob_sha256
    assert anchor.quote_sha256
    assert (second.place_state, second.place_note) == (
        "unresolved",
        'The case has no file "none.py" on the new side.',
    )
    assert (second.path, second.lines) == ("none.py", "11-12")
    rejected = RawRecord.objects.get(kind="rejected")
    assert (rejected.place, rejected.reason) == ("line 3", '"id" must be a text that is not empty, but is 7.')
    assert bytes(rejected.data) == json.dumps({"case_id": case.public_id, "id": 7}).encode()
    assert list(AuditEntry.objects.filter(subject__startswith="intake").values_list("verb", flat=True)) == [
        "intake previewed",
        "intake committed",
    ]


def test_importing_twice_adds_nothing(people: People, project: Project, case: Case, tool: Tool) -> None:
    data = own_lines(
        finding(case), {"case_id": case.public_id, "state": "reviewed"}, {"case_id": case.public_id, "id": 7}
    )
    first = commit(preview(people.lead, project, data, tool=tool))
    before = rows()
    commit(first)
    assert rows() == before
    again = preview(people.lead, project, data, tool=tool)
    assert outcomes(again) == [("finding", "present"), ("meta", "present"), ("rejected", "rejected")]
    with pytest.raises(IntakeStateRefused, match="Nothing of this file is new"):
        commit_intake(intake=again, actor=people.lead)
    assert rows() == before
    # What was added to the file since comes in alone, and what is rejected again is not counted twice.
    more = commit(preview(people.lead, project, data + b"\n" + own_lines(finding(case, 2)), tool=tool))
    assert outcomes(more)[-1] == ("finding", "new")
    assert rows() == {**before, "RawRecord": 4, "AIFinding": 2, "AIAnchor": 2}
    assert Run.objects.count() == 1


def test_two_previews_of_one_file_come_in_once(people: People, project: Project, case: Case, tool: Tool) -> None:
    data = own_lines(finding(case), finding(case, 2))
    one, two = (preview(people.lead, project, data, tool=tool) for _ in range(2))
    commit(one)
    before = rows()
    commit(two)
    assert rows() == before
    assert outcomes(two) == [("finding", "present"), ("finding", "present")]


def test_equal_words_are_two_findings(people: People, project: Project, case: Case, tool: Tool) -> None:
    items = {"items": [{"pr_id": case.public_id, "text": "It fails."}] * 2}
    intake = commit(preview(people.lead, project, json.dumps(items).encode(), tool=tool))
    assert outcomes(intake) == [("finding", "new"), ("finding", "new")]
    assert AIFinding.objects.values("content_sha256").distinct().count() == 1
    assert AIFinding.objects.count() == 2


def test_a_repeat_and_another_configuration_are_runs_of_their_own(
    people: People, project: Project, case: Case, tool: Tool
) -> None:
    data = own_lines(finding(case))
    commit(preview(people.lead, project, data, tool=tool))
    commit(preview(people.lead, project, data, tool=tool, repeat=2))
    configuration = add_configuration(tool=tool, context_mode=ContextMode.REPOSITORY, actor=people.lead, model="m-2")
    commit(preview(people.lead, project, data, tool=tool, configuration=configuration))
    assert [(run.configuration.number, run.repeat) for run in Run.objects.order_by("pk")] == [(1, 1), (1, 2), (2, 1)]
    assert AIFinding.objects.count() == 3
    assert AIFinding.objects.values("content_sha256").distinct().count() == 1


def test_a_discarded_preview_leaves_nothing(people: People, project: Project, case: Case, tool: Tool) -> None:
    intake = preview(people.lead, project, own_lines(finding(case)), tool=tool)
    assert discard_intake(intake=intake, actor=people.lead).state == Intake.DISCARDED
    with pytest.raises(IntakeStateRefused, match="was discarded"):
        commit_intake(intake=intake, actor=people.lead)
    assert rows() == NO_ROWS
    other = commit(preview(people.lead, project, own_lines(finding(case)), tool=tool))
    with pytest.raises(IntakeStateRefused, match="was confirmed"):
        discard_intake(intake=other, actor=people.lead)


def test_a_killed_worker_loses_and_doubles_nothing(
    people: People, project: Project, case: Case, tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviews.services.intakes.LOT", 2)
    monkeypatch.setattr("reviews.services.intakes.AT_ONCE", 0)
    data = own_lines(*(finding(case, number) for number in range(5)))
    intake = commit_intake(intake=preview(people.lead, project, data, tool=tool), actor=people.lead)
    job = Job.objects.get(kind="import_run")
    real = jobs.Progress.advance
    steps: list[int] = []

    def dies(self: jobs.Progress, cursor: int, message: str = "") -> None:
        real(self, cursor, message)
        steps.append(cursor)
        if len(steps) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(jobs.Progress, "advance", dies)
    with pytest.raises(KeyboardInterrupt):
        jobs.run_job(job.public_id)
    monkeypatch.setattr(jobs.Progress, "advance", real)
    # The lot in which the worker died is gone as a whole; the one before it stands.
    assert AIFinding.objects.count() == 2
    Job.objects.update(lease_until=clock.now())
    assert jobs.run_job(job.public_id) is not None
    intake.refresh_from_db()
    assert (intake.state, AIFinding.objects.count()) == (Intake.COMMITTED, 5)
    assert [one.position for one in AIFinding.objects.order_by("pk")] == [1, 2, 3, 4, 5]
    assert outcomes(intake) == [("finding", "new")] * 5


# --- Cases ----------------------------------------------------------------------------------------------------------


def test_states_are_never_mixed_up(people: People, project: Project, tool: Tool) -> None:
    named = {word: factories.make_case(project) for word in ("said", "silent", "failed", "slow", "left", "bad", "held")}
    ids = {word: one.public_id for word, one in named.items()}
    data = own_lines(
        finding(named["said"]),
        {"case_id": ids["silent"], "state": "reviewed"},
        {"case_id": ids["failed"], "state": "failed", "reason": "HTTP 500"},
        finding(named["failed"], 2),
        {"case_id": ids["slow"], "state": "timed_out", "reason": "no answer within 120 s"},
        {"case_id": ids["left"], "state": "not_run"},
        finding(named["bad"], 3, start=9, end=3),
    )
    commit(preview(people.lead, project, data, tool=tool))
    states = {row.case.public_id: (row.state, row.detail) for row in CaseRun.objects.select_related("case")}
    assert states == {
        ids["said"]: ("reviewed_with_findings", ""),
        ids["silent"]: ("reviewed_silent", ""),
        # What was said before it failed is kept, and the case stays unreviewed.
        ids["failed"]: ("failed", "HTTP 500"),
        ids["slow"]: ("timed_out", "no answer within 120 s"),
        ids["left"]: ("not_run", ""),
    }


def test_a_case_of_which_nothing_could_be_read_is_unreviewed_and_not_silent(
    people: People, project: Project, case: Case, tool: Tool
) -> None:
    actual = [{"case_id": case.public_id, "findings": [{"id": "A", "file": "a", "line": "9", "summary": "x"}]}]
    commit(preview(people.lead, project, json.dumps(actual).encode(), tool=tool))
    row = CaseRun.objects.get()
    assert (row.state, row.detail) == ("failed", "Records that could not be read: 1.")


def test_against_a_version_every_case_has_a_state(people: People, project: Project, tool: Tool) -> None:
    pair = [people.reviewer_a, people.reviewer_b]
    cases = [
        mark_complete(settle_case_with(factories.make_case(project), pair, labels=labels))
        for labels in ([CHARGES_TWICE], [])
    ]
    outside = factories.make_case(project)
    version = freeze_version(project=project, actor=people.lead)
    data = own_lines(finding(cases[0]), finding(outside, 2))
    intake = preview(people.lead, project, data, tool=tool, version=version)
    assert outcomes(intake) == [("finding", "new"), ("rejected", "rejected")]
    assert intake.records.get(position=1).reason == f'No case of version 1.0.0 is named "{outside.public_id}".'
    commit(intake)
    assert dict(CaseRun.objects.values_list("case_id", "state")) == {
        cases[0].pk: "reviewed_with_findings",
        cases[1].pk: "not_run",
    }
    # A later file of the same run may say more of a case that was not run, and takes nothing back.
    later = own_lines(
        {"case_id": cases[1].public_id, "state": "reviewed"}, {"case_id": cases[0].public_id, "state": "failed"}
    )
    commit(preview(people.lead, project, later, tool=tool, version=version))
    assert set(CaseRun.objects.values_list("state", flat=True)) == {"reviewed_with_findings", "reviewed_silent"}


def test_what_a_review_took_is_kept_and_what_is_not_told_is_unknown(
    people: People, project: Project, case: Case, tool: Tool
) -> None:
    report = {
        "case_id": case.public_id,
        "state": "reviewed",
        "head_commit": HEAD,
        "tokens_in": 900,
        "cost": 0.1,
        "latency_ms": 12_000,
        "declared_findings": 0,
        "context": [{"kind": "chunk", "path": "pay/retry.py", "start": 1, "end": 9}],
    }
    commit(preview(people.lead, project, own_lines(report), tool=tool))
    row = CaseRun.objects.get()
    assert (row.tokens_in, row.tokens_out, row.cost, row.latency_ms) == (900, None, Decimal("0.1"), 12_000)
    assert (row.head_commit, row.declared_findings) == (HEAD, 0)
    seen = SeenContext.objects.get()
    assert (seen.kind, seen.path, seen.first_line, seen.last_line) == ("chunk", "pay/retry.py", 1, 9)


def test_a_review_of_another_commit_is_refused_whole(people: People, project: Project, case: Case, tool: Tool) -> None:
    other = factories.make_case(project)
    data = own_lines(
        finding(case),
        {"case_id": case.public_id, "state": "reviewed", "head_commit": "d" * 40},
        finding(other, 2),
    )
    intake = preview(people.lead, project, data, tool=tool)
    assert outcomes(intake) == [("rejected", "rejected"), ("rejected", "rejected"), ("finding", "new")]
    reason = f"The tool reviewed commit dddddddddddd, but the head of case {case.public_id} is cccccccccccc."
    assert intake.records.get(position=0).reason == reason


def test_a_case_is_found_by_its_whole_address_and_never_by_a_part_of_it(
    people: People, project: Project, case: Case, tool: Tool
) -> None:
    seventy = factories.make_case(project, external_url="https://github.com/o/r/pull/70")
    comments = [
        comment(id=1, path="pay/retry.py", commit_id=HEAD, user={"login": "redpen-app[bot]"}),
        comment(
            id=2,
            path="pay/retry.py",
            commit_id="",
            html_url="https://github.com/o/r/pull/70#discussion_r2",
            user={"login": "redpen-app"},
        ),
        comment(id=3, html_url="https://github.com/o/r/pull/700#discussion_r3", commit_id="e" * 40),
    ]
    comments[2]["user"] = comments[0]["user"]
    intake = preview(people.lead, project, json.dumps(comments).encode(), name="comments.json", tool=tool)
    found = [(row.kind, row.case) for row in intake.records.select_related("case").order_by("position")]
    assert found == [("finding", case), ("finding", seventy), ("rejected", None)]
    assert intake.records.get(position=2).reason == 'No case of the project is named "https://github.com/o/r/pull/700".'


def test_a_file_that_names_no_case_needs_one(people: People, project: Project, case: Case, tool: Tool) -> None:
    report = json.dumps([{"description": "x", "location": {"path": "pay/retry.py", "lines": {"begin": 9}}}]).encode()
    with pytest.raises(IntakeRefused, match=r"gl\.json names no case; choose the case that it is about"):
        preview(people.lead, project, report, name="gl.json", tool=tool)
    commit(preview(people.lead, project, report, name="gl.json", tool=tool, for_case=case))
    assert AIFinding.objects.get().case_run.case == case


def test_a_file_about_another_case_than_the_chosen_one_is_refused(
    people: People, project: Project, case: Case, tool: Tool
) -> None:
    other = factories.make_case(project)
    intake = preview(people.lead, project, own_lines(finding(case)), tool=tool, for_case=other)
    assert intake.records.get().reason == f"It is about case {case.public_id}, not about {other.public_id}."


def archive(files: dict[str, Any]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as packed:
        for name, value in files.items():
            packed.writestr(name, value if isinstance(value, bytes | str) else json.dumps(value))
    return stream.getvalue()


def test_an_archive_holds_a_file_for_each_case(people: People, project: Project, case: Case, tool: Tool) -> None:
    other = factories.make_case(project)
    issue = {"description": "x", "location": {"path": "pay/retry.py", "lines": {"begin": 9}}}
    data = archive(
        {
            f"out/{case.public_id}.json": [issue],
            f"out/{other.public_id}/gl.json": [issue, {"description": 3}],
            "out/nobody.json": [issue],
        }
    )
    intake = commit(preview(people.lead, project, data, name="out.zip", tool=tool))
    assert Counter(outcomes(intake)) == {
        ("meta", "new"): 2,
        ("finding", "new"): 2,
        ("rejected", "rejected"): 3,
    }
    assert {row.case_run.case for row in AIFinding.objects.all()} == {case, other}
    reasons = set(intake.records.filter(kind="rejected").values_list("place", "reason"))
    assert ("out/nobody.json: the file", 'No case of the project is named "nobody".') in reasons


def test_the_three_lists_of_a_pull_request_lie_in_one_folder(
    people: People, project: Project, case: Case, tool: Tool
) -> None:
    bot = {"login": "redpen-app[bot]", "type": "Bot"}
    review = {"id": 9, "user": bot, "body": "**Actionable comments posted: 1**", "state": "COMMENTED"}
    files = {
        "pull-7/comments.json": [comment(path="pay/retry.py", commit_id=HEAD, user=bot)],
        "pull-7/reviews.json": [review],
        "pull-7/issue_comments.json": [{"id": 4, "user": bot, "body": "Walkthrough", "issue_url": "x"}],
    }
    intake = preview(people.lead, project, archive(files), name="gh.zip", tool=tool, for_case=case)
    assert sorted(kind for kind, _ in outcomes(intake)) == ["finding", "summary", "summary"]
    assert not intake.records.filter(reason__contains="declares").exists()


def test_an_archive_of_two_formats_is_refused(people: People, project: Project, case: Case, tool: Tool) -> None:
    data = archive({"a.json": [{"description": "x", "location": {"path": "a"}}], "b.json": {"items": [{"pr_id": "x"}]}})
    with pytest.raises(IntakeRefused, match=r"two formats, gitlab and items \(b\.json\); import them apart"):
        preview(people.lead, project, data, name="x.zip", tool=tool)


# --- Settings of a source -------------------------------------------------------------------------------------------


def test_settings_of_a_source_are_remembered_and_stamped(
    people: People, project: Project, case: Case, tool: Tool
) -> None:
    location = {"path": "/ci/build/pay/retry.py", "lines": {"begin": 7, "end": 8}}
    report = json.dumps([{"description": "x", "severity": "huge", "location": location}]).encode()
    first = preview(people.lead, project, report, tool=tool, for_case=case)
    assert first.settings is None
    settings = save_source_settings(
        tool=tool,
        format_name="gitlab",
        actor=people.lead,
        first_line_is_zero=True,
        path_prefix="/ci/build/",
        severities={"Huge": Severity.CRITICAL},
    )
    again = save_source_settings(
        tool=tool,
        format_name="gitlab",
        actor=people.lead,
        first_line_is_zero=True,
        path_prefix="/ci/build/",
        severities={"huge": Severity.CRITICAL},
    )
    assert again == settings
    second = commit(preview(people.lead, project, report, tool=tool, for_case=case))
    assert second.settings == settings
    made = AIFinding.objects.get()
    anchor = made.anchors.get()
    assert (made.severity, made.severity_native, anchor.first_line, anchor.last_line) == ("critical", "huge", 8, 9)
    changed = save_source_settings(tool=tool, format_name="gitlab", actor=people.lead)
    assert (changed.number, settings.number) == (2, 1)
    # A preview is confirmed as it was shown, whatever the settings are by then.
    commit(first)
    assert AIFinding.objects.count() == 1


def test_unknown_words_stay_empty_and_are_listed(people: People, project: Project, case: Case, tool: Tool) -> None:
    data = own_lines(
        finding(case, severity="major", category="style"), finding(case, 2, severity="major", start=0, end=0)
    )
    trial = try_intake(
        project=project, source=Source("f.jsonl", data), target=Target(tool=tool), created_by=people.lead
    )
    assert trial.plan.unknown_severities == (("major", 1),)
    assert trial.plan.unknown_categories == (("style", 1),)
    assert rows() == NO_ROWS
    commit(preview(people.lead, project, data, tool=tool))
    made = AIFinding.objects.get()
    assert (made.severity, made.severity_native, made.category_key, made.category_native) == ("", "major", "", "style")


def test_line_zero_is_told(people: People, project: Project, case: Case, tool: Tool) -> None:
    report = json.dumps([{"description": "x", "location": {"path": "pay/retry.py", "lines": {"begin": 0}}}]).encode()
    trial = try_intake(
        project=project,
        source=Source("gl.json", report),
        target=Target(tool=tool, for_case=case),
        created_by=people.lead,
    )
    assert trial.plan.zero_lines == 1


# --- What a file may hold beside one tool's findings ----------------------------------------------------------------


def test_bodies_of_several_findings_keep_their_whole(people: People, project: Project, case: Case, tool: Tool) -> None:
    body = "Two:\n1. **Leak**: never closed.\n2. **Race**: two write.\n"
    comments = [comment(path="pay/retry.py", line=9, commit_id=HEAD, body=body)]
    commit(preview(people.lead, project, json.dumps(comments).encode(), tool=tool, for_case=case))
    whole, first, second = RawRecord.objects.order_by("position")
    assert (whole.kind, first.parent, second.parent) == ("meta", whole, whole)
    assert json.loads(bytes(whole.data))["body"] == body
    assert [one.title for one in AIFinding.objects.order_by("position")] == ["Leak", "Race"]


def test_what_a_tool_held_back_is_kept_and_does_not_count(
    people: People, project: Project, case: Case, tool: Tool
) -> None:
    sarif = {
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "x"}},
                "results": [
                    {
                        "message": {"text": "Held back."},
                        "suppressions": [{"kind": "inSource"}],
                        "locations": [
                            {
                                "physicalLocation": {
                                    "artifactLocation": {"uri": "pay/retry.py"},
                                    "region": {"startLine": 9},
                                }
                            }
                        ],
                    }
                ],
            }
        ],
    }
    commit(preview(people.lead, project, json.dumps(sarif).encode(), tool=tool, for_case=case))
    assert AIFinding.objects.get().is_suppressed
    assert AIFinding.objects.counted().count() == 0
    assert CaseRun.objects.get().state == "reviewed_silent"


def test_names_and_marks_are_not_in_neutral_texts(people: People, project: Project, case: Case, tool: Tool) -> None:
    body = "![high](https://x/high-priority.svg)\n\n**Redpen found a leak.**\n\nUseful? React with 👍 / 👎."
    comments = [comment(path="pay/retry.py", line=9, commit_id=HEAD, body=body)]
    commit(preview(people.lead, project, json.dumps(comments).encode(), tool=tool, for_case=case))
    made = AIFinding.objects.get()
    assert made.neutral_text == "the tool found a leak."
    assert (made.body, made.severity) == (body, "high")


@pytest.fixture
def martian_cases(project: Project) -> Project:
    """The fifty cases, waiting for their change, as an import of the golden comments leaves them."""
    for pull in json.loads((DATA / "martian-golden.json").read_bytes()):
        factories.make_incomplete_case(project, reference=pull["pr_url"])
    return project


def test_the_public_candidates_come_in_by_tool(people: People, martian_cases: Project) -> None:
    data = (DATA / "martian-candidates.json").read_bytes()
    intake = commit(preview(people.lead, martian_cases, data, name="martian-candidates.json"))
    assert Counter(outcomes(intake)) == {("finding", "new"): 1714, ("meta", "new"): 600, ("trigger", "new"): 21}
    counted = Counter(
        RawRecord.objects.filter(kind__in=["finding", "trigger"]).values_list(
            "run__configuration__tool__name", flat=True
        )
    )
    assert counted == PER_TOOL
    assert Run.objects.count() == 12
    assert CaseRun.objects.count() == 600
    assert JudgeVerdict.objects.filter(is_match=True).count() == 613
    assert set(AIFinding.objects.values_list("place_state", flat=True)) == {"unplaced"}
    graphite = CaseRun.objects.filter(run__configuration__tool__name="graphite")
    assert Counter(graphite.values_list("state", flat=True))["reviewed_silent"] == 40
    job = Job.objects.get(kind="import_run")
    assert (job.done_items, job.total_items) == (2335, 2335)
    again = preview(people.lead, martian_cases, data, name="martian-candidates.json")
    assert {outcome for _, outcome in outcomes(again)} == {"present"}


def test_one_tool_of_a_file_of_many_is_taken_and_the_others_are_told(people: People, martian_cases: Project) -> None:
    tool = create_tool(project=martian_cases, name="Graphite", kind=ToolKind.AI_REVIEWER, actor=people.lead)
    data = (DATA / "martian-candidates.json").read_bytes()
    intake = commit(preview(people.lead, martian_cases, data, tool=tool))
    assert Counter(outcomes(intake))[("finding", "new")] == 16
    assert intake.records.filter(outcome=IntakeRecord.LEFT_OUT).count() == 2335 - 16 - 50
    assert (AIFinding.objects.count(), Tool.objects.count(), RawRecord.objects.count()) == (16, 1, 66)
    other = create_tool(project=martian_cases, name="Redpen", kind=ToolKind.AI_REVIEWER, actor=people.lead)
    with pytest.raises(IntakeRefused, match='nothing of "Redpen"; choose one of them'):
        preview(people.lead, martian_cases, data, tool=other)


# --- Refusals -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "format_name", "reason"),
    [
        (b"", "", "findings.jsonl: The file is empty"),
        (b"hello", "", "neither JSON nor XML"),
        (b"{", "github", "findings.jsonl, line 1, column 2: The object is cut off"),
        (b"[]", "word", 'The format "word" is unknown'),
        (b"PK\x03\x04rubbish", "", "damaged zip file"),
        (b'{"items": []}', "", "holds no record"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(
    people: People, project: Project, case: Case, tool: Tool, data: bytes, format_name: str, reason: str
) -> None:
    with pytest.raises(IntakeRefused, match=reason):
        preview(people.lead, project, data, tool=tool, format_name=format_name)
    assert Intake.objects.count() == 0


def test_whoever_labels_in_the_project_may_not_import(people: People, project: Project, case: Case, tool: Tool) -> None:
    CaseSeat.objects.create(case=case, user=people.lead, opened_at=clock.now())
    with pytest.raises(IntakeRefused, match="You hold an open seat in this project"):
        preview(people.lead, project, own_lines(finding(case)), tool=tool)


def test_a_target_must_fit_together(people: People, project: Project, case: Case, tool: Tool) -> None:
    other = factories.make_project(lead=people.outsider, name="Other")
    foreign = create_tool(project=other, name="Redpen", kind=ToolKind.LINTER, actor=people.outsider)
    second = create_tool(project=project, name="Second", kind=ToolKind.LINTER, actor=people.lead)
    configuration = add_configuration(tool=second, context_mode=ContextMode.FILE_ONLY, actor=people.lead)
    for target in ({"tool": foreign}, {"tool": tool, "configuration": configuration}, {"tool": tool, "repeat": 0}):
        with pytest.raises(IntakeRefused):
            preview(people.lead, project, own_lines(finding(case)), **target)


def test_tools_and_configurations(people: People, project: Project, tool: Tool) -> None:
    with pytest.raises(ToolRefused, match='already has a tool "redpen"'):
        create_tool(project=project, name=" redpen ", kind=ToolKind.LINTER, actor=people.lead)
    with pytest.raises(ToolRefused, match="needs a name"):
        create_tool(project=project, name=" ", kind=ToolKind.LINTER, actor=people.lead)
    edited = edit_tool(tool=tool, aliases=["rp[bot]", " ", "rp[bot]"], note="By us", actor=people.lead)
    assert edited.names == ["Redpen", "rp[bot]"]
    made = add_configuration(
        tool=tool,
        context_mode=ContextMode.DIFF_ONLY,
        actor=people.lead,
        prompt="Review this diff.",
        parameters=[Parameter("temperature", "0"), Parameter("seed", "ignored", is_exposed=False)],
    )
    assert made.prompt_sha256 == "16e670df210ad326a54f5cbdf1b4960f6a2c27544a4476692f901c9fb85ca260"
    assert list(made.parameters.order_by("name").values_list("name", "value", "is_exposed")) == [
        ("seed", "", False),
        ("temperature", "0", True),
    ]
    hidden = add_configuration(
        tool=tool, context_mode=ContextMode.NOT_EXPOSED, actor=people.lead, model=None, prompt=None
    )
    assert (hidden.number, hidden.is_model_exposed, hidden.is_prompt_exposed) == (3, False, False)
    for wrong in (
        {"prompt": "x", "prompt_sha256": "0" * 64},
        {"prompt_sha256": "abc"},
        {"parameters": [Parameter("a"), Parameter("a")]},
        {"parameters": [Parameter(" ")]},
    ):
        with pytest.raises(ToolRefused):
            add_configuration(tool=tool, context_mode=ContextMode.DIFF_ONLY, actor=people.lead, **wrong)


def test_one_finding_inline_and_in_the_summary_stays_two(
    people: People, project: Project, case: Case, tool: Tool
) -> None:
    bot = {"login": "redpen-app[bot]", "type": "Bot"}
    words = "**The retry charges twice.**"
    nested = (
        "<details><summary>Nitpick comments (1)</summary><details><summary>pay/retry.py (1)</summary>\n\n"
        f"`11`: {words}\n\n</details></details>"
    )
    bundle = {
        "review_comments": [comment(path="pay/retry.py", line=11, commit_id=HEAD, body=words, user=bot)],
        "reviews": [{"id": 9, "user": bot, "body": nested, "state": "COMMENTED", "commit_id": HEAD}],
    }
    commit(preview(people.lead, project, json.dumps(bundle).encode(), tool=tool, for_case=case))
    one, two = AIFinding.objects.order_by("position")
    # The same words at the same place: people are asked once, and two rows stand.
    assert one.content_sha256 == two.content_sha256
    assert one.pk != two.pk
