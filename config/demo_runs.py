"""The sample work's runs: an AI reviewer twice and a linter once, against the version that was frozen."""

from __future__ import annotations

from collections.abc import Mapping

from corpus.importers.records import Source
from corpus.models import Case, CorpusVersion, Project, User
from reviews.domain.vocabulary import ContextMode, ToolKind
from reviews.models import Tool
from reviews.sample import sample_findings
from reviews.services.intakes import Target, commit_intake, preview_intake
from reviews.services.tools import Parameter, add_configuration, create_tool


def load_runs(project: Project, version: CorpusVersion, cases: Mapping[str, Case], lead: User) -> None:
    """Import the sample runs as a lead does: previewed, then confirmed."""
    redpen = create_tool(
        project=project, name="Redpen", kind=ToolKind.AI_REVIEWER, actor=lead, aliases=["redpen-app[bot]"]
    )
    add_configuration(
        tool=redpen,
        context_mode=ContextMode.REPOSITORY,
        actor=lead,
        name="sample",
        model=None,
        prompt="Review this change. Report real defects only; say nothing where there are none.",
        parameters=[Parameter("temperature", "0"), Parameter("seed", is_exposed=False)],
    )
    lint = create_tool(project=project, name="Lint", kind=ToolKind.LINTER, actor=lead)
    add_configuration(tool=lint, context_mode=ContextMode.FILE_ONLY, actor=lead, name="default rules", prompt=None)
    ids = {key: case.public_id for key, case in cases.items()}
    for tool, name, repeat in ((redpen, "redpen-1", 1), (redpen, "redpen-2", 2), (lint, "lint", 1)):
        load_run(project, version, lead, tool, repeat, Source(f"{name}.jsonl", sample_findings(name, ids)))


def load_run(project: Project, version: CorpusVersion, lead: User, tool: Tool, repeat: int, source: Source) -> None:
    """Import one run."""
    target = Target(tool=tool, version=version, repeat=repeat)
    intake = preview_intake(project=project, source=source, target=target, created_by=lead)
    commit_intake(intake=intake, actor=lead)
