"""Roles, expertise and accounts change by services alone, and a project never loses its last lead."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from django.db import connection
from django.urls import reverse

from corpus.domain.languages import language_of
from corpus.domain.vocabulary import Role
from corpus.models import AuditEntry, CaseSeat, Expertise, Membership, User
from corpus.services.case_facts import checked_facts, facts_of_case
from corpus.services.people import (
    PeopleRefused,
    appoint_lead,
    deactivate_account,
    grant_role,
    reactivate_account,
    rename_person,
    set_expertise,
    withdraw_role,
)
from corpus.services.seats import open_seat
from tests import factories


@pytest.fixture
def admin(people) -> User:
    return User.objects.create_superuser(email="root@example.org", password=factories.PASSWORD, name="Rut Root")


def roles_in(project, user) -> set[str]:
    return set(Membership.objects.filter(project=project, user=user).values_list("role", flat=True))


def test_granting_a_role_twice_stores_it_once_and_audits_it_once(people, project) -> None:
    for _ in range(2):
        grant_role(project=project, user=people.outsider, role=Role.ANALYST, actor=people.lead)
    assert roles_in(project, people.outsider) == {"analyst"}
    entries = AuditEntry.objects.filter(project=project, verb="role granted")
    assert [(entry.actor, entry.after, entry.subject) for entry in entries] == [
        (people.lead, "analyst", f"person {people.outsider.public_id}")
    ]


def test_the_last_active_lead_stays(people, project) -> None:
    with pytest.raises(PeopleRefused, match="last lead of Payments corpus"):
        withdraw_role(project=project, user=people.lead, role=Role.LEAD, actor=people.lead)
    grant_role(project=project, user=people.analyst, role=Role.LEAD, actor=people.lead)
    User.objects.filter(pk=people.analyst.pk).update(is_active=False)
    with pytest.raises(PeopleRefused, match="last lead"):
        withdraw_role(project=project, user=people.lead, role=Role.LEAD, actor=people.lead)
    User.objects.filter(pk=people.analyst.pk).update(is_active=True)
    withdraw_role(project=project, user=people.lead, role=Role.LEAD, actor=people.analyst)
    assert roles_in(project, people.lead) == set()
    assert AuditEntry.objects.filter(project=project, verb="role withdrawn", before="lead").count() == 1


def test_withdrawing_a_role_ends_no_seat(people, project) -> None:
    seat = open_seat(case=factories.make_case(project), user=people.reviewer_a)
    withdraw_role(project=project, user=people.reviewer_a, role=Role.REVIEWER, actor=people.lead)
    assert roles_in(project, people.reviewer_a) == set()
    assert CaseSeat.objects.get(pk=seat.pk).closed_at is None


def test_an_account_is_closed_and_opened_by_an_administrator_alone(people, project, admin, client_of) -> None:
    client = client_of(people.reviewer_a)
    home = reverse("project_home", args=[project.slug])
    assert client.get(home).status_code == 200
    for actor in (people.lead, people.reviewer_a):
        with pytest.raises(PeopleRefused, match="administrator"):
            deactivate_account(user=people.reviewer_a, actor=actor)
    with pytest.raises(PeopleRefused, match="your own account"):
        deactivate_account(user=admin, actor=admin)
    with pytest.raises(PeopleRefused, match="only lead of Payments corpus"):
        deactivate_account(user=people.lead, actor=admin)
    deactivate_account(user=people.reviewer_a, actor=admin)
    # The session that was open ends with its next request.
    assert client.get(home).url == f"{reverse('account_login')}?next={home}"
    assert roles_in(project, people.reviewer_a) == {"reviewer"}
    with pytest.raises(PeopleRefused, match="deactivated"):
        grant_role(project=project, user=people.reviewer_a, role=Role.ANALYST, actor=people.lead)
    reactivate_account(user=people.reviewer_a, actor=admin)
    assert client_of(people.reviewer_a).get(home).status_code == 200
    verbs = list(AuditEntry.objects.filter(actor=admin).order_by("pk").values_list("verb", flat=True))
    assert verbs == ["account deactivated", "account reactivated"]


def test_an_administrator_appoints_a_lead_where_the_leads_have_gone(people, project, admin) -> None:
    with pytest.raises(PeopleRefused, match="administrator"):
        appoint_lead(project=project, user=people.analyst, actor=people.analyst)
    appoint_lead(project=project, user=people.analyst, actor=admin)
    deactivate_account(user=people.lead, actor=admin)
    assert roles_in(project, people.analyst) == {"analyst", "lead"}


@pytest.mark.parametrize("said", ["Bash", "shell", "sh", "Shell script", "bash, Shell"])
def test_whoever_knows_bash_is_drawn_for_shell_cases(people, project, said) -> None:
    case = factories.make_case(project, language="bash")
    set_expertise(user=people.reviewer_a, languages=said.split(","), areas=[], actor=people.reviewer_a)
    assert list(Expertise.objects.values_list("value", flat=True)) == ["Shell"]
    facts = checked_facts(replace(facts_of_case(case), language=said))
    assert facts.language == language_of(b"run.sh") == "Shell"


def test_expertise_is_compared_without_case_and_languages_get_their_usual_spelling(people, project) -> None:
    set_expertise(
        user=people.reviewer_a,
        languages=["python", " PYTHON ", "c++", "Fortran", ""],
        areas=["payments", "Payments", "job   queues"],
        actor=people.reviewer_a,
    )
    stored = Expertise.objects.filter(user=people.reviewer_a).order_by("kind", "value").values_list("kind", "value")
    assert list(stored) == [
        ("area", "job queues"),
        ("area", "payments"),
        ("language", "C++"),
        ("language", "Fortran"),
        ("language", "Python"),
    ]
    set_expertise(user=people.reviewer_a, languages=["Go"], areas=[], actor=people.lead, project=project)
    assert list(Expertise.objects.filter(user=people.reviewer_a).values_list("value", flat=True)) == ["Go"]
    entry = AuditEntry.objects.get(verb="expertise set", actor=people.lead)
    assert (entry.before, entry.after) == (
        "area job queues, area payments, language C++, language Fortran, language Python",
        "language Go",
    )


@pytest.mark.parametrize("who", ["analyst", "reviewer_b", "outsider"])
def test_expertise_is_set_by_the_person_and_their_lead_alone(people, project, who) -> None:
    with pytest.raises(PeopleRefused, match="Only the person and a lead"):
        set_expertise(user=people.reviewer_a, languages=["Go"], areas=[], actor=getattr(people, who), project=project)
    other = factories.make_project(lead=people.outsider, name="Other")
    with pytest.raises(PeopleRefused, match="Only the person and a lead"):
        set_expertise(user=people.reviewer_a, languages=["Go"], areas=[], actor=people.outsider, project=other)
    assert not Expertise.objects.exists()


def test_overlong_expertise_is_refused_with_the_limit_and_changes_nothing(people) -> None:
    user = people.reviewer_a
    set_expertise(user=user, languages=["Go"], areas=[], actor=user)
    with pytest.raises(PeopleRefused, match="61 characters; the limit is 60"):
        set_expertise(user=user, languages=["x" * 61], areas=[], actor=user)
    with pytest.raises(PeopleRefused, match="41 areas are more than a draw can use; the limit is 40"):
        set_expertise(user=user, languages=[], areas=[f"area {n}" for n in range(41)], actor=user)
    assert list(Expertise.objects.values_list("value", flat=True)) == ["Go"]


def test_a_person_changes_their_name_and_an_empty_one_is_refused(people) -> None:
    rename_person(user=people.analyst, name="  Ann   B. Analyst ")
    assert User.objects.get(pk=people.analyst.pk).name == "Ann B. Analyst"
    for name, words in (("  ", "empty"), ("x" * 121, "limit is 120")):
        with pytest.raises(PeopleRefused, match=words):
            rename_person(user=people.analyst, name=name)
    assert AuditEntry.objects.filter(verb="person renamed").count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_leads_who_remove_each_other_at_once_leave_one(people, project) -> None:
    grant_role(project=project, user=people.analyst, role=Role.LEAD, actor=people.lead)
    start = threading.Barrier(2)
    refused: list[str] = []

    def remove(actor: User, other: User) -> None:
        try:
            start.wait()
            withdraw_role(project=project, user=other, role=Role.LEAD, actor=actor)
        except PeopleRefused as error:
            refused.append(str(error))
        finally:
            connection.close()

    pairs = [(people.lead, people.analyst), (people.analyst, people.lead)]
    threads = [threading.Thread(target=remove, args=pair) for pair in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 1
    assert Membership.objects.filter(project=project, role=Role.LEAD).count() == 1
