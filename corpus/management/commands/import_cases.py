"""`touchstone import_cases`: bring cases from a file, a folder or a local git repository into a project."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from corpus.domain.limits import MAX_FILE_BYTES, in_words
from corpus.domain.vocabulary import CaseState, JobState, SourceKind, Split
from corpus.importers.archives import pack_folder
from corpus.importers.formats import GIT, LABELS
from corpus.importers.git import reference_of, source_of
from corpus.importers.records import Source
from corpus.management.actors import lead_named, project_named
from corpus.models import Case, ImportBatch, ImportRecord, Job, Project
from corpus.services import jobs
from corpus.services.imports import (
    JOB_KIND,
    ImportRefused,
    ImportStateRefused,
    Options,
    commit_import,
    keep_trial,
    try_import,
)

WAIT_SECONDS = 1.0


class Command(BaseCommand):
    """Import cases, and print both counts and every rejection with its place."""

    help = "Import cases from a patch, mailbox, archive, folder, JSON file or local git repository."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("source", help="file, folder of cases, or git repository")
        parser.add_argument("--project", required=True, help="the project's name in addresses (its slug)")
        parser.add_argument("--format", choices=sorted(LABELS), default="", help="told by the source when not given")
        parser.add_argument("--base", default="", help="repository: the commit before (default: parent of head)")
        parser.add_argument("--head", default="", help="repository: the commit that holds the change")
        parser.add_argument("--as", dest="email", default="", help="address of the lead who imports")
        parser.add_argument("--case", default="", help="id of the incomplete case that this change completes")
        parser.add_argument("--source-kind", choices=[kind.value for kind in SourceKind], default=SourceKind.EXPERT)
        parser.add_argument("--split", choices=[split.value for split in Split], default=Split.DEV)
        parser.add_argument("--repository", default="", help="name of the repository that the changes belong to")
        parser.add_argument("--licence", default="", help="licence of the changes")
        parser.add_argument("--dry-run", action="store_true", help="say what would be imported and store nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        """Preview, print, and commit unless it is a dry run."""
        project = project_named(options["project"])
        lead = lead_named(project, options["email"])
        try:
            source, format_name = _source(options)
            trial = try_import(
                project=project,
                source=source,
                created_by=lead,
                format_name=format_name,
                options=Options(
                    source_kind=SourceKind(options["source_kind"]),
                    split=Split(options["split"]),
                    repository=options["repository"],
                    licence=options["licence"],
                    for_case=_waiting_case(project, options["case"]),
                ),
            )
            batch, records = trial.batch, trial.records
            # An import that would change nothing leaves nothing behind either.
            if batch.accepted and not options["dry_run"]:
                commit_import(batch=keep_trial(trial=trial), actor=lead)
                _finish(batch)
                records = list(batch.records.order_by("position"))
        except (ImportRefused, ImportStateRefused) as error:
            raise CommandError(str(error)) from error
        self._print(batch, records, dry_run=options["dry_run"])

    def _print(self, batch: ImportBatch, records: list[ImportRecord], *, dry_run: bool) -> None:
        verb = "would be accepted" if dry_run else "accepted"
        self.stdout.write(
            f"{batch.accepted} {verb}, {batch.rejected} rejected, {batch.duplicates} already there ({batch.format})"
        )
        for record in records:
            if record.outcome != ImportRecord.ACCEPTED or record.reason:
                self.stdout.write(f"{record.outcome} {record.place}: {record.reason}")


def _waiting_case(project: Project, public_id: str) -> Case | None:
    if not public_id:
        return None
    case = Case.objects.filter(project=project, public_id=public_id.upper(), state=CaseState.INCOMPLETE).first()
    if case is None:
        raise CommandError(f"No case {public_id} of this project waits for its change.")
    return case


def _source(options: dict[str, Any]) -> tuple[Source, str]:
    path = Path(options["source"])
    format_name = options["format"]
    if format_name == GIT or options["head"] or options["base"] or _is_repository(path):
        if format_name not in ("", GIT):
            raise CommandError("--base and --head belong to a git repository; leave out --format.")
        reference = reference_of(repository=str(path), base=options["base"], head=options["head"] or "HEAD")
        return source_of(reference), GIT
    if path.is_dir():
        return Source(path.resolve().name, pack_folder(path)), format_name or "folder"
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise CommandError(
                f"{path.name} has {path.stat().st_size} bytes; the limit is {in_words(MAX_FILE_BYTES)}, so split it."
            )
        return Source(path.name, path.read_bytes()), format_name
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from error


def _is_repository(path: Path) -> bool:
    return (path / ".git").exists() or ((path / "HEAD").is_file() and (path / "objects").is_dir())


def _finish(batch: ImportBatch) -> None:
    """Do the work here, unless a worker has taken it; then wait for it."""
    job = Job.objects.filter(kind=JOB_KIND, subject=batch.public_id).latest("pk")
    while job.state in (JobState.QUEUED, JobState.RUNNING):
        if jobs.run_job(job.public_id) is None:
            time.sleep(WAIT_SECONDS)
        job.refresh_from_db()
    batch.refresh_from_db()
    if job.state != JobState.DONE:
        raise CommandError(f"The import broke off: {job.message} Run the command again to go on.")
