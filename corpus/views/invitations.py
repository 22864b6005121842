"""Invitations: a lead issues and revokes them, the invited person accepts by link."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from corpus import ratelimits
from corpus.access import person, role_required
from corpus.domain.vocabulary import Role
from corpus.forms.people import InvitationForm, NewAccountForm
from corpus.models import Invitation, Project, User
from corpus.services.invitations import (
    InvitationClosed,
    InvitationRefused,
    accept_as,
    accept_with_new_account,
    invite,
    mail_invitation,
    mail_way_in,
    open_invitation,
    prints_mail,
    proof_of,
    proven_invitation,
    revoke_invitation,
)

BACKEND = "allauth.account.auth_backends.AuthenticationBackend"


@role_required(Role.LEAD)
@require_http_methods(["GET", "HEAD", "POST"])
def invitation_new(request: HttpRequest, project: Project) -> HttpResponse:
    """Issue an invitation and show its link, once."""
    form = InvitationForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        if limited := ratelimits.refused(request, "invite"):
            return limited
        try:
            issued = invite(
                project=project,
                email=form.cleaned_data["email"],
                role=Role(form.cleaned_data["role"]),
                actor=person(request),
            )
        except InvitationRefused as refused:
            form.add_error("email", str(refused))
        else:
            mailed = mail_invitation(invitation=issued.invitation, link=_proven_link(request, issued.secret))
            return render(
                request,
                "corpus/invitation_issued.html",
                {
                    "project": project,
                    "invitation": issued.invitation,
                    "link": _link(request, issued.secret),
                    "mailed": mailed,
                    "printed": prints_mail(),
                },
            )
    return render(
        request,
        "corpus/invitation_new.html",
        {"project": project, "form": form},
        status=422 if form.errors else 200,
    )


@role_required(Role.LEAD)
@require_POST
def invitation_revoke(request: HttpRequest, project: Project, invitation_id: str) -> HttpResponse:
    """End an invitation; its link answers as if it had never been."""
    mine = Invitation.objects.visible_to(person(request)).filter(project=project).select_related("project")
    invitation = get_object_or_404(mine, public_id=invitation_id)
    revoke_invitation(invitation=invitation, actor=person(request))
    messages.success(request, f"The link for {invitation.email} no longer works.")
    return redirect("member_list", project=project.slug)


@login_not_required
@never_cache
def invitation_accept(request: HttpRequest, secret: str) -> HttpResponse:
    """Let the invited person in with their account, or mail them the way to make one.

    Whoever issued the invitation has this link too, so nothing here depends on whether the address has an account.
    """
    if limited := ratelimits.refused(request, "invitation"):
        return limited
    try:
        invitation = open_invitation(secret)
        if request.method not in {"GET", "HEAD", "POST"}:
            return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
        if isinstance(request.user, User):
            return _accept_signed_in(request, invitation, secret, request.user)
        return _ask_the_way_in(request, invitation, secret)
    except InvitationClosed:
        return _closed(request)


@login_not_required
@never_cache
@sensitive_post_parameters("password")
def invitation_newcomer(request: HttpRequest, secret: str, proof: str) -> HttpResponse:
    """Make the account of the invited address: the link is the one that was mailed to it."""
    if limited := ratelimits.refused(request, "invitation"):
        return limited
    try:
        invitation = proven_invitation(secret, proof)
        if request.method not in {"GET", "HEAD", "POST"}:
            return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
        if isinstance(request.user, User):
            return redirect("invitation_accept", secret=secret)
        return _accept_as_newcomer(request, invitation, secret, proof)
    except InvitationClosed:
        return _closed(request)


def _closed(request: HttpRequest) -> HttpResponse:
    """Answer every link that opens nothing: used, revoked, expired, incomplete or guessed."""
    return render(request, "corpus/invitation_closed.html", status=404)


def _accept_signed_in(request: HttpRequest, invitation: Invitation, secret: str, user: User) -> HttpResponse:
    is_theirs = user.email.lower() == invitation.email
    refusal = ""
    if request.method == "POST":
        try:
            accept_as(secret=secret, user=user)
        except InvitationRefused as refused:
            refusal = str(refused)
        else:
            return _welcome(request, invitation)
    return render(
        request,
        "corpus/invitation_accept.html",
        {"invitation": invitation, "is_theirs": is_theirs, "refusal": refusal},
        status=422 if refusal else 200,
    )


def _ask_the_way_in(request: HttpRequest, invitation: Invitation, secret: str) -> HttpResponse:
    if request.method != "POST":
        return render(
            request,
            "corpus/invitation_way_in.html",
            {"invitation": invitation, "here": request.path, "printed": prints_mail()},
        )
    if limited := ratelimits.refused(request, "way_in", key=invitation.public_id):
        return limited
    mailed = mail_way_in(invitation=invitation, link=_link(request, secret), proven_link=_proven_link(request, secret))
    if mailed:
        messages.success(request, f"A mail is on its way to {invitation.email}. Open the link in it.")
    else:
        messages.error(
            request, f"The mail server did not take the mail. Try again later, or tell {invitation.invited_by.name}."
        )
    return redirect("invitation_accept", secret=secret)


def _accept_as_newcomer(request: HttpRequest, invitation: Invitation, secret: str, proof: str) -> HttpResponse:
    form = NewAccountForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            user = accept_with_new_account(
                secret=secret, proof=proof, name=form.cleaned_data["name"], password=form.cleaned_data["password"]
            )
        except InvitationRefused as refused:
            form.add_error(None, str(refused))
        except ValidationError as weak:
            form.add_error("password", weak)
        else:
            login(request, user, backend=BACKEND)
            return _welcome(request, invitation)
    return render(
        request,
        "corpus/invitation_newcomer.html",
        {
            "invitation": invitation,
            "form": form,
            "here": request.path,
            "sign_in_to": reverse("invitation_accept", args=[secret]),
        },
        status=422 if form.errors else 200,
    )


def _link(request: HttpRequest, secret: str) -> str:
    return request.build_absolute_uri(reverse("invitation_accept", args=[secret]))


def _proven_link(request: HttpRequest, secret: str) -> str:
    return request.build_absolute_uri(reverse("invitation_newcomer", args=[secret, proof_of(secret)]))


def _welcome(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    project = invitation.project
    messages.success(request, f"Welcome to {project.name}. You are {invitation.role} here.")
    return redirect("project_home", project=project.slug)
