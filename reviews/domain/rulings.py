"""People's rulings on what an AI said, and the final one-to-one result that follows from them.

A ruling is on a pair of an AI finding and a golden finding (`ON_PAIR`), or on the AI finding alone (`ON_FINDING`, kept
under the golden id ""). What nobody ruled on stays as structure proposed it, and is open unless that is beyond doubt: a
match that is certain, or a finding that the case's scope keeps out by file or category.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from reviews.domain.matching import MatchClass, MatchReason, Proposal, Proposed
from reviews.domain.scored import HITS


class RulingValue(StrEnum):
    """A person's answer."""

    # On a pair: the same defect; the same area, but incomplete or overstated; two different defects.
    MATCH = "match"
    PARTIAL = "partial"
    DIFFERENT = "different"
    # On the AI finding alone, whatever the golden findings say.
    DUPLICATE = "duplicate"
    UNSUPPORTED = "unsupported"
    VALID_NOT_IN_GOLD = "valid_not_in_gold"
    OUT_OF_SCOPE = "out_of_scope"
    CANNOT_SAY = "cannot_say"


ON_PAIR = frozenset({RulingValue.MATCH, RulingValue.PARTIAL, RulingValue.DIFFERENT})
ON_FINDING = frozenset(RulingValue) - ON_PAIR
ON_NO_GOLDEN = ""


@dataclass(frozen=True)
class FinalFinding:
    """The class of one AI finding after rulings; `is_open` while it still needs one."""

    ai_id: str
    result: MatchClass
    golden_id: str | None
    reason: MatchReason | None
    is_open: bool
    explanation: str


# (AI finding, golden finding) of one case to the ruling on the pair; `ON_NO_GOLDEN` for one on the finding alone
Rulings = Mapping[tuple[str, str], RulingValue]


def apply_rulings(
    proposal: Proposal, rulings: Rulings, *, required: Sequence[str], labels_complete: bool
) -> tuple[FinalFinding, ...]:
    """Return the final class of every AI finding of one case, in the proposal's order.

    A ruling on a pair counts before one on the finding alone. What is ruled valid though not in the gold, and what
    nobody can say, keeps its class: the first becomes a claim for a later version and changes no score of this one.
    `required` names the required golden findings. Each of them is given to one finding: a ruled match before a ruled
    partial, these before a proposal; among equals the one structure proposed, then the first in canonical order. The
    others that were ruled or proposed for it are duplicates. A golden finding whose holder was ruled different passes
    to its first duplicate, which is then open.
    """
    wanted = set(required)
    choices = [_choice(finding, rulings, wanted, labels_complete=labels_complete) for finding in proposal.findings]
    holders: dict[str, int] = {}
    for index, choice in enumerate(choices):
        golden_id = choice.final.golden_id
        if golden_id in wanted and golden_id is not None:
            held = holders.get(golden_id)
            if held is None or choice.strength > choices[held].strength:
                holders[golden_id] = index
    return tuple(_settled(choice, index, holders, wanted) for index, choice in enumerate(choices))


@dataclass(frozen=True)
class _Choice:
    """What one finding would be if it alone counted; `strength` orders the claims on one golden finding."""

    final: FinalFinding
    strength: int


def _choice(finding: Proposed, rulings: Rulings, wanted: set[str], *, labels_complete: bool) -> _Choice:
    ruled = {golden: value for (ai_id, golden), value in rulings.items() if ai_id == finding.ai_id}
    final = FinalFinding(
        finding.ai_id, finding.match_class, finding.golden_id, finding.reason, False, finding.explanation
    )
    proposed = finding.match_class in HITS
    for value, strength in ((RulingValue.MATCH, 8), (RulingValue.PARTIAL, 6)):
        golden = sorted(one for one, ruling in ruled.items() if ruling is value and one in wanted)
        if golden:
            chosen = finding.golden_id if finding.golden_id in golden else golden[0]
            kind = MatchClass(value.value)
            same = proposed and chosen == finding.golden_id
            decided = replace(final, result=kind, golden_id=chosen, reason=None, explanation="Ruled by a person.")
            return _Choice(decided, strength + same)
    wrong = MatchClass.FALSE_POSITIVE if labels_complete else MatchClass.UNJUDGED
    alone = ruled.get(ON_NO_GOLDEN)
    if alone is not None or ruled.get(finding.golden_id or ON_NO_GOLDEN) is RulingValue.DIFFERENT:
        return _Choice(_without_golden(final, alone, wrong), 0)
    if proposed:
        return _Choice(replace(final, is_open=not finding.certain), 4)
    is_by_rule = finding.reason in {MatchReason.FILE, MatchReason.CATEGORY}
    return _Choice(replace(final, is_open=not is_by_rule), 2)


def _without_golden(final: FinalFinding, alone: RulingValue | None, wrong: MatchClass) -> FinalFinding:
    """Return a finding that was ruled to speak of no golden finding, by the ruling on it alone where there is one."""
    kinds = {RulingValue.DUPLICATE: MatchClass.DUPLICATE, RulingValue.OUT_OF_SCOPE: MatchClass.OUT_OF_SCOPE}
    reasons = {
        RulingValue.VALID_NOT_IN_GOLD: MatchReason.VALID_NOT_IN_GOLD,
        RulingValue.CANNOT_SAY: MatchReason.CANNOT_SAY,
        RulingValue.OUT_OF_SCOPE: MatchReason.RULED,
    }
    return replace(
        final,
        result=kinds.get(alone, wrong) if alone else wrong,
        golden_id=None,
        reason=reasons.get(alone) if alone else None,
        explanation="Ruled by a person.",
    )


def _settled(choice: _Choice, index: int, holders: Mapping[str, int], wanted: set[str]) -> FinalFinding:
    final = choice.final
    if final.golden_id is None or final.golden_id not in wanted:
        return final
    if holders[final.golden_id] != index:
        return replace(final, result=MatchClass.DUPLICATE)
    if final.result is MatchClass.DUPLICATE:
        return replace(final, result=MatchClass.PARTIAL, is_open=True)
    return final
