"""`touchstone import_run`: bring what a tool said about the cases of a project or of a frozen version."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from corpus.domain.limits import MAX_FILE_BYTES, in_words
from corpus.domain.vocabulary import JobState
from corpus.importers.archives import pack_folder
from corpus.importers.records import ImportRefused, Source
from corpus.management.actors import lead_named, project_named
from corpus.models import Case, CorpusVersion, Job, Project
from corpus.services import jobs
from reviews.domain.formats.catalogue import FORMATS
from reviews.domain.vocabulary import RECORD_KIND_WORDS, RecordKind
from reviews.models import Intake, IntakeRecord, Tool
from reviews.services.intake_plan import Planned
from reviews.services.intakes import (
    JOB_KIND,
    IntakeRefused,
    IntakeStateRefused,
    Target,
    Trial,
    commit_intake,
    keep_trial,
    try_intake,
)

WAIT_SECONDS = 1.0
EACH_TOOL = "each"


class Command(BaseCommand):
    """Import a run, and print how many records are of each kind and every rejection with its place."""

    help = "Import the output of an AI reviewer, a linter or a person as a run."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("source", help="file, zip or tar, or a folder with a file or folder for each case")
        parser.add_argument("--project", required=True, help="the project's name in addresses (its slug)")
        parser.add_argument(
            "--tool", required=True, help=f'name of the tool; "{EACH_TOOL}" for each that the file itself names'
        )
        parser.add_argument("--format", choices=sorted(FORMATS), default="", help="told by the bytes when not given")
        parser.add_argument("--configuration", type=int, help="number of the tool's configuration (default: latest)")
        parser.add_argument("--against", default="", metavar="VERSION", help="corpus version; without it a shadow run")
        parser.add_argument("--name", default="", help="tells runs of one configuration apart")
        parser.add_argument("--repeat", type=int, default=1, help="number of the repeat")
        parser.add_argument("--case", default="", help="id of the case, where the file names none")
        parser.add_argument("--count-suppressed", action="store_true", help="findings that the tool held back count")
        parser.add_argument("--as", dest="email", default="", help="address of the lead who imports")
        parser.add_argument("--dry-run", action="store_true", help="say what would be imported and store nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read, print, and take in unless it is a dry run."""
        project = project_named(options["project"])
        lead = lead_named(project, options["email"])
        try:
            trial = try_intake(
                project=project,
                source=_source(Path(options["source"])),
                target=_target(project, options),
                created_by=lead,
                format_name=options["format"],
            )
            is_new = any(one.outcome == IntakeRecord.NEW for one in trial.plan.records)
            # An import that would change nothing leaves nothing behind either.
            if is_new and not options["dry_run"]:
                intake = commit_intake(intake=keep_trial(trial=trial), actor=lead)
                _finish(intake)
        except (IntakeRefused, IntakeStateRefused) as error:
            raise CommandError(str(error)) from error
        self._print(trial)

    def _print(self, trial: Trial) -> None:
        plan = trial.plan
        counts = plan.counts()
        words = ", ".join(f"{counts[kind]} {RECORD_KIND_WORDS[kind]}" for kind in RecordKind)
        self.stdout.write(f"{len(plan.records)} records ({trial.intake.format}): {words}")
        outcomes = [one.outcome for one in plan.records]
        present, left_out = outcomes.count(IntakeRecord.PRESENT), outcomes.count(IntakeRecord.LEFT_OUT)
        self.stdout.write(
            f"{outcomes.count(IntakeRecord.NEW)} new, {present} already there, {left_out} of other tools left out"
        )
        for word, count in plan.unknown_severities:
            self.stdout.write(f'unknown severity "{word}", {count} times: left empty')
        for word, count in plan.unknown_categories:
            self.stdout.write(f'category "{word}" is not in the taxonomy, {count} times: left empty')
        for one in plan.records:
            if one.kind is RecordKind.REJECTED or _is_unresolved(one):
                verb = "rejected" if one.kind is RecordKind.REJECTED else "unresolved"
                self.stdout.write(f"{verb} {one.record.place}: {one.reason}")


def _is_unresolved(one: Planned) -> bool:
    return one.resolution is not None and one.resolution.state == "unresolved"


def _source(path: Path) -> Source:
    if path.is_dir():
        try:
            return Source(path.resolve().name, pack_folder(path))
        except ImportRefused as error:
            raise CommandError(str(error)) from error
    try:
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise CommandError(f"{path.name} has {size} bytes; the limit is {in_words(MAX_FILE_BYTES)}, so split it.")
        return Source(path.name, path.read_bytes())
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from error


def _target(project: Project, options: dict[str, Any]) -> Target:
    tool = None if options["tool"] == EACH_TOOL else _tool(project, options["tool"])
    configuration = None
    if options["configuration"] is not None:
        own = tool.configurations.filter(number=options["configuration"]) if tool is not None else None
        configuration = own.first() if own is not None else None
        if configuration is None:
            raise CommandError(f"The tool has no configuration {options['configuration']}; its page lists them.")
    return Target(
        tool=tool,
        configuration=configuration,
        version=_version(project, options["against"]),
        name=options["name"],
        repeat=options["repeat"],
        scores_suppressed=options["count_suppressed"],
        for_case=_case(project, options["case"]),
    )


def _tool(project: Project, name: str) -> Tool:
    tool = Tool.objects.filter(project=project, name__iexact=name).first()
    if tool is None:
        known = ", ".join(Tool.objects.filter(project=project).order_by("name").values_list("name", flat=True)[:20])
        listed = f"known are {known}" if known else "it has none yet; add one on the page of tools"
        raise CommandError(f'The project has no tool "{name}": {listed}.')
    return tool


def _version(project: Project, number: str) -> CorpusVersion | None:
    if not number:
        return None
    version = CorpusVersion.objects.filter(project=project, number=number).first()
    if version is None:
        raise CommandError(f"The project has no version {number}; its list of versions names them.")
    return version


def _case(project: Project, public_id: str) -> Case | None:
    if not public_id:
        return None
    case = Case.objects.filter(project=project, public_id=public_id.upper()).first()
    if case is None:
        raise CommandError(f"The project has no case {public_id}.")
    return case


def _finish(intake: Intake) -> None:
    """Do the work here, unless a worker has taken it; then wait for it."""
    job = Job.objects.filter(kind=JOB_KIND, subject=intake.public_id).latest("pk")
    while job.state in (JobState.QUEUED, JobState.RUNNING):
        if jobs.run_job(job.public_id) is None:
            time.sleep(WAIT_SECONDS)
        job.refresh_from_db()
    if job.state != JobState.DONE:
        raise CommandError(f"The import broke off: {job.message} Run the command again to go on.")
