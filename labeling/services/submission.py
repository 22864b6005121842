"""The answer on the whole case, its submission, and the two ways back: recall by its owner, reopening by a lead.

Whether a submission can be recalled depends on its owner's clock alone: `final_at` is set when it is submitted. A round
is compared only when all its seats are final, so a refused recall never tells that the other seat is done (B1).
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import DatabaseError, transaction

from corpus import clock
from corpus.domain.vocabulary import Channel, ExposureKind, RoundKind, Verdict
from corpus.models import Case, Exposure, User
from corpus.selectors.projects import stamps_in_force
from corpus.services import audit, seats
from corpus.services.exposures import record_exposure
from labeling.domain.completeness import Gap, answer_gaps
from labeling.domain.label_input import FieldRefused, clean_text
from labeling.domain.states import AssignmentState, RoundState
from labeling.models import Assignment, Round
from labeling.selectors.claims import claims_of
from labeling.selectors.labels import stored_labels
from labeling.services import settlement
from labeling.services.claimed_labels import withdraw_claimed_labels
from labeling.services.claims import open_due_claims
from labeling.services.comparison import compare_due_rounds
from labeling.services.events import note_event
from labeling.services.own_seats import SeatClosed, add_activity, lock_own_seat, require_open

logger = logging.getLogger(__name__)
MAX_ANSWER_TEXT = 10_000


class AnswerRefused(Exception):
    """The answer cannot be stored; `field` names the field, the message is one sentence for the person."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


class StaleAnswer(Exception):
    """Verdict or summary changed since the form was filled; `stored` is what stands (N3)."""

    def __init__(self, stored: Answer) -> None:
        super().__init__("Your answer was changed elsewhere since you opened this page.")
        self.stored = stored


class SubmissionRefused(Exception):
    """The seat cannot be submitted yet; `gaps` names everything that is missing."""

    def __init__(self, gaps: list[Gap]) -> None:
        super().__init__(f"{len(gaps)} answers are missing." if len(gaps) > 1 else "One answer is missing.")
        self.gaps = gaps


class RecallRefused(Exception):
    """The submission cannot be recalled; the message is one sentence for its owner."""


class ReopenRefused(Exception):
    """The seat cannot be reopened; the message is one sentence for the lead."""


@dataclass(frozen=True)
class Answer:
    """The answer on the whole case in one of its versions."""

    verdict: str
    missing_context: str
    summary: str
    version: int


@dataclass(frozen=True)
class Submitted:
    """The acknowledgement of a submission."""

    verdict: str
    submitted_at: datetime
    final_at: datetime
    is_repeat: bool = False


def _answer(seat: Assignment) -> Answer:
    return Answer(seat.verdict, seat.missing_context, seat.summary, seat.version)


@transaction.atomic
def save_answer(
    *,
    assignment: Assignment,
    reviewer: User,
    verdict: str,
    missing_context: str,
    summary: str,
    expected_version: int,
) -> Answer:
    """Store the draft of the answer on the whole case; any part may be empty.

    Sending what already stands answers as before whatever version it was filled from, so a repeat never conflicts (N2).
    Raises SeatClosed, AnswerRefused or StaleAnswer; nothing is stored then.
    """
    if verdict and verdict not in {member.value for member in Verdict}:
        choices = ", ".join(member.value for member in Verdict)
        raise AnswerRefused("verdict", f"{verdict[:40]!r} is no verdict; choose one of: {choices}.")
    try:
        missing_context = clean_text("missing_context", missing_context, MAX_ANSWER_TEXT)
        summary = clean_text("summary", summary, MAX_ANSWER_TEXT)
    except FieldRefused as error:
        raise AnswerRefused(error.field, error.message) from error
    seat = lock_own_seat(assignment=assignment, reviewer=reviewer)
    if (seat.verdict, seat.missing_context, seat.summary) == (verdict, missing_context, summary):
        return _answer(seat)
    require_open(seat)
    if seat.version != expected_version:
        raise StaleAnswer(_answer(seat))
    seat.verdict, seat.missing_context, seat.summary = verdict, missing_context, summary
    seat.version += 1
    seat.save(update_fields=["verdict", "missing_context", "summary", "version"])
    note_event(assignment=seat, actor=reviewer)
    add_activity(seat)
    return _answer(seat)


