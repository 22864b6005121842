"""Accounts of the whole server, for administrators: who there is, who may sign in, and a lead for an orphaned project.

Nothing of any project's work is shown here.
"""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from corpus.access import administrator_required, person
from corpus.forms.people import AppointForm
from corpus.models import Project, User
from corpus.services.people import PeopleRefused, appoint_lead, deactivate_account, reactivate_account

PAGE = 50


@administrator_required
@require_safe
def account_list(request: HttpRequest) -> HttpResponse:
    """List every account with its state."""
    find = request.GET.get("q", "")[:120].replace("\x00", "")
    found = User.objects.order_by("name", "pk")
    for word in find.split():
        found = found.filter(Q(name__icontains=word) | Q(email__icontains=word))
    pages = Paginator(found, PAGE)
    page = pages.get_page(request.GET.get("page"))
    return render(
        request,
        "corpus/account_list.html",
        {
            "page_obj": page,
            "elided_pages": pages.get_elided_page_range(page.number),
            "find": find,
            "projects_to_lead": Project.objects.filter(archived_at__isnull=True).order_by("name", "pk"),
        },
    )


@administrator_required
@require_POST
def account_state(request: HttpRequest, person_id: str) -> HttpResponse:
    """Deactivate or reactivate an account: field `act`."""
    user = get_object_or_404(User, public_id=person_id)
    act = {"deactivate": deactivate_account, "reactivate": reactivate_account}.get(request.POST.get("act", ""))
    if act is None:
        return _unclear()
    try:
        act(user=user, actor=person(request))
    except PeopleRefused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, f"{user.name} can {'sign in again' if user.is_active else 'no longer sign in'}.")
    return redirect("account_list")


@administrator_required
@require_POST
def account_lead(request: HttpRequest) -> HttpResponse:
    """Make a person a lead of a project: fields `email` and `project`."""
    form = AppointForm(request.POST)
    if not form.is_valid():
        return _unclear()
    project = get_object_or_404(Project, public_id=form.cleaned_data["project"], archived_at__isnull=True)
    user = User.objects.filter(email=form.cleaned_data["email"].lower(), is_active=True).first()
    if user is None:
        messages.error(request, "No active account has this address. Look it up in the list below.")
        return redirect("account_list")
    appoint_lead(project=project, user=user, actor=person(request))
    messages.success(request, f"{user.name} is now lead of {project.name}.")
    return redirect("account_list")


def _unclear() -> HttpResponse:
    return HttpResponse(
        "The request names no known act, address or project. Reload the page and try again.",
        status=400,
        content_type="text/plain; charset=utf-8",
    )
