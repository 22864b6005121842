"""The claims pass: each claim judged blind, after one's own open pass is final (B4)."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, OuterRef

from corpus import clock
from corpus.domain.vocabulary import CaseState, Channel, ClaimAnswerValue, ExposureKind, RoundKind, Severity
from corpus.models import Case, Claim, Project, User
from corpus.selectors.quotes import PlaceRefused
from corpus.services.decoys import ensure_claims
from corpus.services.exposures import record_exposure
from labeling.domain.label_input import AnchorInput, FieldRefused, clean_anchors, clean_text
from labeling.domain.states import AssignmentState
from labeling.models import Assignment, ClaimAnswer, ClaimAnswerAnchor
from labeling.selectors.claims import StoredAnswer, stored_answer
from labeling.services.labels import bind_anchors
from labeling.services.own_seats import add_activity, lock_own_seat, require_open
from labeling.services.rounds import RoundRefused, open_claims_seat
from labeling.services.seating import SeatRefused

logger = logging.getLogger(__name__)
MAX_REASON = 10_000


class ClaimRefused(Exception):
    """An answer cannot be stored; `field` names the field, the message is one sentence for the person."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


class NoSuchClaim(Exception):
    """The seat has no claim of this id to judge."""


class StaleClaimAnswer(Exception):
    """The answer changed since the form was filled: `stored` is what stands, `yours` what was sent (N3)."""

    def __init__(self, stored: StoredAnswer, yours: ClaimInput) -> None:
        super().__init__("Your answer to this claim was changed elsewhere since you opened it.")
        self.stored = stored
        self.yours = yours


@dataclass(frozen=True)
class ClaimInput:
    """A reviewer's answer to a claim, as typed; `anchors` are places they would accept."""

    exists: str = ""
    severity: str = ""
    reason: str = ""
    anchors: tuple[AnchorInput, ...] = ()


def open_due_claims(*, project: Project | None = None, reviewer: User | None = None) -> list[Assignment]:
    """Open the claims pass of every person whose open pass is final by their own clock; return the new seats.

    Whose other seat stands where plays no part (B1). Safe to call at any time; a seat that exists is left as it is.
    """
    follows = Assignment.objects.filter(
        case_id=OuterRef("case_id"),
        reviewer_id=OuterRef("reviewer_id"),
        round__kind=RoundKind.CLAIMS,
        round__number__gt=OuterRef("round__number"),
    )
    due = Assignment.objects.filter(
        ~Exists(follows),
        state=AssignmentState.SUBMITTED,
        final_at__lte=clock.now(),
        round__kind=RoundKind.INITIAL,
        policy__uses_claims=True,
        case__state=CaseState.LABELLING,
    )
    if project is not None:
        due = due.filter(case__project=project)
    if reviewer is not None:
        due = due.filter(reviewer=reviewer)
    opened = []
    for pk in list(due.order_by("pk").values_list("pk", flat=True)):
        seat = Assignment.objects.select_related("case__project", "round", "reviewer").get(pk=pk)
        try:
            ensure_claims(case=seat.case)
            opened.append(open_claims_seat(assignment=seat))
        except (RoundRefused, SeatRefused) as error:
            logger.warning("claims pass of seat %s not opened: %s", seat.public_id, error)
    return opened


EXPOSES = {
    Claim.AI: ExposureKind.AI_OUTPUT,
    Claim.CHALLENGE: ExposureKind.AI_OUTPUT,
    Claim.IMPORTED: ExposureKind.GOLDEN_FINDING,
    Claim.SEEDED: ExposureKind.GOLDEN_FINDING,
}


def note_claims_shown(*, assignment: Assignment, reviewer: User, channel: Channel) -> None:
    """Record what a person saw who was shown the claims of their seat (B2). A decoy shows nothing of anybody."""
    origins = Claim.objects.filter(case_id=assignment.case_id).values_list("origin", flat=True).distinct()
    for kind in sorted({EXPOSES[origin] for origin in origins if origin in EXPOSES}):
        record_exposure(user=reviewer, cases=[assignment.case], kind=kind, channel=channel)


@transaction.atomic
def save_claim_answer(
    *, assignment: Assignment, reviewer: User, claim: str, fields: ClaimInput, expected_version: int
) -> StoredAnswer:
    """Store an answer to a claim as its next number and return it; any part may be empty while it is a draft.

    `expected_version` is the number the form was filled from, 0 for none. Sending what already stands answers as before
    (N2). Raises SeatClosed, NoSuchClaim, ClaimRefused or StaleClaimAnswer; nothing is stored then.
    """
    fields = _clean(fields)
    seat = lock_own_seat(assignment=assignment, reviewer=reviewer)
    row = Claim.objects.filter(case_id=seat.case_id, public_id=claim).first()
    if row is None or seat.round.kind != RoundKind.CLAIMS:
        raise NoSuchClaim("There is no such claim on this case.")
    standing = stored_answer(seat, row)
    if standing.number and (standing.exists, standing.severity, standing.reason, standing.anchors) == (
        fields.exists,
        fields.severity,
        fields.reason,
        fields.anchors,
    ):
        return standing
    require_open(seat)
    if standing.number != expected_version:
        raise StaleClaimAnswer(standing, fields)
    case = Case.objects.select_related("patch", "base_tree", "head_tree").get(pk=seat.case_id)
    try:
        bound = bind_anchors(case, fields.anchors)
    except PlaceRefused as error:
        raise ClaimRefused("anchors", str(error)) from error
    now = clock.now()
    answer = ClaimAnswer.objects.create(
        assignment=seat,
        claim=row,
        number=standing.number + 1,
        exists=fields.exists,
        severity=fields.severity,
        reason=fields.reason,
        saved_at=now,
    )
    names = [field.name for field in ClaimAnswerAnchor._meta.fields if field.name not in ("id", "answer")]
    ClaimAnswerAnchor.objects.bulk_create(
        [ClaimAnswerAnchor(answer=answer, **{name: getattr(anchor, name) for name in names}) for anchor in bound]
    )
    add_activity(seat)
    return StoredAnswer(
        number=answer.number,
        exists=fields.exists,
        severity=fields.severity,
        reason=fields.reason,
        anchors=fields.anchors,
        saved_at=now,
    )


def _clean(fields: ClaimInput) -> ClaimInput:
    if fields.exists and fields.exists not in {value.value for value in ClaimAnswerValue}:
        choices = ", ".join(value.value for value in ClaimAnswerValue)
        raise ClaimRefused("exists", f"{fields.exists[:40]!r} is no answer; choose one of: {choices}.")
    if fields.severity and fields.severity not in {value.value for value in Severity}:
        choices = ", ".join(value.value for value in Severity)
        raise ClaimRefused("severity", f"{fields.severity[:40]!r} is no severity; choose one of: {choices}.")
    try:
        return ClaimInput(
            exists=fields.exists,
            severity=fields.severity,
            reason=clean_text("reason", fields.reason, MAX_REASON),
            anchors=clean_anchors(fields.anchors),
        )
    except FieldRefused as error:
        raise ClaimRefused(error.field, error.message) from error
