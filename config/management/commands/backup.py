"""`touchstone backup FILE`: everything in the database, drafts included, in one file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.backups import BackupRefused, write_backup
from corpus.services import audit


class Command(BaseCommand):
    """Write a backup that `touchstone restore` puts onto either database engine."""

    help = "Write everything, drafts included, to a new file that restores onto SQLite or PostgreSQL."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("file", type=Path, help="the new file; keep it as safe as the database")

    def handle(self, *args: Any, **options: Any) -> None:
        """Note it in the audit trail, write, and print what the file holds."""
        path: Path = options["file"]
        if path.exists():
            raise CommandError(f"{path} exists; name a new file.")
        audit.record(actor=None, verb="backup made", subject=path.name)
        try:
            summary = write_backup(path)
        except BackupRefused as refused:
            raise CommandError(str(refused)) from refused
        self.stdout.write(f"{summary.rows} rows of {summary.tables} tables")
        self.stdout.write(f"digest {summary.sha256}")
