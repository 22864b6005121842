"""A person's own page: name, expertise, and where their password and second factor are."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from corpus.access import may_create_projects, person
from corpus.forms.people import ExpertiseForm, ProfileForm
from corpus.models import Project
from corpus.selectors.people import expertise_initial, own_roles
from corpus.services.people import PeopleRefused, rename_person, set_expertise


@require_http_methods(["GET", "HEAD", "POST"])
def me(request: HttpRequest) -> HttpResponse:
    """Show the person's own page; a POST stores name and expertise together."""
    user = person(request)
    data = request.POST if request.method == "POST" else None
    profile = ProfileForm(data, initial={"name": user.name})
    expertise = ExpertiseForm(data, initial=expertise_initial(user))
    if request.method == "POST" and profile.is_valid() and expertise.is_valid():
        try:
            set_expertise(user=user, languages=expertise.words("languages"), areas=expertise.words("areas"), actor=user)
            rename_person(user=user, name=profile.cleaned_data["name"])
        except PeopleRefused as refused:
            expertise.add_error(None, str(refused))
        else:
            messages.success(request, "Your profile is stored.")
            return redirect("me")
    return render(
        request,
        "corpus/me.html",
        {
            "profile": profile,
            "expertise": expertise,
            "own_roles": own_roles(user),
            "archived": Project.objects.restorable_by(user).order_by("name", "pk"),
            "may_create": may_create_projects(user),
        },
        status=422 if profile.errors or expertise.errors else 200,
    )
