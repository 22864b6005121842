"""Builders of runs and AI findings for tests that need rows and not the way they came in."""

from __future__ import annotations

import hashlib
from typing import Any

from corpus import clock
from corpus.domain.vocabulary import AnchorLevel, AnchorRole, Side
from corpus.models import Case, CorpusVersion, Project
from corpus.services.blobs import store_blob
from reviews.domain.matching import MatchClass
from reviews.domain.vocabulary import CaseRunState, ContextMode, PlaceState, RecordKind, ToolKind
from reviews.models import (
    AIAnchor,
    AIFinding,
    CaseRun,
    Intake,
    Match,
    Matching,
    RawRecord,
    Run,
    Tool,
    ToolConfiguration,
)


def make_tool(project: Project, *, name: str = "Redpen", kind: ToolKind = ToolKind.AI_REVIEWER, **more: Any) -> Tool:
    """Store a tool."""
    return Tool.objects.create(
        project=project, name=name, kind=kind, created_by=project.created_by, created_at=clock.now(), **more
    )


def make_configuration(tool: Tool, **more: Any) -> ToolConfiguration:
    """Store the tool's next configuration."""
    fields = {"context_mode": ContextMode.DIFF_ONLY, "model": "model-1", **more}
    return ToolConfiguration.objects.create(
        tool=tool,
        number=tool.configurations.count() + 1,
        created_by=tool.created_by,
        created_at=clock.now(),
        **fields,
    )


def make_run(
    project: Project, *, tool: Tool | None = None, version: CorpusVersion | None = None, repeat: int = 1, **more: Any
) -> Run:
    """Store a run of a tool's latest configuration, a shadow run without a version."""
    tool = tool or project.tools.first() or make_tool(project)
    configuration = tool.configurations.order_by("-number").first() or make_configuration(tool)
    return Run.objects.create(
        project=project,
        configuration=configuration,
        version=version,
        repeat=repeat,
        created_by=project.created_by,
        created_at=clock.now(),
        **more,
    )


def make_case_run(run: Run, case: Case, state: CaseRunState = CaseRunState.REVIEWED_SILENT, **more: Any) -> CaseRun:
    """Store what became of a case."""
    return CaseRun.objects.create(run=run, case=case, state=state, **more)


def make_finding(case_run: CaseRun, text: str = "Charges twice.", *, line: int | None = 9, **more: Any) -> AIFinding:
    """Store an AI finding with its raw record, on a new line of pay/retry.py unless `line` is None."""
    run = case_run.run
    count = RawRecord.objects.filter(run=run).count()
    intake = Intake.objects.create(
        project=run.project,
        tool=run.configuration.tool,
        version=run.version,
        format="touchstone",
        source_name="findings.jsonl",
        raw=store_blob(text.encode()),
        created_by=run.created_by,
        created_at=clock.now(),
    )
    raw = RawRecord.objects.create(
        intake=intake,
        position=0,
        run=run,
        case_run=case_run,
        kind=RecordKind.SUPPRESSED if more.get("is_suppressed") else RecordKind.FINDING,
        place="line 1",
        data=text.encode(),
        identity_sha256=hashlib.sha256(f"{run.pk} {count}".encode()).hexdigest(),
    )
    finding = AIFinding.objects.create(
        case_run=case_run,
        raw=raw,
        position=case_run.findings.count() + 1,
        **{
            "body": text,
            "neutral_text": text,
            "content_sha256": hashlib.sha256(f"{text} {line}".encode()).hexdigest(),
            "place_state": PlaceState.UNPLACED if line is None else PlaceState.RESOLVED,
            **more,
        },
    )
    if line is not None:
        AIAnchor.objects.create(
            finding=finding,
            role=AnchorRole.PRIMARY,
            level=AnchorLevel.LINES,
            path="pay/retry.py",
            side=Side.NEW,
            first_line=line,
            last_line=line,
        )
    return finding


def make_match(finding: AIFinding, **more: Any) -> Match:
    """Store an open match of a finding that no golden finding explains."""
    matching, _ = Matching.objects.get_or_create(
        run=finding.case_run.run,
        number=1,
        defaults={
            "algorithm": "1",
            "window": 5,
            "category_cost": 5000,
            "localised_lines": 40,
            "localised_share": 4,
            "sample_percent": 20,
            "second_percent": 0,
            "made_at": clock.now(),
        },
    )
    return Match.objects.create(
        matching=matching,
        finding=finding,
        case=finding.case_run.case,
        content_sha256=finding.content_sha256,
        case_sha256=finding.content_sha256,
        **{
            "match_class": MatchClass.FALSE_POSITIVE,
            "is_certain": False,
            "wanted": 1,
            "is_open": True,
            "shuffle": "0" * 16,
            **more,
        },
    )
