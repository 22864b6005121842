"""A prepared query gives what the query set it was made of gives, for every value of its slots."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection, models, transaction
from django.db.models import Count, QuerySet
from django.db.transaction import TransactionManagementError

from corpus.domain.vocabulary import Role
from corpus.models import Case, CaseFile, Membership, User
from corpus.querysets.prepared import Prepared, Slot, prepared
from tests.factories import make_case, make_project, make_user


def columns_of(instance: models.Model) -> dict[str, Any]:
    """Return what was loaded of an instance, with the instances that were selected along."""
    loaded = {field.attname: instance.__dict__.get(field.attname, "deferred") for field in instance._meta.fields}
    related = {
        name: columns_of(value) if value is not None else None for name, value in instance._state.fields_cache.items()
    }
    return loaded | related


def by_project(project: Any) -> QuerySet[Case]:
    return Case.objects.filter(project_id=project).select_related("project", "imported_by", "patch").order_by("pk")


def counted(project: Any) -> QuerySet[Case]:
    return Case.objects.filter(project_id=project).annotate(held=Count("files")).defer("title").order_by("pk")


def listed(project: Any) -> QuerySet[Case, tuple[Any, ...]]:
    rows = Case.objects.filter(project_id=project).order_by("pk")
    return rows.values_list("created_at", "is_private", "public_id", "settled_at")


def flat(project: Any) -> QuerySet[Case, str]:
    return Case.objects.filter(project_id=project).order_by("pk").values_list("public_id", flat=True)


@pytest.fixture
def cases(project, people) -> list[Case]:
    """Two cases, one of them with everything that may be missing."""
    from corpus import clock

    full, bare = make_case(project), make_case(project)
    Case.objects.filter(pk=full.pk).update(settled_at=clock.now(), imported_by=people.lead, title="Charge once")
    Case.objects.filter(pk=bare.pk).update(imported_by=None, is_private=False)
    return [full, bare]


@pytest.mark.parametrize("build", [by_project, counted])
def test_instances_are_those_of_the_query_set(project, cases, build, django_assert_num_queries) -> None:
    query = prepared(build)
    with django_assert_num_queries(1):
        found = query.all(project=project.pk)
    expected = list(build(project.pk))
    assert [columns_of(case) for case in found] == [columns_of(case) for case in expected]
    assert [getattr(case, "held", None) for case in found] == [getattr(case, "held", None) for case in expected]
    assert all(not case._state.adding and case._state.db == "default" for case in found)
    assert query.all(project=project.pk + 1) == []
    assert query.first(project=project.pk + 1) is None


@pytest.mark.parametrize("build", [listed, flat])
def test_values_are_those_of_the_query_set(project, cases, build) -> None:
    query = prepared(build)
    assert query.all(project=project.pk) == list(build(project.pk))
    assert query.first(project=project.pk) == build(project.pk).first()


def test_an_instance_is_saved_and_loads_what_it_lacks(project, cases) -> None:
    case = prepared(counted).all(project=project.pk)[0]
    assert case.title == "Charge once"
    case.area = "payments"
    case.save(update_fields=["area"])
    assert Case.objects.get(pk=case.pk).area == "payments"


def test_slots_are_filled_anew_by_each_call(project, people) -> None:
    @prepared
    def held(user: Slot, role: Slot) -> QuerySet[Membership]:
        return Membership.objects.held_by(User(pk=user)).filter(role=role)

    assert [row.user_id for row in held.all(user=people.lead.pk, role=Role.LEAD)] == [people.lead.pk]
    assert [row.user_id for row in held.all(user=people.analyst.pk, role=Role.ANALYST)] == [people.analyst.pk]
    assert held.all(user=people.analyst.pk, role=Role.LEAD) == []
    assert held.all(user=people.analyst.pk, role="' OR '1' = '1") == []


def test_the_statement_is_built_once(project, cases) -> None:
    calls = []

    def build(case: Any) -> QuerySet[CaseFile]:
        calls.append(case)
        return CaseFile.objects.filter(case_id=case)

    query: Prepared[CaseFile] = prepared(build)
    assert [row.case_id for case in cases for row in query.all(case=case.pk)]
    assert len(calls) == 1


@pytest.mark.django_db(transaction=True)
def test_locks_are_taken_in_a_transaction_and_refused_outside_one() -> None:
    project = make_project(lead=make_user("Lea Lead"))
    case = make_case(project)
    query = prepared(lambda case: Case.objects.select_for_update(no_key=True, of=("self",)).filter(pk=case))
    with transaction.atomic():
        assert query.all(case=case.pk) == [case]
        assert (" FOR NO KEY UPDATE" in query.statement.sql) == (connection.vendor == "postgresql")
    with pytest.raises(TransactionManagementError):
        query.all(case=case.pk)