def gaps(assignment: Assignment) -> list[Gap]:
    """Return everything that keeps the seat from being submitted, labels or claims in the order of their numbers."""
    if assignment.round.kind == RoundKind.CLAIMS:
        return [gap for claim in claims_of(assignment) for gap in claim.gaps]
    facts = [label.facts for label in stored_labels(assignment) if not label.is_withdrawn]
    return answer_gaps(verdict=assignment.verdict, missing_context=assignment.missing_context, labels=facts)


def submit(*, assignment: Assignment, reviewer: User, expected_version: int, final: bool = False) -> Submitted:
    """Submit the seat: unchangeable from now on, stamped with the versions in force.

    `expected_version` is the version of the answer that the person saw. With `final` they give the recall up at once.
    Submitting again changes nothing and answers the same (N2). Raises SeatClosed, StaleAnswer or SubmissionRefused.
    """
    done = _submit(assignment=assignment, reviewer=reviewer, expected_version=expected_version, final=final)
    # What can still be recalled makes nothing due; once it cannot, the periodic sweep finds it.
    if not done.is_repeat and done.final_at <= done.submitted_at:
        _go_on(assignment.case, reviewer)
    return done


def _go_on(case: Case, reviewer: User) -> None:
    """Open the person's claims pass and compare what is due, after the submission is stored (N1).

    Nothing that fails here reaches the answer (B1). What cannot be opened or compared is logged and stays due, so that
    the periodic sweep tries again; what is left to catch is a database that cannot even list what is due.
    """
    try:
        with transaction.atomic():
            open_due_claims(project=case.project, reviewer=reviewer)
        with transaction.atomic():
            compare_due_rounds(rounds=Round.objects.filter(case=case))
    except DatabaseError:
        logger.exception("What is due of case %s could not be listed; the next sweep tries again.", case.public_id)


@transaction.atomic
def _submit(*, assignment: Assignment, reviewer: User, expected_version: int, final: bool) -> Submitted:
    seat = lock_own_seat(assignment=assignment, reviewer=reviewer)
    if seat.state == AssignmentState.SUBMITTED and seat.submitted_at and seat.final_at:
        return Submitted(seat.verdict, seat.submitted_at, seat.final_at, is_repeat=True)
    require_open(seat)
    if seat.version != expected_version:
        raise StaleAnswer(_answer(seat))
    missing = gaps(seat)
    if missing:
        raise SubmissionRefused(missing)
    add_activity(seat)
    # Only its keys are used, and they never change.
    seat.case = assignment.case
    stamps = stamps_in_force(seat.case.project)
    now = clock.now()
    seat.state = AssignmentState.SUBMITTED
    seat.submitted_at = now
    if seat.round.kind == RoundKind.CLAIMS:
        seat.verdict = _open_verdict(seat)
    seat.final_at = now if final else now + timedelta(minutes=seat.policy.recall_minutes)
    # Categories of the labels belong to the taxonomy the seat was given with, which therefore stays.
    seat.guidelines_id = stamps.guidelines_id
    seat.severity_policy_id = stamps.severity_policy_id
    seat.contract_id = stamps.contract_id
    seat.save(
        update_fields=["state", "verdict", "submitted_at", "final_at", "guidelines", "severity_policy", "contract"]
    )
    seats.mark_submitted(case=seat.case, user=reviewer)
    note_event(assignment=seat, actor=reviewer)
    _audit(seat, reviewer, "seat submitted", before=AssignmentState.ACTIVE, after=AssignmentState.SUBMITTED)
    return Submitted(seat.verdict, seat.submitted_at, seat.final_at)


def _open_verdict(seat: Assignment) -> str:
    """Return the verdict of the person's open pass: judging claims does not change it."""
    earlier = Assignment.objects.filter(
        case_id=seat.case_id, reviewer_id=seat.reviewer_id, round__kind=RoundKind.INITIAL
    ).exclude(verdict="")
    return earlier.order_by("-round__number")[0].verdict


@transaction.atomic
def recall(*, assignment: Assignment, reviewer: User) -> None:
    """Take one's own submission back to go on with it. Raises RecallRefused once it is final by one's own clock."""
    _lock_case(assignment)
    seat = lock_own_seat(assignment=assignment, reviewer=reviewer)
    if seat.state == AssignmentState.ACTIVE:
        return
    if seat.state != AssignmentState.SUBMITTED:
        raise RecallRefused("There is no submission to recall.")
    if seat.final_at is None or seat.final_at <= clock.now():
        raise RecallRefused("The time to recall this submission is over; ask the lead to reopen it.")
    _take_back(seat)
    note_event(assignment=seat, actor=reviewer)
    _audit(seat, reviewer, "seat recalled", before=AssignmentState.SUBMITTED, after=AssignmentState.ACTIVE)


