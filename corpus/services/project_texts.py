"""Edits of a project's texts. Each inserts a version; an edit of an older version than the one in force is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.db import transaction

from corpus.defaults import (
    AUTHORITIES,
    CONTEXTS,
    KEY,
    TREATMENTS,
    CategoryDefault,
    ContractDefault,
    SeverityPolicyDefault,
)
from corpus.domain.text_parts import WorkingPolicyValues
from corpus.domain.vocabulary import EditKind, Severity
from corpus.models import (
    ContractVersion,
    GuidelinesVersion,
    Project,
    SeverityLevel,
    SeverityPolicyVersion,
    User,
    WorkingPolicyVersion,
)
from corpus.models.projects import VersionedText
from corpus.selectors.project_texts import TextKind, category_keys
from corpus.services.projects import Text, add_version, store_taxonomy

MAX_CATEGORIES = 60
MAX_KEY = 60
MAX_GUIDELINES = 100_000
MAX_GUIDELINE_LINES = 3000
MAX_TEXT = 4000
MAX_NOTE = 300
MAX_WEIGHT = 100
UNITS = {"hours", "seconds", "minutes", "percent"}
LIMITS = {
    "reservation_hours": (1, 720, "The reservation"),
    "idle_cutoff_seconds": (15, 3600, "The idle cut-off"),
    "recall_minutes": (0, 1440, "The time for recall"),
    "min_clean_percent": (0, 100, "The share of clean cases"),
    "min_per_category": (0, 1000, "The number of findings of a category"),
    "min_per_severity": (0, 1000, "The number of findings of a level"),
    "max_unresolved_percent": (0, 100, "The share of unresolved cases"),
    "severity_tolerance": (0, 4, "The tolerance of severities, in levels,"),
    "third_seat_below": (0, 100, "The agreement below which a third seat is called, in per cent,"),
    "third_seat_share": (0, 100, "The share of other cases with a third seat, in per cent,"),
}
# Where a third seat is called, at least so many of all other cases in a hundred call one too (B4).
MIN_THIRD_SEAT_SHARE = 5


class TextRefused(Exception):
    """An edit cannot be stored; the message is one sentence for the person."""


class NothingChanged(Exception):
    """The edit says what the version in force says already; nothing was stored."""


class ChangedMeanwhile(Exception):
    """Another version came into force since the edit began. `in_force` is that version; nothing was stored."""

    def __init__(self, in_force: VersionedText) -> None:
        super().__init__(f"Version {in_force.number} is in force by now.")
        self.in_force = in_force


@dataclass(frozen=True)
class Edit:
    """What an edit means: its kind, the category it concerns (all where empty), and why."""

    kind: EditKind
    scope: str = ""
    note: str = ""


@transaction.atomic
def edit_text(*, kind: TextKind, project: Project, author: User, base: int, values: Any, edit: Edit) -> VersionedText:
    """Insert the next version of a text, made from version `base`. `values` is what `kind.values_of` returns.

    Raises TextRefused, NothingChanged or ChangedMeanwhile; then nothing was stored.
    """
    Project.objects.select_for_update().get(pk=project.pk)
    current = kind.in_force(project)
    if current.number != base:
        raise ChangedMeanwhile(current)
    checked, store = _EDITS[kind.slug]
    checked(values)
    known = set(category_keys(project))
    if kind.slug == "taxonomy":
        known |= {category.key for category in values}
    _check_edit(edit, known)
    if kind.parts(current) == kind.parts_of(values):
        raise NothingChanged
    return store(project=project, author=author, values=values, edit=edit)


def _check_edit(edit: Edit, known: set[str]) -> None:
    if edit.scope and edit.scope not in known:
        raise TextRefused(f'The scope "{edit.scope}" is no category of this project; choose one, or all of them.')
    if edit.scope and edit.kind == EditKind.EDITORIAL:
        raise TextRefused(
            "An editorial edit makes no decision stale, so it has no scope; leave the scope at all categories, or call "
            "the edit substantive."
        )
    if len(edit.note) > MAX_NOTE:
        raise TextRefused(f"The note has {len(edit.note)} characters; the limit is {MAX_NOTE}.")


def _check_taxonomy(categories: Sequence[CategoryDefault]) -> None:
    if not 0 < len(categories) <= MAX_CATEGORIES:
        raise TextRefused(f"The taxonomy has {len(categories)} categories; it needs 1 to {MAX_CATEGORIES}.")
    keys: set[str] = set()
    names: set[str] = set()
    for place, category in enumerate(categories, start=1):
        if len(category.key) > MAX_KEY or not KEY.fullmatch(category.key):
            raise TextRefused(
                f'The key of category {place} is "{category.key[:80]}"; write lower-case words joined by underscores, '
                f"as in error_handling, of at most {MAX_KEY} characters."
            )
        if category.key in keys:
            raise TextRefused(f'The key "{category.key}" occurs twice; each category needs its own.')
        if not category.name or not category.description:
            raise TextRefused(f'The category "{category.key}" needs a name and a description.')
        if category.name.casefold() in names:
            raise TextRefused(f'The name "{category.name}" occurs twice; people could not tell the two apart.')
        keys.add(category.key)
        names.add(category.name.casefold())
    if not any(category.in_scope for category in categories):
        raise TextRefused("No category is in scope; without one there is nothing to label.")


def _check_severity(policy: SeverityPolicyDefault) -> None:
    if [level.severity for level in policy.levels] != sorted(Severity, key=lambda severity: -severity.rank):
        raise TextRefused("The policy needs each level once, from critical down to note.")
    for level in policy.levels:
        if not (level.name and level.impact and level.reach):
            raise TextRefused(f'The level "{level.severity}" needs a name, an impact and a reach.')
        if not 0 <= level.weight <= MAX_WEIGHT:
            raise TextRefused(f'The weight of "{level.severity}" is {level.weight}; it must lie in 0 to {MAX_WEIGHT}.')
    for above, below in zip(policy.levels, policy.levels[1:], strict=False):
        if below.weight > above.weight:
            raise TextRefused(
                f'"{below.severity}" weighs {below.weight} and "{above.severity}" {above.weight}; a less severe level '
                "must not weigh more."
            )


def _check_guidelines(text: str) -> None:
    if not text.strip():
        raise TextRefused("The guidelines are empty; reviewers would have nothing to go by.")
    if len(text) > MAX_GUIDELINES:
        raise TextRefused(f"The guidelines have {len(text)} characters; the limit is {MAX_GUIDELINES}.")
    if text.count("\n") >= MAX_GUIDELINE_LINES:
        raise TextRefused(f"The guidelines have more than {MAX_GUIDELINE_LINES} lines; shorten them.")


def _check_contract(contract: ContractDefault) -> None:
    if not contract.bounded_claim.strip():
        raise TextRefused("The bounded claim is empty; say what the AI reviewer is claimed to do.")
    for name, value, allowed in (
        ("context allowed", contract.context_allowed, CONTEXTS),
        ("treatment of pre-existing defects", contract.pre_existing, TREATMENTS),
        ("treatment of speculative defects", contract.speculative, TREATMENTS),
        ("intended authority", contract.intended_authority, AUTHORITIES),
    ):
        if value not in allowed:
            raise TextRefused(f'The {name} is "{value}"; allowed are {", ".join(allowed)}.')


def _check_working_policy(policy: WorkingPolicyValues) -> None:
    for name, (lowest, highest, title) in LIMITS.items():
        value = getattr(policy, name)
        if not lowest <= value <= highest:
            unit = name.rsplit("_", 1)[-1]
            measured = f"{value} {unit}" if unit in UNITS else str(value)
            raise TextRefused(f"{title} is {measured}; it must lie in {lowest} to {highest}.")
    calls = policy.third_seat_below or policy.third_seat_on_verdict
    if calls and policy.third_seat_share < MIN_THIRD_SEAT_SHARE:
        raise TextRefused(
            f"Let at least {MIN_THIRD_SEAT_SHARE} % of all other cases call a third seat too: otherwise being called "
            "would tell a reviewer that the first two differ."
        )


def _store_taxonomy(*, project: Project, author: User, values: Any, edit: Edit) -> VersionedText:
    return store_taxonomy(
        project=project, author=author, categories=list(values), note=edit.note, edit_kind=edit.kind, scope=edit.scope
    )


def _store_severity(*, project: Project, author: User, values: Any, edit: Edit) -> VersionedText:
    version = _add(SeverityPolicyVersion(rules="\n".join(values.rules)), project, author, edit)
    SeverityLevel.objects.bulk_create(
        SeverityLevel(
            policy=version,
            severity=level.severity,
            name=level.name,
            impact=level.impact,
            reach=level.reach,
            examples="\n".join(level.examples),
            weight=level.weight,
        )
        for level in values.levels
    )
    return version


def _store_guidelines(*, project: Project, author: User, values: Any, edit: Edit) -> VersionedText:
    return _add(GuidelinesVersion(text=f"{values.strip()}\n"), project, author, edit)


def _store_contract(*, project: Project, author: User, values: Any, edit: Edit) -> VersionedText:
    clauses = {**asdict(values), "exclusions": "\n".join(values.exclusions)}
    return _add(ContractVersion(**clauses), project, author, edit)


def _store_working_policy(*, project: Project, author: User, values: Any, edit: Edit) -> VersionedText:
    return _add(WorkingPolicyVersion(**asdict(values)), project, author, edit)


def _add(version: Text, project: Project, author: User, edit: Edit) -> Text:
    return add_version(version, project=project, author=author, note=edit.note, edit_kind=edit.kind, scope=edit.scope)


Check = Callable[[Any], None]
Store = Callable[..., VersionedText]
_EDITS: dict[str, tuple[Check, Store]] = {
    "taxonomy": (_check_taxonomy, _store_taxonomy),
    "severity": (_check_severity, _store_severity),
    "guidelines": (_check_guidelines, _store_guidelines),
    "contract": (_check_contract, _store_contract),
    "policy": (_check_working_policy, _store_working_policy),
}
