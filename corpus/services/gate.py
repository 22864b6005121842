"""A gate and the cases that fail it."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.domain.vocabulary import GATE_TITLES

# A gate's detail is one line on a receipt.
MAX_DETAIL = 300


@dataclass(frozen=True)
class FailingCase:
    """A case that fails a gate, and why. `tells_truth` when the reason tells of a golden finding."""

    case_id: str
    reason: str
    tells_truth: bool = False


@dataclass(frozen=True)
class Gate:
    """How one gate stands. `key` names it in commands and manifests."""

    key: str
    has_passed: bool
    detail: str
    failing: tuple[FailingCase, ...] = ()
    waivable: bool = False

    @property
    def title(self) -> str:
        """Say what must hold."""
        return GATE_TITLES[self.key]


def cases_in_words(number: int) -> str:
    """Return a number of cases in words."""
    return f"{number} case" if number == 1 else f"{number} cases"