def give_up_recall(*, assignment: Assignment, reviewer: User) -> Submitted:
    """Make one's own submission final now instead of at the end of the time to recall. Repeating changes nothing."""
    with transaction.atomic():
        _lock_case(assignment)
        seat = lock_own_seat(assignment=assignment, reviewer=reviewer)
        if seat.state != AssignmentState.SUBMITTED or seat.submitted_at is None or seat.final_at is None:
            raise SeatClosed("There is no submission to make final.")
        now = clock.now()
        if seat.final_at <= now:
            return Submitted(seat.verdict, seat.submitted_at, seat.final_at, is_repeat=True)
        before = seat.final_at
        seat.final_at = now
        seat.save(update_fields=["final_at"])
        _audit(seat, reviewer, "recall given up", before=before.isoformat(), after=now.isoformat())
        done = Submitted(seat.verdict, seat.submitted_at, seat.final_at)
    _go_on(assignment.case, reviewer)
    return done


@transaction.atomic
def reopen(*, assignment: Assignment, lead: User, reason: str) -> None:
    """Give a submitted seat back to its owner, by a lead and with a reason.

    The seat leaves agreement statistics for good, and the lead counts as exposed: whoever asks for other labels must
    not give the next ones. Where the round was compared already, what was decided stays in the history, a settled case
    becomes stale (N7), and the round is compared anew when the seat is final again. Raises ReopenRefused.
    """
    reason = reason.strip()
    if not reason:
        raise ReopenRefused("Say why the seat is reopened.")
    case = _lock_case(assignment)
    rows = Assignment.objects.managed_by(lead).select_for_update(no_key=True, of=("self",)).select_related("round")
    seat = rows.filter(pk=assignment.pk).first()
    if seat is None:
        raise ReopenRefused("Only a lead of the project who holds no seat on the case reopens one.")
    if seat.state != AssignmentState.SUBMITTED:
        raise ReopenRefused("Only a submitted seat can be reopened.")
    claims = Assignment.objects.filter(case_id=seat.case_id, reviewer_id=seat.reviewer_id, round__kind=RoundKind.CLAIMS)
    if seat.round.kind == RoundKind.INITIAL and claims.filter(round__number__gt=seat.round.number).exists():
        raise ReopenRefused("Its owner was given the claims of the case; their open pass can no longer change.")
    seen = [ExposureKind.PEER_LABEL, ExposureKind.GOLDEN_FINDING, ExposureKind.AI_OUTPUT]
    if Exposure.objects.filter(case=case, user=seat.reviewer, kind__in=seen).exists():
        raise ReopenRefused("Its owner has seen others' work on the case since; open a fresh round with other people.")
    if seat.round.state != RoundState.OPEN:
        newest = case.rounds.order_by("-number").first()
        if newest != seat.round or not settlement.label_again(case=case, round_=seat.round, actor=lead, reason=reason):
            raise ReopenRefused("This round has been compared; open a new round of the case instead.")
    _take_back(seat)
    if seat.round.kind == RoundKind.CLAIMS:
        withdraw_claimed_labels(seat=seat)
    seat.is_excluded_from_agreement = True
    # The time of a reservation was over or nearly; the lead gave new time.
    seat.expires_at = None
    seat.save(update_fields=["is_excluded_from_agreement", "expires_at"])
    record_exposure(user=lead, cases=[case], kind=ExposureKind.PEER_LABEL, channel=Channel.PAGE)
    note_event(assignment=seat, actor=lead)
    _audit(seat, lead, "seat reopened", before=AssignmentState.SUBMITTED, after=f"{AssignmentState.ACTIVE}: {reason}")


def _lock_case(assignment: Assignment) -> Case:
    """Put a way back in order with the comparison of the case, which takes the same lock."""
    return Case.objects.select_for_update(no_key=True, of=("self",)).get(pk=assignment.case_id)


def _take_back(seat: Assignment) -> None:
    seat.state = AssignmentState.ACTIVE
    seat.submitted_at = None
    seat.final_at = None
    seat.save(update_fields=["state", "submitted_at", "final_at"])


def _audit(seat: Assignment, actor: User, verb: str, *, before: str, after: str) -> None:
    audit.record(
        actor=actor, verb=verb, subject=f"assignment {seat.public_id}", case=seat.case, before=before, after=after
    )
