"""The texts of a project that are in force."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.models import (
    ContractVersion,
    GuidelinesVersion,
    Project,
    SeverityPolicyVersion,
    TaxonomyVersion,
    WorkingPolicyVersion,
)


@dataclass(frozen=True)
class TextsInForce:
    """The newest version of each of a project's texts."""

    taxonomy: TaxonomyVersion
    severity_policy: SeverityPolicyVersion
    guidelines: GuidelinesVersion
    contract: ContractVersion
    policy: WorkingPolicyVersion


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
