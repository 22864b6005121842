"""The fixed lists of machine evidence; a value that is not here is refused, never defaulted."""

from __future__ import annotations

from enum import StrEnum


class ToolKind(StrEnum):
    """Who speaks in a run."""

    AI_REVIEWER = "ai_reviewer"
    LINTER = "linter"
    HUMAN = "human"
    # Trivial baselines: one says of every case that nothing is wrong, the other that something is.
    ALWAYS_NO = "always_no"
    ALWAYS_YES = "always_yes"


TOOL_KIND_WORDS = {
    ToolKind.AI_REVIEWER: "AI reviewer",
    ToolKind.LINTER: "Linter, as a baseline",
    ToolKind.HUMAN: "Person, as a baseline",
    ToolKind.ALWAYS_NO: "Baseline that says of every case that nothing is wrong",
    ToolKind.ALWAYS_YES: "Baseline that says of every case that something is wrong",
}


class ContextMode(StrEnum):
    """What of a case a tool is given to read."""

    FILE_ONLY = "file_only"
    DIFF_ONLY = "diff_only"
    REPOSITORY = "repository"
    NOT_EXPOSED = "not_exposed"


class CaseRunState(StrEnum):
    """What became of one case in a run. All but the first two are unreviewed and never count as silence."""

    REVIEWED_WITH_FINDINGS = "reviewed_with_findings"
    REVIEWED_SILENT = "reviewed_silent"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    NOT_RUN = "not_run"


REVIEWED_STATES = frozenset({CaseRunState.REVIEWED_WITH_FINDINGS, CaseRunState.REVIEWED_SILENT})


class RecordKind(StrEnum):
    """What one record of a tool's output is. Every record of a source has exactly one kind."""

    FINDING = "finding"
    # Words about the change as a whole.
    SUMMARY = "summary"
    REPLY = "reply"
    # What calls a tool, such as a mention of its name.
    TRIGGER = "trigger"
    # Findings that the tool itself held back: shown, and scored only where the run says so.
    SUPPRESSED = "suppressed"
    # What became of a case, a foreign judge's verdict, a check that passed, a body whose findings stand on their own.
    META = "meta"
    REJECTED = "rejected"


RECORD_KIND_WORDS = {
    RecordKind.FINDING: "findings",
    RecordKind.SUMMARY: "summaries",
    RecordKind.REPLY: "replies",
    RecordKind.TRIGGER: "triggers",
    RecordKind.SUPPRESSED: "suppressed",
    RecordKind.META: "remarks",
    RecordKind.REJECTED: "rejected",
}


class PlaceState(StrEnum):
    """Whether the place that a finding names was found in its case."""

    RESOLVED = "resolved"
    # A place is named that the case does not have, or that cannot be told; it is kept and shown, never guessed.
    UNRESOLVED = "unresolved"
    # The format has no room for a place, so the text alone speaks.
    UNPLACED = "unplaced"


class ContextKind(StrEnum):
    """What a tool read of a repository."""

    FILE = "file"
    CHUNK = "chunk"


class LocalisationGrade(StrEnum):
    """How well a statement that is right names the place."""

    EXACT = "exact"
    NEAR = "near"
    ELSEWHERE = "elsewhere"
    NONE = "none"


class EvidenceGrade(StrEnum):
    """How well it shows that the defect is there."""

    SHOWN = "shown"
    PLAUSIBLE = "plausible"
    ABSENT = "absent"
    WRONG = "wrong"


class ImpactGrade(StrEnum):
    """How well it says what follows from the defect."""

    RIGHT = "right"
    UNDERSTATED = "understated"
    OVERSTATED = "overstated"
    ABSENT = "absent"


class SuggestionGrade(StrEnum):
    """What its suggested change would do; `tested` and `broken` rest on a compiler or a test."""

    NONE = "none"
    SAFE = "safe"
    UNSAFE = "unsafe"
    TESTED = "tested"
    BROKEN = "broken"
