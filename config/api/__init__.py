"""The programming interface below /api/v1/: what programs may fetch, by token.

Nothing here signs in by cookie. Every answer that is not a success is `{"error": "one sentence"}`; what fails outside
the interface's own code gets that form from `config.middleware.ApiErrorMiddleware`.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.urls import URLPattern, URLResolver
from django.views.decorators.http import require_safe
from ninja import NinjaAPI

from config.api.faults import add_fault_handlers
from config.api.tokens import TokenAuth
from config.api.versions import router as versions

api = NinjaAPI(
    title="Touchstone",
    version="1",
    description=(
        "Frozen corpus versions for programs. Each request carries a token, made on a project's page of tokens, as "
        "`Authorization: Bearer TOKEN`. A token opens one project, acts as the person who made it, and what it fetches "
        "counts as seen by them."
    ),
    urls_namespace="api",
    # The library's page of documentation needs inline script, which the content security policy refuses.
    docs_url=None,
    docs_decorator=require_safe,
    auth=TokenAuth(),
)
api.add_router("", versions)
add_fault_handlers(api)


def api_urls() -> tuple[list[URLPattern | URLResolver], str, str]:
    """Return the routes; they ask for a token themselves, so the sign-in ring lets them through."""
    patterns, app_name, namespace = api.urls
    for pattern in patterns:
        _let_through(pattern)
    return patterns, app_name, namespace


def _let_through(pattern: Any) -> None:
    if isinstance(pattern, URLResolver):
        for each in pattern.url_patterns:
            _let_through(each)
    else:
        pattern.callback = login_not_required(pattern.callback)
