"""Gates: limits that figures of a run must keep, compared as fractions, so that a figure at its limit passes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from corpus.domain.vocabulary import Severity
from reviews.domain.scoring import Figure, Metrics

FLOORS = (
    "recall",
    "recall_lenient",
    "recall_reviewed",
    "weighted_recall",
    "precision",
    "precision_lenient",
    "precision_emitted",
    "correctness",
    "located_exactly",
    "located_nearly",
    "pooled_iou",
    *(f"{level}.recall" for level in Severity),
)
CEILINGS = ("noise_per_case", "clean_comment_rate", "comments_per_clean_case", "duplicate_rate", "mean_distance")
_LIMIT = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")


@dataclass(frozen=True)
class Gate:
    """A figure's name with its limit: at least for what should be high, at most for what should be low."""

    name: str
    limit: str

    @property
    def is_floor(self) -> bool:
        """Whether the figure must not be below the limit (else: not above it)."""
        return self.name in FLOORS


@dataclass(frozen=True)
class GateResult:
    """Whether a run passed a gate, and the sentence that says why."""

    gate: str
    passed: bool
    reason: str


def parse_gate(text: str) -> Gate:
    """Read `NAME=LIMIT`, for instance `critical.recall=1.0`; raises ValueError with a sentence."""
    name, equals, limit = text.partition("=")
    if not equals or not _LIMIT.fullmatch(limit):
        raise ValueError(f"{text[:80]!r} is not a gate such as recall=0.8")
    if name not in FLOORS and name not in CEILINGS:
        raise ValueError(f"the gate {name[:80]!r} is not known; known are {', '.join((*FLOORS, *CEILINGS))}")
    return Gate(name, limit)


def judge_gates(gates: Sequence[Gate], run: Metrics, rejected: int) -> list[GateResult]:
    """Return the results of `gates` on one run, with two more that are always asked where any gate is.

    `reviewed`: no case was left unreviewed; `read`: no record of the run was rejected. Both fail closed: what was not
    seen cannot vouch for anything. An undefined figure fails its gate.
    """
    if not gates:
        return []
    unreviewed = run.counts["cases"] - run.counts["reviewed"]
    return [
        GateResult("reviewed", unreviewed == 0, f"{unreviewed} of {run.counts['cases']} cases are unreviewed"),
        GateResult("read", rejected == 0, f"{rejected} records were rejected"),
        *(_judge(gate, run.figures) for gate in gates),
    ]


def _judge(gate: Gate, figures: Mapping[str, Figure]) -> GateResult:
    figure = figures[gate.name]
    shown = f"{gate.name}={gate.limit}"
    if not figure.denominator:
        return GateResult(shown, False, f"undefined: {figure.reason}")
    reached, limit = Fraction(figure.numerator, figure.denominator), Fraction(gate.limit)
    passed = reached >= limit if gate.is_floor else reached <= limit
    word = "at least" if gate.is_floor else "at most"
    return GateResult(
        shown,
        passed,
        f"{figure.numerator} of {figure.denominator} = {float(reached):.4f}, {word} {gate.limit} is asked",
    )
