"""Pages that belong to no app: where a person lands, and the health check."""

from __future__ import annotations

import logging
import sys

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from django.db import DatabaseError, InterfaceError, OperationalError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.views import defaults
from django.views.decorators.http import require_safe

from config.home import home_page
from config.styleguide import sample
from corpus.access import current_project, may_create_projects, person, role_required
from corpus.models import Project

logger = logging.getLogger(__name__)


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Lead to the project a person worked in last, or say what to do when there is none."""
    project = current_project(request)
    if project is None:
        return render(request, "home_empty.html", {"may_create": may_create_projects(person(request))})
    return redirect("project_home", project=project.slug)


@role_required()
@require_safe
def project_home(request: HttpRequest, project: Project) -> HttpResponse:
    """Show what the person's roles have to do next."""
    page = home_page(project=project, user=person(request))
    return render(request, "project_home.html", {"project": project, "page": page})


@login_not_required
@require_safe
def health(request: HttpRequest) -> HttpResponse:
    """Answer 200 when the database answers, else 503; for load balancers and the container's health check."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except (DatabaseError, InterfaceError) as error:
        logger.warning("The health check failed: %s", error)
        return JsonResponse({"status": "unavailable", "reason": "The database does not answer."}, status=503)
    return JsonResponse({"status": "ok"})


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer what could not be read: 413 with the limit for a form over one, else 400."""
    if isinstance(exception, RequestDataTooBig):
        limit = f"A form may have at most {settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 2**20} MiB."
    elif isinstance(exception, TooManyFieldsSent):
        limit = f"A form may have at most {settings.DATA_UPLOAD_MAX_NUMBER_FIELDS} fields."
    else:
        return defaults.bad_request(request, exception)
    return HttpResponse(render_to_string("413.html", {"limit": limit}), status=413)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer what nobody caught: 503, to be tried again, while the database is away or busy, else 500."""
    if isinstance(sys.exc_info()[1], (OperationalError, InterfaceError)):
        # Without the request: signed-in pages would ask the database for the person's name.
        page = render_to_string("503.html")
        return HttpResponse(page, status=503, headers={"Retry-After": "5"})
    return defaults.server_error(request)


def styleguide(request: HttpRequest) -> HttpResponse:
    """Show every component; served in debug mode only."""
    return render(request, "styleguide.html", sample())
