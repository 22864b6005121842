"""The sample reviewers' answers: complete, at the right lines, and different in exactly the ways that were decided."""

from __future__ import annotations

import difflib
import re

import pytest

from corpus.defaults import load_defaults
from corpus.domain.places import Anchor, FilePair, HunkRange, LineRange
from corpus.domain.vocabulary import (
    AnchorLevel,
    AnchorRole,
    DisagreementKind,
    GoldenState,
    Outcome,
    Severity,
    Side,
    SourceKind,
    Verdict,
)
from corpus.sample import (
    SampleAnchor,
    SampleCase,
    SampleDecision,
    SampleLabel,
    SampleLabelling,
    SampleReview,
    load_labellings,
    load_samples,
)
from labeling.domain.alignment import Comparison, Finding, Flag, align, compare
from labeling.domain.completeness import LabelFacts, answer_gaps
from labeling.domain.label_input import AnchorInput, LabelInput, clean_label
from tests.unit.test_sample import check_anchor, lines

pytestmark = pytest.mark.pure

LABELLINGS = load_labellings()
CASES = {case.key: case for case in load_samples()}
DEFAULTS = load_defaults()
by_labelling = pytest.mark.parametrize("labelling", LABELLINGS, ids=lambda labelling: labelling.case)


def reviews(labelling: SampleLabelling) -> tuple[SampleReview, SampleReview]:
    return labelling.a, labelling.b


def labels(labelling: SampleLabelling) -> dict[str, SampleLabel]:
    return {label.key: label for review in reviews(labelling) for label in review.labels}


def hunks(case: SampleCase) -> list[HunkRange]:
    """The hunks of the change with three lines of context, as git shows it."""
    found = []
    for path in sorted({*case.base, *case.head}):
        old, new = lines(case.base.get(path, b"")), lines(case.head.get(path, b""))
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        for group in matcher.get_grouped_opcodes(3):
            spans = (group[0][1], group[-1][2]), (group[0][3], group[-1][4])
            found.append(HunkRange(path, *(span_lines(first, last) for first, last in spans)))
    return found


def span_lines(start: int, end: int) -> LineRange | None:
    return (start + 1, end) if end > start else None


def files(case: SampleCase) -> list[FilePair]:
    paths = sorted({*case.base, *case.head})
    return [FilePair(path if path in case.base else None, path if path in case.head else None) for path in paths]


def place(anchor: SampleAnchor) -> Anchor:
    return Anchor(anchor.path or None, anchor.side, anchor.ranges)


def as_finding(label: SampleLabel) -> Finding:
    return Finding(
        id=label.key,
        category=label.category,
        severity=label.severity,
        anchors=tuple(place(anchor) for anchor in label.anchors if anchor.role is AnchorRole.PRIMARY),
        alternates=tuple((place(anchor),) for anchor in label.anchors if anchor.role is AnchorRole.ALTERNATE),
    )


def comparison(labelling: SampleLabelling) -> Comparison:
    """What the product finds when it compares the two reviews."""
    case = CASES[labelling.case]
    first, second = ([as_finding(label) for label in review.labels] for review in reviews(labelling))
    alignment = align(first, second, files=files(case), hunks=hunks(case))
    return compare(labelling.a.verdict, labelling.b.verdict, alignment)


def subject(flag: Flag) -> tuple[DisagreementKind, str, str]:
    """Kind and labels of a flag, as a decision names them."""
    if flag.pair:
        return flag.kind, *flag.pair
    name = flag.finding_id or ""
    return (flag.kind, name, "") if flag.side == "a" else (flag.kind, "", name)


def decided(decision: SampleDecision) -> tuple[DisagreementKind, str, str]:
    return decision.kind, decision.label_a, decision.label_b


@by_labelling
def test_places_of_labels_point_at_the_quoted_lines(labelling: SampleLabelling) -> None:
    case = CASES[labelling.case]
    for label in labels(labelling).values():
        for anchor in label.anchors:
            check_anchor(case, anchor)
    for decision in labelling.decisions:
        for anchor in decision.anchors:
            check_anchor(case, anchor)


@by_labelling
def test_every_answer_can_be_submitted(labelling: SampleLabelling) -> None:
    names_boundary = {category.key: category.names_boundary for category in DEFAULTS.categories}
    for review in reviews(labelling):
        facts = [
            LabelFacts(
                number=number,
                severity=label.severity,
                category=label.category,
                names_boundary=names_boundary[label.category],
                relation=label.relation,
                speculative=label.speculative,
                trigger=label.trigger,
                evidence=label.evidence,
                impact=label.impact,
                boundary=label.boundary,
                confidence=label.confidence,
                places=frozenset((anchor.role.value, anchor.level.value) for anchor in label.anchors),
            )
            for number, label in enumerate(review.labels, start=1)
        ]
        assert answer_gaps(verdict=review.verdict, missing_context=review.missing, labels=facts) == []


@by_labelling
def test_labels_are_stored_as_they_are_written(labelling: SampleLabelling) -> None:
    for label in labels(labelling).values():
        fields = LabelInput(
            title=label.title,
            severity=label.severity,
            category=label.category,
            relation=label.relation,
            speculative=label.speculative,
            trigger=label.trigger,
            evidence=label.evidence,
            impact=label.impact,
            boundary=label.boundary,
            accept_elements="\n".join(label.explanation_elements),
            keywords=" ".join(label.keywords),
            confidence=label.confidence,
            anchors=tuple(
                AnchorInput(anchor.role, anchor.level, anchor.path, anchor.side or "", first, last)
                for anchor in label.anchors
                if anchor.role is AnchorRole.PRIMARY
                for first, last in anchor.ranges
            ),
        )
        assert clean_label(fields) == fields
        assert len(label.explanation_elements) >= 2
        assert 2 <= len(label.keywords) <= 5


