"""What leads see of rounds and seats: who sits where and how far they are in words, never what anybody wrote.

Every list starts from the cases a lead manages, which leaves out those on which they hold a seat themselves (B8). Of a
case no more is shown than reviewers may know, so that looking here exposes nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from corpus.domain.vocabulary import CaseState, Role, RoundKind
from corpus.models import Case, Project, User
from labeling.domain.assigning import misfit
from labeling.domain.states import AssignmentState, DeclineReason, RoundState, Slot
from labeling.models import Assignment, Round
from labeling.selectors.eligibility import SEATABLE, may_sit, pool_for
from labeling.selectors.queue import TONES

# Columns of a case that these pages may read (B6), and those that the draw needs.
SHOWN = ("public_id", "state", "repository", "language", "file_count", "added_lines", "removed_lines")
NEEDED = (*SHOWN, "project_id", "area", "family", "cluster", "change_author_user_id")

STATE_WORDS = {
    AssignmentState.ACTIVE: "working",
    AssignmentState.SUBMITTED: "submitted",
    AssignmentState.DECLINED: "declined",
    AssignmentState.EXPIRED: "time is over",
    AssignmentState.RELEASED: "released",
}
DECLINE_WORDS = {
    DeclineReason.CONFLICT: "declined: conflict of interest",
    DeclineReason.EXPERTISE: "declined: not their expertise",
    DeclineReason.OTHER: "declined: another reason",
}


@dataclass(frozen=True)
class SeatView:
    """One seat as a lead sees it. `moment` is when it came to its present state."""

    seat_id: str
    slot: str
    name: str
    state: str
    tone: str
    words: str
    moment: datetime | None
    ends: datetime | None
    is_active: bool
    is_submitted: bool
    is_expired: bool


@dataclass(frozen=True)
class RoundView:
    """One round with its seats, the present ones first."""

    public_id: str
    kind: str
    number: int
    state: str
    seed: int
    wanted: int
    free: tuple[str, ...]
    # A third seat was called, and nobody sits in it.
    lacks_third: bool
    is_open: bool
    is_queue_open: bool
    opened_at: datetime
    opened_by: str
    seats: tuple[SeatView, ...]


@dataclass(frozen=True)
class Choice:
    """A person who may be seated by hand. `fit` says in words how well they know the case."""

    public_id: str
    name: str
    load: int | None
    fit: str


@dataclass(frozen=True)
class SeatsPage:
    """A case with its rounds, who may be seated, and who may not and why."""

    case: Case
    rounds: tuple[RoundView, ...]
    choices: tuple[Choice, ...]
    barred: tuple[tuple[str, str], ...]
    eligible: int


def managed_cases(project: Project, viewer: User) -> QuerySet[Case]:
    """Return the project's cases that the lead manages, with the columns these pages need."""
    return Case.objects.managed_by(viewer).filter(project=project).only(*NEEDED)


def filtered_cases(
    *, project: Project, viewer: User, show: str = "ready", q: str = "", language: str = ""
) -> QuerySet[Case]:
    """Return managed cases for planning, in the order of their import.

    `show`: "ready" (a round can be opened), "free" (an open round has free seats), "open" (a round is open), "settled",
    or "all" that are not withdrawn.
    """
    cases = managed_cases(project, viewer).exclude(state=CaseState.WITHDRAWN)
    if show == "ready":
        cases = cases.filter(state__in=[CaseState.READY, CaseState.STALE])
    elif show == "free":
        cases = cases.filter(pk__in=Round.objects.filter(kind=RoundKind.INITIAL).with_free_seats().values("case_id"))
    elif show == "open":
        cases = cases.filter(state__in=[CaseState.LABELLING, CaseState.CLAIMS])
    elif show == "settled":
        cases = cases.filter(state=CaseState.SETTLED)
    if q:
        cases = cases.filter(Q(repository__icontains=q) | Q(public_id__iexact=q))
    if language:
        cases = cases.filter(language=language)
    return cases.order_by("pk")


def languages_of(*, project: Project, viewer: User) -> list[str]:
    """Return the languages of the managed cases, for a filter."""
    values = Case.objects.managed_by(viewer).filter(project=project).exclude(language="")
    return list(values.order_by("language").values_list("language", flat=True).distinct())


def open_rounds(*, project: Project, viewer: User, seats: str = "", person: str = "", q: str = "") -> QuerySet[Round]:
    """Return the open rounds of managed cases, oldest first.

    `seats`: "free" (somebody is missing), "working" (somebody works), "submitted" (all have submitted), or any.
    """
    rounds = Round.objects.visible_to(viewer).filter(case__project=project, state=RoundState.OPEN)
    if seats == "free":
        rounds = rounds.with_free_seats()
    elif seats == "working":
        rounds = rounds.filter(pk__in=seats_in(AssignmentState.ACTIVE))
    elif seats == "submitted":
        rounds = rounds.filter(pk__in=seats_in(AssignmentState.SUBMITTED)).exclude(
            pk__in=seats_in(AssignmentState.ACTIVE)
        )
        rounds = rounds.exclude(pk__in=Round.objects.with_free_seats().values("pk"))
    if person:
        rounds = rounds.filter(pk__in=Assignment.objects.live().filter(reviewer__public_id=person).values("round_id"))
    if q:
        rounds = rounds.filter(Q(case__repository__icontains=q) | Q(case__public_id__iexact=q))
    return (
        rounds.select_related("case", "opened_by")
        .defer(*(f"case__{name}" for name in ("title", "message", "context_allowed", "external_url")))
        .prefetch_related("assignments__reviewer")
        .order_by("opened_at", "pk")
    )


