"""Errors of the programming interface: one JSON sentence each, that says what, where and what to do."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from ninja import NinjaAPI, Schema
from ninja.errors import AuthenticationError, ValidationError

NOT_FOUND = "There is nothing at this address that your token may see; check the number of the version and the token."
UNAUTHORISED = "No working token came with the request; send one as 'Authorization: Bearer TOKEN'."
TOO_MANY = "Too many requests came in a short time; wait a minute and go on more slowly."
RETRY_AFTER = "60"


class Fault(Schema):
    """What every answer but a success holds."""

    error: str


class Refused(Exception):
    """A request that is understood and not granted; `status` with one sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class TooMany(Exception):
    """The limit on requests is reached."""


def fault(status: int, sentence: str) -> HttpResponse:
    """Return an error of the interface."""
    answer = JsonResponse({"error": sentence}, status=status)
    if status == 401:
        answer["WWW-Authenticate"] = 'Bearer realm="Touchstone"'
    if status == 429:
        answer["Retry-After"] = RETRY_AFTER
    return answer


def add_fault_handlers(api: NinjaAPI) -> None:
    """Give every error that views raise its sentence."""

    @api.exception_handler(Http404)
    def not_found(request: HttpRequest, error: Http404) -> HttpResponse:
        return fault(404, NOT_FOUND)

    @api.exception_handler(AuthenticationError)
    def no_token(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
        return fault(401, UNAUTHORISED)

    @api.exception_handler(TooMany)
    def too_many(request: HttpRequest, error: TooMany) -> HttpResponse:
        return fault(429, TOO_MANY)

    @api.exception_handler(Refused)
    def refused(request: HttpRequest, error: Refused) -> HttpResponse:
        return fault(error.status, str(error))

    @api.exception_handler(ValidationError)
    def invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
        return fault(422, _first_of(error.errors))


def _first_of(errors: list[dict[str, Any]]) -> str:
    """Return the first thing that is wrong with a request's parameters, with its place."""
    first = errors[0]
    place = " ".join(str(part) for part in first["loc"][1:]) or "request"
    reason = str(first["msg"])
    return f"The {first['loc'][0]} parameter {place[:80]} will not do: {reason[:1].lower()}{reason[1:200]}."
