"""What a settled case says, and what an accepted label counts as (T2, T3)."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.domain.vocabulary import CaseResult, GoldenState, Relation, Severity, Verdict


def golden_state(
    *, severity: Severity, relation: Relation | None, is_speculative: bool, pre_existing: str, speculative: str
) -> GoldenState:
    """Return what an accepted label counts as by default.

    `pre_existing` and `speculative` are the reviewer contract's treatments: "required", "optional" or "excluded".
    A note is never required, and neither is what the contract does not ask of a reviewer.
    """
    is_old = relation in (Relation.PRE_EXISTING, Relation.UNRELATED)
    if severity is Severity.NOTE or (is_old and pre_existing != "required"):
        return GoldenState.OPTIONAL
    if is_speculative and speculative != "required":
        return GoldenState.OPTIONAL
    return GoldenState.REQUIRED


def case_result(
    *, verdicts: Sequence[Verdict], golden_states: Sequence[GoldenState], decided_verdict: Verdict | None
) -> CaseResult:
    """Return the result of a case whose last disagreement was decided, or that had none.

    `verdicts` are those of the blinded seats, `decided_verdict` an adjudicator's on differing ones. Clean needs two
    independent clean verdicts; where labels were made and all rejected, the case is no_finding_adjudicated (T3).
    """
    if GoldenState.UNRESOLVED in golden_states:
        return CaseResult.UNRESOLVED
    if GoldenState.REQUIRED in golden_states:
        return CaseResult.DEFECTS
    if len(verdicts) >= 2 and all(verdict is Verdict.CLEAN for verdict in verdicts):
        return CaseResult.CLEAN
    settled = decided_verdict or (verdicts[0] if len(set(verdicts)) == 1 else None)
    if settled in (Verdict.UNCERTAIN, Verdict.INSUFFICIENT_CONTEXT, None):
        return CaseResult.UNRESOLVED
    if settled is Verdict.HAS_DEFECTS and GoldenState.OPTIONAL in golden_states:
        return CaseResult.DEFECTS
    return CaseResult.NO_FINDING_ADJUDICATED
