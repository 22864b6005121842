"""The cases that wait for an adjudicator. Lists never read labels or content, and ask a constant number of queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery

from corpus.domain.vocabulary import CaseResult, CaseState, DisagreementKind, Severity
from corpus.models import Case, CorpusVersion, Project, User, VersionCase
from corpus.querysets.cases import adjudicable
from labeling.domain.states import ASKED, DisagreementState, RoundState
from labeling.models import Comparison, Disagreement, Round
from labeling.selectors.adjudication import KIND_WORDS

SHOWN_STATES = {
    "open": (CaseState.ADJUDICATING,),
    "stale": (CaseState.STALE,),
    "settled": (CaseState.SETTLED,),
    "unclean": (CaseState.SETTLED,),
    "all": (CaseState.ADJUDICATING, CaseState.STALE, CaseState.SETTLED),
}
SORTS = {
    "blocks": ("-blocks", "-worst", "waits_since", "pk"),
    "severity": ("-worst", "waits_since", "pk"),
    "oldest": ("waits_since", "pk"),
    "newest": ("-waits_since", "-pk"),
}
SEVERITIES = list(Severity)
# What a row shows of a case.
SHOWN_COLUMNS = (
    "public_id",
    "project_id",
    "state",
    "result",
    "repository",
    "language",
    "file_count",
    "added_lines",
    "removed_lines",
)


@dataclass(frozen=True)
class QueueFilter:
    """What the address asks for; unknown values fall back to the whole open queue."""

    show: str = "open"
    kind: str = ""
    language: str = ""
    q: str = ""
    sort: str = "blocks"


@dataclass(frozen=True)
class Waiting:
    """A case of the queue with the rank of its most severe label that somebody has to decide on."""

    case: Case
    worst: int
    since: datetime


@dataclass(frozen=True)
class QueueRow:
    """A case of the queue. It tells no time of anybody's work, only since how many days the case has waited."""

    case_id: str
    repository: str
    language: str
    file_count: int
    added_lines: int
    removed_lines: int
    state: str
    result: str
    severity: str
    open: int
    decided: int
    kinds: tuple[tuple[str, int], ...]
    waits: str


@dataclass(frozen=True)
class QueueTotals:
    """Open and decided disagreements of all cases that are being adjudicated."""

    open: int
    total: int
    cases: int

    @property
    def decided(self) -> int:
        """How many are decided."""
        return self.total - self.open


def adjudicable_cases(
    *, project: Project, user: User, states: Sequence[CaseState] = SHOWN_STATES["all"]
) -> QuerySet[Case]:
    """Return the cases with something decided or to decide that the user may see as an adjudicator (B1, B3).

    A case with an open round is being labelled, whatever its state, so nobody sees its labels.
    """
    working = Round.objects.filter(case=OuterRef("pk"), state=RoundState.OPEN)
    compared = Comparison.objects.current().filter(round__case=OuterRef("pk"))
    return Case.objects.adjudicable_by(user).filter(
        ~Exists(working), Exists(compared), project=project, state__in=states
    )


def queue_order(*, project: Project, user: User, wanted: QueueFilter) -> QuerySet[Case, tuple[int, int, datetime]]:
    """Return the queue, filtered and in order: of each case its key, the rank of its worst label and since when.

    The rows of cases are wide and are read for one page only, by `queue_cases`: sorting them all would cost the most.
    """
    newest = Comparison.objects.current().filter(round__case=OuterRef("pk")).order_by("-round__number")
    states = SHOWN_STATES.get(wanted.show, SHOWN_STATES["open"])
    cases = adjudicable_cases(project=project, user=user, states=states).annotate(
        worst=Subquery(newest.values("worst_rank")[:1]), waits_since=Subquery(newest.values("compared_at")[:1])
    )
    if wanted.show == "unclean":
        cases = cases.filter(result=CaseResult.NO_FINDING_ADJUDICATED)
    if wanted.kind in set(DisagreementKind):
        of_kind = Disagreement.objects.current().filter(comparison__round__case=OuterRef("pk"), kind=wanted.kind)
        cases = cases.filter(Exists(of_kind.open() if wanted.show == "open" else of_kind))
    if wanted.language:
        cases = cases.filter(language=wanted.language)
    if wanted.q:
        cases = cases.filter(Q(repository__icontains=wanted.q) | Q(public_id__istartswith=wanted.q))
    order = SORTS.get(wanted.sort, SORTS["blocks"])
    if order[0] == "-blocks":
        # A case of the newest version keeps the next one from being frozen until it is settled again.
        newest_version = CorpusVersion.objects.filter(project=project).order_by("-pk").values("pk")[:1]
        held = VersionCase.objects.filter(case=OuterRef("pk"), version=Subquery(newest_version))
        cases = cases.annotate(blocks=Exists(held))
    ordered = cases.order_by(*order)
    return ordered.values_list("pk", "worst", "waits_since")


