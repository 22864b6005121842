"""Runs as pages show them: the list, one run with its cases, and what was said of one case."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, Q, QuerySet

from corpus.models import CorpusVersion, Project, User
from reviews.domain.vocabulary import RECORD_KIND_WORDS, REVIEWED_STATES, CaseRunState, PlaceState, RecordKind
from reviews.models import AIFinding, CaseRun, RawRecord, Run, SeenContext

STATE_WORDS = {
    CaseRunState.REVIEWED_WITH_FINDINGS: "reviewed, with findings",
    CaseRunState.REVIEWED_SILENT: "reviewed and silent",
    CaseRunState.FAILED: "failed",
    CaseRunState.TIMED_OUT: "timed out",
    CaseRunState.NOT_RUN: "not run",
}
# As the states of a bar and of badges are called in the stylesheet.
STATE_TONES = {
    CaseRunState.REVIEWED_WITH_FINDINGS: "settled",
    CaseRunState.REVIEWED_SILENT: "ready",
    CaseRunState.FAILED: "stale",
    CaseRunState.TIMED_OUT: "adjudicating",
    CaseRunState.NOT_RUN: "incomplete",
}


@dataclass(frozen=True)
class RunLine:
    """One run of the list, counted over the cases that the viewer may see."""

    run: Run
    # Empty for a shadow run; None for a version that the viewer cannot open at present.
    version: str | None
    cases: int
    reviewed: int
    findings: int
    unresolved: int
    parse_failures: int


@dataclass(frozen=True)
class StateCount:
    """How many cases of a run are in a state; `tone` names its colour."""

    state: str
    label: str
    count: int
    tone: str


@dataclass(frozen=True)
class Costs:
    """What a run took, summed over the cases that tell it; `known` of `cases` do."""

    cases: int
    cost: Decimal | None
    cost_known: int
    tokens_in: int | None
    tokens_out: int | None
    tokens_known: int
    latency_ms: int | None
    latency_known: int


@dataclass(frozen=True)
class CaseLine:
    """One case of a run."""

    row: CaseRun
    state_words: str
    tone: str
    findings: int
    suppressed: int
    unresolved: int

    @property
    def missing(self) -> int:
        """How many findings the tool declares beyond those that were read."""
        return max(0, (self.row.declared_findings or 0) - self.findings)


@dataclass(frozen=True)
class SaidFinding:
    """One AI finding as a page shows it: the places found, or where it said and why that is none."""

    finding: AIFinding
    places: tuple[str, ...]
    related: tuple[str, ...]


def listed_runs(user: User, project: Project) -> QuerySet[Run]:
    """Return the runs that `user` may see, newest first."""
    runs = Run.objects.visible_to(user).filter(project=project)
    return runs.select_related("configuration__tool", "created_by").order_by("-pk")


def run_lines(user: User, runs: Iterable[Run]) -> list[RunLine]:
    """Return the lines of a page of runs, counted in a query for each thing counted."""
    listed = list(runs)
    keys = [run.pk for run in listed]
    cases = {
        pk: (total, reviewed)
        for pk, total, reviewed in CaseRun.objects.visible_to(user)
        .filter(run_id__in=keys)
        .values("run_id")
        .annotate(total=Count("pk"), reviewed=Count("pk", filter=Q(state__in=REVIEWED_STATES)))
        .values_list("run_id", "total", "reviewed")
    }
    findings = {
        pk: (total, unresolved)
        for pk, total, unresolved in AIFinding.objects.visible_to(user)
        .filter(case_run__run_id__in=keys, is_suppressed=False)
        .values("case_run__run_id")
        .annotate(total=Count("pk"), unresolved=Count("pk", filter=Q(place_state=PlaceState.UNRESOLVED)))
        .values_list("case_run__run_id", "total", "unresolved")
    }
    failures = dict(
        RawRecord.objects.visible_to(user)
        .filter(run_id__in=keys, kind=RecordKind.REJECTED)
        .values("run_id")
        .annotate(total=Count("pk"))
        .values_list("run_id", "total")
    )
    numbers = version_numbers(user, listed)
    return [
        RunLine(
            run,
            numbers.get(run.pk, ""),
            *cases.get(run.pk, (0, 0)),
            *findings.get(run.pk, (0, 0)),
            failures.get(run.pk, 0),
        )
        for run in listed
    ]


def version_numbers(user: User, runs: Iterable[Run]) -> dict[int, str | None]:
    """Return the number of each run's version, None where the viewer may not open that; shadow runs have none."""
    wanted = {run.pk: run.version_id for run in runs if run.version_id is not None}
    numbers = dict(CorpusVersion.objects.visible_to(user).filter(pk__in=wanted.values()).values_list("pk", "number"))
    return {pk: numbers.get(version_id) for pk, version_id in wanted.items()}


