"""The fixed lists of the product's language, as plain string enumerations.

Databases, manifests and commands all store these values; a value that is not here is refused, never defaulted.
"""

from __future__ import annotations

from enum import StrEnum


class Side(StrEnum):
    """The tree a line belongs to."""

    OLD = "old"
    NEW = "new"


class Severity(StrEnum):
    """Levels from the least to the most severe; `rank` gives the order."""

    NOTE = "note"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """0 for note up to 4 for critical."""
        return list(Severity).index(self)


DEFAULT_SEVERITY_WEIGHTS = {
    Severity.CRITICAL: 8,
    Severity.HIGH: 5,
    Severity.MEDIUM: 3,
    Severity.LOW: 1,
    Severity.NOTE: 0,
}


class Confidence(StrEnum):
    """How sure a person is."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Verdict(StrEnum):
    """A reviewer's answer on the whole case."""

    HAS_DEFECTS = "has_defects"
    CLEAN = "clean"
    UNCERTAIN = "uncertain"
    INSUFFICIENT_CONTEXT = "insufficient_context"


class CaseState(StrEnum):
    """Where a case stands."""

    INCOMPLETE = "incomplete"
    READY = "ready"
    LABELLING = "labelling"
    CLAIMS = "claims"
    ADJUDICATING = "adjudicating"
    SETTLED = "settled"
    STALE = "stale"
    WITHDRAWN = "withdrawn"


class SourceKind(StrEnum):
    """Where a case comes from."""

    INCIDENT = "incident"
    EXPERT = "expert"
    SEEDED = "seeded"
    SECURITY = "security"
    CLEAN = "clean"


class Split(StrEnum):
    """The part of the corpus a case belongs to."""

    DEV = "dev"
    TEST = "test"
    HOLDOUT = "holdout"


class GoldenState(StrEnum):
    """What a golden finding counts as."""

    REQUIRED = "required"
    OPTIONAL = "optional"
    DECOY = "decoy"
    UNRESOLVED = "unresolved"


class AnchorRole(StrEnum):
    """What a place is to a finding."""

    PRIMARY = "primary"
    ALTERNATE = "alternate"
    SUPPORTING = "supporting"


class AnchorLevel(StrEnum):
    """What a place names: lines of a file, a whole file, or the whole repository."""

    LINES = "lines"
    FILE = "file"
    REPOSITORY = "repository"


class Relation(StrEnum):
    """How a defect relates to the change."""

    INTRODUCED = "introduced"
    MADE_WORSE = "made_worse"
    PRE_EXISTING = "pre_existing"
    UNRELATED = "unrelated"


class DisagreementKind(StrEnum):
    """A difference found by comparison."""

    EXISTENCE = "existence"
    CATEGORY = "category"
    SEVERITY = "severity"
    ANCHORS_DISJOINT = "anchors_disjoint"
    VERDICT = "verdict"
    INSUFFICIENT_CONTEXT = "insufficient_context"


class Outcome(StrEnum):
    """An adjudicator's decision on a disagreement."""

    ACCEPT_A = "accept_a"
    ACCEPT_B = "accept_b"
    # Where a third seat was called.
    ACCEPT_C = "accept_c"
    MERGE = "merge"
    REJECT = "reject"
    UNRESOLVED = "unresolved"


class Role(StrEnum):
    """What a person may do in a project."""

    LEAD = "lead"
    REVIEWER = "reviewer"
    ADJUDICATOR = "adjudicator"
    ANALYST = "analyst"


class RoundKind(StrEnum):
    """What a round asks of its reviewers."""

    INITIAL = "initial"
    CLAIMS = "claims"
    CHALLENGE = "challenge"


class ClaimAnswerValue(StrEnum):
    """A reviewer's answer to a claim."""

    YES = "yes"
    NO = "no"
    UNSURE = "unsure"
    INSUFFICIENT_CONTEXT = "insufficient_context"


class CaseResult(StrEnum):
    """What a settled case says about its change."""

    DEFECTS = "defects"
    CLEAN = "clean"
    NO_FINDING_ADJUDICATED = "no_finding_adjudicated"
    UNRESOLVED = "unresolved"


class Completeness(StrEnum):
    """Whether the labels of a case are known to cover all its defects."""

    UNKNOWN = "unknown"
    PARTIAL = "partial"
    COMPLETE = "complete"


class ExposureKind(StrEnum):
    """What of a case a person has seen that bars them from labelling it."""

    PEER_LABEL = "peer_label"
    AI_OUTPUT = "ai_output"
    GOLDEN_FINDING = "golden_finding"
    SIBLING_CASE = "sibling_case"
    HIDDEN_FIELDS = "hidden_fields"


class Channel(StrEnum):
    """How something was seen."""

    PAGE = "page"
    DOWNLOAD = "download"
    TOKEN = "token"  # noqa: S105 - a word, not a secret
    COMMAND = "command"


class TokenScope(StrEnum):
    """What a token of the programming interface may do, at most."""

    READ_VERSIONS = "read_versions"
    EXPORT_VERSIONS = "export_versions"


class EditKind(StrEnum):
    """Whether an edit of a versioned text changes what labels mean."""

    EDITORIAL = "editorial"
    SUBSTANTIVE = "substantive"


class Provenance(StrEnum):
    """How a golden finding's present revision came about."""

    AGREED = "agreed"
    ADJUDICATED = "adjudicated"


class JobState(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


# What must hold before a version is frozen, by the key that commands and manifests use.
GATE_TITLES = {
    "settled": "Every case is settled and not stale",
    "complete": "Every case has all that a manifest states",
    "anchors": "Every place exists and quotes the same text",
    "clean_case": "At least one case is clean",
    "distinct_places": "No two required findings share line and category",
    "one_split": "Families and clusters keep to one split",
    "read_by_all": "Every changed file was read by everybody whose verdict decides",
    "near_duplicates": "No two changes of different splits are nearly the same",
    "coverage": "Categories, severities and clean cases are covered as the policy asks",
    "unresolved": "Unresolved cases keep below the policy's share",
    "oracle_leaks": "No change tells what is wrong with it",
    "secrets": "No change holds what looks like a secret",
    "licence": "Every public case names its licence",
}