def queue_cases(page: Iterable[tuple[int, int, datetime]]) -> list[Waiting]:
    """Return the cases of one page of `queue_order`, by one query."""
    entries = list(page)
    cases = Case.objects.only(*SHOWN_COLUMNS).in_bulk([key for key, *_ in entries])
    return [Waiting(cases[key], worst, since) for key, worst, since in entries]


def queue_rows(waiting: Sequence[Waiting], *, now: datetime) -> list[QueueRow]:
    """Return the rows of one page; disagreements are counted by one query."""
    counts: dict[int, dict[tuple[str, str], int]] = {}
    rows = Disagreement.objects.current().filter(comparison__round__case__in=[one.case.pk for one in waiting])
    for case, kind, state, count in rows.values_list("comparison__round__case", "kind", "state").annotate(
        count=Count("pk")
    ):
        counts.setdefault(case, {})[kind, state] = count
    return [_row(one, counts.get(one.case.pk, {}), now) for one in waiting]


def _row(waiting: Waiting, counts: dict[tuple[str, str], int], now: datetime) -> QueueRow:
    case = waiting.case
    of_state = {state: sum(count for (_, held), count in counts.items() if held == state) for state in ASKED}
    kinds = {kind: sum(count for (held, _), count in counts.items() if held == kind) for kind in DisagreementKind}
    return QueueRow(
        case_id=case.public_id,
        repository=case.repository,
        language=case.language,
        file_count=case.file_count,
        added_lines=case.added_lines,
        removed_lines=case.removed_lines,
        state=case.state,
        result=case.result,
        severity=SEVERITIES[waiting.worst].value if counts else "",
        open=of_state[DisagreementState.OPEN],
        decided=of_state[DisagreementState.DECIDED],
        kinds=tuple((KIND_WORDS[kind], count) for kind, count in kinds.items() if count),
        waits=_waits(now - waiting.since),
    )


def _waits(span: timedelta) -> str:
    """Return how long a case has waited, in days: anything finer would tell when somebody submitted."""
    if span.days < 1:
        return "since today"
    return "1 day" if span.days == 1 else f"{span.days} days"


def queue_totals(*, project: Project, user: User) -> QueueTotals:
    """Return how much of the open queue is decided, by two queries."""
    cases = Case.objects.adjudicable_by(user).filter(project=project, state=CaseState.ADJUDICATING)
    states = dict(
        Disagreement.objects.current()
        .filter(
            adjudicable(user, "comparison__round__case__"),
            comparison__round__case__project=project,
            comparison__round__case__state=CaseState.ADJUDICATING,
        )
        .values_list("state")
        .annotate(count=Count("pk"))
    )
    return QueueTotals(open=states.get(DisagreementState.OPEN, 0), total=sum(states.values()), cases=cases.count())


def queue_languages(*, project: Project, user: User) -> list[str]:
    """Return the languages of the cases in the queue."""
    cases: Iterable[str] = (
        Case.objects.adjudicable_by(user)
        .filter(project=project, state__in=SHOWN_STATES["all"])
        .values_list("language", flat=True)
        .order_by("language")
        .distinct()
    )
    return [language for language in cases if language]
