"""What a new project starts from: taxonomy, severity policy, guidelines and reviewer contract.

The texts are data files beside this module; here they are read and checked, nothing more. Pure Python without
Django, so that offline commands and tests can use it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from corpus.domain.vocabulary import Severity

CONTEXTS = ("diff", "changed_files", "repository")
"""What a reviewer may see: the diff alone, the changed files in full, or both complete trees."""

TREATMENTS = ("required", "optional", "excluded")
"""How a defect of a special kind counts: like any other, in no denominator, or not to be labelled at all."""

AUTHORITIES = ("private", "advisory", "blocking")
"""What the AI reviewer's findings may do: inform its operator, comment on a change, or stop a merge."""

KEY = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


class BadDefaults(Exception):
    """A data file of this package is not as it must be; the message says which file and what."""


@dataclass(frozen=True, slots=True)
class CategoryDefault:
    """One category of defects.

    `belongs` and `excludes` are sentences for the reviewer; an excluded matter names the category it goes to.
    A defect of a category that `names_boundary` must say which trust boundary is crossed.
    """

    key: str
    name: str
    description: str
    belongs: tuple[str, ...]
    excludes: tuple[str, ...]
    examples: tuple[str, ...]
    in_scope: bool
    names_boundary: bool


@dataclass(frozen=True, slots=True)
class SeverityDefault:
    """One severity level: what must be observable about impact and reach, and its weight in recall."""

    severity: Severity
    name: str
    impact: str
    reach: str
    examples: tuple[str, ...]
    weight: int


@dataclass(frozen=True, slots=True)
class SeverityPolicyDefault:
    """The five levels from critical to note, and the rules for choosing among them."""

    rules: tuple[str, ...]
    levels: tuple[SeverityDefault, ...]


@dataclass(frozen=True, slots=True)
class ContractDefault:
    """What the AI reviewer is claimed to do, what it may see, and how special kinds of defects count.

    `context_allowed` is one of CONTEXTS, `pre_existing` and `speculative` of TREATMENTS, `intended_authority`
    of AUTHORITIES. Each `..._note` explains the choice beside it in a sentence or two.
    """

    bounded_claim: str
    context_allowed: str
    context_note: str
    changed_lines_only: bool
    changed_lines_note: str
    pre_existing: str
    pre_existing_note: str
    speculative: str
    speculative_note: str
    intended_authority: str
    intended_authority_note: str
    exclusions: tuple[str, ...]
    owner: str


@dataclass(frozen=True, slots=True)
class ProjectDefaults:
    """Everything a new project starts from. `guidelines` is Markdown."""

    categories: tuple[CategoryDefault, ...]
    severity_policy: SeverityPolicyDefault
    guidelines: str
    contract: ContractDefault


@cache
def load_defaults() -> ProjectDefaults:
    """Read and check the data files; raise BadDefaults if one of them breaks its contract."""
    return ProjectDefaults(
        categories=_categories(_json("taxonomy.json")),
        severity_policy=_severity_policy(_json("severity.json")),
        guidelines=_text("guidelines.md"),
        contract=_contract(_json("contract.json")),
    )


def _text(name: str) -> str:
    return resources.files(__name__).joinpath(name).read_text(encoding="utf-8")


def _json(name: str) -> dict[str, Any]:
    value = json.loads(_text(name))
    if not isinstance(value, dict):
        raise BadDefaults(f"{name}: expected an object")
    return value


def _categories(data: dict[str, Any]) -> tuple[CategoryDefault, ...]:
    categories = tuple(
        CategoryDefault(
            key=entry["key"],
            name=entry["name"],
            description=entry["description"],
            belongs=tuple(entry["belongs"]),
            excludes=tuple(entry["excludes"]),
            examples=tuple(entry["examples"]),
            in_scope=entry["in_scope"],
            names_boundary=entry["names_boundary"],
        )
        for entry in data["categories"]
    )
    keys = [category.key for category in categories]
    if len(set(keys)) != len(keys):
        raise BadDefaults("taxonomy.json: a category key occurs twice")
    for key in keys:
        if not KEY.fullmatch(key):
            raise BadDefaults(f"taxonomy.json: {key!r} is not a key of lower-case words joined by underscores")
    return categories


def _severity_policy(data: dict[str, Any]) -> SeverityPolicyDefault:
    levels = tuple(
        SeverityDefault(
            severity=Severity(entry["severity"]),
            name=entry["name"],
            impact=entry["impact"],
            reach=entry["reach"],
            examples=tuple(entry["examples"]),
            weight=entry["weight"],
        )
        for entry in data["levels"]
    )
    if [level.severity for level in levels] != sorted(Severity, key=lambda severity: -severity.rank):
        raise BadDefaults("severity.json: expected each level once, from critical down to note")
    return SeverityPolicyDefault(rules=tuple(data["rules"]), levels=levels)


def _contract(data: dict[str, Any]) -> ContractDefault:
    contract = ContractDefault(**{**data, "exclusions": tuple(data["exclusions"])})
    for name, value, allowed in (
        ("context_allowed", contract.context_allowed, CONTEXTS),
        ("pre_existing", contract.pre_existing, TREATMENTS),
        ("speculative", contract.speculative, TREATMENTS),
        ("intended_authority", contract.intended_authority, AUTHORITIES),
    ):
        if value not in allowed:
            raise BadDefaults(f"contract.json: {name} is {value!r}, expected one of {', '.join(allowed)}")
    return contract
