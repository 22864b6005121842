"""What a settled case says follows T2 and T3 of the design, row by row."""

from __future__ import annotations

import pytest

from corpus.domain.vocabulary import CaseResult, GoldenState, Relation, Severity, Verdict
from labeling.domain.settling import case_result, golden_state

REQUIRED, OPTIONAL, DECOY, UNRESOLVED = GoldenState
HAS, CLEAN, UNCERTAIN, LACKING = Verdict


@pytest.mark.parametrize(
    ("verdicts", "states", "decided", "result"),
    [
        ([HAS, HAS], [REQUIRED], None, CaseResult.DEFECTS),
        ([HAS, CLEAN], [REQUIRED, OPTIONAL], HAS, CaseResult.DEFECTS),
        ([CLEAN, CLEAN], [], None, CaseResult.CLEAN),
        ([CLEAN, CLEAN], [OPTIONAL], None, CaseResult.CLEAN),
        # One clean verdict is not two, whoever adjudicates.
        ([HAS, CLEAN], [], CLEAN, CaseResult.NO_FINDING_ADJUDICATED),
        ([HAS, HAS], [], CLEAN, CaseResult.NO_FINDING_ADJUDICATED),
        ([HAS, HAS], [DECOY], None, CaseResult.NO_FINDING_ADJUDICATED),
        ([HAS, HAS], [REQUIRED, UNRESOLVED], None, CaseResult.UNRESOLVED),
        ([UNCERTAIN, UNCERTAIN], [], None, CaseResult.UNRESOLVED),
        ([HAS, LACKING], [], LACKING, CaseResult.UNRESOLVED),
        ([HAS, HAS], [OPTIONAL], None, CaseResult.DEFECTS),
        # A single clean verdict, without a second seat, is no clean case.
        ([CLEAN], [], None, CaseResult.NO_FINDING_ADJUDICATED),
    ],
)
def test_the_result_of_a_case(verdicts, states, decided, result) -> None:
    assert case_result(verdicts=verdicts, golden_states=states, decided_verdict=decided) == result


@pytest.mark.parametrize(
    ("severity", "relation", "speculative", "treatments", "state"),
    [
        (Severity.HIGH, Relation.INTRODUCED, False, ("optional", "optional"), REQUIRED),
        (Severity.NOTE, Relation.INTRODUCED, False, ("required", "required"), OPTIONAL),
        (Severity.HIGH, Relation.PRE_EXISTING, False, ("optional", "required"), OPTIONAL),
        (Severity.HIGH, Relation.PRE_EXISTING, False, ("required", "required"), REQUIRED),
        (Severity.HIGH, Relation.MADE_WORSE, True, ("optional", "optional"), OPTIONAL),
        (Severity.HIGH, Relation.MADE_WORSE, True, ("optional", "required"), REQUIRED),
    ],
)
def test_what_an_accepted_label_counts_as(severity, relation, speculative, treatments, state) -> None:
    pre_existing, speculation = treatments
    assert (
        golden_state(
            severity=severity,
            relation=relation,
            is_speculative=speculative,
            pre_existing=pre_existing,
            speculative=speculation,
        )
        == state
    )
