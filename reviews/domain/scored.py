"""What scoring counts: the cases of a run with their golden findings and their classified AI findings."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from corpus.domain.vocabulary import Severity
from reviews.domain.matching import MatchClass, MatchReason

HITS = (MatchClass.MATCH, MatchClass.PARTIAL)


class RunState(StrEnum):
    """What became of one case in a run; everything but `reviewed` is unreviewed and never counts as silence."""

    REVIEWED = "reviewed"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    NOT_RUN = "not_run"


@dataclass(frozen=True)
class Localisation:
    """How well a finding names the golden place: lines apart (0 inside it), shared lines, and lines of both."""

    distance: int
    shared: int
    union: int


@dataclass(frozen=True)
class ScoredFinding:
    """One AI finding with its class. `is_open` says that a person has yet to rule on it."""

    id: str
    result: MatchClass
    golden_id: str | None = None
    reason: MatchReason | None = None
    is_open: bool = False
    localisation: Localisation | None = None
    explanation: str = ""


@dataclass(frozen=True)
class ScoredGolden:
    """One required golden finding."""

    id: str
    severity: Severity


@dataclass(frozen=True)
class ScoredCase:
    """One case of a run. `is_complete`: an unmatched finding is wrong. `is_clean`: silence is right.

    Each required golden finding is named by at most one finding whose result is match or partial.
    """

    case_id: str
    golden: tuple[ScoredGolden, ...] = ()
    findings: tuple[ScoredFinding, ...] = ()
    state: RunState = RunState.REVIEWED
    is_complete: bool = True
    is_clean: bool = False

    @property
    def is_reviewed(self) -> bool:
        """Whether the run looked at the case; what it said about any other is left out of all figures."""
        return self.state is RunState.REVIEWED

    def count(self, *results: MatchClass) -> int:
        """Return the number of findings of these classes; none for an unreviewed case."""
        return sum(finding.result in results for finding in self.findings) if self.is_reviewed else 0

    def named(self, *results: MatchClass) -> set[str]:
        """Return the golden findings that findings of these classes name."""
        if not self.is_reviewed:
            return set()
        return {finding.golden_id for finding in self.findings if finding.result in results and finding.golden_id}

    @property
    def optional_hits(self) -> int:
        """Findings that name an optional or unresolved golden finding: in neither noise nor precision."""
        if not self.is_reviewed:
            return 0
        return sum(finding.reason is MatchReason.IGNORED_GOLDEN for finding in self.findings)

    @property
    def judged(self) -> int:
        """Emitted findings less optional hits and what is unjudged."""
        return self.count(*MatchClass) - self.count(MatchClass.UNJUDGED) - self.optional_hits
