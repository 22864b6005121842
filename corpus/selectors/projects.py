"""The texts of a project that are in force."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Model, OuterRef, QuerySet, Subquery

from corpus.models import (
    ContractVersion,
    GuidelinesVersion,
    Project,
    SeverityPolicyVersion,
    TaxonomyVersion,
    WorkingPolicyVersion,
)
from corpus.querysets.prepared import Slot, prepared


@dataclass(frozen=True)
class TextsInForce:
    """The newest version of each of a project's texts."""

    taxonomy: TaxonomyVersion
    severity_policy: SeverityPolicyVersion
    guidelines: GuidelinesVersion
    contract: ContractVersion
    policy: WorkingPolicyVersion


@dataclass(frozen=True)
class StampsInForce:
    """The keys of the newest version of each of a project's texts, for what is stamped with them."""

    taxonomy_id: int
    severity_policy_id: int
    guidelines_id: int
    contract_id: int
    policy_id: int


TEXTS: tuple[type[Model], ...] = (
    TaxonomyVersion,
    SeverityPolicyVersion,
    GuidelinesVersion,
    ContractVersion,
    WorkingPolicyVersion,
)


@prepared
def newest_keys(project: Slot) -> QuerySet[Project, tuple[Any, ...]]:
    """The key of the newest version of each text of a project, in the order of `TEXTS`."""
    newest = [
        Subquery(text._default_manager.filter(project_id=OuterRef("pk")).order_by("-number").values("pk")[:1])
        for text in TEXTS
    ]
    return Project.objects.filter(pk=project).values_list(*newest)


def stamps_in_force(project: Project) -> StampsInForce:
    """Return the keys of the versions that new work is stamped with, by one query and without the texts."""
    ((taxonomy, severity_policy, guidelines, contract, policy),) = newest_keys.all(project=project.pk)
    return StampsInForce(taxonomy, severity_policy, guidelines, contract, policy)


def texts_in_force(project: Project) -> TextsInForce:
    """Return the versions that new work is stamped with. Every project has one of each from its creation on."""
    return TextsInForce(
        taxonomy=TaxonomyVersion.objects.filter(project=project).order_by("-number")[0],
        severity_policy=SeverityPolicyVersion.objects.filter(project=project).order_by("-number")[0],
        guidelines=GuidelinesVersion.objects.filter(project=project).order_by("-number")[0],
        contract=ContractVersion.objects.filter(project=project).order_by("-number")[0],
        policy=working_policy(project),
    )


def working_policy(project: Project) -> WorkingPolicyVersion:
    """Return the working policy in force."""
    return WorkingPolicyVersion.objects.filter(project=project).order_by("-number")[0]
