"""`touchstone serve`: the web server and one worker side by side, for the embedded default."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand


class Command(BaseCommand):
    """Run gunicorn and `touchstone worker` until interrupted; when one of them ends, the other is stopped."""

    help = "Serve the product with one worker process. In production run web and worker as services of their own."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Offer the address to listen on."""
        parser.add_argument("--bind", default=os.environ.get("TOUCHSTONE_BIND", "127.0.0.1:8000"))

    def handle(self, *args: Any, **options: Any) -> None:
        """Start both processes and wait for the first to end."""
        environment = {**os.environ, "TOUCHSTONE_BIND": options["bind"]}
        commands = (
            [sys.executable, "-m", "gunicorn", "--config", "python:config.gunicorn", "config.wsgi:application"],
            [sys.executable, "-m", "config.cli", "worker"],
        )
        children = [subprocess.Popen(command, env=environment) for command in commands]
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.stop(children))
        self.stdout.write(f"Touchstone listens on http://{options['bind']}/ (stop with Ctrl-C)")
        while all(child.poll() is None for child in children):
            time.sleep(0.2)
        self.stop(children)
        for child in children:
            child.wait()

    def stop(self, children: list[subprocess.Popen[bytes]]) -> None:
        """Ask the processes that still run to end."""
        for child in children:
            if child.poll() is None:
                child.terminate()
