"""States of rounds and seats, and the words people choose when they give a seat back."""

from __future__ import annotations

from enum import StrEnum


class RoundState(StrEnum):
    """Where a round stands."""

    OPEN = "open"
    COMPARED = "compared"
    CLOSED = "closed"


class Slot(StrEnum):
    """A seat's letter in its round; C when a third is called."""

    A = "A"
    B = "B"
    C = "C"


class AssignmentState(StrEnum):
    """Where a seat stands. `LIVE` seats count towards the seats of a round."""

    ACTIVE = "active"
    SUBMITTED = "submitted"
    DECLINED = "declined"
    EXPIRED = "expired"
    RELEASED = "released"


LIVE = (AssignmentState.ACTIVE, AssignmentState.SUBMITTED)


class SeatSource(StrEnum):
    """How a seat came about."""

    DRAW = "draw"
    QUEUE = "queue"
    LEAD = "lead"


class DeclineReason(StrEnum):
    """Why a reviewer gives a seat back; no details are asked."""

    CONFLICT = "conflict_of_interest"
    EXPERTISE = "wrong_expertise"
    OTHER = "other"


class DisagreementState(StrEnum):
    """Whether a disagreement waits for its decision; `SUPERSEDED` where its labels are paired otherwise by now."""

    OPEN = "open"
    DECIDED = "decided"
    SUPERSEDED = "superseded"


ASKED = (DisagreementState.OPEN, DisagreementState.DECIDED)


class PairState(StrEnum):
    """What became of a pair. One that was split holds no longer; it stays in the history."""

    PROPOSED = "proposed"
    CONFIRMED = "confirmed"
    SPLIT = "split"


class FoundBy(StrEnum):
    """Which side of a comparison has a finding."""

    BOTH = "both"
    FIRST = "first"
    SECOND = "second"


class PairOrigin(StrEnum):
    """Who took two labels for the same defect."""

    ALIGNER = "aligner"
    ADJUDICATOR = "adjudicator"


class Correction(StrEnum):
    """How a person corrects the alignment."""

    UNPAIR = "unpair"
    PAIR = "pair"


class ThirdSeat(StrEnum):
    """What became of the question whether a round calls a third seat; stored with the round."""

    NOT_CALLED = "not_called"
    LOW_AGREEMENT = "low_agreement"
    VERDICT = "verdict"
    SAMPLED = "sampled"
    # It was wanted, but nobody may sit there, or the lead goes on without.
    NOBODY = "nobody"
    WAIVED = "waived"
