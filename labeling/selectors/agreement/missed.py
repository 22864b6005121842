"""How complete the labels are at most: capture-recapture on accepted findings, pooled over settled cases.

Counted are golden findings that are required and that somebody found in an open pass, on cases that both reviewers
judged. What came to light through claims alone was found by neither: its number is a direct lower bound of what open
passes miss.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import OuterRef, QuerySet, Subquery

from corpus.domain.vocabulary import CaseState, GoldenState, RoundKind, Severity, Verdict
from corpus.models import Case, GoldenFinding, GoldenRevision, Project, User
from labeling.domain.statistics.capture import RELIABLE_OVERLAP, Captures, chao_bias_corrected, completeness
from labeling.models import GoldenSource, Tally
from labeling.selectors.agreement.sample import Choice, counted_tallies


@dataclass(frozen=True)
class Missed:
    """The estimate over one stratum. Under an overlap of `RELIABLE_OVERLAP` there are only the counts."""

    label: str
    captures: Captures
    # Shares; None where the overlap does not suffice. `at_most_low` and `at_most_high` are from Sadinle's interval.
    at_most: float | None
    at_most_low: float | None
    at_most_high: float | None
    # For changing pairs of reviewers: found over Chao's symmetric bound.
    symmetric_at_most: float | None

    @property
    def percent(self) -> str:
        """The estimate in whole percent."""
        return "" if self.at_most is None else f"{100 * self.at_most:.0f}"

    @property
    def is_refused(self) -> bool:
        """Whether the overlap is too small for an estimate."""
        return self.at_most is None


@dataclass(frozen=True)
class MissedDefects:
    """The estimate over all cases and by stratum, and the defects that neither reviewer found by themselves."""

    cases: int
    overall: Missed
    by_severity: tuple[Missed, ...]
    by_category: tuple[Missed, ...]
    found_by_neither: int
    least_overlap: int = RELIABLE_OVERLAP


def missed_defects_for(project: Project, user: User, choice: Choice) -> MissedDefects:
    """Return the estimate over the settled cases that `user` may see figures of."""
    return missed_defects(counted_tallies(project, user, choice).newest())


def missed_defects(tallies: QuerySet[Tally]) -> MissedDefects:
    """Return the estimate over the settled cases of these tallies, such as those of a version's plan.

    Cases in which a reviewer lacked context are left out. Three queries.
    """
    lacking = Verdict.INSUFFICIENT_CONTEXT
    judged = tallies.exclude(verdict_first=lacking).exclude(verdict_second=lacking)
    settled = judged.filter(case__state=CaseState.SETTLED).order_by()
    cases = Case.objects.filter(pk__in=settled.values("case_id"))
    newest = GoldenRevision.objects.filter(finding=OuterRef("pk")).order_by("-number")
    findings = {
        pk: (category or "", severity)
        for pk, state, category, severity in GoldenFinding.objects.live()
        .filter(case__in=cases)
        .annotate(
            state=Subquery(newest.values("state")[:1]),
            category=Subquery(newest.values("category__key")[:1]),
            severity=Subquery(newest.values("severity")[:1]),
        )
        .values_list("pk", "state", "category", "severity")
        if state == GoldenState.REQUIRED
    }
    # Who found it in the round that is counted, and whether anybody labelled it at all.
    found_by: dict[int, set[str]] = {}
    sources = GoldenSource.objects.filter(finding__case__in=cases).select_related(None)
    for finding, slot, kind in sources.values_list("finding_id", "slot", "label__assignment__round__kind"):
        slots = found_by.setdefault(finding, set())
        if kind == RoundKind.INITIAL:
            slots.add(slot)
    known = {pk: found_by[pk] for pk in findings if pk in found_by}
    by_category: dict[str, list[set[str]]] = {}
    by_severity: dict[str, list[set[str]]] = {}
    for pk, slots in known.items():
        category, severity = findings[pk]
        by_category.setdefault(category, []).append(slots)
        by_severity.setdefault(severity, []).append(slots)
    levels = [level.value for level in reversed(Severity) if level.value in by_severity]
    return MissedDefects(
        cases=cases.count(),
        overall=_estimate("all", known.values()),
        by_severity=tuple(_estimate(level, by_severity[level]) for level in levels),
        by_category=tuple(_estimate(name or "none", by_category[name]) for name in sorted(by_category)),
        found_by_neither=sum(not slots for slots in known.values()),
    )


def _estimate(label: str, found: Iterable[set[str]]) -> Missed:
    """Return the estimate over findings given as the slots that found each."""
    counts = Counter(frozenset(slots & {"A", "B"}) for slots in found)
    both = counts[frozenset("AB")]
    captures = Captures(both + counts[frozenset("A")], both + counts[frozenset("B")], both)
    if not captures.reliable:
        return Missed(label, captures, None, None, None, None)
    estimate = completeness(captures)
    low, high = estimate.interval or (None, None)
    once = captures.found - both
    symmetric = captures.found / chao_bias_corrected(captures.found, once, both, 2)
    return Missed(label, captures, estimate.at_most.value, low, high, symmetric)
