"""`touchstone check_blinding`: does a text planted in one seat reach anybody it must not?"""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.blinding_check import MOST_PAGES, CannotPlant, check_blinding
from corpus.management.actors import project_named


class Command(BaseCommand):
    """Plant canaries in one seat, crawl as everybody in the project, report what came through, take all of it back."""

    help = (
        "Plant texts in one open seat and crawl every page as every member. Nothing is kept, but others wait "
        "meanwhile: run it on a copy of the database. Exit code 1 if anything came through."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--project", required=True, help="the project's name in addresses (its slug)")
        parser.add_argument("--pages", type=int, default=MOST_PAGES, help=f"most pages a person, default {MOST_PAGES}")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check and say."""
        try:
            report = check_blinding(project_named(options["project"]), most_pages=options["pages"])
        except CannotPlant as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(
            f"case {report.case_id}: {report.people} people, {report.pages} pages, {report.opened} opened"
        )
        for person in report.cut:
            self.stdout.write(f"not all pages of {person} were asked for; give a higher --pages")
        for leak in report.leaks:
            self.stdout.write(f"LEAK: {leak.person} at {leak.path} got {leak.what}")
        if report.leaks:
            raise CommandError(f"{len(report.leaks)} times a planted text came through.")
        self.stdout.write("nothing planted came through")