@by_labelling
def test_evidence_quotes_code_of_the_case(labelling: SampleLabelling) -> None:
    case = CASES[labelling.case]
    code = "\n".join(content.decode() for files in (case.base, case.head) for content in files.values())
    for label in labels(labelling).values():
        quotes = re.findall(r"`([^`]+)`", label.evidence)
        assert any(quote in code for quote in quotes), label.evidence


@by_labelling
def test_decisions_are_those_that_the_comparison_asks_for(labelling: SampleLabelling) -> None:
    found = comparison(labelling)
    if labelling.decisions:
        assert sorted(map(decided, labelling.decisions)) == sorted(map(subject, found.flags))


@by_labelling
def test_a_decision_says_why_and_what_becomes_of_the_finding(labelling: SampleLabelling) -> None:
    found = labels(labelling)
    for decision in labelling.decisions:
        assert re.fullmatch(r"[a-z_]+", decision.reason_code)
        assert len(decision.rationale) >= 40
        about_case = decision.kind in {DisagreementKind.VERDICT, DisagreementKind.INSUFFICIENT_CONTEXT}
        assert about_case is (not decision.label_a and not decision.label_b)
        assert about_case is (decision.verdict is not None)
        if about_case:
            assert decision.state is None
            continue
        assert decision.label_a in {"", *found}
        assert decision.label_b in {"", *found}
        if decision.outcome is Outcome.MERGE:
            assert [a.role for a in decision.anchors].count(AnchorRole.PRIMARY) == 1
        if decision.outcome is Outcome.ACCEPT_A:
            assert decision.label_a
        if decision.outcome is Outcome.ACCEPT_B:
            assert decision.label_b
        expected = {
            Outcome.REJECT: {None, GoldenState.DECOY},
            Outcome.UNRESOLVED: {GoldenState.UNRESOLVED},
        }.get(decision.outcome, {GoldenState.REQUIRED, GoldenState.OPTIONAL})
        assert decision.state in expected


def test_labels_meet_the_known_findings_of_their_case() -> None:
    """Every required finding of a labelled case was seen by somebody, in the right file and category."""
    for labelling in LABELLINGS:
        case = CASES[labelling.case]
        said = labels(labelling).values()
        for finding in case.findings:
            if finding.state is not GoldenState.REQUIRED:
                continue
            paths = {anchor.path for anchor in finding.anchors if anchor.role is not AnchorRole.SUPPORTING}
            assert any(
                label.category == finding.category and paths & {anchor.path for anchor in label.anchors}
                for label in said
            ), f"{case.key} {finding.key}"


def test_the_two_reviewers_are_a_real_pair() -> None:
    assert len(LABELLINGS) >= 10
    compared = {labelling.case: comparison(labelling) for labelling in LABELLINGS}
    kinds = [flag.kind for outcome in compared.values() for flag in outcome.flags]
    assert set(kinds) == set(DisagreementKind)
    assert kinds.count(DisagreementKind.SEVERITY) >= 3
    agreed = [labelling for labelling in LABELLINGS if not compared[labelling.case].flags]
    assert sum(bool(labelling.a.labels) for labelling in agreed) >= 2
    assert sum(labelling.a.verdict is labelling.b.verdict is Verdict.CLEAN for labelling in agreed) >= 2
    assert all(not labelling.decisions for labelling in agreed)


def test_most_disagreements_are_decided_in_every_way_and_some_are_open() -> None:
    differing = [labelling for labelling in LABELLINGS if comparison(labelling).flags]
    settled = [labelling for labelling in differing if labelling.decisions]
    assert len(differing) // 2 < len(settled) < len(differing)
    outcomes = {decision.outcome for labelling in settled for decision in labelling.decisions}
    # No sample case calls a third seat.
    assert outcomes == set(Outcome) - {Outcome.ACCEPT_C}
    decoys = [d for labelling in settled for d in labelling.decisions if d.state is GoldenState.DECOY]
    assert len(decoys) >= 2


def test_one_clean_case_was_taken_for_a_defective_one() -> None:
    mistaken = [
        labelling
        for labelling in LABELLINGS
        if CASES[labelling.case].source_kind is SourceKind.CLEAN
        and Verdict.HAS_DEFECTS in {labelling.a.verdict, labelling.b.verdict}
    ]
    assert len(mistaken) == 1


def test_reviewers_write_their_own_words_and_places() -> None:
    differing = 0
    for labelling in LABELLINGS:
        for first, second in zip(labelling.a.labels, labelling.b.labels, strict=False):
            assert first.title != second.title
            assert first.impact != second.impact
            differing += first.anchors != second.anchors
    assert differing >= 10


def test_severities_and_confidences_are_spread() -> None:
    said = [label for labelling in LABELLINGS for label in labels(labelling).values()]
    assert {label.severity for label in said} >= {Severity.CRITICAL, Severity.HIGH, Severity.MEDIUM, Severity.LOW}
    assert len({label.confidence for label in said}) == 3
    assert any(label.speculative for label in said)
    assert any(anchor.side is Side.OLD for label in said for anchor in label.anchors)
    assert all(anchor.level is AnchorLevel.LINES for label in said for anchor in label.anchors)
