"""`touchstone worker`: serve jobs straight from the database, without a broker."""

from __future__ import annotations

import signal
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db import close_old_connections

from corpus.services import jobs


class Command(BaseCommand):
    """Run waiting jobs and periodic work until asked to stop."""

    help = "Serve jobs from the database until interrupted. With a broker, run Celery's worker instead."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Offer the polling interval and a single pass."""
        parser.add_argument("--interval", type=float, default=1.0, help="seconds between looks, default 1")
        parser.add_argument("--periodic", type=float, default=10.0, help="seconds between periodic work, default 10")
        parser.add_argument("--once", action="store_true", help="do what waits now, then stop")

    def handle(self, *args: Any, **options: Any) -> None:
        """Loop; SIGTERM and SIGINT stop it after the job in hand."""
        self.stopping = False
        if not options["once"]:
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, self.stop)
        next_periodic = 0.0
        while not self.stopping:
            close_old_connections()
            if time.monotonic() >= next_periodic:
                jobs.run_periodic()
                next_periodic = time.monotonic() + options["periodic"]
            if jobs.run_next_job() is not None:
                continue
            if options["once"]:
                return
            time.sleep(options["interval"])

    def stop(self, *_: object) -> None:
        """Finish the job in hand, then leave the loop."""
        self.stopping = True
