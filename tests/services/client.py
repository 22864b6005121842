"""A browser without a screen: cookies, CSRF tokens and plain HTTP, one connection a request."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import urlencode

Form = Mapping[str, str | Sequence[str]]


class Unanswered(Exception):
    """The server took the request, or not even that, and gave no whole answer: nothing was acknowledged."""


@dataclass(frozen=True)
class Answer:
    """A whole answer."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode("utf-8", errors="replace")

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    def header(self, name: str) -> str:
        """Return the first header of a name; empty when there is none."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")


class Browser:
    """One person's browser. It follows no redirect unasked, so that every answer can be looked at."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookies: dict[str, str] = {}

    def request(
        self,
        method: str,
        path: str,
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = 60,
    ) -> Answer:
        """Send a request and return its answer. Raises Unanswered."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        sent = dict(headers or {})
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        try:
            connection.request(method, path, body=body, headers=sent)
            response = connection.getresponse()
            answer = Answer(response.status, response.getheaders(), response.read())
        except (OSError, http.client.HTTPException) as error:
            raise Unanswered(f"{method} {path}: {error!r}") from error
        finally:
            connection.close()
        self._keep(answer)
        return answer

    def raw(self, data: bytes) -> bytes:
        """Send bytes as they are and return what comes back, for requests that no well-behaved client would make."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
            connection.sendall(data)
            received = b""
            while piece := connection.recv(65536):
                received += piece
        return received

    def get(self, path: str, *, follow: int = 0, **options: Any) -> Answer:
        """Ask for a page, and for the ones it leads to, at most `follow` of them."""
        answer = self.request("GET", path, **options)
        if follow and answer.status == 302:
            return self.get(answer.header("Location"), follow=follow - 1, **options)
        return answer

    def post(
        self, path: str, form: Form | None = None, *, headers: Mapping[str, str] | None = None, **options: Any
    ) -> Answer:
        """Send a form with the CSRF token that the server gave."""
        fields = {"csrfmiddlewaretoken": self.cookies.get("csrftoken", ""), **(form or {})}
        body = urlencode(fields, doseq=True, errors="surrogatepass").encode()
        sent = {"Content-Type": "application/x-www-form-urlencoded", **(headers or {})}
        return self.request("POST", path, body=body, headers=sent, **options)

    def save(self, path: str, form: Form, **options: Any) -> Answer:
        """Send a form as the script of the page does, which is answered with data."""
        return self.post(path, form, headers={"Accept": "application/json"}, **options)

    def upload(self, path: str, form: Mapping[str, str], files: Mapping[str, tuple[str, bytes]]) -> Answer:
        """Send a form with files, each given by name and bytes."""
        mark = "touchstone-form-part"
        body = b""
        for name, value in {"csrfmiddlewaretoken": self.cookies.get("csrftoken", ""), **form}.items():
            body += f'--{mark}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, (file_name, data) in files.items():
            head = f'--{mark}\r\nContent-Disposition: form-data; name="{name}"; filename="{file_name}"\r\n'
            body += head.encode() + b"Content-Type: application/octet-stream\r\n\r\n" + data + b"\r\n"
        body += f"--{mark}--\r\n".encode()
        return self.request("POST", path, body=body, headers={"Content-Type": f"multipart/form-data; boundary={mark}"})

    def sign_in(self, email: str, password: str) -> None:
        """Sign in through the page."""
        assert self.get("/accounts/login/").status == 200
        answer = self.post("/accounts/login/", {"login": email, "password": password})
        assert answer.status == 302, (answer.status, answer.text[-2000:])
        assert "sessionid" in self.cookies

    def _keep(self, answer: Answer) -> None:
        for name, value in answer.headers:
            if name.lower() != "set-cookie":
                continue
            try:
                held = SimpleCookie(value)
            except CookieError:
                continue
            for key, morsel in held.items():
                if morsel["max-age"] == "0" or not morsel.value:
                    self.cookies.pop(key, None)
                else:
                    self.cookies[key] = morsel.value