def seats_in(state: AssignmentState) -> QuerySet[Assignment, int]:
    """Return the ids of rounds with a seat in `state`."""
    return Assignment.objects.filter(state=state).values_list("round_id", flat=True)


def seat_view(seat: Assignment) -> SeatView:
    """Return a seat as a lead sees it."""
    state = AssignmentState(seat.state)
    words, moment = STATE_WORDS[state], seat.ended_at
    if state == AssignmentState.ACTIVE:
        words, moment = (
            ("working, last active", seat.last_active_at or seat.first_opened_at)
            if seat.first_opened_at
            else ("not opened, assigned", seat.assigned_at)
        )
    elif state == AssignmentState.SUBMITTED:
        moment = seat.submitted_at
    elif state == AssignmentState.DECLINED and seat.decline_reason:
        words = DECLINE_WORDS[DeclineReason(seat.decline_reason)]
    return SeatView(
        seat_id=seat.public_id,
        slot=seat.slot,
        name=seat.reviewer.name,
        state=state,
        tone=TONES[state],
        words=words,
        moment=moment,
        ends=seat.expires_at if state == AssignmentState.ACTIVE else None,
        is_active=state == AssignmentState.ACTIVE,
        is_submitted=state == AssignmentState.SUBMITTED,
        is_expired=state == AssignmentState.EXPIRED,
    )


def round_view(round: Round) -> RoundView:
    """Return a round, whose assignments and their reviewers were fetched, as a lead sees it."""
    seats = sorted(
        round.assignments.all(),
        key=lambda seat: (seat.state not in (AssignmentState.ACTIVE, AssignmentState.SUBMITTED), seat.slot, seat.pk),
    )
    live = {seat.slot for seat in seats if seat.state in (AssignmentState.ACTIVE, AssignmentState.SUBMITTED)}
    is_open = round.state == RoundState.OPEN
    free = tuple(slot for slot in list(Slot)[: round.seats_wanted] if slot not in live) if is_open else ()
    return RoundView(
        public_id=round.public_id,
        kind=round.kind,
        number=round.number,
        state=round.state,
        seed=round.seed,
        wanted=round.seats_wanted,
        free=free,
        lacks_third=bool(round.third_seat) and round.kind == RoundKind.INITIAL and Slot.C in free,
        is_open=is_open,
        is_queue_open=round.is_queue_open,
        opened_at=round.opened_at,
        opened_by=round.opened_by.name,
        seats=tuple(seat_view(seat) for seat in seats),
    )


def seats_page(*, case: Case, viewer: User) -> SeatsPage:
    """Return a managed case with its rounds and with who may be seated on it."""
    rounds = list(
        Round.objects.filter(case=case)
        .select_related("opened_by")
        .prefetch_related("assignments__reviewer")
        .order_by("-number")
    )
    current = next((round for round in rounds if round.state == RoundState.OPEN), None)
    pool = pool_for(project=case.project, cases=[case], viewer=viewer)
    people = {candidate.id: candidate for candidate in pool.candidates}
    eligible = pool.eligible(case)
    choices = [
        Choice(
            public_id=user.public_id,
            name=user.name,
            load=people[user.public_id].load,
            fit=FIT_WORDS[misfit(people[user.public_id], language=case.language, area=case.area)],
        )
        for user in eligible
    ]
    barred = [(user.name, reason) for user, reason in pool.refusals(case)]
    for user in others_who_label(case.project, pool.reviewers):
        answer = may_sit(user=user, case=case, round=current)
        if answer:
            choices.append(Choice(public_id=user.public_id, name=user.name, load=None, fit="not a reviewer"))
    choices.sort(key=lambda choice: (list(FIT_WORDS.values()).index(choice.fit), choice.load or 0, choice.name))
    return SeatsPage(
        case=case,
        rounds=tuple(round_view(round) for round in rounds),
        choices=tuple(choices),
        barred=tuple(barred),
        eligible=len(eligible),
    )


FIT_WORDS = {
    0: "knows language and area",
    1: "knows the language",
    2: "knows the area",
    3: "other expertise",
    4: "not a reviewer",
}


def others_who_label(project: Project, reviewers: Sequence[User]) -> list[User]:
    """Return the active leads and adjudicators who are not reviewers; they may be seated by hand."""
    return list(
        User.objects.filter(
            is_active=True,
            memberships__project=project,
            memberships__role__in=[role.value for role in SEATABLE - {Role.REVIEWER}],
        )
        .exclude(pk__in=[user.pk for user in reviewers])
        .distinct()
        .order_by("name", "pk")
    )
