"""A project starts from defaults that can be worked with at once."""

from __future__ import annotations

import pytest

from corpus import clock
from corpus.models import Category, GuidelinesVersion, SeverityLevel
from corpus.selectors.projects import stamps_in_force, texts_in_force
from corpus.services.projects import ProjectRefused, create_project


def test_a_new_project_has_one_version_of_every_text(project) -> None:
    texts = texts_in_force(project)
    assert [texts.taxonomy.number, texts.severity_policy.number, texts.guidelines.number] == [1, 1, 1]
    assert [texts.contract.number, texts.policy.number] == [1, 1]
    assert Category.objects.filter(taxonomy=texts.taxonomy).count() == 10
    weights = dict(SeverityLevel.objects.filter(policy=texts.severity_policy).values_list("severity", "weight"))
    assert weights == {"critical": 8, "high": 5, "medium": 3, "low": 1, "note": 0}


def test_stamps_are_the_keys_of_the_newest_texts_by_one_query(people, project, django_assert_num_queries) -> None:
    create_project(name="Another", lead=people.lead)
    older = texts_in_force(project).guidelines
    newer = GuidelinesVersion.objects.create(
        project=project, number=2, text="# Read twice", created_by=people.lead, created_at=clock.now()
    )
    texts = texts_in_force(project)
    with django_assert_num_queries(1):
        stamps = stamps_in_force(project)
    assert stamps.guidelines_id == newer.pk == texts.guidelines.pk != older.pk
    assert stamps.taxonomy_id == texts.taxonomy.pk
    assert stamps.severity_policy_id == texts.severity_policy.pk
    assert stamps.contract_id == texts.contract.pk
    assert stamps.policy_id == texts.policy.pk


def test_a_second_project_of_the_same_name_gets_another_address(people, project) -> None:
    other = create_project(name=project.name, lead=people.lead)
    assert other.slug != project.slug


def test_a_project_without_a_name_is_refused(people) -> None:
    with pytest.raises(ProjectRefused, match="needs a name"):
        create_project(name="  ", lead=people.lead)
