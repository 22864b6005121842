"""Routes of tokens."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from corpus.views import tokens

urlpatterns: list[URLPattern | URLResolver] = [
    path("tokens/", tokens.token_list, name="token_list"),
    path("tokens/<slug:token_id>/revoke/", tokens.token_revoke, name="token_revoke"),
]
