"""One question to rulers: what do these words say of this case? What their answers amount to, and who is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reviews.domain.matching import MatchReason, Proposed
from reviews.domain.rulings import RulingValue


@dataclass(frozen=True)
class Answer:
    """What a ruler holds of a question; `golden` identifies the revision that an answer on a pair names."""

    ruler: int
    value: RulingValue
    golden: int | None
    is_final: bool = False


def settled_answer(answers: Sequence[Answer]) -> Answer | None:
    """Return the answer that holds, None while there is none or rulers differ. `answers` are in the order given.

    A ruler's later answer replaces their earlier one; one that settles a difference goes before all others.
    """
    for answer in reversed(answers):
        if answer.is_final:
            return answer
    newest = {answer.ruler: answer for answer in answers}
    if len({(answer.value, answer.golden) for answer in newest.values()}) == 1:
        return next(iter(newest.values()))
    return None


def is_disputed(answers: Sequence[Answer]) -> bool:
    """Say whether rulers differ and nobody has settled it."""
    return bool(answers) and settled_answer(answers) is None


def waits(answers: Sequence[Answer], wanted: int) -> bool:
    """Say whether a question that `wanted` rulers are to answer still needs one."""
    if not wanted:
        return False
    settled = settled_answer(answers)
    if settled is None:
        return True
    return not settled.is_final and len({answer.ruler for answer in answers}) < wanted


def needs_ruling(proposed: Proposed) -> bool:
    """Say whether a proposal is not beyond doubt: certain matches and what the scope keeps out are (T1)."""
    return not proposed.certain and proposed.reason not in {MatchReason.FILE, MatchReason.CATEGORY}
