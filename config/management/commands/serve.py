"""`touchstone serve`: the web server and one worker side by side, for the embedded default."""

from __future__ import annotations

import errno
import os
import signal
import socket
import subprocess
import sys
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError


def is_taken(bind: str) -> bool:
    """Return whether another program listens on `bind`, a host and port; anything else is left to the web server."""
    host, _, port = bind.rpartition(":")
    if not host or not port.isdigit():
        return False
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host.strip("[]"), int(port)))
        except OSError as error:
            return error.errno == errno.EADDRINUSE
    return False


class Command(BaseCommand):
    """Run gunicorn and `touchstone worker` until interrupted; when one of them ends, the other is stopped."""

    help = "Serve the product with one worker process. In production run web and worker as services of their own."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Offer the address to listen on."""
        parser.add_argument("--bind", default=os.environ.get("TOUCHSTONE_BIND", "127.0.0.1:8000"))

    def handle(self, *args: Any, **options: Any) -> None:
        """Start both processes and wait for the first to end."""
        if is_taken(options["bind"]):
            raise CommandError(
                f"{options['bind']} is in use by another program. Stop it, or choose another address: "
                "TOUCHSTONE_BIND=127.0.0.1:8001"
            )
        environment = {**os.environ, "TOUCHSTONE_BIND": options["bind"]}
        commands = (
            [sys.executable, "-m", "gunicorn", "--config", "python:config.gunicorn", "config.wsgi:application"],
            [sys.executable, "-m", "config.cli", "worker"],
        )
        children = [subprocess.Popen(command, env=environment) for command in commands]
        self.is_asked = False
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.end(children))
        self.stdout.write(f"Touchstone listens on http://{options['bind']}/ (stop with Ctrl-C)")
        while all(child.poll() is None for child in children):
            time.sleep(0.2)
        self.stop(children)
        for child in children:
            child.wait()
        if not self.is_asked:
            raise CommandError("The web server or the worker ended by itself; what it said stands above.")

    def end(self, children: list[subprocess.Popen[bytes]]) -> None:
        """Stop because somebody asked for it."""
        self.is_asked = True
        self.stop(children)

    def stop(self, children: list[subprocess.Popen[bytes]]) -> None:
        """Ask the processes that still run to end."""
        for child in children:
            if child.poll() is None:
                child.terminate()
