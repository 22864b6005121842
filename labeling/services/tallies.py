"""Counting what two open passes said, in the transaction that compares them or corrects their pairing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db import transaction

from corpus.domain.places import Closeness, Geometry, Place, nearest
from corpus.domain.vocabulary import RoundKind
from corpus.models import Case
from labeling.domain.alignment import Finding
from labeling.domain.states import AssignmentState, FoundBy
from labeling.domain.statistics.kinds import CaseKind, CountedFinding
from labeling.models import Assignment, Comparison, Label, LabelPair, Tally, TallyFinding
from labeling.models.agreement import FINDING_COLUMNS
from labeling.selectors.findings import as_findings, change_shape
from labeling.selectors.pseudonyms import pseudonyms_of


@transaction.atomic
def count_comparison(comparison: Comparison) -> Tally | None:
    """Store the tally of a comparison's pairing as it stands, and return it; None where statistics do not count it.

    Counted are initial rounds, a case once: by its first round that was compared. Call it under the case's lock, when
    the comparison is stored and each time its pairs change.
    """
    round_ = comparison.round
    if round_.kind != RoundKind.INITIAL:
        return None
    if Tally.objects.filter(case_id=round_.case_id).exclude(comparison__round=round_).exists():
        return None
    drawn = _drawn(comparison)
    if drawn is None:
        return None
    tally, findings = drawn
    newest = comparison.tallies.order_by("-number").first()
    tally.number = 0 if newest is None else newest.number + 1
    tally.save(force_insert=True)
    TallyFinding.objects.bulk_create(findings)
    return tally


def count_missing(*, limit: int = 500) -> int:
    """Count comparisons that have no tally, such as those from before there were any; return how many were."""
    without = Comparison.objects.current().filter(round__kind=RoundKind.INITIAL, round__case__tallies__isnull=True)
    without = without.exclude(round__assignments__is_excluded_from_agreement=True).order_by("pk")
    done = 0
    for comparison in without.select_related("round")[:limit]:
        with transaction.atomic():
            Case.objects.select_for_update(no_key=True).get(pk=comparison.round.case_id)
            if not comparison.tallies.exists() and count_comparison(comparison) is not None:
                done += 1
    return done


def _drawn(comparison: Comparison) -> tuple[Tally, list[TallyFinding]] | None:
    """Return the unsaved tally of a comparison and its findings."""
    round_ = comparison.round
    case = round_.case
    seats = list(Assignment.objects.filter(round=round_, state=AssignmentState.SUBMITTED).order_by("slot")[:2])
    if len(seats) < 2:
        return None
    letters = pseudonyms_of(case.public_id)
    first, second = sorted(seats, key=lambda seat: letters.letter(seat.slot))
    low, high = sorted(seats, key=lambda seat: seat.reviewer_id)
    moments = [seat.submitted_at for seat in seats if seat.submitted_at is not None]
    tally = Tally(
        comparison=comparison,
        case=case,
        verdict_first=first.verdict,
        verdict_second=second.verdict,
        reviewer_low_id=low.reviewer_id,
        reviewer_high_id=high.reviewer_id,
        is_low_first=low == first,
        guidelines_id=low.guidelines_id if low.guidelines_id == high.guidelines_id else None,
        labelled_at=max(moments),
    )
    labels = {
        label.pk: label
        for label in Label.objects.standing()
        .filter(assignment__in=seats)
        .select_related("category", "assignment")
        .order_by("assignment__slot", "number")
    }
    # A label that a claims pass brought in was not found by its owner, so its partner found the defect alone.
    pairs = [
        pair
        for pair in comparison.pairs.holding().order_by("pk")
        if pair.label_a_id in labels and pair.label_b_id in labels
    ]
    taken = {pk for pair in pairs for pk in (pair.label_a_id, pair.label_b_id)}
    places = _closenesses(comparison, case, pairs, labels) if pairs else {}
    findings = []
    for pair in pairs:
        sides = [labels[pair.label_a_id], labels[pair.label_b_id]]
        one, other = sides if sides[0].assignment_id == first.pk else reversed(sides)
        close = places[pair.pk]
        findings.append(
            TallyFinding(
                tally=tally,
                found_by=FoundBy.BOTH,
                category_first=_category(one),
                category_second=_category(other),
                severity_first=one.severity,
                severity_second=other.severity,
                shares_a_line=close is not None and close.shares_a_line,
                is_decided_by_severity=pair.is_decided_by_severity,
                shared_lines=close.shared if close else 0,
                union_lines=close.union if close else 0,
                line_gap=close.gap if close else None,
            )
        )
    for label in labels.values():
        if label.pk not in taken:
            findings.append(_alone(tally, label, is_first=label.assignment_id == first.pk))
    tally.digest = kind_of(tally, findings).digest
    return tally, findings


def kind_of(tally: Tally, findings: Iterable[TallyFinding]) -> CaseKind:
    """Return a tally as statistics take it."""
    said = tuple(CountedFinding(*(getattr(one, name) for name in FINDING_COLUMNS)) for one in findings)
    return CaseKind(tally.verdict_first, tally.verdict_second, said)


def _alone(tally: Tally, label: Label, *, is_first: bool) -> TallyFinding:
    if is_first:
        return TallyFinding(
            tally=tally, found_by=FoundBy.FIRST, category_first=_category(label), severity_first=label.severity
        )
    return TallyFinding(
        tally=tally, found_by=FoundBy.SECOND, category_second=_category(label), severity_second=label.severity
    )


def _category(label: Label) -> str:
    return label.category.key if label.category else ""


def _closenesses(
    comparison: Comparison, case: Case, pairs: Sequence[LabelPair], labels: dict[int, Label]
) -> dict[int, Closeness | None]:
    """Return how close the places of each pair lie, alternates counted."""
    shape = change_shape(case)
    geometry = Geometry(shape.files, shape.hunks)
    wanted = [labels[pk] for pair in pairs for pk in (pair.label_a_id, pair.label_b_id)]
    findings = dict(zip((label.pk for label in wanted), as_findings(wanted), strict=True))

    def places(finding: Finding) -> list[Place]:
        return [geometry.place(anchors) for anchors in (finding.anchors, *finding.alternates)]

    found = {}
    for pair in pairs:
        close = nearest(places(findings[pair.label_a_id]), places(findings[pair.label_b_id]), comparison.window)
        found[pair.pk] = close.closeness if close else None
    return found
