"""The page of tokens: members make and revoke keys for programs that read versions."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from corpus import ratelimits
from corpus.access import person, role_required
from corpus.domain.vocabulary import Role, TokenScope
from corpus.forms.tokens import TokenForm
from corpus.models import ApiToken, Project
from corpus.selectors.tokens import token_rows
from corpus.services.tokens import SCOPE_ROLES, TokenRefused, create_token, revoke_token

USERS = (Role.LEAD, Role.ANALYST)


@role_required(*USERS)
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def token_list(request: HttpRequest, project: Project) -> HttpResponse:
    """List the tokens; a POST makes one and shows its secret, this once."""
    user = person(request)
    offered = [scope for scope in TokenScope if SCOPE_ROLES[scope] & request.roles]  # type: ignore[attr-defined]
    form = TokenForm(request.POST if request.method == "POST" else None, scopes=offered)
    if request.method == "POST" and form.is_valid():
        if limited := ratelimits.refused(request, "token"):
            return limited
        try:
            issued = create_token(
                project=project,
                actor=user,
                name=form.cleaned_data["name"],
                scopes=[TokenScope(value) for value in form.cleaned_data["scopes"]],
                days=form.cleaned_data["days"],
            )
        except TokenRefused as refused:
            form.add_error(None, str(refused))
        else:
            context = {
                "project": project,
                "token": issued.token,
                "secret": issued.secret,
                "address": request.build_absolute_uri("/api/v1/versions"),
            }
            return render(request, "corpus/token_issued.html", context)
    return render(
        request,
        "corpus/token_list.html",
        {"project": project, "form": form, "rows": token_rows(project=project, viewer=user)},
        status=422 if form.errors else 200,
    )


@role_required(*USERS)
@require_POST
def token_revoke(request: HttpRequest, project: Project, token_id: str) -> HttpResponse:
    """End a token: one's own, or as a lead anybody's."""
    user = person(request)
    token = get_object_or_404(
        ApiToken.objects.visible_to(user).filter(project=project).select_related("project"), public_id=token_id
    )
    revoke_token(token=token, actor=user)
    messages.success(request, f"The token {token.name} no longer works.")
    return redirect("token_list", project=project.slug)
