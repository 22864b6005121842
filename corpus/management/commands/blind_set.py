"""`touchstone blind_set`: cases of a frozen version under blind ids, with a sealed mapping committed to by its hash."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from corpus.domain.exports.frame import PUBLIC_SPLITS
from corpus.domain.vocabulary import Channel, Role, Split
from corpus.management.actors import member_named, project_named
from corpus.management.commands.export import refuse_used, version_named, write_folder
from corpus.models import CorpusVersion
from corpus.services.blind_sets import make_blind_set
from corpus.services.exports import ExportTooLarge, VersionDamaged


class Command(BaseCommand):
    """Draw a blind set, write its open and its sealed part, and print the commitment."""

    help = "Write cases under blind ids to DIR/open, and what opens them to DIR/sealed; publish the commitment printed."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Let `--version` name a corpus version; Django's own option of that name shows its release."""
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--project", required=True, help="the project's name in addresses (its slug)")
        parser.add_argument("--version", dest="number", required=True, help="the number of the frozen version")
        parser.add_argument("--out", required=True, metavar="DIR", help="a folder that is new or empty")
        parser.add_argument("--seed", type=int, help="draws the order; drawn itself when it is not given")
        parser.add_argument("--split", action="append", default=[], choices=[split.value for split in Split])
        parser.add_argument("--as", dest="email", default="", help="address of the member who takes it")

    def handle(self, *args: Any, **options: Any) -> None:
        """Draw, write whole or not at all, and say what to publish."""
        project = project_named(options["project"])
        version = version_named(project, options["number"])
        user = member_named(project, options["email"], [Role.LEAD, Role.ANALYST]) if options["email"] else None
        if user is not None and not CorpusVersion.objects.visible_to(user).filter(pk=version.pk).exists():
            raise CommandError(f"{user.email} holds an open seat on a case of this version; it cannot leave to them.")
        folder = Path(options["out"])
        refuse_used(folder)
        try:
            made = make_blind_set(
                version=version,
                splits=frozenset(map(Split, options["split"])) or PUBLIC_SPLITS,
                seed=options["seed"],
                user=user,
                channel=Channel.COMMAND,
            )
        except (VersionDamaged, ExportTooLarge) as refused:
            raise CommandError(str(refused)) from refused
        write_folder(folder, made.export)
        self.stdout.write(f"{made.cases} cases, commitment {made.commitment}\n")
        for loss in made.export.losses:
            self.stdout.write(f"loss {loss.case_id or ''}: {loss.reason}\n")
        self.stdout.write(
            f"Publish {folder}/open/commitment.json now; keep {folder}/sealed apart until judging is over.\n"
        )
