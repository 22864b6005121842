"""Where the truth of a case comes from, for the manifest of a version: seats, labels and decisions.

Seven queries for any number of cases.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from corpus.domain.vocabulary import (
    ClaimAnswerValue,
    Confidence,
    DisagreementKind,
    Outcome,
    RoundKind,
    Severity,
    Verdict,
)
from corpus.selectors.provenance import (
    CaseProvenance,
    DecisionSource,
    LabelSource,
    VerdictSource,
    provenance_source,
)
from labeling.domain.states import AssignmentState, DisagreementState
from labeling.models import Adjudication, Assignment, Comparison, FileRead, GoldenSource, LabelRevision

# Rounds in which a person answers on the whole case by themselves.
OPEN_ROUNDS = (RoundKind.INITIAL, RoundKind.CHALLENGE)


@provenance_source
def labelling_provenance(case_ids: Sequence[int]) -> Mapping[int, CaseProvenance]:
    """Return verdicts, labels behind findings, decisions and the aligner of each case."""
    verdicts = _verdicts(case_ids)
    labels = _labels(case_ids)
    decisions, finding_decisions = _decisions(case_ids)
    aligners = defaultdict(set)
    for case_id, aligner in Comparison.objects.filter(round__case_id__in=case_ids).values_list(
        "round__case_id", "aligner"
    ):
        aligners[case_id].add(("aligner", aligner))
    return {
        case_id: CaseProvenance(
            verdicts=tuple(verdicts[case_id]),
            decisions=tuple(decisions[case_id]),
            labels=labels[case_id],
            finding_decisions=finding_decisions[case_id],
            tools=frozenset(aligners[case_id]),
        )
        for case_id in case_ids
    }


def _verdicts(case_ids: Sequence[int]) -> dict[int, list[VerdictSource]]:
    seats = list(
        Assignment.objects.filter(case_id__in=case_ids, state=AssignmentState.SUBMITTED)
        .select_related("round", "case")
        .order_by("case_id", "round__number", "slot")
    )
    newest = {seat.case_id: seat.round_id for seat in seats if seat.round.kind in OPEN_ROUNDS}
    read = Counter(
        FileRead.objects.filter(assignment__in=[seat.pk for seat in seats]).values_list("assignment_id", flat=True)
    )
    found: dict[int, list[VerdictSource]] = defaultdict(list)
    for seat in seats:
        found[seat.case_id].append(
            VerdictSource(
                person=seat.reviewer_id,
                round_kind=RoundKind(seat.round.kind),
                verdict=Verdict(seat.verdict),
                missing_context=seat.missing_context,
                is_deciding=newest.get(seat.case_id) == seat.round_id,
                unread_files=max(0, seat.case.file_count - read[seat.pk]),
            )
        )
    return found


def _labels(case_ids: Sequence[int]) -> dict[int, dict[int, tuple[LabelSource, ...]]]:
    """Return the labels that findings came from, each in the revision that was accepted."""
    sources = list(
        GoldenSource.objects.filter(finding__case_id__in=case_ids)
        .select_related("finding", "label__assignment__round")
        .order_by("finding_id", "slot", "pk")
    )
    revisions = {
        (revision.label_id, revision.number): revision
        for revision in LabelRevision.objects.filter(
            label_id__in=[source.label_id for source in sources]
        ).select_related("category")
    }
    found: dict[int, dict[int, tuple[LabelSource, ...]]] = defaultdict(dict)
    for source in sources:
        said = revisions[source.label_id, source.label_revision]
        by_finding = found[source.finding.case_id]
        by_finding[source.finding_id] = (
            *by_finding.get(source.finding_id, ()),
            LabelSource(
                person=source.label.assignment.reviewer_id,
                round_kind=RoundKind(source.label.assignment.round.kind),
                # An open label asserts that the defect exists.
                answer=ClaimAnswerValue.YES,
                category=said.category.key if said.category else None,
                severity=Severity(said.severity) if said.severity else None,
                confidence=Confidence(said.confidence) if said.confidence else None,
            ),
        )
    return found


Decisions = dict[int, list[DecisionSource]]


def _decisions(case_ids: Sequence[int]) -> tuple[Decisions, dict[int, dict[int, tuple[DecisionSource, ...]]]]:
    """Return the decisions that stand: by case those without a finding, and by case and finding the others."""
    rows = (
        Adjudication.objects.filter(
            disagreement__comparison__round__case_id__in=case_ids,
            disagreement__comparison__superseded_at__isnull=True,
            disagreement__state=DisagreementState.DECIDED,
            undone_at__isnull=True,
        )
        .select_related("disagreement__comparison__round", "golden_revision")
        .order_by("disagreement_id", "number")
    )
    standing = {row.disagreement_id: row for row in rows}
    grouped: dict[tuple[int, int | None], list[Adjudication]] = defaultdict(list)
    for row in standing.values():
        finding = row.golden_revision.finding_id if row.golden_revision else None
        grouped[row.disagreement.comparison.round.case_id, finding].append(row)
    of_cases: Decisions = defaultdict(list)
    of_findings: dict[int, dict[int, tuple[DecisionSource, ...]]] = defaultdict(dict)
    for (case_id, finding), decisions in grouped.items():
        if finding is None:
            of_cases[case_id] += [_decision([row]) for row in decisions]
        else:
            of_findings[case_id][finding] = tuple(_decision(group) for group in _alike(decisions))
    return of_cases, of_findings


def _alike(rows: Iterable[Adjudication]) -> list[list[Adjudication]]:
    """Put decisions that say the same about several differences of one finding together."""
    groups: dict[tuple[object, ...], list[Adjudication]] = defaultdict(list)
    for row in rows:
        groups[row.adjudicator_id, row.outcome, row.reason_code, row.rationale, row.confidence].append(row)
    return list(groups.values())


def _decision(rows: Sequence[Adjudication]) -> DecisionSource:
    first = rows[0]
    order = list(DisagreementKind)
    kinds = {DisagreementKind(row.disagreement.kind) for row in rows}
    return DecisionSource(
        person=first.adjudicator_id,
        kinds=tuple(sorted(kinds, key=order.index)),
        outcome=Outcome(first.outcome),
        reason_code=first.reason_code,
        rationale=first.rationale,
        confidence=Confidence(first.confidence) if first.confidence else None,
    )
