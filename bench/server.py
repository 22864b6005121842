"""The servers that are measured, started as in production: gunicorn with two sync workers, on a port of their own."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = ("--config", "python:config.gunicorn", "config.wsgi:application")
LIMIT = ("--workers", "2", "--preload", "--error-logfile", "/dev/null", "bench.limit:application")


@dataclass(frozen=True)
class Server:
    """A running server."""

    port: int
    process: subprocess.Popen[bytes]
    seconds_to_first_answer: float

    def pids(self) -> list[int]:
        """The master and its workers."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return [self.process.pid, *map(int, children)]

    def memory_mb(self) -> float:
        """Memory of all processes in MB, shared pages counted once (PSS)."""
        kilobytes = 0
        for pid in self.pids():
            for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    kilobytes += int(line.split()[1])
        return kilobytes * 1024 / 1e6

    def cpu_seconds(self) -> float:
        """CPU seconds spent by all processes so far."""
        ticks = 0
        for pid in self.pids():
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")


def free_port() -> int:
    """Return a port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serving(arguments: tuple[str, ...], environment: dict[str, str], path: str = "/healthz") -> Iterator[Server]:
    """Start gunicorn, wait for its first 200, and stop it in the end."""
    port = free_port()
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "gunicorn", "--bind", f"127.0.0.1:{port}", *arguments],
        env={**os.environ, **environment, "TOUCHSTONE_BIND": f"127.0.0.1:{port}"},
        cwd=ROOT,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(port, path, process)
        yield Server(port, process, time.perf_counter() - begun)
    finally:
        process.terminate()
        process.wait(timeout=30)


def wait_for(port: int, path: str, process: subprocess.Popen[bytes]) -> None:
    """Ask until the server answers 200."""
    deadline = time.perf_counter() + 60
    while time.perf_counter() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with code {process.returncode}")
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            connection.request("GET", path)
            if connection.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.005)
        finally:
            connection.close()
    raise RuntimeError("the server did not answer within a minute")
