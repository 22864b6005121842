"""`touchstone export`: write what leaves a frozen version into a folder."""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from corpus.domain.exports.frame import PUBLIC_SPLITS, Export
from corpus.domain.vocabulary import Channel, Role, Split
from corpus.management.actors import member_named, project_named
from corpus.models import CorpusVersion, Project
from corpus.services.exports import (
    COMMAND_LIMIT,
    LABELS,
    MANIFEST,
    ExportChoice,
    ExportTooLarge,
    VersionDamaged,
    make_export,
    record_leaving,
)


class Command(BaseCommand):
    """Write an export, check every file after writing, and list what the format loses."""

    help = "Write a frozen version to a folder, in one of the formats that leave."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Let `--version` name a corpus version; Django's own option of that name shows its release."""
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--project", required=True, help="the project's name in addresses (its slug)")
        parser.add_argument("--version", dest="number", required=True, help="the number of the frozen version")
        parser.add_argument("--format", dest="format_name", required=True, choices=list(LABELS))
        parser.add_argument("--out", required=True, metavar="DIR", help="a folder that is new or empty")
        parser.add_argument(
            "--split",
            action="append",
            default=[],
            choices=[split.value for split in Split],
            help="which cases leave (default: dev and test); a manifest leaves whole",
        )
        parser.add_argument("--public-only", action="store_true", help="leave private cases out")
        parser.add_argument("--as", dest="email", default="", help="address of the member who takes it")

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the export, write it whole or not at all, and say what was written and lost."""
        project = project_named(options["project"])
        version = version_named(project, options["number"])
        user = member_named(project, options["email"], [Role.LEAD, Role.ANALYST]) if options["email"] else None
        if user is not None and not CorpusVersion.objects.visible_to(user).filter(pk=version.pk).exists():
            raise CommandError(f"{user.email} holds an open seat on a case of this version; it cannot leave to them.")
        choice = ExportChoice(
            format=options["format_name"],
            splits=frozenset(map(Split, options["split"])) or PUBLIC_SPLITS,
            with_private=not options["public_only"],
            limit=COMMAND_LIMIT,
        )
        if choice.format == MANIFEST and (options["split"] or options["public_only"]):
            raise CommandError("A manifest leaves whole; leave out --split and --public-only.")
        folder = Path(options["out"])
        refuse_used(folder)
        try:
            export = make_export(version=version, choice=choice)
        except (VersionDamaged, ExportTooLarge) as refused:
            raise CommandError(str(refused)) from refused
        record_leaving(version=version, choice=choice, export=export, user=user, channel=Channel.COMMAND)
        write_folder(folder, export)
        self.stdout.write(f"{choice.format} of {version.number} (manifest sha256 {version.manifest_sha256})\n")
        for path, data in export.files:
            self.stdout.write(f"{hashlib.sha256(data).hexdigest()}  {path}\n")
        for loss in export.losses:
            subject = " ".join(filter(None, (loss.case_id, loss.finding_id)))
            self.stdout.write(f"loss {subject}{': ' if subject else ''}{loss.reason}\n")
        self.stdout.write(f"{len(export.files)} files written and checked, {len(export.losses)} losses\n")


def version_named(project: Project, number: str) -> CorpusVersion:
    """Return the version of that number, or raise CommandError."""
    version = CorpusVersion.objects.filter(project=project, number=number).select_related("project").first()
    if version is None:
        known = list(CorpusVersion.objects.filter(project=project).order_by("pk").values_list("number", flat=True))
        listed = f"it has {', '.join(known[-10:])}" if known else "nothing is frozen yet"
        raise CommandError(f"The project has no version {number[:40]!r}; {listed}.")
    return version


def refuse_used(folder: Path) -> None:
    """Raise CommandError unless `folder` is new or empty."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise CommandError(f"{folder} is no folder; give one that is new or empty.")
    if folder.exists() and any(folder.iterdir()):
        raise CommandError(f"{folder} is not empty; give a folder that is new or empty.")


def write_folder(folder: Path, export: Export) -> None:
    """Write the files of an export into `folder`, all of them or none, and check each against what was meant.

    They are written beside the folder first, which then takes its name. Raises CommandError.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    except OSError as error:
        raise CommandError(f"{folder} cannot be made: {error.strerror}.") from error
    try:
        for path, data in export.files:
            target = beside / path
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
        for path, data in export.files:
            if hashlib.sha256((beside / path).read_bytes()).digest() != hashlib.sha256(data).digest():
                raise CommandError(f"{path} was not stored as it was written; check the disk and export again.")
        beside.chmod(0o755)
        beside.replace(folder)
    except OSError as error:
        raise CommandError(f"{folder} cannot be written: {error.strerror}.") from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
