"""A reviewer's own seats, with no more of each case than B6 allows and nothing that depends on others' work (B1)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import Count, Max, QuerySet
from django.db.models.functions import Coalesce

from corpus.domain.vocabulary import RoundKind
from corpus.models import Project, User
from labeling.domain.assigning import queue_order
from labeling.domain.states import AssignmentState
from labeling.models import Assignment, ClaimAnswer, Label

# What the owner is told of a seat they no longer work on, and nothing more.
ENDED_WORDS = {
    AssignmentState.SUBMITTED: "submitted",
    AssignmentState.DECLINED: "declined by you",
    AssignmentState.EXPIRED: "time is over",
    AssignmentState.RELEASED: "taken back by a lead",
}
# The colour a seat's state is shown in: that of the case state it comes closest to.
TONES = {
    AssignmentState.ACTIVE: "labelling",
    AssignmentState.SUBMITTED: "done",
    AssignmentState.DECLINED: "withdrawn",
    AssignmentState.EXPIRED: "withdrawn",
    AssignmentState.RELEASED: "withdrawn",
}


@dataclass(frozen=True)
class CaseFacts:
    """What a reviewer may know of a case before opening it."""

    public_id: str
    repository: str
    language: str
    files: int
    added: int
    removed: int


@dataclass(frozen=True)
class OpenSeat:
    """One of a reviewer's own seats that waits for them. `started` is empty until they open the case."""

    seat_id: str
    case: CaseFacts
    is_claims: bool
    started: datetime | None
    saved: datetime | None
    labels: int
    ends: datetime | None


@dataclass(frozen=True)
class EndedSeat:
    """One of a reviewer's own seats that is done or gone."""

    seat_id: str
    case: CaseFacts
    is_claims: bool
    state: str
    tone: str
    words: str
    at: datetime | None


def queue_key() -> bytes:
    """Return the server's key for the orders of queues."""
    return f"queue order {settings.SECRET_KEY}".encode()


def case_facts(seat: Assignment) -> CaseFacts:
    """Return what the holder of `seat` may know of its case before opening it (B6)."""
    case = seat.case
    return CaseFacts(
        public_id=case.public_id,
        repository=case.repository,
        language=case.language,
        files=case.file_count,
        added=case.added_lines,
        removed=case.removed_lines,
    )


def own_seats(project: Project, user: User) -> QuerySet[Assignment]:
    """Return the person's seats in the project with the columns the queue shows."""
    return (
        Assignment.objects.visible_to(user)
        .filter(case__project=project)
        .select_related("case", "round")
        .only(
            "public_id",
            "state",
            "first_opened_at",
            "submitted_at",
            "ended_at",
            "expires_at",
            "last_active_at",
            "round__kind",
            "case__public_id",
            "case__repository",
            "case__language",
            "case__file_count",
            "case__added_lines",
            "case__removed_lines",
        )
    )


def open_seats(*, project: Project, user: User) -> tuple[OpenSeat, ...]:
    """Return the seats that wait for the person, in the order of their queue: a keyed hash of person and case (B7)."""
    rows = list(own_seats(project, user).filter(state=AssignmentState.ACTIVE))
    saved, labels = draft_saves(rows)
    rows.sort(key=lambda seat: queue_order(key=queue_key(), person=user.public_id, case=seat.case.public_id))
    return tuple(
        OpenSeat(
            seat_id=seat.public_id,
            case=case_facts(seat),
            is_claims=seat.round.kind == RoundKind.CLAIMS,
            started=seat.first_opened_at,
            saved=saved.get(seat.pk),
            labels=labels.get(seat.pk, 0),
            ends=seat.expires_at,
        )
        for seat in rows
    )


def draft_saves(seats: list[Assignment]) -> tuple[dict[int, datetime], dict[int, int]]:
    """Return, by seat, when a label or an answer was last saved, and how many labels stand."""
    ids = [seat.pk for seat in seats]
    labels = Label.objects.filter(assignment__in=ids).values_list("assignment")
    saved = dict(labels.annotate(last=Max("saved_at")))
    answers = ClaimAnswer.objects.filter(assignment__in=ids).values_list("assignment")
    for pk, last in answers.annotate(last=Max("saved_at")):
        saved[pk] = max(last, saved.get(pk, last))
    return saved, dict(labels.filter(withdrawn_at__isnull=True).annotate(count=Count("pk")))


def ended_seats(*, project: Project, user: User) -> QuerySet[Assignment]:
    """Return the person's seats that are done or gone, newest first; `as_ended` turns one into what is shown."""
    return (
        own_seats(project, user)
        .exclude(state=AssignmentState.ACTIVE)
        .order_by(Coalesce("submitted_at", "ended_at").desc(), "-pk")
    )


def as_ended(seat: Assignment) -> EndedSeat:
    """Return what the owner is told of a seat they no longer work on."""
    state = AssignmentState(seat.state)
    return EndedSeat(
        seat_id=seat.public_id,
        case=case_facts(seat),
        is_claims=seat.round.kind == RoundKind.CLAIMS,
        state=state,
        tone=TONES[state],
        words=ENDED_WORDS[state],
        at=seat.submitted_at if state == AssignmentState.SUBMITTED else seat.ended_at,
    )