def state_counts(user: User, run: Run) -> tuple[StateCount, ...]:
    """Return how many cases of a run are in each state."""
    counts = dict(
        CaseRun.objects.visible_to(user)
        .filter(run=run)
        .values("state")
        .annotate(total=Count("pk"))
        .values_list("state", "total")
    )
    return tuple(
        StateCount(state.value, STATE_WORDS[state], counts.get(state, 0), STATE_TONES[state]) for state in CaseRunState
    )


def record_counts(user: User, run: Run) -> tuple[tuple[str, int], ...]:
    """Return how many records of each kind a run holds."""
    counts = dict(
        RawRecord.objects.visible_to(user)
        .filter(run=run)
        .values("kind")
        .annotate(total=Count("pk"))
        .values_list("kind", "total")
    )
    return tuple((words, counts.get(kind, 0)) for kind, words in RECORD_KIND_WORDS.items())


def costs_of(user: User, run: Run) -> Costs:
    """Return what a run took. A sum over nothing that was told is unknown, never 0."""
    rows = list(
        CaseRun.objects.visible_to(user).filter(run=run).values_list("cost", "tokens_in", "tokens_out", "latency_ms")
    )
    costs = [cost for cost, _, _, _ in rows if cost is not None]
    into = [tokens for _, tokens, _, _ in rows if tokens is not None]
    out = [tokens for _, _, tokens, _ in rows if tokens is not None]
    latencies = [latency for _, _, _, latency in rows if latency is not None]
    return Costs(
        cases=len(rows),
        cost=sum(costs, Decimal(0)) if costs else None,
        cost_known=len(costs),
        tokens_in=sum(into) if into else None,
        tokens_out=sum(out) if out else None,
        tokens_known=len(into),
        latency_ms=sum(latencies) if latencies else None,
        latency_known=len(latencies),
    )


SORTS = {"case": "case__public_id", "state": "state", "findings": "-said", "latency": "-latency_ms", "cost": "-cost"}

SORT_WORDS = {
    "case": "case",
    "state": "state",
    "findings": "most findings",
    "latency": "slowest",
    "cost": "dearest",
}


def case_rows(user: User, run: Run, *, state: str = "", sort: str = "case") -> QuerySet[CaseRun]:
    """Return the cases of a run that `user` may see, with their counts of findings."""
    rows = CaseRun.objects.visible_to(user).filter(run=run).select_related("case")
    if state in {one.value for one in CaseRunState}:
        rows = rows.filter(state=state)
    rows = rows.annotate(
        said=Count("findings", filter=Q(findings__is_suppressed=False)),
        held_back=Count("findings", filter=Q(findings__is_suppressed=True)),
        placeless=Count("findings", filter=Q(findings__place_state=PlaceState.UNRESOLVED)),
    )
    return rows.order_by(SORTS.get(sort, SORTS["case"]), "case__public_id")


def case_lines(rows: Iterable[CaseRun]) -> list[CaseLine]:
    """Return rows of `case_rows` as lines of a table."""
    return [
        CaseLine(
            row,
            STATE_WORDS[CaseRunState(row.state)],
            STATE_TONES[CaseRunState(row.state)],
            row.said,  # type: ignore[attr-defined]
            row.held_back,  # type: ignore[attr-defined]
            row.placeless,  # type: ignore[attr-defined]
        )
        for row in rows
    ]


def said_of(user: User, row: CaseRun) -> list[SaidFinding]:
    """Return what was said of one case, in its order."""
    found = (
        AIFinding.objects.visible_to(user)
        .filter(case_run=row)
        .select_related("raw")
        .prefetch_related("anchors", "judge_verdicts")
        .order_by("position")
    )
    return [SaidFinding(one, places_of(one, "primary"), places_of(one, "supporting")) for one in found]


def places_of(finding: AIFinding, role: str) -> tuple[str, ...]:
    """Return the places of a finding in words, one for each file and side."""
    lines: dict[tuple[str, str], list[str]] = {}
    for anchor in finding.anchors.all():
        if anchor.role == role:
            words = lines.setdefault((anchor.path, anchor.side), [])
            if anchor.first_line is not None:
                same = anchor.first_line == anchor.last_line
                words.append(str(anchor.first_line) if same else f"{anchor.first_line}-{anchor.last_line}")
    return tuple(
        "the whole change" if not path else f"{path}:{', '.join(words)} ({side})" if words else f"{path} ({side})"
        for (path, side), words in lines.items()
    )


def read_context(row: CaseRun) -> list[SeenContext]:
    """Return what the tool read for a case."""
    return list(row.seen_context.order_by("position"))


def other_records(user: User, row: CaseRun) -> list[RawRecord]:
    """Return the records of a case in a run that are no findings."""
    records = RawRecord.objects.visible_to(user).filter(case_run=row)
    return list(records.exclude(kind__in=[RecordKind.FINDING, RecordKind.SUPPRESSED]).order_by("pk")[:500])


def parse_failures(user: User, run: Run) -> QuerySet[RawRecord]:
    """Return the records of a run that could not be read."""
    records = RawRecord.objects.visible_to(user).filter(run=run, kind=RecordKind.REJECTED)
    return records.select_related("intake", "case_run__case").order_by("pk")
