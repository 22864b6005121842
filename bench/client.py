"""Clients: one that calls the WSGI application in this process, and one that speaks HTTP and keeps its connection."""

from __future__ import annotations

import http.client
import io
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

CSRF = "b" * 32


@dataclass(frozen=True)
class Answer:
    """Status and body of one answer."""

    status: int
    body: bytes
    location: str = ""


@dataclass(frozen=True)
class Call:
    """One request; fields make it a POST."""

    path: str
    fields: tuple[tuple[str, str], ...] | None = None
    accept: str = "text/html"
    # Whether htmx asks, which gets a fragment where a link would get a page.
    by_htmx: bool = False

    @property
    def body(self) -> bytes:
        """The form as it is sent."""
        return urlencode(self.fields or ()).encode()


class InProcess:
    """Calls the WSGI application as a server would, signed in by a session cookie."""

    def __init__(self, session: str) -> None:
        from config.wsgi import application

        self.application = application
        self.cookie = f"sessionid={session}; csrftoken={CSRF}"

    def __call__(self, call: Call) -> Answer:
        """Send one request and return its whole answer."""
        path, _, query = call.path.partition("?")
        body = call.body
        environ: dict[str, Any] = {
            "REQUEST_METHOD": "GET" if call.fields is None else "POST",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "HTTP_HOST": "localhost",
            "HTTP_COOKIE": self.cookie,
            "HTTP_ACCEPT": call.accept,
            "HTTP_X_CSRFTOKEN": CSRF,
            **({"HTTP_HX_REQUEST": "true"} if call.by_htmx else {}),
            "CONTENT_TYPE": "application/x-www-form-urlencoded",
            "CONTENT_LENGTH": str(len(body)),
            "REMOTE_ADDR": "127.0.0.1",
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(body),
            "wsgi.errors": io.StringIO(),
            "wsgi.multithread": False,
            "wsgi.multiprocess": True,
            "wsgi.run_once": False,
            "wsgi.version": (1, 0),
        }
        seen: dict[str, Any] = {}

        def start_response(status: str, headers: Sequence[tuple[str, str]], exc_info: object = None) -> None:
            seen["status"] = int(status.split()[0])
            seen["headers"] = dict(headers)

        answer = self.application(environ, start_response)
        try:
            content = b"".join(answer)
        finally:
            answer.close()
        return Answer(seen["status"], content, seen["headers"].get("Location", ""))


class OverHttp:
    """Speaks HTTP on one connection, opened again where the server closes it."""

    def __init__(self, port: int, session: str = "") -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.headers = {
            "Cookie": f"sessionid={session}; csrftoken={CSRF}",
            "X-CSRFToken": CSRF,
            "Content-Type": "application/x-www-form-urlencoded",
        }

    def __call__(self, call: Call) -> Answer:
        """Send one request and return its whole answer."""
        method = "GET" if call.fields is None else "POST"
        headers = {**self.headers, "Accept": call.accept}
        self.connection.request(method, call.path, call.body if call.fields is not None else None, headers)
        answer = self.connection.getresponse()
        return Answer(answer.status, answer.read(), answer.headers.get("Location", ""))


@dataclass(frozen=True)
class Load:
    """What a number of clients saw: seconds of each piece of work, and how long all of it took."""

    seconds: list[float]
    wall: float

    @property
    def rate(self) -> float:
        """Pieces of work a second."""
        return len(self.seconds) / self.wall


def together(works: Sequence[Sequence[Callable[[], object]]]) -> Load:
    """Let one thread for each sequence of works run them one after another, all at once."""
    seconds: list[float] = []
    failures: list[BaseException] = []
    start = threading.Barrier(len(works) + 1)

    def run(mine: Sequence[Callable[[], object]]) -> None:
        start.wait()
        try:
            for work in mine:
                begun = time.perf_counter()
                work()
                seconds.append(time.perf_counter() - begun)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(mine,)) for mine in works]
    for thread in threads:
        thread.start()
    start.wait()
    begun = time.perf_counter()
    for thread in threads:
        thread.join()
    wall = time.perf_counter() - begun
    if failures:
        raise failures[0]
    return Load(seconds, wall)
