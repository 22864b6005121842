"""Claims as the person who judges them sees them: statement, category and place, and nothing of their origin."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings

from corpus.domain.vocabulary import AnchorRole, RoundKind
from corpus.models import Claim, ClaimAnchor
from corpus.selectors.margin import place_marks
from labeling.domain.completeness import ClaimFacts, Gap, claim_gaps
from labeling.domain.label_input import AnchorInput
from labeling.domain.place_text import write_places
from labeling.models import Assignment, ClaimAnswer, ClaimAnswerAnchor
from labeling.selectors.workbench import PlaceRow, place_rows

TITLE_LENGTH = 90


@dataclass(frozen=True)
class StoredAnswer:
    """The newest answer of a seat to a claim; number 0 while there is none."""

    number: int = 0
    exists: str = ""
    severity: str = ""
    reason: str = ""
    anchors: tuple[AnchorInput, ...] = ()
    saved_at: datetime | None = None

    def facts(self, number: int) -> ClaimFacts:
        """Return what completeness asks of the answer to the claim shown as `number`."""
        return ClaimFacts(
            number=number,
            exists=self.exists,
            severity=self.severity,
            reason=self.reason,
            has_place=bool(self.anchors),
        )


@dataclass(frozen=True)
class ClaimView:
    """A claim with one's own answer. `number` is its place in one's own order."""

    public_id: str
    number: int
    statement: str
    title: str
    category: str
    places: tuple[PlaceRow, ...]
    marks: str
    answer: StoredAnswer
    accepted: tuple[PlaceRow, ...]
    accepted_text: str
    gaps: tuple[Gap, ...]
    is_open: bool = False


def claims_of(assignment: Assignment, *, open_id: str = "") -> list[ClaimView]:
    """Return the claims that a seat of a claims pass judges, in an order of its owner's own (keyed hash)."""
    if assignment.round.kind != RoundKind.CLAIMS:
        return []
    claims = sorted(Claim.objects.filter(case_id=assignment.case_id), key=lambda claim: _order(assignment, claim))
    places: dict[int, list[ClaimAnchor]] = {claim.pk: [] for claim in claims}
    for anchor in ClaimAnchor.objects.filter(claim__in=claims).order_by("pk"):
        places[anchor.claim_id].append(anchor)
    answers = _answers(assignment)
    return [
        _view(claim, number, places[claim.pk], answers.get(claim.pk, StoredAnswer()), open_id)
        for number, claim in enumerate(claims, 1)
    ]


def stored_answer(assignment: Assignment, claim: Claim) -> StoredAnswer:
    """Return the newest answer of a seat to one claim."""
    return _answers(assignment, claim).get(claim.pk, StoredAnswer())


def _answers(assignment: Assignment, claim: Claim | None = None) -> dict[int, StoredAnswer]:
    rows = ClaimAnswer.objects.filter(assignment=assignment).order_by("number")
    if claim is not None:
        rows = rows.filter(claim=claim)
    newest = {row.claim_id: row for row in rows}
    anchors: dict[int, list[AnchorInput]] = {row.pk: [] for row in newest.values()}
    for anchor in ClaimAnswerAnchor.objects.filter(answer__in=anchors).order_by("pk"):
        anchors[anchor.answer_id].append(_input(anchor))
    return {
        claim_id: StoredAnswer(
            number=row.number,
            exists=row.exists,
            severity=row.severity,
            reason=row.reason,
            anchors=tuple(anchors[row.pk]),
            saved_at=row.saved_at,
        )
        for claim_id, row in newest.items()
    }


def _input(anchor: ClaimAnchor | ClaimAnswerAnchor) -> AnchorInput:
    return AnchorInput(
        role=anchor.role,
        level=anchor.level,
        path=anchor.path,
        side=anchor.side,
        first_line=anchor.first_line,
        last_line=anchor.last_line,
        group=anchor.group,
    )


def _order(assignment: Assignment, claim: Claim) -> bytes:
    key = f"claims order {settings.SECRET_KEY}".encode()
    message = f"{assignment.public_id} {claim.public_id}".encode()
    return hmac.new(key, message, hashlib.sha256).digest()


def _view(claim: Claim, number: int, anchors: list[ClaimAnchor], answer: StoredAnswer, open_id: str) -> ClaimView:
    claimed = [_input(anchor) for anchor in anchors]
    text = claim.title or claim.statement.split("\n")[0]
    return ClaimView(
        public_id=claim.public_id,
        number=number,
        statement=claim.statement,
        title=text if len(text) <= TITLE_LENGTH else text[: TITLE_LENGTH - 1] + "…",
        category=claim.category_key.replace("_", " "),
        places=place_rows(claimed),
        marks=place_marks(claimed, role="supporting"),
        answer=answer,
        accepted=place_rows(answer.anchors),
        accepted_text=write_places(answer.anchors, AnchorRole.PRIMARY),
        gaps=tuple(claim_gaps(answer.facts(number))),
        is_open=claim.public_id == open_id,
    )
