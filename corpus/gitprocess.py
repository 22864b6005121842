"""Running git with a time and a size limit, and talking to `git cat-file --batch`. The only module that starts git."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Self

from corpus.domain.bytestext import path_text

OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
BATCH = 200


class GitRefused(Exception):
    """The repository, or what was asked of it, cannot be used; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class GitLimits:
    """What one run of git may cost. A blob above `max_blob_bytes` is named, not read."""

    seconds: float = 120
    max_output_bytes: int = 128_000_000
    max_blob_bytes: int = 20_000_000
    max_changes: int = 20_000
    max_tree_entries: int = 500_000
    max_memory_bytes: int = 4_000_000_000


DEFAULT_GIT_LIMITS = GitLimits()


@dataclass(frozen=True, slots=True)
class GitBlob:
    """A blob; `data` is None when it is larger than the limit."""

    oid: str
    size: int
    data: bytes | None


def run_git(
    command: Sequence[str], environment: dict[str, str], folder: str, limits: GitLimits, *, name: str, wrong: str = ""
) -> bytes:
    """Standard output of one run; GitRefused when it fails, takes too long or prints too much.

    `name` is the subcommand to speak of; `wrong` is said instead of git's own words when it fails.
    """
    with tempfile.TemporaryFile() as errors:
        process = _start(list(command), environment, folder, subprocess.DEVNULL, errors, limits)
        with _deadline(process, limits.seconds) as late:
            output = _pipe(process.stdout)
            data = output.read(limits.max_output_bytes + 1)
            if len(data) > limits.max_output_bytes:
                _kill(process)
            output.close()
            code = process.wait()
        errors.seek(0)
        said = path_text(errors.read(300).partition(b"\n")[0])
    if late.is_set():
        raise GitRefused(f"git {name} took longer than the limit of {limits.seconds:g} seconds")
    if len(data) > limits.max_output_bytes:
        raise GitRefused(f"git {name} printed more than the limit of {limits.max_output_bytes} bytes")
    if code:
        raise GitRefused(wrong or f"git {name} failed: {said}")
    return data


class ObjectReader:
    """One `git cat-file --batch`: object names in, objects out."""

    def __init__(self, command: list[str], environment: dict[str, str], limits: GitLimits, max_bytes: int) -> None:
        self.limits = limits
        self.max_bytes = max_bytes
        self.process = _start(
            [*command, "cat-file", "--batch"],
            environment,
            environment["GIT_DIR"],
            subprocess.PIPE,
            subprocess.DEVNULL,
            limits,
        )
        self._since: float | None = None
        self._late = False
        self._closed = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._closed.set()
        _kill(self.process)
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()
        self.process.wait()

    def read(self, oids: Sequence[str], kind: str) -> Iterator[GitBlob]:
        """Objects of one kind, at most `BATCH` of them, so that the requests fit into the pipe.

        A commit asked for as a tree gives its tree. Abandoning the iterator leaves the process of no use.
        """
        suffix = "" if kind == "blob" else f"^{{{kind}}}"
        requests = "".join(f"{checked_oid(oid)}{suffix}\n" for oid in oids)
        try:
            stream = _pipe(self.process.stdin)
            stream.write(requests.encode("ascii"))
            stream.flush()
        except OSError as error:
            raise GitRefused(self._why_ended()) from error
        for oid in oids:
            # The time limit is for git alone: whoever uses the object may take longer.
            self._since = time.monotonic()
            try:
                blob = self._answer(oid, kind)
            finally:
                self._since = None
            if blob is None:
                raise GitRefused(self._why_ended())
            yield blob

    def _why_ended(self) -> str:
        if self._late:
            return f"git cat-file took longer than the limit of {self.limits.seconds:g} seconds"
        return "git cat-file ended early: check the repository"

    def _watch(self) -> None:
        """Kill the process when one answer takes too long; ends when the reader is closed."""
        while not self._closed.wait(min(1.0, self.limits.seconds / 4)):
            since = self._since
            if since is not None and time.monotonic() - since > self.limits.seconds:
                self._late = True
                _kill(self.process)
                return

    def _answer(self, oid: str, kind: str) -> GitBlob | None:
        """The next object; None if the process ended before it was complete."""
        output = _pipe(self.process.stdout)
        header = output.readline(1000).split()
        if len(header) == 2:
            if kind != "blob":
                raise GitRefused(f"object {oid} is missing or is no {kind}")
            raise GitRefused(f"object {oid} is missing: make a full clone, neither shallow nor partial")
        if len(header) != 3:
            return None
        if header[1] != kind.encode("ascii"):
            raise GitRefused(f"object {oid} is no {kind}")
        size = int(header[2])
        if size <= self.max_bytes:
            data = output.read(size + 1)
            return GitBlob(oid, size, data[:-1]) if len(data) == size + 1 else None
        remaining = size + 1
        while remaining:
            chunk = output.read(min(remaining, 1 << 20))
            if not chunk:
                return None
            remaining -= len(chunk)
        return GitBlob(oid, size, None)


def checked_oid(oid: str) -> str:
    """An object name that cannot be taken for an option or an expression."""
    if not OID.fullmatch(oid):
        raise GitRefused(f"{oid[:80]!r} is no object name")
    return oid


def _start(
    command: list[str],
    environment: dict[str, str],
    folder: str,
    requests: int,
    errors: int | IO[bytes],
    limits: GitLimits,
) -> subprocess.Popen[bytes]:
    try:
        process = subprocess.Popen(
            command,
            env=environment,
            cwd=folder,
            stdin=requests,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
    except OSError as error:
        raise GitRefused(f"git cannot be run: {error.strerror}") from error
    if hasattr(resource, "prlimit"):
        # A few small trees can stand for billions of files. The process may have ended by now.
        with suppress(OSError):
            memory = (limits.max_memory_bytes, limits.max_memory_bytes)
            resource.prlimit(process.pid, resource.RLIMIT_AS, memory)
    return process


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise GitRefused("git has no pipe")
    return stream


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the process with everything that it started (it has a session of its own)."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def _deadline(process: subprocess.Popen[bytes], seconds: float) -> Iterator[threading.Event]:
    """Kill the process when time is over; the event tells that it was."""
    late = threading.Event()

    def stop() -> None:
        late.set()
        _kill(process)

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()
