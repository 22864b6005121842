"""What a project asks of a person, by role. Figures leave out cases on which they hold an open seat (B8)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, F, Min, OuterRef, Sum

from corpus.domain.vocabulary import CaseResult, CaseState, DisagreementKind, Role, RoundKind
from corpus.models import Case, CorpusVersion, Membership, Project, User, VersionCase
from labeling.domain.states import AssignmentState
from labeling.models import Assignment, Disagreement, Round
from labeling.selectors.queue import OpenSeat, open_seats

NEWEST = 5


@dataclass(frozen=True)
class ReviewerHome:
    """A person's own open seats: started ones are drafts. `is_new` until they have had a seat at all."""

    drafts: tuple[OpenSeat, ...]
    waiting: tuple[OpenSeat, ...]
    is_new: bool

    @property
    def left(self) -> int:
        """How many of their own cases are left."""
        return len(self.drafts) + len(self.waiting)


@dataclass(frozen=True)
class Waiting:
    """A reviewer for whom rounds wait: how many seats they work on, and since when they hold the oldest."""

    public_id: str
    name: str
    seats: int
    since: datetime


@dataclass(frozen=True)
class LeadHome:
    """Where the managed cases stand and what they wait for."""

    states: dict[CaseState, int]
    reviewers: int
    free_seats: int
    rounds_missing: int
    queued_seats: int
    rounds_queued: int
    waiting: tuple[Waiting, ...]
    unfrozen: int
    # Cases whose labels were all rejected: not clean before a fresh verdict (T3).
    unclean: int
    versions: int

    @property
    def cases(self) -> int:
        """All managed cases but the withdrawn."""
        return sum(count for state, count in self.states.items() if state != CaseState.WITHDRAWN)


@dataclass(frozen=True)
class AdjudicatorHome:
    """The cases a person may adjudicate, and their open disagreements by kind."""

    cases: int
    disagreements: tuple[tuple[DisagreementKind, int], ...]

    @property
    def total(self) -> int:
        """All open disagreements."""
        return sum(count for _, count in self.disagreements)


@dataclass(frozen=True)
class VersionRow:
    """A frozen version as the home page names it."""

    number: str
    frozen_at: datetime
    cases: int


def reviewer_home(*, project: Project, user: User) -> ReviewerHome:
    """Return the person's own open work; nothing in it depends on anybody else's."""
    seats = open_seats(project=project, user=user)
    return ReviewerHome(
        drafts=tuple(seat for seat in seats if seat.started),
        waiting=tuple(seat for seat in seats if not seat.started),
        is_new=not Assignment.objects.visible_to(user).filter(case__project=project).exists(),
    )


def lead_home(*, project: Project, user: User) -> LeadHome:
    """Return where the lead's cases stand, with a constant number of queries."""
    managed = Case.objects.managed_by(user).filter(project=project)
    counted = dict(managed.values_list("state").annotate(count=Count("pk")))
    frozen = VersionCase.objects.filter(case_id=OuterRef("pk"))
    missing, queued = (free_seats(project, user, in_queue=in_queue) for in_queue in (False, True))
    return LeadHome(
        states={state: counted.get(state.value, 0) for state in CaseState},
        reviewers=Membership.objects.filter(project=project, role=Role.REVIEWER, user__is_active=True).count(),
        free_seats=missing[1],
        rounds_missing=missing[0],
        queued_seats=queued[1],
        rounds_queued=queued[0],
        waiting=waiting_for(project, user),
        unfrozen=managed.filter(state=CaseState.SETTLED).exclude(Exists(frozen)).count(),
        unclean=managed.filter(state=CaseState.SETTLED, result=CaseResult.NO_FINDING_ADJUDICATED).count(),
        versions=CorpusVersion.objects.visible_to(user).filter(project=project).count(),
    )


def free_seats(project: Project, user: User, *, in_queue: bool) -> tuple[int, int]:
    """Return how many open rounds lack people, and how many they lack."""
    rounds = (
        Round.objects.visible_to(user)
        .filter(case__project=project, kind=RoundKind.INITIAL, is_queue_open=in_queue)
        .with_free_seats()
        .annotate(lacking=F("seats_wanted") - F("live"))
    )
    totals = rounds.aggregate(rounds=Count("pk"), seats=Sum("lacking"))
    return totals["rounds"], totals["seats"] or 0


def waiting_for(project: Project, user: User) -> tuple[Waiting, ...]:
    """Return the people who work on managed cases, the longest wait first."""
    rows = (
        Assignment.objects.managed_by(user)
        .filter(case__project=project, state=AssignmentState.ACTIVE)
        .values_list("reviewer__public_id", "reviewer__name")
        .annotate(seats=Count("pk"), since=Min("assigned_at"))
        .order_by("since", "reviewer__name", "reviewer__public_id")
    )
    return tuple(Waiting(public_id=one, name=name, seats=seats, since=since) for one, name, seats, since in rows)


def adjudicator_home(*, project: Project, user: User) -> AdjudicatorHome:
    """Return what the person may adjudicate (B3 leaves out what they labelled)."""
    cases = Case.objects.adjudicable_by(user).filter(project=project, state=CaseState.ADJUDICATING)
    kinds = dict(
        Disagreement.objects.current()
        .open()
        .filter(comparison__round__case_id__in=cases.values("pk"))
        .values_list("kind")
        .annotate(count=Count("pk"))
    )
    return AdjudicatorHome(
        cases=cases.count(),
        disagreements=tuple((kind, kinds[kind.value]) for kind in DisagreementKind if kind.value in kinds),
    )


def newest_versions(*, project: Project, user: User) -> tuple[VersionRow, ...]:
    """Return the newest frozen versions that the person may see."""
    rows = (
        CorpusVersion.objects.visible_to(user)
        .filter(project=project)
        .annotate(case_count=Count("cases"))
        .order_by("-frozen_at", "-pk")
        .values_list("number", "frozen_at", "case_count")[:NEWEST]
    )
    return tuple(VersionRow(number=number, frozen_at=frozen_at, cases=cases) for number, frozen_at, cases in rows)
