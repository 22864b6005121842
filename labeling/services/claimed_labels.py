"""What a claims pass brings into comparison: a claim that a reviewer says exists is their label on that defect.

The labels are written when the round is compared, into the claims seat, whose slot is that of the open pass. What the
person had found on their own, in the same category and place, is not written twice. A decoy is known to be wrong, so a
yes to one tells of the reviewer and makes no label.
"""

from __future__ import annotations

from collections.abc import Sequence

from corpus import clock
from corpus.domain.vocabulary import ClaimAnswerValue, RoundKind
from corpus.models import Category, Claim
from corpus.services import golden
from labeling.domain.alignment import align
from labeling.domain.states import AssignmentState
from labeling.models import Assignment, ClaimAnswer, Label, LabelAnchor, LabelRevision
from labeling.selectors.findings import ChangeShape, as_findings, standing_labels
from labeling.selectors.labels import CONTENT


def claimed_labels(*, seat: Assignment, own: Sequence[Label], shape: ChangeShape) -> list[Label]:
    """Return the labels that the claims pass after the open pass `seat` adds to `own`, written once.

    Call it under the case's lock. Comparing again returns the same rows.
    """
    claims_seat = (
        Assignment.objects.filter(
            case_id=seat.case_id,
            reviewer_id=seat.reviewer_id,
            round__kind=RoundKind.CLAIMS,
            round__number__gt=seat.round.number,
            state=AssignmentState.SUBMITTED,
        )
        .order_by("round__number")
        .first()
    )
    if claims_seat is None:
        return []
    if not standing_labels(claims_seat):
        for answer in _affirmed(claims_seat):
            _write(claims_seat, answer)
    written = standing_labels(claims_seat)
    same = align(as_findings(own), as_findings(written), files=shape.files, hunks=shape.hunks)
    known = {pair.b_id for pair in same.pairs if pair.same_category}
    return [label for label in written if label.public_id not in known]


def withdraw_claimed_labels(*, seat: Assignment) -> None:
    """Take back what a claims seat brought into comparison, since its answers may change; revisions stay (N4)."""
    now = clock.now()
    for label in standing_labels(seat):
        label.withdrawn_at, label.saved_at = now, now
        label.version += 1
        label.save(update_fields=["withdrawn_at", "saved_at", "version"])
        _note_revision(label)


def _note_revision(label: Label) -> None:
    LabelRevision.objects.create(
        label=label,
        number=label.version,
        category=label.category,
        is_withdrawn=label.withdrawn_at is not None,
        saved_at=label.saved_at,
        **{name: getattr(label, name) for name in CONTENT},
    )


def _affirmed(seat: Assignment) -> list[ClaimAnswer]:
    """Return the newest answers that say yes, in the order of the claims; decoys are left out."""
    newest: dict[int, ClaimAnswer] = {}
    answers = ClaimAnswer.objects.filter(assignment=seat).select_related("claim").prefetch_related("anchors")
    for answer in answers.order_by("claim__position", "claim_id", "number"):
        newest[answer.claim_id] = answer
    return [
        answer
        for answer in newest.values()
        if answer.exists == ClaimAnswerValue.YES and answer.claim.origin != Claim.DECOY
    ]


def _write(seat: Assignment, answer: ClaimAnswer) -> Label:
    claim = answer.claim
    now = clock.now()
    content = {name: getattr(claim, name) for name in golden.DEFECT_COLUMNS}
    content |= {
        "title": claim.title or claim.statement[:200],
        "severity": answer.severity,
        "evidence": "\n\n".join(filter(None, (claim.evidence, answer.reason))),
    }
    category = Category.objects.filter(taxonomy_id=seat.taxonomy_id, key=claim.category_key).first()
    label = Label.objects.create(
        assignment=seat,
        number=seat.labels.count() + 1,
        version=1,
        category=category,
        created_at=now,
        saved_at=now,
        **content,
    )
    _note_revision(label)
    LabelAnchor.objects.bulk_create(
        LabelAnchor(label=label, since=1, **golden.anchor_values(anchor)) for anchor in answer.anchors.all()
    )
    return label
