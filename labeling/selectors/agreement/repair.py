"""What disagreements say about the texts that people label by, as a list of things for the lead to do.

Evidence under the guidelines in force counts; what was seen under earlier ones shows whether an edit helped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from django.db.models import Count, Exists, OuterRef, QuerySet

from corpus.domain.vocabulary import DisagreementKind
from corpus.models import Case, Project, User
from labeling.domain.adjudicating import REASON_WORDS, ReasonCode
from labeling.domain.states import DisagreementState, FoundBy
from labeling.domain.statistics.confusion import ConfusedPair, confused_pairs
from labeling.domain.statistics.layers import Layer, Sample
from labeling.domain.statistics.layers import figure as layer_figure
from labeling.domain.statistics.resampling import difference_of_groups
from labeling.domain.statistics.tables import Numbers
from labeling.models import Adjudication
from labeling.selectors.agreement.sample import Choice, CountedCases, counted_cases, counted_tallies
from labeling.selectors.agreement.words import (
    LAYER_TITLES,
    NOT_AVAILABLE,
    UNITS,
    Shown,
    figure_line,
    interval_text,
    number_text,
)
from labeling.selectors.agreement.words import REASON_WORDS as WHY

# Reasons that speak of a text rather than of a person, with what to do about them.
ABOUT_TEXTS = {
    ReasonCode.GUIDELINE_UNCLEAR: ("guidelines", "Say in the guidelines what holds."),
    ReasonCode.SEVERITY_RULE: ("severity", "Make the severity policy easier to apply, or give examples."),
    ReasonCode.CATEGORY_RULE: ("taxonomy", "Make the taxonomy easier to apply: say what goes elsewhere."),
    ReasonCode.OUT_OF_CONTRACT: ("contract", "Say in the reviewer contract, and where people look, what is out of it."),
}
FEWEST_DECISIONS = 3
SHOWN_GAPS = 20


@dataclass(frozen=True)
class Confused:
    """Two categories that were mixed up: under the guidelines in force, and before them."""

    one: str
    other: str
    cases: int
    expected: str
    p: str
    before: int
    beyond_chance: bool


@dataclass(frozen=True)
class ReasonRow:
    """Decisions for one reason, by the kind of disagreement."""

    code: str
    words: str
    counts: tuple[int, ...]
    total: int


@dataclass(frozen=True)
class Gap:
    """One decision whose adjudicator marked a gap in the guidelines."""

    case: Case
    kind: str
    reason: str
    rationale: str
    decided_at: datetime


@dataclass(frozen=True)
class Change:
    """One layer before and after a version of the guidelines, with the interval of the difference."""

    title: str
    before: Shown
    after: Shown
    difference: str
    interval: str
    why: str
    # -1 fell, 1 rose, 0 not told by the interval.
    direction: int


@dataclass(frozen=True)
class VersionStep:
    """What changed from one version of the guidelines to the next one that somebody labelled under."""

    before: int
    after: int
    cases_before: int
    cases_after: int
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class Task:
    """One thing to do: what was seen, what to do about it, and where the evidence and the text are."""

    seen: str
    todo: str
    cases: int
    # Which text to edit, and which evidence page to open; either may be empty.
    text: str
    evidence: Mapping[str, str]
    anchor: str = ""


@dataclass(frozen=True)
class Repair:
    """Everything on the page."""

    version: int | None
    tasks: tuple[Task, ...]
    confused: tuple[Confused, ...]
    kinds: tuple[str, ...]
    reasons: tuple[ReasonRow, ...]
    gaps: tuple[Gap, ...]
    gap_count: int
    steps: tuple[VersionStep, ...]


def guideline_repair(project: Project, user: User, choice: Choice) -> Repair:
    """Return what to mend; the texts of cases are not read, rationales of marked gaps are."""
    cases = counted_cases(project, user, choice, by="guidelines")
    numbers = sorted(number for number in cases.groups if isinstance(number, int))
    version = numbers[-1] if numbers else None
    confused = cases.remember(("confused", version), lambda: _confused(cases, version))
    steps = cases.remember("steps", lambda: tuple(_steps(cases, numbers)))
    decisions = standing_decisions(project, user, choice)
    counts = {
        (reason, kind): count
        for reason, kind, count in decisions.values_list("reason_code", "disagreement__kind").annotate(
            count=Count("pk")
        )
    }
    marked = decisions.filter(is_guideline_gap=True).select_related("disagreement__comparison__round__case")
    gaps = tuple(
        Gap(
            case=row.disagreement.comparison.round.case,
            kind=row.disagreement.kind,
            reason=REASON_WORDS[ReasonCode(row.reason_code)],
            rationale=row.rationale,
            decided_at=row.decided_at,
        )
        for row in marked.order_by("-decided_at", "-pk")[:SHOWN_GAPS]
    )
    gap_count = marked.order_by().count()
    kinds = tuple(kind.value for kind in DisagreementKind)
    reasons = tuple(
        ReasonRow(code.value, REASON_WORDS[code], row, sum(row))
        for code in ReasonCode
        if sum(row := tuple(counts.get((code.value, kind), 0) for kind in kinds))
    )
    tasks = tuple(_tasks(confused, reasons, gap_count, steps))
    return Repair(version, tasks, confused, kinds, reasons, gaps, gap_count, steps)


def standing_decisions(project: Project, user: User, choice: Choice) -> QuerySet[Adjudication]:
    """Return the decisions that hold on counted cases, one for each act."""
    counted = counted_tallies(project, user, choice).order_by().values("comparison_id")
    later = Adjudication.objects.filter(
        disagreement_id=OuterRef("disagreement_id"), number__gt=OuterRef("number"), undone_at__isnull=True
    )
    return (
        Adjudication.objects.filter(
            disagreement__comparison_id__in=counted,
            disagreement__state=DisagreementState.DECIDED,
            undone_at__isnull=True,
            along_with__isnull=True,
        )
        .filter(~Exists(later))
        .order_by()
    )


# --- Categories that are mixed up ----------------------------------------------------------------------------------


def _confused(cases: CountedCases, version: int | None) -> tuple[Confused, ...]:
    now = cases.groups.get(version, cases.times * 0)
    earlier = cases.times - now
    before = {one.categories: one.cases for one in _mixed_up(cases.sample, earlier)}
    seen = _mixed_up(cases.sample, now)
    rows = [
        Confused(
            one=pair.categories[0],
            other=pair.categories[1],
            cases=pair.cases,
            expected=f"{pair.expected:.1f}",
            p="below 0.001" if pair.p < 0.001 else f"{pair.p:.3f}",
            before=before.pop(pair.categories, 0),
            beyond_chance=pair.beyond_chance,
        )
        for pair in seen
    ]
    rows += [
        Confused(one, other, 0, "", "", count, beyond_chance=False) for (one, other), count in sorted(before.items())
    ]
    return tuple(rows)


def _mixed_up(sample: Sample, times: Numbers) -> list[ConfusedPair]:
    uses: Counter[str] = Counter()
    listed: list[list[tuple[str, str]]] = []
    for found, number in zip(sample.findings, times.astype(int).tolist(), strict=True):
        pairs = [
            (one.category_first, one.category_second)
            for one in found
            if one.found_by == FoundBy.BOTH and one.shares_a_line
        ]
        if pairs and number:
            for pair in pairs:
                uses.update({name: number * pair.count(name) for name in set(pair)})
            listed += [pairs] * number
    return confused_pairs(uses, listed)


# --- Before and after ----------------------------------------------------------------------------------------------


def _steps(cases: CountedCases, numbers: list[int]) -> Iterator[VersionStep]:
    for before, after in pairwise(numbers):
        groups = (cases.groups[before], cases.groups[after])
        yield VersionStep(
            before=before,
            after=after,
            cases_before=int(groups[0].sum()),
            cases_after=int(groups[1].sum()),
            changes=tuple(_change(cases.sample, layer, *groups) for layer in Layer),
        )


def _change(sample: Sample, layer: Layer, before: Numbers, after: Numbers) -> Change:
    first, second = (layer_figure(sample, layer, times) for times in (before, after))
    earlier, now = (figure_line("", found, UNITS[layer]) for found in (first, second))
    if first.value is None or second.value is None:
        return Change(LAYER_TITLES[layer], earlier, now, NOT_AVAILABLE, "", "", 0)
    found = difference_of_groups(sample.distinct(layer, before), sample.distinct(layer, after), sample.statistic(layer))
    difference = second.value - first.value
    direction = 0
    if found.low is not None and found.high is not None:
        direction = 1 if found.low > 0 else -1 if found.high < 0 else 0
    return Change(
        title=LAYER_TITLES[layer],
        before=earlier,
        after=now,
        difference=("+" if difference > 0 else "") + number_text(difference),
        interval=interval_text(found.low, found.high),
        why=WHY[found.reason] if found.reason else "",
        direction=direction,
    )


# --- What to do ----------------------------------------------------------------------------------------------------


def _tasks(
    confused: tuple[Confused, ...], reasons: tuple[ReasonRow, ...], gaps: int, steps: tuple[VersionStep, ...]
) -> Iterator[Task]:
    if gaps:
        said = "1 decision" if gaps == 1 else f"{gaps} decisions"
        yield Task(
            f"Adjudicators marked a gap in the guidelines in {said}.",
            "Read what they wrote, and close the gap.",
            gaps,
            "guidelines",
            {},
            "gaps",
        )
    for row in confused:
        if row.beyond_chance:
            yield Task(
                f"One reviewer says {row.one}, the other {row.other}, in {row.cases} cases; their use explains"
                f" {row.expected}.",
                "Say in the taxonomy which of the two holds, with an example.",
                row.cases,
                "taxonomy",
                {"layer": "category", "one": row.one, "other": row.other},
            )
    for reason in reasons:
        text, todo = ABOUT_TEXTS.get(ReasonCode(reason.code), ("", ""))
        if text and reason.total >= FEWEST_DECISIONS:
            yield Task(
                f"“{reason.words}” was the reason of {reason.total} decisions.", todo, reason.total, text, {}, "reasons"
            )
    if steps:
        newest = steps[-1]
        for change in newest.changes:
            if change.direction < 0:
                yield Task(
                    f"Agreement on {change.title.lower()} fell by {change.difference.lstrip('-')} with version"
                    f" {newest.after} of the guidelines ({change.interval}).",
                    "Read what that version changed, and ask the reviewers how they read it.",
                    newest.cases_after,
                    "guidelines",
                    {},
                    "steps",
                )
