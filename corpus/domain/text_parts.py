"""The texts of a project as values and as named parts, in which two versions can be compared and read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corpus.defaults import CategoryDefault, ContractDefault, SeverityPolicyDefault


@dataclass(frozen=True, slots=True)
class Part:
    """One named part of a text, such as a category; `key` is the same in every version."""

    key: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class WorkingPolicyValues:
    """How a project works; times in the units of their names."""

    uses_claims: bool
    reservation_hours: int
    idle_cutoff_seconds: int
    recall_minutes: int
    shows_labels_after_settlement: bool
    min_clean_percent: int
    min_per_category: int
    min_per_severity: int
    max_unresolved_percent: int
    severity_tolerance: int = 0
    asks_about_places: bool = True
    third_seat_below: int = 0
    third_seat_on_verdict: bool = False
    third_seat_share: int = 0


def taxonomy_parts(categories: Sequence[CategoryDefault]) -> tuple[Part, ...]:
    """Return one part a category, and the order of the keys as a part of its own."""
    order = Part("order", "Order of the categories", "\n".join(category.key for category in categories))
    parts = [
        Part(
            f"category {category.key}",
            f"{category.name} ({category.key})",
            _lines(
                ("Name", category.name),
                ("Description", category.description),
                ("In scope", _yes(category.in_scope)),
                ("Names the boundary that is crossed", _yes(category.names_boundary)),
                *(("Belongs here", line) for line in category.belongs),
                *(("Goes elsewhere", line) for line in category.excludes),
                *(("Example", line) for line in category.examples),
            ),
        )
        for category in categories
    ]
    return (*parts, order)


def severity_parts(policy: SeverityPolicyDefault) -> tuple[Part, ...]:
    """Return one part a level, and the rules."""
    levels = [
        Part(
            f"level {level.severity}",
            f"{level.name} ({level.severity})",
            _lines(
                ("Name", level.name),
                ("Impact", level.impact),
                ("Reach", level.reach),
                *(("Example", line) for line in level.examples),
                ("Weight", str(level.weight)),
            ),
        )
        for level in policy.levels
    ]
    return (*levels, Part("rules", "Rules", "\n".join(policy.rules)))


def guidelines_parts(text: str) -> tuple[Part, ...]:
    """Return the text as one part; space at its ends says nothing."""
    return (Part("text", "Guidelines", text.strip()),)


def contract_parts(contract: ContractDefault) -> tuple[Part, ...]:
    """Return one part a clause, each with its note."""
    return (
        Part("bounded_claim", "Bounded claim", contract.bounded_claim),
        _clause("context_allowed", "Context allowed", contract.context_allowed, contract.context_note),
        _clause(
            "changed_lines_only", "Changed lines only", _yes(contract.changed_lines_only), contract.changed_lines_note
        ),
        _clause("pre_existing", "Pre-existing defects", contract.pre_existing, contract.pre_existing_note),
        _clause("speculative", "Speculative defects", contract.speculative, contract.speculative_note),
        _clause(
            "intended_authority",
            "Intended authority",
            contract.intended_authority,
            contract.intended_authority_note,
        ),
        Part("exclusions", "Exclusions", "\n".join(contract.exclusions)),
        Part("owner", "Owner", contract.owner),
    )


def working_policy_parts(policy: WorkingPolicyValues) -> tuple[Part, ...]:
    """Return one part a setting."""
    return (
        Part("uses_claims", "Claims pass", _yes(policy.uses_claims)),
        Part("reservation_hours", "Reservation", f"{policy.reservation_hours} hours"),
        Part("idle_cutoff_seconds", "Idle cut-off", f"{policy.idle_cutoff_seconds} seconds"),
        Part("recall_minutes", "Own recall", f"{policy.recall_minutes} minutes"),
        Part(
            "shows_labels_after_settlement",
            "Reviewers see labels after settlement",
            _yes(policy.shows_labels_after_settlement),
        ),
        Part("min_clean_percent", "Clean cases of a version", f"at least {policy.min_clean_percent} %"),
        Part("min_per_category", "Required findings of each category in scope", f"at least {policy.min_per_category}"),
        Part("min_per_severity", "Required findings of each level above note", f"at least {policy.min_per_severity}"),
        Part("max_unresolved_percent", "Unresolved cases of a version", f"at most {policy.max_unresolved_percent} %"),
        Part("severity_tolerance", "Severities that need no decision", _levels_apart(policy.severity_tolerance)),
        Part("asks_about_places", "Places without a common line need a decision", _yes(policy.asks_about_places)),
        Part("third_seat", "Third seat", _third_seat(policy)),
    )


def _levels_apart(levels: int) -> str:
    if not levels:
        return "equal ones only"
    return "up to one level apart" if levels == 1 else f"up to {levels} levels apart"


def _third_seat(policy: WorkingPolicyValues) -> str:
    causes = []
    if policy.third_seat_below:
        causes.append(f"below {policy.third_seat_below} % agreement on a case")
    if policy.third_seat_on_verdict:
        causes.append("where the verdicts differ")
    if policy.third_seat_share:
        causes.append(f"on {policy.third_seat_share} % of all other cases")
    return "\n".join(causes) or "never"


def _clause(key: str, title: str, value: str, note: str) -> Part:
    return Part(key, title, f"{value.replace('_', ' ')}\n{note}".strip())


def _lines(*pairs: tuple[str, str]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in pairs)


def _yes(value: bool) -> str:
    return "yes" if value else "no"
