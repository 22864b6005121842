"""The small part of HTTP that the handlers need."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    actor: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True)
class Response:
    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


class Refused(Exception):
    """Ends a request with a status and a sentence for the caller."""

    def __init__(self, status: int, reason: str):
        super().__init__(reason)
        self.status = status


def as_json(value: object, status: int = 200) -> Response:
    body = json.dumps(value, sort_keys=True).encode()
    return Response(status, body, {"Content-Type": "application/json"})


class Router:
    """Maps method and path pattern to a handler; `{name}` matches one path segment."""

    def __init__(self) -> None:
        self.routes: list[tuple[str, re.Pattern[str], Callable[..., Response]]] = []

    def add(self, method: str, pattern: str, handler: Callable[..., Response]) -> None:
        expression = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", pattern)
        self.routes.append((method, re.compile(expression), handler))

    def handle(self, request: Request) -> Response:
        for method, expression, handler in self.routes:
            found = expression.fullmatch(request.path)
            if found and method == request.method:
                try:
                    return handler(request, **found.groupdict())
                except Refused as refusal:
                    return as_json({"error": str(refusal)}, refusal.status)
        return as_json({"error": "no such address"}, 404)
