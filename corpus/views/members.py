"""A lead's pages of the people in a project: who they are, what they may do, what they can judge."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from corpus.access import person, role_required, roles_of
from corpus.domain.vocabulary import Role
from corpus.forms.people import ROLE_WORDS, ExpertiseForm, MemberFilter
from corpus.models import Membership, Project, User
from corpus.selectors.people import expertise_initial, member_rows, members, pending_invitations
from corpus.services.people import PeopleRefused, grant_role, set_expertise, withdraw_role
from corpus.views.csv_answers import csv_answer

PAGE = 50
CSV_COLUMNS = ("person", "name", "email", "active", "roles", "languages", "areas", "since")


@role_required(Role.LEAD)
@require_safe
def member_list(request: HttpRequest, project: Project) -> HttpResponse:
    """List the members with roles and expertise, and the invitations whose links still work."""
    form, found = _filtered(request, project)
    pages = Paginator(found, PAGE)
    page = pages.get_page(request.GET.get("page"))
    sort = form.cleaned_data["sort"] or "name"
    return render(
        request,
        "corpus/member_list.html",
        {
            "project": project,
            "form": form,
            "is_filtered": bool(form.cleaned_data["q"] or form.cleaned_data["role"]),
            "page_obj": page,
            "elided_pages": pages.get_elided_page_range(page.number),
            "rows": member_rows(page.object_list),
            "sort": sort,
            "invitations": pending_invitations(project=project, viewer=person(request)),
        },
    )


@role_required(Role.LEAD)
@require_safe
def member_export(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Send the members that the list shows as CSV."""
    _, found = _filtered(request, project)
    rows = (
        (
            row.person_id,
            row.name,
            row.email,
            "yes" if row.is_active else "no",
            " ".join(row.roles),
            ", ".join(row.languages),
            ", ".join(row.areas),
            row.since.isoformat(timespec="seconds"),
        )
        for row in member_rows(found)
    )
    return csv_answer(f"{project.slug}-members", CSV_COLUMNS, rows)


@role_required(Role.LEAD)
@require_http_methods(["GET", "HEAD", "POST"])
def member_page(request: HttpRequest, project: Project, person_id: str) -> HttpResponse:
    """Show one member; a POST stores what they can judge."""
    viewer = person(request)
    member = _member(project, viewer, person_id)
    form = ExpertiseForm(request.POST if request.method == "POST" else None, initial=expertise_initial(member))
    if request.method == "POST" and form.is_valid():
        try:
            set_expertise(
                user=member,
                languages=form.words("languages"),
                areas=form.words("areas"),
                actor=viewer,
                project=project,
            )
        except PeopleRefused as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(request, f"Stored what {member.name} can judge.")
            return redirect("member_page", project=project.slug, person_id=member.public_id)
    held = set(Membership.objects.filter(project=project, user=member).values_list("role", flat=True))
    return render(
        request,
        "corpus/member_page.html",
        {
            "project": project,
            "member": member,
            "form": form,
            "roles": [(role.value, words, role.value in held) for role, words in ROLE_WORDS.items()],
        },
        status=422 if form.errors else 200,
    )


@role_required(Role.LEAD)
@require_POST
def member_role(request: HttpRequest, project: Project, person_id: str) -> HttpResponse:
    """Give or withdraw one role: fields `role`, and `act` as grant or withdraw."""
    viewer = person(request)
    member = _member(project, viewer, person_id)
    act = {"grant": grant_role, "withdraw": withdraw_role}.get(request.POST.get("act", ""))
    if act is None or request.POST.get("role") not in list(Role):
        return HttpResponse(
            "The request names no known role or act. Reload the page and try again.",
            status=400,
            content_type="text/plain; charset=utf-8",
        )
    role = Role(request.POST["role"])
    try:
        act(project=project, user=member, role=role, actor=viewer)
    except PeopleRefused as refused:
        messages.error(request, str(refused))
    else:
        done = f"is now {role}" if act is grant_role else f"is no longer {role}"
        messages.success(request, f"{member.name} {done} in {project.name}.")
    mine = roles_of(viewer, project)
    if Role.LEAD not in mine:
        return redirect("project_home", project=project.slug) if mine else redirect("home")
    if not Membership.objects.filter(project=project, user=member).exists():
        return redirect("member_list", project=project.slug)
    return redirect("member_page", project=project.slug, person_id=member.public_id)


def _member(project: Project, viewer: User, person_id: str) -> User:
    member = members(project=project, viewer=viewer).filter(public_id=person_id).first()
    if member is None:
        raise Http404
    return member


def _filtered(request: HttpRequest, project: Project) -> tuple[MemberFilter, QuerySet[User, User]]:
    """Read the filters of the address; one that makes no sense is left out rather than answered with an error."""
    form = MemberFilter(request.GET)
    form.is_valid()
    chosen = {name: form.cleaned_data.get(name, "") for name in ("q", "role", "sort")}
    form.cleaned_data = chosen
    found = members(
        project=project,
        viewer=person(request),
        find=chosen["q"],
        role=chosen["role"],
        sort=chosen["sort"] or "name",
    )
    return form, found
