"""`touchstone restore FILE`: put a backup into an empty database."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from config.backups import BackupRefused, restore_backup


class Command(BaseCommand):
    """Restore a backup, whole or not at all, and compare the digests."""

    help = "Restore a backup into an empty database of either engine: all of it or nothing."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("file", type=Path, help="a file that touchstone backup wrote")

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the tables, fill them, and print what was restored."""
        call_command("migrate", verbosity=0, interactive=False)
        try:
            summary = restore_backup(options["file"])
        except BackupRefused as refused:
            raise CommandError(str(refused)) from refused
        self.stdout.write(f"{summary.rows} rows of {summary.tables} tables")
        self.stdout.write(f"digest {summary.sha256}, as in the backup")
        if not summary.has_same_secret:
            self.stderr.write(
                "This server's TOUCHSTONE_SECRET_KEY is not that of the server which made the backup: orders in which "
                "people see cases and sides change, and links that were mailed end. Set it before anybody works."
            )
