"""Root routes. Pages of a project live under /p/SLUG/."""

from __future__ import annotations

from django.conf import settings
from django.urls import URLPattern, URLResolver, include, path, register_converter

from config import views
from config.api import api_urls
from corpus.urls.converters import NumberConverter

register_converter(NumberConverter, "number")

project_routes: list[URLPattern | URLResolver] = [
    # Asked most often, and routes are tried in their order.
    path("", include("labeling.urls.workbench")),
    path("", views.project_home, name="project_home"),
    path("", include("corpus.urls.projects")),
    path("", include("corpus.urls.cases")),
    path("", include("corpus.urls.imports")),
    path("", include("corpus.urls.versions")),
    path("", include("corpus.urls.tokens")),
    path("", include("corpus.urls.jobs")),
    path("", include("labeling.urls.rounds")),
    path("", include("labeling.urls.adjudication")),
    path("", include("reviews.urls.rulings")),
    path("", include("reviews.urls.scorecards")),
    path("", include("reviews.urls.runs")),
    path("", include("reviews.urls.tools")),
    path("", include("labeling.urls.agreement")),
]

handler400 = "config.views.bad_request"
handler500 = "config.views.server_error"

urlpatterns: list[URLPattern | URLResolver] = [
    path("", views.home, name="home"),
    path("healthz", views.health, name="health"),
    path("accounts/", include("allauth.urls")),
    # People: invitations, members, profile, new projects; some of them outside any project.
    path("", include("corpus.urls.people")),
    path("p/<slug:project>/", include(project_routes)),
    path("api/v1/", api_urls()),
]
if settings.DEBUG:
    urlpatterns.append(path("styleguide/", views.styleguide, name="styleguide"))
