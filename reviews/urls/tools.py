"""Routes of tools."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from reviews.views import tools

urlpatterns: list[URLPattern | URLResolver] = [
    path("tools/", tools.tool_list, name="tool_list"),
    path("tools/new/", tools.tool_new, name="tool_new"),
    path("tools/<str:tool_id>/", tools.tool_page, name="tool_page"),
    path("tools/<str:tool_id>/edit/", tools.tool_edit, name="tool_edit"),
    path("tools/<str:tool_id>/configurations/new/", tools.configuration_new, name="configuration_new"),
    path("tools/<str:tool_id>/settings/<slug:format_name>/", tools.source_settings, name="source_settings"),
]
