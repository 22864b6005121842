"""Response rules that hold for every page."""

from __future__ import annotations

from collections.abc import Callable

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views import defaults

from config.api.faults import NOT_FOUND, fault
from corpus.access import knows_route
from corpus.origin import acting_from

API_PREFIX = "/api/"
API_SENTENCES = {
    400: "The request cannot be read; check its address and its headers.",
    403: "The server cannot tell which address the request came from; check the proxy in front of it.",
    404: NOT_FOUND,
    405: "This address cannot be asked with that verb; openapi.json lists the ones it takes.",
    413: "The request is larger than the server takes; the interface needs no body.",
    500: "Something went wrong on the server, and it is logged there; try again later.",
    503: "The database does not answer just now; try again in a few seconds.",
}
GetResponse = Callable[[HttpRequest], HttpResponse]


class OriginMiddleware:
    """Say in the audit trail that what a request changes was done on a page, or through the interface for programs."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with acting_from("api" if request.path.startswith("/api/") else "page"):
            return self.get_response(request)


class PrivateResponseMiddleware:
    """Keep signed-in pages out of every shared or browser cache: what a person saw must not outlive their right."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.user.is_authenticated and "Cache-Control" not in response:
            response["Cache-Control"] = "private, no-store"
        return response


class HtmxSignInMiddleware:
    """Turn a redirect to the sign-in page into a whole-page move, so that it never lands inside a fragment."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        location = response.get("Location", "")
        if (
            response.status_code == 302
            and request.headers.get("HX-Request") == "true"
            and location.startswith(reverse("account_login"))
        ):
            moved = HttpResponse(status=204)
            moved["HX-Redirect"] = location
            return moved
        return response


class ApiErrorMiddleware:
    """Answer programs in JSON also where it is not the interface's own code that refuses."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if (
            request.path.startswith(API_PREFIX)
            and response.status_code >= 400
            and not response.get("Content-Type", "").startswith("application/json")
        ):
            answer = fault(response.status_code, API_SENTENCES.get(response.status_code, API_SENTENCES[500]))
            for name in ("Allow", "Retry-After"):
                if name in response:
                    answer[name] = response[name]
            return answer
        return response


class UnknownVerbMiddleware:
    """Answer 404 instead of 405 wherever 405 would tell of something a person may not see (B5).

    A view refuses a verb before it looks anything up, so its 405 comes for ids that exist and ids that do not; here
    both become what a foreign id answers, whatever the order of the view's decorators.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        match = request.resolver_match
        if (
            response.status_code == 405
            and match is not None
            and not knows_route(match.func, request.user, match.kwargs)
        ):
            raise Http404
        return response


class StorableAddressMiddleware:
    """Refuse an address with a NUL character before any view compares a part of it with what is stored.

    No row can hold the character, and PostgreSQL refuses even to compare with it. In the path it names nothing, which
    is 404 like every unknown id (B5); in a parameter it is a malformed request. Forms refuse it field by field.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "\0" in request.path:
            return defaults.page_not_found(request, Http404("NUL in the path"))
        if "%00" in request.META.get("QUERY_STRING", ""):
            return defaults.bad_request(request, BadRequest("NUL in a parameter"))
        return self.get_response(request)
