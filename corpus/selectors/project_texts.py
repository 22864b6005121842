"""The versioned texts of a project: which kinds there are, their values, their versions and what changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from corpus.defaults import CategoryDefault, ContractDefault, SeverityDefault, SeverityPolicyDefault
from corpus.domain import text_parts
from corpus.domain.text_changes import PartChange, compare
from corpus.domain.text_parts import Part, WorkingPolicyValues
from corpus.domain.vocabulary import Severity
from corpus.models import (
    Category,
    ContractVersion,
    GuidelinesVersion,
    Project,
    SeverityPolicyVersion,
    TaxonomyVersion,
    WorkingPolicyVersion,
)
from corpus.models.projects import VersionedText


@dataclass(frozen=True)
class TextKind:
    """One kind of text: its name in addresses, its title, its table, and how a version is read.

    `values_of` turns a stored version into the value that forms edit and services store; `parts_of` turns such a value
    into named parts for comparison.
    """

    slug: str
    title: str
    purpose: str
    model: type[VersionedText]
    values_of: Callable[[Any], Any]
    parts_of: Callable[[Any], tuple[Part, ...]]

    def versions(self, project: Project) -> QuerySet[Any, Any]:
        """Return the project's versions of this text, the one in force first."""
        found = self.model._default_manager.filter(project=project)
        return found.select_related("created_by").order_by("-number")

    def in_force(self, project: Project) -> Any:
        """Return the version in force; every project has one from its creation on."""
        return self.versions(project)[0]

    def parts(self, version: Any) -> tuple[Part, ...]:
        """Return a stored version as named parts."""
        return self.parts_of(self.values_of(version))


def taxonomy_values(version: TaxonomyVersion) -> tuple[CategoryDefault, ...]:
    """Return the categories of a version in order."""
    return tuple(
        CategoryDefault(
            key=category.key,
            name=category.name,
            description=category.description,
            belongs=lines(category.belongs),
            excludes=lines(category.excludes),
            examples=lines(category.examples),
            in_scope=category.in_scope,
            names_boundary=category.names_boundary,
        )
        for category in version.categories.order_by("position")
    )


def severity_values(version: SeverityPolicyVersion) -> SeverityPolicyDefault:
    """Return the five levels of a version, most severe first, and its rules."""
    levels = sorted(version.levels.all(), key=lambda level: -Severity(level.severity).rank)
    return SeverityPolicyDefault(
        rules=lines(version.rules),
        levels=tuple(
            SeverityDefault(
                severity=Severity(level.severity),
                name=level.name,
                impact=level.impact,
                reach=level.reach,
                examples=lines(level.examples),
                weight=level.weight,
            )
            for level in levels
        ),
    )


def guidelines_values(version: GuidelinesVersion) -> str:
    """Return the Markdown of a version."""
    return version.text


def contract_values(version: ContractVersion) -> ContractDefault:
    """Return the clauses of a version."""
    return ContractDefault(
        bounded_claim=version.bounded_claim,
        context_allowed=version.context_allowed,
        context_note=version.context_note,
        changed_lines_only=version.changed_lines_only,
        changed_lines_note=version.changed_lines_note,
        pre_existing=version.pre_existing,
        pre_existing_note=version.pre_existing_note,
        speculative=version.speculative,
        speculative_note=version.speculative_note,
        intended_authority=version.intended_authority,
        intended_authority_note=version.intended_authority_note,
        exclusions=lines(version.exclusions),
        owner=version.owner,
    )


def working_policy_values(version: WorkingPolicyVersion) -> WorkingPolicyValues:
    """Return the settings of a version."""
    return WorkingPolicyValues(
        uses_claims=version.uses_claims,
        reservation_hours=version.reservation_hours,
        idle_cutoff_seconds=version.idle_cutoff_seconds,
        recall_minutes=version.recall_minutes,
        shows_labels_after_settlement=version.shows_labels_after_settlement,
        min_clean_percent=version.min_clean_percent,
        min_per_category=version.min_per_category,
        min_per_severity=version.min_per_severity,
        max_unresolved_percent=version.max_unresolved_percent,
        severity_tolerance=version.severity_tolerance,
        asks_about_places=version.asks_about_places,
        third_seat_below=version.third_seat_below,
        third_seat_on_verdict=version.third_seat_on_verdict,
        third_seat_share=version.third_seat_share,
    )


def lines(text: str) -> tuple[str, ...]:
    """Return the lines of a list that is stored as text."""
    return tuple(line.strip() for line in text.splitlines() if line.strip())


KINDS = {
    kind.slug: kind
    for kind in (
        TextKind(
            "guidelines",
            "Guidelines",
            "How to label, in Markdown. Every member reads them.",
            GuidelinesVersion,
            guidelines_values,
            text_parts.guidelines_parts,
        ),
        TextKind(
            "taxonomy",
            "Taxonomy",
            "The categories of defects, with what belongs to each.",
            TaxonomyVersion,
            taxonomy_values,
            text_parts.taxonomy_parts,
        ),
        TextKind(
            "severity",
            "Severity policy",
            "What each level means and how much it weighs in scores.",
            SeverityPolicyVersion,
            severity_values,
            text_parts.severity_parts,
        ),
        TextKind(
            "contract",
            "Reviewer contract",
            "What an AI reviewer is claimed to do, may see, and is trusted with.",
            ContractVersion,
            contract_values,
            text_parts.contract_parts,
        ),
        TextKind(
            "policy",
            "Working policy",
            "How the project works: claims pass, third seat, time limits, what needs a decision, what reviewers see.",
            WorkingPolicyVersion,
            working_policy_values,
            text_parts.working_policy_parts,
        ),
    )
}


@dataclass(frozen=True)
class TextState:
    """A text of a project as the settings page lists it."""

    kind: TextKind
    version: VersionedText
    scope: str


def text_states(project: Project) -> list[TextState]:
    """Return each text with its version in force."""
    states = []
    for kind in KINDS.values():
        version = kind.in_force(project)
        states.append(TextState(kind, version, version.scope))
    return states


def category_keys(project: Project) -> tuple[str, ...]:
    """Return the keys of the taxonomy in force, in its order."""
    newest = KINDS["taxonomy"].in_force(project)
    return tuple(Category.objects.filter(taxonomy=newest).order_by("position").values_list("key", flat=True))


def changes_between(kind: TextKind, old: VersionedText | None, new: VersionedText) -> tuple[PartChange, ...]:
    """Return what changed from `old` to `new`; from nothing, everything was added."""
    return compare(kind.parts(old) if old is not None else (), kind.parts(new))
