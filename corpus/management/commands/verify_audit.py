"""`touchstone verify_audit`: is the audit trail what was sealed?"""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from corpus.selectors.audit_chain import check_chain


class Command(BaseCommand):
    """Recompute the chain, name the first fault and the tail that is not sealed yet."""

    help = "Recompute the hash chain over the audit trail. Exit code 1 if it does not hold."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--holds", metavar="SHA256", help="a digest noted earlier, which the chain must contain")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check and say."""
        report = check_chain()
        self.stdout.write(f"{report.sealed} entries in {report.seals} seals hold; head {report.head or 'none yet'}")
        self.stdout.write(f"{report.tail} entries are not sealed yet" if report.tail else "no entry waits to be sealed")
        if report.fault is not None:
            raise CommandError(f"The audit trail is broken: {report.fault}.")
        noted = options["holds"]
        if noted and noted.lower() not in report.digests:
            raise CommandError(f"The chain does not contain {noted}: it was cut or replaced since that was noted.")
