"""What two reviewers said about one case, as statistics take it. Cases that look alike are one kind."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from corpus.domain.vocabulary import Severity, Verdict

JUDGING_VERDICTS = tuple(verdict.value for verdict in Verdict if verdict is not Verdict.INSUFFICIENT_CONTEXT)
SEVERITY_LEVELS = tuple(level.value for level in Severity)


class CountedFinding(NamedTuple):
    """One finding of a case as a tally holds it; what a side did not say is empty."""

    found_by: str
    category_first: str
    category_second: str
    severity_first: str
    severity_second: str
    shares_a_line: bool = False
    decided_by_severity: bool = False
    shared_lines: int = 0
    union_lines: int = 0
    line_gap: int | None = None


class CaseKind(NamedTuple):
    """What was said about a case."""

    verdict_first: str
    verdict_second: str
    findings: tuple[CountedFinding, ...] = ()

    @property
    def both_judged(self) -> bool:
        """Whether both had the context to judge."""
        return self.verdict_first in JUDGING_VERDICTS and self.verdict_second in JUDGING_VERDICTS

    @property
    def digest(self) -> str:
        """SHA-256 over all of it; the order in which findings were written makes no difference."""
        findings = sorted(repr(tuple(one)) for one in self.findings)
        return hashlib.sha256("\n".join((self.verdict_first, self.verdict_second, *findings)).encode()).hexdigest()
