"""A project's texts as a manifest names them: version, last substantive version, and digest of what they say.

The digest is the SHA-256 over canonical JSON of the content alone (of guidelines, over the text itself), so that equal
wording has an equal digest in every project.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from corpus.domain.canonical_json import dump_canonical
from corpus.domain.goals import Goals
from corpus.domain.manifest_records import DocumentVersion, ManifestCategory, SeverityPolicy, Taxonomy, YesNo
from corpus.domain.vocabulary import EditKind
from corpus.models import ContractVersion, Project, SeverityPolicyVersion, TaxonomyVersion
from corpus.models.projects import VersionedText
from corpus.selectors.projects import texts_in_force

CONTRACT_FIELDS = tuple(
    field.name
    for field in ContractVersion._meta.local_fields
    if field.name not in {base.name for base in VersionedText._meta.local_fields} | {"id", "project", "created_by"}
)


@dataclass(frozen=True)
class Documents:
    """The texts in force, as the draft of a version holds them."""

    severity_policy: SeverityPolicy
    taxonomy: Taxonomy
    guidelines: DocumentVersion
    contract: DocumentVersion
    # What a reviewer of this project may see, where a case says nothing of its own.
    context_allowed: str
    goals: Goals
    # Why each was last edited, by the name that change lists use.
    notes: dict[str, str]


def documents_in_force(project: Project) -> Documents:
    """Return the texts in force with their digests."""
    texts = texts_in_force(project)
    levels = list(texts.severity_policy.levels.all())
    categories = list(texts.taxonomy.categories.order_by("position"))
    return Documents(
        severity_policy=SeverityPolicy(
            **_numbers(texts.severity_policy),
            sha256=_policy_digest(texts.severity_policy),
            weights={level.severity: level.weight for level in levels},
        ),
        taxonomy=Taxonomy(
            **_numbers(texts.taxonomy),
            sha256=_taxonomy_digest(texts.taxonomy),
            categories=tuple(
                ManifestCategory(
                    key=category.key, name=category.name, in_scope=YesNo.YES if category.in_scope else YesNo.NO
                )
                for category in categories
            ),
        ),
        guidelines=DocumentVersion(
            **_numbers(texts.guidelines), sha256=hashlib.sha256(texts.guidelines.text.encode()).hexdigest()
        ),
        contract=DocumentVersion(
            **_numbers(texts.contract),
            sha256=_digest({name: _plain(getattr(texts.contract, name)) for name in CONTRACT_FIELDS}),
        ),
        context_allowed=texts.contract.context_allowed,
        goals=Goals(
            min_clean_percent=texts.policy.min_clean_percent,
            min_per_category=texts.policy.min_per_category,
            min_per_severity=texts.policy.min_per_severity,
            max_unresolved_percent=texts.policy.max_unresolved_percent,
            categories=tuple(category.key for category in categories if category.in_scope),
        ),
        notes={
            name: text.note
            for name, text in (
                ("severity_policy", texts.severity_policy),
                ("taxonomy", texts.taxonomy),
                ("guidelines", texts.guidelines),
                ("contract", texts.contract),
            )
            if text.note
        },
    )


def _numbers(text: VersionedText) -> dict[str, int]:
    substantive = (
        type(text)
        ._default_manager.filter(project_id=text.project_id, number__lte=text.number, edit_kind=EditKind.SUBSTANTIVE)
        .order_by("-number")
        .values_list("number", flat=True)
        .first()
    )
    return {"version": text.number, "substantive_version": substantive or 1}


def _policy_digest(policy: SeverityPolicyVersion) -> str:
    levels = policy.levels.order_by("severity").values("severity", "name", "impact", "reach", "examples", "weight")
    return _digest({"levels": list(levels), "rules": policy.rules})


def _taxonomy_digest(taxonomy: TaxonomyVersion) -> str:
    names = ("key", "name", "description", "belongs", "excludes", "examples", "in_scope", "names_boundary")
    categories = taxonomy.categories.order_by("position").values(*names)
    return _digest([{name: _plain(value) for name, value in each.items()} for each in categories])


def _plain(value: Any) -> Any:
    return ("yes" if value else "no") if isinstance(value, bool) else value


def _digest(content: Any) -> str:
    return hashlib.sha256(dump_canonical(content)).hexdigest()
