"""Routes of people: invitations, profile, accounts, new projects; members of a project."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from corpus.views import accounts, invitations, members, preferences, profile, projects

urlpatterns: list[URLPattern | URLResolver] = [
    path("me/", profile.me, name="me"),
    path("me/preferences/", preferences.preferences, name="preferences"),
    path("invitations/<slug:secret>/", invitations.invitation_accept, name="invitation_accept"),
    path("invitations/<slug:secret>/<slug:proof>/", invitations.invitation_newcomer, name="invitation_newcomer"),
    path("people/", accounts.account_list, name="account_list"),
    path("people/lead/", accounts.account_lead, name="account_lead"),
    path("people/<slug:person_id>/state/", accounts.account_state, name="account_state"),
    path("projects/new/", projects.project_new, name="project_new"),
    path("projects/<slug:slug>/restore/", projects.project_restore, name="project_restore"),
]

project_urlpatterns: list[URLPattern | URLResolver] = [
    path("members/", members.member_list, name="member_list"),
    path("members/export/", members.member_export, name="member_export"),
    path("members/invite/", invitations.invitation_new, name="invitation_new"),
    path("members/<slug:person_id>/", members.member_page, name="member_page"),
    path("members/<slug:person_id>/role/", members.member_role, name="member_role"),
    path("invitations/<slug:invitation_id>/revoke/", invitations.invitation_revoke, name="invitation_revoke"),
]
